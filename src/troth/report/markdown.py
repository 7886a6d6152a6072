"""Markdown for pull requests: a run, a comparison, a gate.

What was evaluated is data here too: it is escaped, so that it can neither format, link nor embed
anything, and names nobody.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence

from troth.account import Summary
from troth.compare import Changed, Comparison, Outcome
from troth.gate import Gate, Result
from troth.report.comparison import COLUMNS, explanation, figures, unpaired_lines
from troth.report.intervals import intervals
from troth.run import Run
from troth.stats.intervals import Interval
from troth.text.plain import shorten

CELL, QUOTE = 60, 240
_SPECIAL = re.compile(r"([\\`*_\[\]|~$])")
_CALLS = re.compile(r"(@|#(?=\d)|://|(?<=www)\.)")  # GitHub makes mentions and links of these
MARKS = {Result.PASSED: "passed", Result.NOT_PASSED: "**not passed**",
         Result.CANNOT_TELL: "**cannot tell**"}  # fmt: skip


def run_markdown(run: Run, worst: int = 5, cluster: str | None = None) -> str:
    """One run: a line per metric with its interval and account, and the worst rows.

    cluster: the column whose equal values mark rows that belong together, for the intervals.
    """
    between = intervals(run, cluster)
    lines = [f"### Evaluation of {len(run)} rows", "", _judged(run), ""]
    lines += _table(
        ("metric", "mean", "95% interval", "scored", "unscorable", "failed", "total"),
        (_metric_cells(found, between[label]) for label, found in run.summary().items()),
    )
    rows = run.worst(worst) if worst else []
    if rows:
        lines += ["", _summary("Worst rows"), ""]
        for row in rows:
            lines.append(f"- **{escaped(row.sample.id)}** {escaped(row.sample.question, QUOTE)}")
            lines.append(f"  - answer: {escaped(row.sample.answer, QUOTE)}")
            lines += (
                f"  - {escaped(metric)} {score.value:.2f} {escaped(score.reason, QUOTE)}"
                for metric, score in row.scores.items()
                if score.value is not None and score.value < 1
            )
        lines += ["", "</details>"]
    return "\n".join(lines) + "\n"


def comparison_markdown(comparison: Comparison, rows: int = 5) -> str:
    """Two runs: a line per metric, warnings, slices, and the rows that changed most."""
    a, b = (escaped(run.id) or "in memory" for run in (comparison.a, comparison.b))
    lines = [f"### {a} (A) and {b} (B)", ""]
    lines += [f"> {escaped(warning, QUOTE)}  " for warning in comparison.warnings]
    lines += [""] if comparison.warnings else []
    lines += _table(
        ("metric", *COLUMNS, "verdict"),
        (
            (escaped(d.metric), *figures(d), _loud(d.words, d.outcome))
            for d in comparison.differences
        ),
    )
    lines += [
        "",
        f"{comparison.rows} rows paired by id; {escaped(explanation(comparison), QUOTE)}.",
    ]
    notes = [n for one in comparison.differences for n in unpaired_lines(one)]
    lines += ["", *(f"- {escaped(note, QUOTE)}" for note in notes)] if notes else []
    if comparison.slices:
        lines += ["", _summary("Slices"), ""]
        lines += _table(
            ("slice", "metric", *COLUMNS, "verdict"),
            (
                (
                    f"{escaped(s.column)}: {escaped(s.value)}",
                    escaped(d.metric),
                    *figures(d),
                    _loud(d.words, d.outcome),
                )
                for s in comparison.slices
                for d in s.differences
            ),
        )  # fmt: skip
        lines += ["", "</details>"]
    for title, sign in (("Got worse", -1), ("Got better", 1)):
        found = [c for c in comparison.changed if c.change * sign > 0][:rows]
        lines += _changed(title, found) if found else []
    return "\n".join(lines) + "\n"


def gate_markdown(gate: Gate) -> str:
    """A gate: whether it is passed, and a line per check."""
    lines = [f"### Scores: {gate.result}", ""]
    lines += _table(
        ("check", "", "found", "not counted"),
        (
            (escaped(c.rule, QUOTE), MARKS[c.result], escaped(c.reason, QUOTE),
             escaped(c.unscored, QUOTE))
            for c in gate.checks
        ),
    )  # fmt: skip
    if gate.warnings:
        lines += ["", *(f"- {escaped(warning, QUOTE)}" for warning in gate.warnings)]
    return "\n".join(lines) + "\n"


def escaped(text: str | None, limit: int = CELL) -> str:
    """`text` in one line that means nothing to Markdown, HTML or GitHub; empty for `None`."""
    if text is None:
        return ""
    quoted = _SPECIAL.sub(r"\\\1", html.escape(shorten(text, limit), quote=False))
    return _CALLS.sub("\\1\u200b", quoted)


def _judged(run: Run) -> str:
    source = str(run.info.get("source", ""))
    parts = [f"Run {escaped(run.id)}" if run.id else "", escaped(source)]
    parts += [] if run.judge == "none" else [f"judge {escaped(run.judge)}"]
    return " · ".join(filter(None, parts))


def _metric_cells(found: Summary, interval: Interval | None) -> Sequence[str]:
    between = "–"
    if interval is not None:
        between = f"{interval.low:.3f} to {interval.high:.3f}"
        between += "" if interval.trusted else f" ({escaped(interval.note)})"
    counts = (found.scored, found.unscorable, found.failed, found.total)
    mean = "–" if found.mean is None else f"{found.mean:.3f}"
    return (escaped(found.metric), mean, between, *map(str, counts))


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(titles)} |"
    yield "|---" * len(titles) + "|"
    for cells in rows:
        yield f"| {' | '.join(cells)} |"


def _changed(title: str, rows: Sequence[Changed]) -> Iterator[str]:
    yield from ("", _summary(title), "")
    for changed in rows:
        yield f"- **{escaped(changed.id)}** {escaped(changed.a.sample.question, QUOTE)}"
        for name, row in (("A", changed.a), ("B", changed.b)):
            yield f"  - {name}: {escaped(row.sample.answer, QUOTE)}"
            for metric in changed.differences:
                score = row.scores[metric]
                value = "–" if score.value is None else f"{score.value:.2f}"
                yield f"    - {escaped(metric)} {value} {escaped(score.reason, QUOTE)}"
    yield from ("", "</details>")


def _summary(title: str) -> str:
    return f"<details><summary>{title}</summary>"


def _loud(words: str, outcome: Outcome) -> str:
    return f"**{words}**" if outcome in (Outcome.BETTER, Outcome.WORSE) else escaped(words, QUOTE)
