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

SENTENCE, ANSWER = "sentence", "answer"  # what is judged: each sentence, or the whole text
GRANULARITY = "granularity"
Steps = Generator[Sequence[Ask], Sequence[Answer], Score]


@dataclass(frozen=True, slots=True)
class Metric(ABC):
    """Base of all metrics. A subclass overrides `score` (no judge needed) or `steps` (judged).

    The `repr` is the metric's identity; `label` is its short name in tables, files and on the
    command line, with `:choice` where its `choice` field is not at the default, and `@granularity`
    where that field is not.
    """

    name: ClassVar[str]
    needs: ClassVar[tuple[str, ...]]  # fields of Sample that must not be None
    judged: ClassVar[bool] = False
    choice: ClassVar[str | None] = None  # the field that `name:choice` sets
    choices: ClassVar[tuple[str, ...]] = ()  # what that field may be, its default first
    granularities: ClassVar[tuple[str, ...]] = ()  # what `granularity` may be, its default first
    asked_only: ClassVar[bool] = False  # has it no plain form, so that it runs only when named?

    def __post_init__(self) -> None:
        for field, known in self._options():
            if getattr(self, field) not in known:
                raise UsageError(
                    f"{self.name}: {field}={getattr(self, field)!r} is unknown; "
                    f"choose one of {', '.join(map(repr, known))}"
                )

    @property
    def label(self) -> str:
        """`exact_match`, `exact_match:squad`, `faithfulness@answer`.

        Parses back with `troth.metrics.parse`, save for metrics that are `asked_only`.
        """
        defaults = {f.name: f.default for f in fields(self)}
        marks = (
            f"{'@' if field == GRANULARITY else ':'}{getattr(self, field)}"
            for field, _ in self._options()
            if getattr(self, field) != defaults[field]
        )
        return "".join([self.name, *marks])

    def _options(self) -> list[tuple[str, tuple[str, ...]]]:
        """The fields that stand in the label, with what they may be."""
        chosen = [(self.choice, self.choices)] if self.choice else []
        return [*chosen, *([(GRANULARITY, self.granularities)] if self.granularities else [])]

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
