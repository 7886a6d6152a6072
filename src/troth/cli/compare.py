"""`troth compare`: is the new run better?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from troth.cli.options import STORE, metric_names
from troth.cli.output import console, errors
from troth.errors import UsageError

if TYPE_CHECKING:
    from troth.run import Run


@click.command()
@click.argument("a")
@click.argument("b")
@click.option("--metrics", metavar="A,B", multiple=True, help="Only these; by default all shared.")
@click.option("--cluster", metavar="COLUMN", help="Rows of equal value belong together.")
@click.option(
    "--slice", "slices", metavar="COLUMN", multiple=True, help="Compare per value of a column too."
)
@click.option(
    "--rows",
    type=click.IntRange(0),
    default=5,
    show_default=True,
    help="How many of the rows that changed most to show, each way.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document, no table.")
@click.option("--markdown", is_flag=True, help="Markdown, for a pull request.")
@click.option("--html", metavar="PATH", help="Write one HTML file, side by side.")
@click.option("--store", metavar="PATH", default=STORE, show_default=True)
def compare(a: str, b: str, store: str, **given: object) -> None:
    """Compare run B, the new one, with run A: is it better, and how sure is that?

    A and B are runs of the store: an id, the beginning of one, `latest` or `latest~1`.
    Exit code: 0 compared; 2 bad input or usage.
    """
    with errors():
        _compare(*stored(store, a, b), **given)  # type: ignore[arg-type] # what click checked


def _compare(
    a: Run,
    b: Run,
    *,
    metrics: tuple[str, ...],
    cluster: str | None,
    slices: tuple[str, ...],
    rows: int,
    as_json: bool,
    markdown: bool,
    html: str | None,
) -> None:
    from troth.compare import CHANGED  # noqa: PLC0415 - each command loads what it needs
    from troth.compare import compare as compared  # noqa: PLC0415

    if as_json and markdown:
        raise UsageError("--json and --markdown both write to standard output: choose one")
    found = compared(
        a,
        b,
        metrics=metric_names(metrics),
        cluster=cluster,
        slices=slices,
        changed=max(rows, CHANGED if html else 0),
    )
    if html is not None:
        from troth.cli.report import about  # noqa: PLC0415
        from troth.report.html import comparison_page  # noqa: PLC0415

        write(html, comparison_page(found, about(b)))
    if as_json:
        from troth.report.comparison import comparison_json  # noqa: PLC0415

        sys.stdout.buffer.write(comparison_json(found))
    elif markdown:
        from troth.report.markdown import comparison_markdown  # noqa: PLC0415

        click.echo(comparison_markdown(found, rows), nl=False)
    else:
        from troth.report.comparison import show_comparison  # noqa: PLC0415

        show_comparison(found, console(), rows)


def stored(path: str, *names: str) -> list[Run]:
    """Runs of the store at `path`, by what a person calls them."""
    from troth.store import Store  # noqa: PLC0415

    with Store.existing(path) as opened:
        return [opened.load(name) for name in names]


def write(path: str, text: str) -> None:
    """A file in UTF-8; `UsageError` where it cannot be written."""
    try:
        Path(path).write_text(text, "utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None
