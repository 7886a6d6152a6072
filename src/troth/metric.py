"""What a metric is: a frozen value that yields asks and concludes a score."""

from __future__ import annotations

from abc import ABC
from collections.abc import Collection, Generator, Sequence
from dataclasses import dataclass, fields
from typing import ClassVar

from troth.asks import Answer, Ask
from troth.errors import UsageError
from troth.sample import COLUMNS, Sample
from troth.score import Score

SENTENCE, ANSWER = "sentence", "answer"  # what is judged: each sentence, or the whole text
GRANULARITY, CUTOFF = "granularity", "k"  # the fields that stand behind `@`
Steps = Generator[Sequence[Ask], Sequence[Answer], Score]


@dataclass(frozen=True, slots=True)
class Metric(ABC):
    """Base of all metrics. A subclass overrides `score` (no judge needed) or `steps` (judged).

    The `repr` is the metric's identity; `label` is its short name in tables, files and on the
    command line, with `:choice` where its `choice` field is not at the default, and `@granularity`
    (of a ranking `@k`) where that field is not.
    """

    name: ClassVar[str]
    needs: ClassVar[tuple[str, ...]]  # fields of Sample that must not be None
    either: ClassVar[tuple[tuple[str, ...], ...]] = ()  # and all fields of one of these groups
    judged: ClassVar[bool] = False
    choice: ClassVar[str | None] = None  # the field that `name:choice` sets
    choices: ClassVar[tuple[str, ...]] = ()  # what that field may be, its default first
    granularities: ClassVar[tuple[str, ...]] = ()  # what `granularity` may be, its default first
    ranked: ClassVar[bool] = False  # has it a field `k`, so that it looks at the first k alone?
    asked_only: ClassVar[bool] = False  # has it no plain form, so that it runs only when named?

    def __post_init__(self) -> None:
        for field, known in self._options():
            if getattr(self, field) not in known:
                raise UsageError(
                    f"{self.name}: {field}={getattr(self, field)!r} is unknown; "
                    f"choose one of {', '.join(map(repr, known))}"
                )
        k = getattr(self, CUTOFF) if self.ranked else None
        if k is not None and (isinstance(k, bool) or not isinstance(k, int) or k < 1):
            raise UsageError(f"{self.name}: k must be a whole number from 1 on, not {k!r}")

    @property
    def label(self) -> str:
        """`exact_match`, `exact_match:squad`, `faithfulness@answer`, `recall@5`.

        Parses back with `troth.metrics.parse`, save for metrics that are `asked_only`.
        """
        defaults = {f.name: f.default for f in fields(self)}
        stand = [field for field, _ in self._options()] + [CUTOFF] * self.ranked
        marks = (
            f"{'@' if field in (GRANULARITY, CUTOFF) else ':'}{getattr(self, field)}"
            for field in stand
            if getattr(self, field) != defaults[field]
        )
        return "".join([self.name, *marks])

    def _options(self) -> list[tuple[str, tuple[str, ...]]]:
        """The fields that are chosen by a word in the label, with what they may be."""
        chosen = [(self.choice, self.choices)] if self.choice else []
        return [*chosen, *([(GRANULARITY, self.granularities)] if self.granularities else [])]

    @property
    def encoder(self) -> str | None:
        """The encoder that answers what it asks, for many rows at once; `None`: it needs none."""
        return None

    def missing(self, sample: Sample) -> tuple[str, ...]:
        """The needed fields that this row lacks."""
        if not self.groups():
            return tuple(name for name in self.needs if getattr(sample, name) is None)
        return self.lacking([name for name in COLUMNS if getattr(sample, name) is not None])

    def lacking(self, fields: Collection[str]) -> tuple[str, ...]:
        """What is needed beside these fields; of groups that would do, the one nearest to them."""
        gaps = [tuple(n for n in group if n not in fields) for group in self.groups()]
        return (*(n for n in self.needs if n not in fields), *min(gaps, key=len, default=()))

    def groups(self) -> tuple[tuple[str, ...], ...]:
        """`either`, less what this metric's options rule out."""
        return self.either

    def score(self, sample: Sample) -> Score:
        """The score of one row that needs no judge. Judged metrics override `steps` instead."""
        raise TypeError(f"{self.name} needs a judge: drive its steps")

    def steps(self, sample: Sample) -> Steps:
        """Yield batches of asks, be sent their answers in the same order, return the score."""
        return self.score(sample)
        yield ()  # makes this a generator, so that every metric is driven the same way
