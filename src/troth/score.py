"""What a metric concludes about one row, and what it rests on."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Self

import msgspec


class Status(StrEnum):
    """How a row ended. Every row ends in exactly one of these."""

    SCORED = "scored"
    UNSCORABLE = "unscorable"  # nothing to judge: the row's own fault, with the reason
    FAILED = "failed"  # the judge or the application did not deliver, with the reason


class Usage(msgspec.Struct, frozen=True):
    """What one or several judge calls consumed; tokens are 0 where the judge reports none."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
        )


NO_USAGE = Usage()


class Verdict(msgspec.Struct, frozen=True):
    """One judged claim or item.

    `id` names the asked item (`a2`, the answer's second sentence); a judge may split an item into
    several claims, which then share its id and carry `weight` = 1 / claims, so that all verdicts
    of one item weigh 1 together and a judge cannot move a denominator.
    `support` in [0, 1] is how firmly the judge stands on the good side of its label;
    `sources` are the ids of the contexts or sentences it points to.
    """

    id: str
    label: str
    support: float
    reason: str = ""
    sources: tuple[str, ...] = ()
    text: str = ""
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Score:
    """One metric on one row.

    `value` is a number in the metric's range exactly when `status` is `scored`; otherwise it is
    `None` and `reason` says why. There is no NaN and no default.
    `support` in [0, 1] ranks rows more finely than `value` (see each metric's page for how it is
    aggregated); it is `None` where the row was not scored.
    """

    value: float | None
    status: Status = Status.SCORED
    reason: str = ""
    verdicts: tuple[Verdict, ...] = ()
    support: float | None = None
    usage: Usage = NO_USAGE
    saved: Usage = NO_USAGE  # what replies that were there already would have cost again
    details: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "status", Status(self.status))
        if self.value is not None:
            object.__setattr__(self, "value", float(self.value))
        if (self.value is None) == (self.status is Status.SCORED):
            raise ValueError(f"a {self.status} score cannot have the value {self.value!r}")
        if self.value is not None and not math.isfinite(self.value):
            raise ValueError(f"a score must be a finite number, not {self.value!r}")
        if self.value is None and not self.reason:
            raise ValueError(f"a score that is {self.status} must say why")

    @classmethod
    def unscorable(cls, reason: str, verdicts: Iterable[Verdict] = ()) -> Self:
        """Nothing to judge in this row."""
        return cls(None, Status.UNSCORABLE, reason, tuple(verdicts))

    @classmethod
    def failed(cls, reason: str) -> Self:
        """Whoever had to answer did not."""
        return cls(None, Status.FAILED, reason)
