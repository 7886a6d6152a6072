"""JUnit XML, which every build server reads: a gate, or the rows of a run.

The form: https://github.com/testmoapp/junitxml
"""

from __future__ import annotations

import html
from collections.abc import Iterator

from troth.account import Row
from troth.gate import Gate, Result
from troth.run import Run
from troth.score import Score, Status
from troth.text.plain import shorten

TEXT = 2000  # characters of a reason
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


def gate_junit(gate: Gate) -> Iterator[str]:
    """A test case per check: a failure where it is not passed, an error where nobody can tell."""
    results = [check.result for check in gate.checks]
    yield HEAD
    yield _suite(
        f"troth gate {gate.run.id}".strip(),
        len(results),
        failures=results.count(Result.NOT_PASSED),
        errors=results.count(Result.CANNOT_TELL),
    )
    for check in gate.checks:
        text = f"{check.reason}; not counted: {check.unscored}" if check.unscored else check.reason
        tag = {Result.NOT_PASSED: "failure", Result.CANNOT_TELL: "error"}.get(check.result)
        yield _case(check.metric, check.rule, _part(tag, text) if tag else _out(text))
    yield "</testsuite>\n</testsuites>\n"


def run_junit(run: Run) -> Iterator[str]:
    """A test case per row and metric: an error where it failed, skipped where unscorable."""
    accounts = run.summary().values()
    yield HEAD
    yield _suite(
        f"troth run {run.id}".strip(),
        sum(s.total for s in accounts),
        errors=sum(s.failed for s in accounts),
        skipped=sum(s.unscorable for s in accounts),
    )
    for row in run:
        yield from _row(row)
    yield "</testsuite>\n</testsuites>\n"


def _row(row: Row) -> Iterator[str]:
    for metric, score in row.scores.items():
        yield _case(metric, row.sample.id, _scored(score))


def _scored(score: Score) -> str:
    if score.status is Status.FAILED:
        return _part("error", score.reason)
    if score.status is Status.UNSCORABLE:
        return _part("skipped", score.reason)
    return _out(f"{score.value:.4g} {score.reason}")


def _suite(name: str, tests: int, *, failures: int = 0, errors: int = 0, skipped: int = 0) -> str:
    counts = f'tests="{tests}" failures="{failures}" errors="{errors}" skipped="{skipped}" time="0"'
    return f'<testsuites {counts}>\n<testsuite name="{_attribute(name)}" {counts}>\n'


def _case(metric: str, name: str, inside: str) -> str:
    where = f'classname="troth.{_attribute(metric)}" name="{_attribute(name)}" time="0"'
    return f"<testcase {where}>{inside}</testcase>\n"


def _part(tag: str, text: str) -> str:
    return f'<{tag} message="{_attribute(text)}"/>'


def _out(text: str) -> str:
    return f"<system-out>{_attribute(text)}</system-out>"


def _attribute(text: str) -> str:
    # `shorten` leaves no character that XML 1.0 forbids.
    return html.escape(shorten(text, TEXT))
