"""What components that hold an answer against its references share: their inputs and outputs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from haystack.core.component.sockets import Sockets
from haystack.core.component.types import InputSocket, OutputSocket

from troth.errors import InputError
from troth.haystack._component import mean_of
from troth.haystack._inputs import Groups, Texts, columns
from troth.metric import Metric
from troth.sample import Sample

_TRUTHS = "ground_truth_answers"
Truths = list[str]  # as Haystack's components say it; see `expect`


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
    but (lists of) strings; `None` is no answer and equals nothing.
    """
    expected = {
        _TRUTHS: Groups if several else Texts,
        "predicted_answers": Texts,
    }
    received = {_TRUTHS: truths, "predicted_answers": answers}
    try:
        truths, answers = columns(source, expected, received).values()
    except InputError as error:
        raise _with_advice(error, truths, several=several) from None
    if not len(answers):  # a data frame's column has no truth value
        raise InputError("the lists are empty; at least one row is needed", source=source)
    return truths, answers


def _with_advice(error: InputError, truths: Any, *, several: bool) -> InputError:
    if error.field != _TRUTHS or error.row is None or several:
        return error
    value = next((v for n, v in enumerate(truths, 1) if n == error.row), None)
    if not isinstance(value, (list, tuple)):
        return error
    problem = f"{error.problem}; several references per row need multiple_references=True"
    return InputError(problem, source=error.source, row=error.row, field=error.field)


def row_by_row(
    metric: Metric, truths: Collection[Any], answers: Collection[str], *, several: bool
) -> list[float | None]:
    """The metric's value for each row; `None` for a row without a reference."""
    return [
        metric.score(Sample(answer=answer, references=truth if several else (truth,))).value
        for truth, answer in zip(truths, answers, strict=True)
    ]


def output(scores: Sequence[float | None]) -> dict[str, Any]:
    """Both outputs: the scores and the mean of those that are there."""
    return {"individual_scores": list(scores), "score": mean_of(scores)}
