"""A gate's checks as lines: for terminals, test reports and GitHub's annotations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from troth.gate import Gate, Result
from troth.text.plain import plain, shorten

MARKS = {
    Result.PASSED: "passed",
    Result.NOT_PASSED: "NOT PASSED",
    Result.CANNOT_TELL: "CANNOT TELL",
}
LINE, TEXT = 400, 160


def check_lines(gate: Gate) -> Iterator[str]:
    """One line per check, one more for the rows that it does not rest on, and the warnings.

    Each begins with a word of ours, and holds no control character: what is evaluated can neither
    steer a terminal nor give commands to a build that reads its own log.
    """
    width = max((len(MARKS[check.result]) for check in gate.checks), default=0)
    for check in gate.checks:
        yield f"{MARKS[check.result]:<{width}}  {_tame(check.rule)}: {_tame(check.reason)}"
        if check.unscored:
            yield f"{'not counted':>{width}}: {_tame(check.unscored)}"
    for warning in gate.warnings:
        yield f"warning: {_tame(warning)}"


def low_lines(gate: Gate, worst: int) -> Iterator[str]:
    """The lowest rows by the metrics that did not pass, each with its reasons."""
    metrics = dict.fromkeys(c.metric for c in gate.checks if c.result is Result.NOT_PASSED)
    for metric in metrics:
        for row in gate.run.worst(worst, metric):
            score = row.scores[metric]
            if score.value is not None and score.value < 1:
                where = f"{_tame(row.sample.id)}: {score.value:.2f}"
                yield f"low {_tame(metric)} in {where} {shorten(score.reason, TEXT)}"


def workflow_commands(gate: Gate) -> Iterator[str]:
    """GitHub's workflow commands: an error per check that did not pass, a warning per warning."""
    for check in gate.checks:
        if check.result is not Result.PASSED:
            text = f"{check.rule}: {check.reason}"
            text += f" (not counted: {check.unscored})" if check.unscored else ""
            yield f"::error title={_property(f'troth gate: {check.metric}')}::{_message(text)}"
    for warning in gate.warnings:
        yield f"::warning title={_property('troth gate')}::{_message(warning)}"


def gate_json(gate: Gate) -> bytes:
    """One document: `result`, `run`, `baseline`, `checks`, `warnings`."""
    document: dict[str, Any] = {
        "result": str(gate.result),
        "run": gate.run.id,
        "baseline": gate.comparison.a.id if gate.comparison else None,
        "checks": [msgspec.to_builtins(check, enc_hook=str) for check in gate.checks],
        "warnings": gate.warnings,
    }
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


def _tame(text: str) -> str:
    # GitHub's older commands (##[...]) are read anywhere in a line, the newer only at its start.
    return shorten(text, LINE).replace("##[", "# #[")


def _message(text: str) -> str:
    return plain(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
