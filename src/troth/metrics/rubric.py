"""Rubric: a criterion of the user's own, judged on a scale of the user's own."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

from troth.asks import Item, RubricLevel
from troth.errors import UsageError
from troth.metric import Metric, Steps
from troth.sample import FIELDS, Sample
from troth.score import Score

Scale = tuple[tuple[float, str], ...]
Level = tuple[float, str, str]  # its number, its label, its meaning

BINARY = "pass/fail"
_BINARY: tuple[Level, ...] = (
    (1, "pass", "the criterion is met"),
    (0, "fail", "the criterion is not met"),
)
_NAME = re.compile(r"[\w-]+")
_HOW = "troth.Rubric('Is the answer polite?', scale={1: 'rude', 2: 'curt', 3: 'polite'})"


# Without slots: `needs` belongs to the class in other metrics and to the instance here.
@dataclass(frozen=True, init=False, repr=False)
class Rubric(Metric):
    """The level that a judge chooses on your scale, mapped to [0, 1]; higher is better.

    `criterion` says in words what is asked, `steps` how to find out; one of them must be there.
    `scale` maps the number of each level to its meaning (at least two; only these can be chosen),
    or is `"pass/fail"`. The highest number is the best: value = (level - lowest) ÷ (highest -
    lowest). `name` tells rubrics apart (`rubric:politeness`); `needs` are the fields that the judge
    is shown. `details` holds the level, its label and meaning, and the scale's range;
    `Score.support` is the level expected from the reply's log-probabilities, mapped alike; without
    them the judge's own for the level, else the value. Unscorable where all shown fields are empty.
    Criterion and steps are those of G-Eval (Liu et al., 2023,
    https://arxiv.org/abs/2303.16634). Raises `UsageError` for what no judge could be asked.
    """

    name: ClassVar = "rubric"
    judged: ClassVar = True
    asked_only: ClassVar = True

    criterion: str
    procedure: tuple[str, ...]
    scale: Scale | str
    called: str
    needs: tuple[str, ...] = ("question", "answer")  # type: ignore[misc] # see above

    def __init__(
        self,
        criterion: str = "",
        steps: Sequence[str] = (),
        scale: Mapping[float, str] | Iterable[tuple[float, str]] | str = BINARY,
        name: str = "rubric",
        needs: Sequence[str] = ("question", "answer"),
    ) -> None:
        given = {
            "criterion": _text(criterion, "criterion").strip(),
            "procedure": tuple(_text(s, "each of its steps") for s in _listed(steps, "steps")),
            "scale": _scale(scale),
            "called": _text(name, "name"),
            "needs": _listed(needs, "needs"),
        }
        for field, value in given.items():
            object.__setattr__(self, field, value)
        self._check()

    def __repr__(self) -> str:
        return (
            f"Rubric(criterion={self.criterion!r}, steps={self.procedure!r}, "
            f"scale={self.scale!r}, name={self.called!r}, needs={self.needs!r})"
        )

    @property
    def label(self) -> str:
        """`rubric:politeness`; it names the rubric and does not parse back into one."""
        return self.name if self.called == self.name else f"{self.name}:{self.called}"

    @property
    def levels(self) -> tuple[Level, ...]:
        """The levels, the best one first."""
        if isinstance(self.scale, str):
            return _BINARY
        return tuple((n, _tag(n), meaning) for n, meaning in sorted(self.scale, reverse=True))

    def steps(self, sample: Sample) -> Steps:
        """One ask: the level of this row."""
        material = tuple(item for field in self.needs for item in _shown(field, sample))
        if not any(item.text.strip() for item in material):
            return Score.unscorable(f"{' and '.join(self.needs)}: all empty, nothing to judge")
        high, low = self.levels[0][0], self.levels[-1][0]
        criterion = Item("rubric", self.criterion or " ".join(self.procedure))
        [[verdict]] = yield [
            RubricLevel(
                items=(criterion,),
                material=material,
                scale=tuple((tag, text, (n - low) / (high - low)) for n, tag, text in self.levels),
                steps=self.procedure,
            )
        ]
        level, _, meaning = next(known for known in self.levels if known[1] == verdict.label)
        because = f" ({verdict.reason})" if verdict.reason else ""
        return Score(
            (level - low) / (high - low),
            reason=f"{verdict.label}: {meaning}{because}",
            verdicts=(verdict,),
            support=verdict.support,
            details={
                "level": level,
                "label": verdict.label,
                "meaning": meaning,
                "range": [low, high],
            },
        )

    def _check(self) -> None:
        if not self.criterion and not self.procedure:
            raise UsageError(f"rubric needs a criterion of yours: {_HOW}")
        if not _NAME.fullmatch(self.called):
            raise UsageError(
                f"rubric: name={self.called!r} must be letters, digits, '_' and '-', as it stands "
                "in tables and on the command line"
            )
        unknown = [field for field in self.needs if field not in FIELDS]
        if unknown or not self.needs:
            raise UsageError(
                f"rubric: needs={self.needs!r} must name fields of a row: {', '.join(FIELDS)}"
            )


def _shown(field: str, sample: Sample) -> tuple[Item, ...]:
    value = getattr(sample, field)
    if isinstance(value, tuple):
        return tuple(Item(f"{field}.{n}", text) for n, text in enumerate(value, 1))
    return (Item(field, value or ""),)


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise UsageError(f"rubric: {what} must be text, not {value!r}")
    return value


def _listed(values: Any, what: str) -> tuple[Any, ...]:
    if not isinstance(values, (list, tuple)):
        raise UsageError(f"rubric: {what} must be a list of texts, not {values!r}")
    return tuple(values)


def _scale(scale: Any) -> Scale | str:
    if scale == BINARY:
        return BINARY
    pairs = list(scale.items()) if isinstance(scale, Mapping) else scale
    listed = pairs if isinstance(pairs, (list, tuple)) else ()
    levels = tuple(tuple(pair) if isinstance(pair, list) else pair for pair in listed)
    if problem := _problem(levels):
        raise UsageError(
            f"rubric: scale={_brief(scale)}: {problem}; it must be {BINARY!r} or give each "
            "of at least two levels, by its number, a meaning: {1: 'rude', 2: 'curt', 3: 'polite'}"
        )
    return levels


def _problem(levels: tuple[Any, ...]) -> str:
    """What is wrong with a scale's levels; empty where nothing is."""
    if len(levels) < 2:
        return "there are too few levels"
    for level in levels:
        if not _is_level(level):
            return f"{_brief(level)} is not a finite number with a meaning"
    numbers = sorted(number for number, _ in levels)
    for one, other in pairwise(numbers):
        if not other - one:
            return f"{_tag(one)} and {_tag(other)} are the same number"
    if not math.isfinite(float(numbers[-1]) - float(numbers[0])):
        return "its levels lie too far apart"
    return ""


def _tag(number: float) -> str:
    """The number as a label: as it is usually written, and none other reads the same."""
    if isinstance(number, int):
        return str(int(number))
    short = f"{number + 0.0:g}"  # + 0.0: there is no -0
    if float(short) == number and "e" not in short:
        return short
    return str(int(number)) if number.is_integer() and abs(number) < 1e16 else repr(float(number))


def _brief(value: object, most: int = 200) -> str:
    try:
        text = repr(value)
    except ValueError:  # a number of thousands of digits
        text = f"a {type(value).__name__}"
    return text if len(text) <= most else f"{text[:most]}..."


def _is_level(level: object) -> bool:
    match level:
        case (bool(), _):
            return False
        case (int() | float() as number, str(meaning)):
            try:
                return math.isfinite(number) and bool(meaning.strip())
            except OverflowError:  # an int beyond what a float can be
                return False
    return False
