"""Limits on what a run may spend, and what it costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

from troth.errors import BudgetSpent, UsageError
from troth.score import Usage

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens cost, in any one currency."""

    input: float
    output: float

    def of(self, usage: Usage) -> float:
        """The cost of `usage`."""
        return (usage.input_tokens * self.input + usage.output_tokens * self.output) / MILLION


@dataclass(frozen=True, slots=True)
class Budget:
    """`None` is no limit. `max_cost` needs the judge's price to be known.

    Checked before every call; calls in flight are let finish, so tokens and cost may exceed their
    limit by what is in flight then. Tokens are estimated where the judge does not report them.
    """

    max_calls: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None

    def __post_init__(self) -> None:
        for name in ("max_calls", "max_tokens", "max_cost"):
            value = getattr(self, name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 0:
                raise UsageError(f"{name} must be a number of at least 0, not {value!r}")

    def check(self, started: int, usage: Usage, price: Price | None) -> None:
        """Raise `BudgetSpent` where no further call may be made."""
        tokens = usage.input_tokens + usage.output_tokens
        if self.max_calls is not None and started >= self.max_calls:
            raise BudgetSpent(f"max_calls={self.max_calls} is spent")
        if self.max_tokens is not None and tokens >= self.max_tokens:
            raise BudgetSpent(f"max_tokens={self.max_tokens} is spent ({tokens} tokens)")
        if self.max_cost is not None and price is not None:
            cost = price.of(usage)
            if cost >= self.max_cost:
                raise BudgetSpent(f"max_cost={self.max_cost:g} is spent ({cost:.4f})")


Prices = Mapping[str, Mapping[str, float]]


def price_of(judge: str, prices: Prices | None) -> Price | None:
    """The price of a judge by its name; `None` where the table does not say.

    `prices`: judge name -> `{"input": ..., "output": ...}` per million tokens. Raises `UsageError`
    for a table of another shape.
    """
    if prices is None:
        return None
    if not isinstance(prices, Mapping):
        raise UsageError(f"prices must be a table of judge names, not {prices!r}")
    if (entry := prices.get(judge)) is None:
        return None
    try:
        price = Price(float(entry["input"]), float(entry["output"]))
    except (KeyError, TypeError, ValueError):
        raise UsageError(
            f"the price of {judge!r} must be an input and an output price per million tokens, "
            f"not {entry!r}"
        ) from None
    if not (0 <= price.input < inf and 0 <= price.output < inf):
        raise UsageError(f"the price of {judge!r} must be at least 0 and finite, not {entry!r}")
    return price
