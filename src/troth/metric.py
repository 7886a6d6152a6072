"""What a metric is: a frozen value that yields asks and concludes a score."""

from __future__ import annotations

from abc import ABC
from collections.abc import Generator, Sequence
from dataclasses import dataclass, fields
from typing import ClassVar

from troth.asks import Answer, Ask
from troth.errors import UsageError
from troth.sample import Sample
from troth.score import Score

Steps = Generator[Sequence[Ask], Sequence[Answer], Score]


@dataclass(frozen=True, slots=True)
class Metric(ABC):
    """Base of all metrics. A subclass overrides `score` (no judge needed) or `steps` (judged).

    The `repr` is the metric's identity; `label` is its short name in tables, files and on the
    command line, with `:choice` where its `choice` field is not at the default.
    """

    name: ClassVar[str]
    needs: ClassVar[tuple[str, ...]]  # fields of Sample that must not be None
    judged: ClassVar[bool] = False
    choice: ClassVar[str | None] = None  # the field that `name:choice` sets
    choices: ClassVar[tuple[str, ...]] = ()  # what that field may be, its default first

    def __post_init__(self) -> None:
        if self.choice and getattr(self, self.choice) not in self.choices:
            raise UsageError(
                f"{self.name}: {self.choice}={getattr(self, self.choice)!r} is unknown; "
                f"choose one of {', '.join(map(repr, self.choices))}"
            )

    @property
    def label(self) -> str:
        """`exact_match`, `exact_match:squad`: parses back with `troth.metrics.parse`."""
        if self.choice:
            for f in fields(self):
                value = getattr(self, f.name)
                if f.name == self.choice and value != f.default:
                    return f"{self.name}:{value}"
        return self.name

    def missing(self, sample: Sample) -> tuple[str, ...]:
        """The needed fields that this row lacks."""
        return tuple(name for name in self.needs if getattr(sample, name) is None)

    def score(self, sample: Sample) -> Score:
        """The score of one row that needs no judge. Judged metrics override `steps` instead."""
        raise TypeError(f"{self.name} needs a judge: drive its steps")

    def steps(self, sample: Sample) -> Steps:
        """Yield batches of asks, be sent their answers in the same order, return the score."""
        return self.score(sample)
        yield ()  # makes this a generator, so that every metric is driven the same way
