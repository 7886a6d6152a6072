"""Two runs compared: in the terminal, and as one JSON document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from troth.account import Row
from troth.compare import Changed, Comparison, Difference, Outcome, Slice
from troth.run import Run
from troth.stats.intervals import Interval
from troth.text.plain import plain, shorten

STYLES = {Outcome.BETTER: "green", Outcome.WORSE: "red"}
COLUMNS = ("n", "A", "B", "B − A", "interval", "p", "effect")
QUOTE, REASON = 240, 180


def show_comparison(comparison: Comparison, console: Console, rows: int = 5) -> None:
    """Print it: warnings, a line per metric, what was not scored, slices, the changed rows."""
    for part in (
        *_head(comparison),
        _table("metric", comparison.differences),
        *_notes(comparison),
        *_slices(comparison.slices),
        *_rows(comparison, rows),
    ):
        console.print(part)


def comparison_json(comparison: Comparison) -> bytes:
    """One document: `a`, `b`, `rows`, `metrics` by label, `slices`, `changed`, `warnings`."""
    document = {
        "a": _run(comparison.a),
        "b": _run(comparison.b),
        "rows": comparison.rows,
        "only_a": comparison.only_a,
        "only_b": comparison.only_b,
        "cluster": comparison.cluster,
        "confidence": comparison.confidence,
        "warnings": comparison.warnings,
        "metrics": {one.metric: _plain(one) for one in comparison.differences},
        "slices": [
            {"column": s.column, "value": s.value, "rows": s.rows,
             "metrics": {one.metric: _plain(one) for one in s.differences}}
            for s in comparison.slices
        ],
        "changed": [
            {"id": c.id, "change": c.change, "differences": c.differences,
             "a": _row(c.a), "b": _row(c.b)}
            for c in comparison.changed
        ],
    }  # fmt: skip
    encoded = msgspec.json.encode(document, enc_hook=str)
    return msgspec.json.format(encoded, indent=2) + b"\n"


def figures(one: Difference) -> tuple[str, ...]:
    """The texts of `COLUMNS`: rows, means, difference, interval, corrected p, effect size."""
    paired = one.paired
    if paired is None or one.p_adjusted is None:
        return ("0", *("–",) * (len(COLUMNS) - 1))
    effect = "–" if paired.effect_size is None else f"{paired.effect_size:+.2f}"
    return (
        str(paired.n),
        f"{paired.mean_a:.3f}",
        f"{paired.mean_b:.3f}",
        f"{paired.difference:+.3f}",
        span(paired.interval),
        "<.001" if one.p_adjusted < 0.001 else f"{one.p_adjusted:.3f}",
        effect,
    )


def brief(one: Difference) -> str:
    """The verdict in few words, for the many lines of slices."""
    found = one.paired.detectable if one.paired else None
    below = "" if found is None else f" below {100 * found:.2g} points"
    return f"{one.outcome}{below if one.outcome is Outcome.UNCLEAR else ''}"


def span(interval: Interval) -> str:
    """`-0.041 to +0.012`; with a question mark where it is not to be trusted."""
    return f"{interval.low:+.3f} to {interval.high:+.3f}" + ("" if interval.trusted else " ?")


def unpaired_lines(one: Difference) -> Iterator[str]:
    """The rows that were scored in one run only, by reason, and those scored in none."""
    for lost in one.unpaired:
        ids = ", ".join(lost.ids) + (", …" if lost.count > len(lost.ids) else "")
        yield f"{one.metric}: {lost.count} {lost.status} in {lost.run} only: {lost.reason} ({ids})"
    if one.neither:
        yield f"{one.metric}: {one.neither} without a score in both"
    if one.paired is not None and one.paired.interval.note:
        yield f"{one.metric}: {one.paired.interval.note}"


def explanation(comparison: Comparison) -> str:
    """How the figures are to be read, in a line."""
    tests = max((one.tests for one in comparison.differences), default=1)
    parts = [f"{comparison.confidence:.0%} intervals"]
    parts += [f"rows grouped by {comparison.cluster}"] if comparison.cluster else []
    parts += [f"p corrected for {tests} metrics (Holm)"] if tests > 1 else []
    return ", ".join(parts)


def _head(comparison: Comparison) -> Iterator[RenderableType]:
    for name, run in (("A", comparison.a), ("B", comparison.b)):
        what = " · ".join(filter(None, (run.id, str(run.info.get("source", "")), run.judge)))
        yield Text(f"{name}  {shorten(what, QUOTE)} · {len(run)} rows")
    yield Text(f"{comparison.rows} rows paired by id; {explanation(comparison)}\n", style="dim")
    for warning in comparison.warnings:
        yield Text(f"warning: {shorten(warning, QUOTE)}", style="yellow")
    if comparison.warnings:
        yield Text()


def _table(first: str, differences: Iterable[Difference], values: Iterable[str] = ()) -> Table:
    """A line per difference; with `values`, the names of slices, under the title `first`."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    names = list(values)
    if names:
        table.add_column(first)
    table.add_column("metric", no_wrap=True)
    for title in COLUMNS:
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("verdict", min_width=12)
    for place, one in enumerate(differences):
        head = [Text(names[place])] if names else []
        verdict = Text(brief(one) if names else one.words, style=STYLES.get(one.outcome, ""))
        table.add_row(*head, Text(one.metric), *figures(one), verdict)
    return table


def _notes(comparison: Comparison) -> Iterator[RenderableType]:
    lines = [line for one in comparison.differences for line in unpaired_lines(one)]
    if lines:
        yield Text("\nNot compared, or with care", style="bold")
        yield from (_indented(Text(shorten(line, QUOTE)), 2) for line in lines)


def _slices(slices: Iterable[Slice]) -> Iterator[RenderableType]:
    by_column: dict[str, list[Slice]] = {}
    for one in slices:
        by_column.setdefault(one.column, []).append(one)
    for column, found in by_column.items():
        differences = [d for one in found for d in one.differences]
        values = [
            "" if n else shorten(one.value, 30)
            for one in found
            for n in range(len(one.differences))
        ]
        tests = max((d.tests for d in differences), default=1)
        yield Text.assemble(
            (f"\nBy {plain(column)}", "bold"), (f", p corrected for {tests} tests", "dim")
        )
        yield _table(plain(column), differences, values)


def _rows(comparison: Comparison, rows: int) -> Iterator[RenderableType]:
    for title, sign in (("Got worse", -1), ("Got better", 1)):
        found = [c for c in comparison.changed if c.change * sign > 0][:rows]
        if found:
            yield Text(f"\n{title}", style="bold")
            yield from (_indented(_side_by_side(changed), 2) for changed in found)


def _side_by_side(changed: Changed) -> RenderableType:
    question = shorten(changed.a.sample.question or "", QUOTE)
    table = Table(box=None, pad_edge=False, show_header=False, expand=True)
    for _ in "AB":
        table.add_column(ratio=1, overflow="fold")
    table.add_row(*(Text(f"→ {_said(row)}") for row in (changed.a, changed.b)))
    for metric in changed.differences:
        table.add_row(*(_scored(row, metric) for row in (changed.a, changed.b)))
    return Group(Text.assemble((plain(changed.id), "bold"), f"  {question}"), table, Text())


def _scored(row: Row, metric: str) -> Text:
    score = row.scores[metric]
    value = "–" if score.value is None else f"{score.value:.2f}"
    return Text.assemble(f"{value} {metric}", (f"  {shorten(score.reason, REASON)}", "dim"))


def _said(row: Row) -> str:
    return "(no answer)" if row.sample.answer is None else shorten(row.sample.answer, QUOTE)


def _indented(part: RenderableType, by: int) -> Padding:
    return Padding(part, (0, 0, 0, by), expand=False)


def _run(run: Run) -> dict[str, Any]:
    return {"run": run.id, "judge": run.judge, "rows": len(run), "info": run.info}


def _row(row: Row) -> dict[str, Any]:
    s = row.sample
    return {"question": s.question, "answer": s.answer, "contexts": s.contexts,
            "references": s.references, "scores": row.scores}  # fmt: skip


def _plain(one: Difference) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(one, enc_hook=str)
    return found | {"outcome": str(one.outcome), "verdict": one.words}
