"""What components that hold an answer against its references share: their inputs and outputs."""

from __future__ import annotations

import logging
import math
from collections.abc import Collection, Sequence
from typing import Any

from haystack.core.component.sockets import Sockets
from haystack.core.component.types import InputSocket, OutputSocket

from troth.errors import InputError
from troth.haystack._component import mean_of
from troth.haystack._inputs import Groups, Texts, columns, numbered
from troth.metric import Metric
from troth.sample import Sample

_TRUTHS = "ground_truth_answers"
_ANSWERS = "predicted_answers"
Truths = list[str]  # as Haystack's components say it; see `expect`
NO_TRUTH = "there is no ground truth"
_log = logging.getLogger("troth.haystack")


class _Several(Sockets):
    """A component's inputs, of which the truths are lists of strings for each row.

    The type of an input is that of `run`'s parameter, which is the same for all instances.
    """

    def __setitem__(self, key: str, socket: InputSocket | OutputSocket) -> None:
        if key == _TRUTHS:
            socket = InputSocket(name=key, type=Groups)
        super().__setitem__(key, socket)


def expect(component: Any, *, several: bool) -> None:
    """Let pipelines connect what fits: with `several`, truths of type `list[list[str]]`."""
    if several:
        component.__haystack_input__ = _Several(component, {}, InputSocket)


def given(source: str, truths: Any, answers: Any, *, several: bool) -> tuple[Any, Collection[str]]:
    """Both inputs, checked; with `several`, each row's truths are a list of strings.

    Raises `InputError` (a `ValueError`) for empty lists, lists of different lengths, and anything
    but (lists of) strings.
    """
    expected = {_TRUTHS: Groups if several else Texts, _ANSWERS: Texts}
    received = {_TRUTHS: truths, _ANSWERS: answers}
    try:
        truths, answers = columns(source, expected, received).values()
    except InputError as error:
        raise _with_advice(error, truths, several=several) from None
    if not len(answers):  # a data frame's column has no truth value
        raise InputError("the lists are empty; at least one row is needed", source=source)
    return truths, answers


def given_or_not(
    source: str, truths: Any, answers: Any, *, several: bool
) -> tuple[Any, Collection[str], list[int]]:
    """`given`, where an answer may also be `None`; the places of those, which match nothing.

    NaN, a data frame's missing cell, is `None` too. In what is returned they are empty texts, so
    that a metric can read them.
    """
    try:
        return (*given(source, truths, answers, several=several), [])
    except InputError as error:
        if error.field != _ANSWERS or error.row is None or not isinstance(answers, Collection):
            raise
        absent = [place for place, answer in enumerate(answers) if _is_none(answer)]
        if not absent:
            raise
    filled = ["" if _is_none(answer) else answer for answer in answers]
    found = given(source, truths, filled, several=several)
    text = "%s: %d of %d rows (%s) have no predicted answer: they match no truth"
    _log.warning(text, source, len(absent), len(filled), numbered(absent))
    return (*found, absent)


def _is_none(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _with_advice(error: InputError, truths: Any, *, several: bool) -> InputError:
    if error.field != _TRUTHS or error.row is None or several:
        return error
    value = next((v for n, v in enumerate(truths, 1) if n == error.row), None)
    if not isinstance(value, (list, tuple)):
        return error
    problem = f"{error.problem}; several references per row need multiple_references=True"
    return InputError(problem, source=error.source, row=error.row, field=error.field)


def row_by_row(
    metric: Metric,
    truths: Collection[Any],
    answers: Collection[str],
    absent: Sequence[int] = (),
    *,
    several: bool,
) -> list[float | None]:
    """The metric's value for each row; `None` for a row without a reference, 0 for `absent`."""
    scores = [
        metric.score(Sample(answer=answer, references=truth if several else (truth,))).value
        for truth, answer in zip(truths, answers, strict=True)
    ]
    for place in absent:
        scores[place] = None if scores[place] is None else 0.0
    return scores


def output(
    source: str, scores: Sequence[float | None], reasons: Sequence[str] = ()
) -> dict[str, Any]:
    """Both outputs: the scores and the mean of those that are there.

    Rows without one are named in a warning, with why the first has none: `reasons` are the rows',
    and without them it is for want of a truth.
    """
    if without := [place for place, score in enumerate(scores) if score is None]:
        reason = reasons[without[0]] if reasons else NO_TRUTH
        text = "%s: %d of %d rows (%s) have no score and are not in the mean; the first one: %s"
        _log.warning(text, source, len(without), len(scores), numbered(without), reason)
    return {"individual_scores": list(scores), "score": mean_of(scores)}
