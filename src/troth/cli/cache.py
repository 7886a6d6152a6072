"""`troth cache`: the replies that were paid for."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from troth.cli.options import STORE
from troth.cli.output import console, errors
from troth.errors import StoreError

if TYPE_CHECKING:
    from troth.store import Store

store_option = click.option("--store", metavar="PATH", default=STORE, show_default=True)


@click.group()
def cache() -> None:
    """See, thin out and write out the replies that were paid for."""


@cache.command()
@store_option
def info(store: str) -> None:
    """How many replies of which judge are kept, and the calls and tokens they once took."""
    from rich.table import Table  # noqa: PLC0415

    with errors(), _journal(store) as opened:
        table = Table(box=None, pad_edge=False, header_style="bold")
        names = ("judge", "replies", "calls", "input_tokens", "output_tokens", "oldest", "newest")
        table.add_column("judge", overflow="fold")
        for name in names[1:]:
            table.add_column(name.replace("_", " "), no_wrap=True)
        rows = opened.journal.info()
        for row in rows:
            table.add_row(*(str(row[name]) for name in names))
        console().print(table if rows else f"{store} holds no replies")


@cache.command()
@click.option("--days", type=click.FloatRange(0), help="Only replies older than this.")
@click.option("--judge", metavar="NAME", help="Only replies of this judge.")
@click.option("--all", "everything", is_flag=True, help="All replies.")
@store_option
def prune(days: float | None, judge: str | None, everything: bool, store: str) -> None:
    """Delete replies, and what is left of runs that never finished."""
    if not everything and days is None and judge is None:
        raise click.UsageError("say which: --days N, --judge NAME or --all")
    with errors(), _journal(store) as opened:
        click.echo(f"replies deleted: {opened.journal.prune(days, judge)}")


@cache.command()
@store_option
def export(store: str) -> None:
    """All replies as JSON lines, on standard output. No key or header is among them."""
    with errors(), _journal(store) as opened:
        for reply in opened.journal.export():
            sys.stdout.buffer.write(msgspec.json.encode(reply) + b"\n")


def _journal(path: str) -> Store:
    from troth.store import Store  # noqa: PLC0415

    if not Path(path).is_file():
        raise StoreError(f"there is no store at {path}; name one with --store")
    return Store(path)
