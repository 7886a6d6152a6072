"""What a run would cost, in the terminal and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text


class Estimate(Protocol):
    """One metric's expected asks (`troth.engine.estimate.Estimate`)."""

    metric: str
    rows: int
    silent: int
    asks: int
    kept: int
    usage: Any
    cost: float | None


def show_estimates(found: Sequence[Estimate], console: Console) -> None:
    """A table, a line per metric and one for all."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("metric", no_wrap=True)
    for name in ("rows", "calls", "in journal", "tokens in", "tokens out", "cost"):
        table.add_column(name, justify="right")
    for one in found:
        table.add_row(Text(one.metric), str(one.rows), *_figures([one]))
    if len(found) > 1:
        table.add_row(Text("all", style="bold"), "", *_figures(found))
    console.print(Text("nothing was asked; tokens are estimates\n"))
    console.print(table)


def estimates_json(found: Sequence[Estimate]) -> bytes:
    """One document: `metrics` by label, and `all`; costs are null where the price is unknown."""
    lines = {one.metric: {"rows": one.rows, **_sums([one])} for one in found}
    document = {"metrics": lines, "all": _sums(found)}
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


def _figures(found: Sequence[Estimate]) -> list[str]:
    *counts, cost = _sums(found).values()
    return [*(f"{count:,}" for count in counts), "unknown" if cost is None else f"{cost:.4f}"]


def _sums(found: Sequence[Estimate]) -> dict[str, Any]:
    costs = [one.cost for one in found]
    known = [cost for cost in costs if cost is not None]
    return {
        "calls": sum(one.usage.calls for one in found),
        "in_journal": sum(one.kept for one in found),
        "input_tokens": sum(one.usage.input_tokens for one in found),
        "output_tokens": sum(one.usage.output_tokens for one in found),
        "cost": sum(known) if len(known) == len(costs) else None,
    }
