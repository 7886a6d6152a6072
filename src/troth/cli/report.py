"""`troth report`: a run as a page, or as Markdown, JUnit XML or JSON."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from troth.cli.options import STORE
from troth.cli.output import errors
from troth.errors import UsageError

if TYPE_CHECKING:
    from troth.run import Run
    from troth.store.base import RunStore


@click.command()
@click.argument("run", metavar="[RUN]", default="latest")
@click.option(
    "--html", metavar="PATH", help="Where the page goes; by default beside the store, reports/RUN."
)
@click.option("--markdown", is_flag=True, help="Markdown on standard output, no page.")
@click.option("--junit", is_flag=True, help="JUnit XML on standard output, no page.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document, no page.")
@click.option("--cluster", metavar="COLUMN", help="Rows of equal value belong together.")
@click.option("--store", metavar="PATH", default=STORE, show_default=True)
def report(
    run: str,
    *,
    html: str | None,
    markdown: bool,
    junit: bool,
    as_json: bool,
    cluster: str | None,
    store: str,
) -> None:
    """Write one HTML file about a run: which answers are bad, and why.

    It needs no network and no server. RUN is an id or the beginning of one, or `latest` (the
    default).
    """
    from troth.store import Store  # noqa: PLC0415 - not for `--help`

    with errors():
        if markdown + junit + as_json > 1:
            raise UsageError("--markdown, --junit and --json all write to standard output: one")
        page_alone = not (markdown or junit or as_json)
        with Store.existing(store) as opened:
            found = _uncounted(opened, run) if page_alone else opened.load(run)
        if markdown:
            from troth.report.markdown import run_markdown  # noqa: PLC0415

            click.echo(run_markdown(found, cluster=cluster), nl=False)
        elif junit:
            from troth.report.junit import run_junit  # noqa: PLC0415

            sys.stdout.writelines(run_junit(found))
        elif as_json:
            from troth.report.document import to_json  # noqa: PLC0415

            sys.stdout.buffer.writelines(to_json(found, cluster))
        if html is not None or page_alone:
            click.echo(write_page(found, html, store, cluster), err=not page_alone)


def _uncounted(store: RunStore, name: str) -> Run:
    """A run whose rows nobody has read yet: a page counts them itself as they go by."""
    from troth.account import Account  # noqa: PLC0415
    from troth.run import Run  # noqa: PLC0415
    from troth.store.base import StoredRows  # noqa: PLC0415

    entry = store.find(name)
    return Run(
        StoredRows(store, entry.id, entry.metrics, entry.rows),
        entry.metrics,
        entry.judge,
        entry.info,
        entry.skipped,
        entry.seconds,
        entry.id,
        Account(entry.metrics, entry.info.get("ranking", ())),
    )


def write_page(run: Run, path: str | None, store: str | Path, cluster: str | None = None) -> Path:
    """The run's HTML file, at `path` or in `reports` beside the store; returns where."""
    from troth.report.html import run_page  # noqa: PLC0415

    text = run_page(run, about(run), cluster)
    target = Path(path) if path else Path(store).parent / "reports" / f"{run.id}.html"
    if not path:  # as private as the store: it holds the user's texts
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch(0o600)
    target.write_bytes(text.encode())
    return target


def about(run: Run) -> dict[str, str]:
    """What each metric of the run says, in half a sentence, by its label."""
    from troth.metrics import metric_class, names  # noqa: PLC0415

    known, told = set(names()), {}
    for label in run.metrics:
        name = label.partition(":")[0].partition("@")[0]
        if name in known:
            line = (sys.modules[metric_class(name).__module__].__doc__ or "").split("\n")[0]
            told[label] = line.partition(": ")[2]
    return told
