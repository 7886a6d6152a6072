"""A run in the terminal: the account of every metric, what was not scored, the worst rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from troth.account import Summary
from troth.report.intervals import intervals, short
from troth.run import Run
from troth.score import NO_USAGE, Score, Status, Usage
from troth.stats.intervals import Interval
from troth.text.plain import plain, shorten

BINS = 10
BLOCKS = " ▁▂▃▄▅▆▇█"
EXAMPLES = 3  # skipped rows that are named
CAUSES = 3  # scores that are explained per row
QUOTE, REASON = 160, 180


def show(
    run: Run,
    console: Console,
    worst: int = 5,
    by: str | None = None,
    cluster: str | None = None,
) -> None:
    """Print `run`: a table, the reasons of unscored rows, the `worst` lowest rows (by a metric).

    cluster: the column whose equal values mark rows that are not independent, for the intervals.
    """
    between = intervals(run, cluster)
    console.print(Text(f"{_headline(run)}\n"), soft_wrap=True)
    console.print(_table(run, between))
    for part in (*_doubts(between), *_unscored(run), *_skipped(run), *_worst(run, worst, by)):
        console.print(part)


def _headline(run: Run) -> str:
    parts = [f"{len(run)} rows", f"{run.seconds:.1f} s"]
    parts += [] if run.judge == "none" else [f"judge {plain(run.judge)}"]
    usage = sum((s.usage for s in run.summary().values()), NO_USAGE)
    saved = sum((s.saved for s in run.summary().values()), NO_USAGE)
    parts += [_spent(usage, run)] if usage.calls or saved.calls else []
    parts += [f"saved by the journal: {_spent(saved, run)}"] if saved.calls else []
    return " · ".join(parts)


def _spent(usage: Usage, run: Run) -> str:
    parts = [f"{usage.calls:,} call{'' if usage.calls == 1 else 's'}"]
    parts += [f"{usage.input_tokens + usage.output_tokens:,} tokens"] if usage.input_tokens else []
    cost = run.cost_of(usage)
    return ", ".join([*parts, *([] if cost is None else [f"cost {cost:.4f}"])])


def _table(run: Run, between: Mapping[str, Interval | None]) -> Table:
    # Never narrower than its figures: a terminal may break the lines, but nothing is hidden.
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("metric", no_wrap=True)
    table.add_column("mean", justify="right")
    table.add_column("95%", no_wrap=True)
    table.add_column(f"0{'·' * (BINS - 2)}1", no_wrap=True)
    for name in ("scored", "unscorable", "failed", "total"):
        table.add_column(name, justify="right")
    for label, summary in run.summary().items():
        table.add_row(
            Text(label),
            _mean(summary),
            Text(short(found) if (found := between[label]) else "", style="dim"),
            Text(_histogram(run.account.tallies[label].values), style="cyan"),
            str(summary.scored),
            _count(summary.unscorable, "yellow"),
            _count(summary.failed, "red"),
            str(summary.total),
        )
    return table


def _doubts(between: Mapping[str, Interval | None]) -> Iterator[RenderableType]:
    """Why intervals are not to be trusted, each reason once."""
    for note in dict.fromkeys(i.note for i in between.values() if i is not None and not i.trusted):
        yield Text(f"? {note}", style="yellow")


def _mean(summary: Summary) -> Text:
    return Text("–") if summary.mean is None else Text(f"{summary.mean:.3f}", style="bold")


def _count(n: int, style: str) -> Text:
    return Text(str(n), style=style if n else "dim")


def _histogram(values: Iterable[float]) -> str:
    """How many rows lie in each tenth of [0, 1], the fullest tenth at full height."""
    counts = [0] * BINS
    for value in values:
        counts[min(BINS - 1, max(0, int(value * BINS)))] += 1
    top = max(counts) or 1
    return "".join(BLOCKS[-(-count * (len(BLOCKS) - 1) // top)] for count in counts)


def _unscored(run: Run) -> Iterator[RenderableType]:
    """Each reason why rows have no score, once, with how many and which."""
    lines: list[Text] = []
    for metric, tally in run.account.tallies.items():
        reasons = sorted(tally.unscored.items(), key=lambda item: -item[1][0])
        for (status, reason), (count, ids) in reasons:
            which = ", ".join(map(plain, ids)) + (", …" if count > len(ids) else "")
            lines.append(
                Text.assemble(
                    f"{metric}: ",
                    (f"{count} {status}", "red" if status is Status.FAILED else "yellow"),
                    f": {shorten(reason, REASON)} ",
                    (f"({which})", "dim"),
                )
            )
    if lines:
        yield Text("\nNot scored", style="bold")
        yield from (_indented(line, 2) for line in lines)


def _skipped(run: Run) -> Iterator[RenderableType]:
    if run.skipped:
        yield Text(f"\nbad rows skipped: {len(run.skipped)}", style="bold yellow")
        yield from (_indented(Text(shorten(p, REASON)), 2) for p in run.skipped[:EXAMPLES])


def _worst(run: Run, n: int, by: str | None) -> Iterator[RenderableType]:
    """The lowest rows, each with what was asked, answered, and why it scored low."""
    rows = [row for row in run.worst(n, by) if any(_is_low(s) for s in row.scores.values())]
    if not rows:
        return
    named = by or " and ".join(run.account.ranking)
    yield Text.assemble(("\nWorst rows", "bold"), (f" by {named}", "dim"))
    for place, row in enumerate(rows):
        sample = row.sample
        if place:
            yield Text()
        yield _indented(Text.assemble((plain(sample.id), "bold"), f"  {_said(sample.question)}"), 2)
        if sample.answer is not None:
            yield _indented(Text(f"→ {_said(sample.answer)}"), 4)
        first = (by,) if by else run.account.ranking
        low = sorted(
            ((m not in first, s.value, not s.verdicts, m, s.reason) for m, s in row.scores.items()
             if _is_low(s)),
        )  # fmt: skip
        for _, value, _, metric, reason in low[:CAUSES]:
            line = Text.assemble(
                (f"{value:.2f} ", "red"), metric, (f"  {shorten(reason, REASON)}", "dim")
            )
            yield _indented(line, 4)


def _is_low(score: Score) -> bool:
    return score.value is not None and score.value < 1


def _said(text: str | None) -> str:
    return shorten(text, QUOTE) if text else ""


def _indented(text: Text, by: int) -> Padding:
    return Padding(text, (0, 0, 0, by), expand=False)
