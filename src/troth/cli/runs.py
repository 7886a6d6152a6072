"""`troth runs`, `troth show` and `troth export`: the runs of a store."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from troth.cli.options import STORE
from troth.cli.output import console, errors
from troth.errors import UsageError
from troth.text.plain import plain, shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from troth.run import Run
    from troth.store import Entry

LONGEST = 40  # characters of a file's or judge's name
store_option = click.option("--store", metavar="PATH", default=STORE, show_default=True)
run_argument = click.argument("run", metavar="[RUN]", default="latest")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON list, no table.")
@click.option("--delete", metavar="RUN", multiple=True, help="Delete a run; may be repeated.")
@store_option
def runs(as_json: bool, delete: tuple[str, ...], store: str) -> None:
    """List the runs of the store, the newest first: when, by whom, over what, and the means.

    --delete takes an id or the beginning of one; the run's page beside the store goes, too. The
    judge's replies stay (`troth cache prune`).
    """
    from troth.store import Store  # noqa: PLC0415 - not for `--help`

    with errors(), Store.existing(store) as opened:
        if delete:
            for entry in {entry.id: entry for entry in map(opened.find, delete)}.values():
                opened.delete(entry.id)
                page = Path(f"{entry.id}.html").name  # where `troth report` puts it by default
                (Path(store).parent / "reports" / page).unlink(missing_ok=True)
                click.echo(f"deleted: {entry.id}, {entry.rows} rows of {plain(entry.source)}")
            return
        entries = opened.runs()
        if as_json:
            sys.stdout.buffer.write(msgspec.json.format(_listed(entries), indent=2) + b"\n")
        elif entries:
            _show_list(entries)
        else:
            click.echo(f"{store} holds no finished run")


@click.command()
@run_argument
@click.option("--json", "as_json", is_flag=True, help="One JSON document, no table.")
@click.option(
    "--worst",
    type=click.IntRange(0),
    default=5,
    show_default=True,
    help="How many of the lowest rows to show.",
)
@click.option("--worst-by", metavar="METRIC", help="The metric that says which are lowest.")
@click.option("--cluster", metavar="COLUMN", help="Rows of equal value belong together.")
@store_option
def show(
    run: str,
    *,
    as_json: bool,
    worst: int,
    worst_by: str | None,
    cluster: str | None,
    store: str,
) -> None:
    """Report a run once more, as `troth run` did.

    RUN is an id or the beginning of one, `latest` (the default), or `latest~1`, the one before it.
    """
    with errors():
        found = _load(store, run)
        if worst_by is not None and worst_by not in found.metrics:
            raise UsageError(f"--worst-by {worst_by}: the run has {', '.join(found.metrics)}")
        if as_json:
            from troth.report.document import to_json  # noqa: PLC0415

            sys.stdout.buffer.writelines(to_json(found, cluster))
            return
        from troth.report.terminal import show as report  # noqa: PLC0415

        report(found, console(), worst, worst_by, cluster)
        click.echo(f"\nRun {found.id} of {plain(str(found.info.get('source', 'rows')))}")


@click.command()
@run_argument
@click.option(
    "--to", "path", metavar="FILE", required=True, help="FILE.jsonl, FILE.parquet or FILE.csv."
)
@click.option("--no-scores", is_flag=True, help="The rows alone, as they were evaluated.")
@click.option("--force", is_flag=True, help="Overwrite a file that is there.")
@store_option
def export(run: str, path: str, no_scores: bool, force: bool, store: str) -> None:
    """Write a run to a file, a row each: its fields, its other columns, and its scores.

    `troth run` reads JSONL and Parquet back as they were. CSV is for spreadsheets: it has no
    null, and a text that looks like a formula gets an apostrophe before it.
    """
    from troth.report.export import export as written  # noqa: PLC0415

    with errors():
        found = _load(store, run)
        count = written(found, path, scores=not no_scores, force=force)
        click.echo(f"{count} rows of run {found.id} written to {path}")


def _load(path: str, name: str) -> Run:
    from troth.store import Store  # noqa: PLC0415

    with Store.existing(path) as store:
        return store.load(name)


def _listed(entries: Sequence[Entry]) -> bytes:
    return msgspec.json.encode([_plain(entry) for entry in entries])


def _plain(entry: Entry) -> dict[str, Any]:
    names = ("id", "created", "finished", "judge", "source", "rows", "seconds")
    return {name: getattr(entry, name) for name in names} | {
        "skipped": len(entry.skipped),
        "metrics": {
            label: {
                "mean": s.mean,
                "total": s.total,
                "scored": s.scored,
                "unscorable": s.unscorable,
                "failed": s.failed,
            }
            for label, s in entry.summary.items()
        },
    }


def _show_list(entries: Sequence[Entry]) -> None:
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("run", no_wrap=True)
    table.add_column("when (UTC)", no_wrap=True)
    table.add_column("rows", justify="right")
    for name in ("judge", "source", "means"):
        table.add_column(name, overflow="fold")
    for entry in entries:
        table.add_row(
            Text(plain(entry.id)),
            entry.created[:16].replace("T", " "),
            f"{entry.rows:,}",
            Text(shorten(entry.judge, LONGEST)),
            Text(_end_of(plain(entry.source))),
            Text("\n".join(_means(entry))),
        )
    console().print(table)


def _end_of(source: str) -> str:
    """The end of a path, which tells files apart."""
    return source if len(source) <= LONGEST else f"…{source[1 - LONGEST :]}"


def _means(entry: Entry) -> list[str]:
    """`faithfulness 0.713`, and how many rows that leaves out."""
    lines = []
    for label, s in entry.summary.items():
        mean = "–" if s.mean is None else f"{s.mean:.3f}"
        lines.append(f"{label} {mean}" + (f" ({s.scored}/{s.total})" * (s.scored < s.total)))
    return lines
