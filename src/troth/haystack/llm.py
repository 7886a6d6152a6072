"""Haystack's LLMEvaluator: the user's own instructions, inputs and outputs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from haystack import Document, component
from haystack.utils import deserialize_type, serialize_type

from troth.asks import Form, Item
from troth.errors import InputError, UsageError
from troth.haystack._inputs import Groups, Texts, columns, is_list, shown
from troth.haystack._llm import Judged, LLMComponent
from troth.haystack._serialise import PUBLIC, revived, serialised
from troth.judges.base import Judge
from troth.metric import Metric, Steps
from troth.sample import Sample
from troth.score import Score

_NAME = "LLMEvaluator"


@dataclass(frozen=True, slots=True)
class Outputs(Metric):
    """The values of `outputs` by `instructions`: `details`, by their names; the value is 1.0."""

    name: ClassVar = "llm_evaluator"
    needs: ClassVar = ()
    judged: ClassVar = True

    instructions: str
    outputs: tuple[str, ...]

    def steps(self, sample: Sample) -> Steps:
        """One ask: the value of each output."""
        items = tuple(Item(name, name) for name in self.outputs)
        given = sample.meta["inputs"]
        [verdicts] = yield [Form(items=items, instructions=self.instructions, given=given)]
        found = {verdict.id: json.loads(verdict.text) for verdict in verdicts}
        return Score(1.0, verdicts=verdicts, details=found)


@component
class LLMEvaluator(LLMComponent):
    """Has a language model determine `outputs` for each row by `instructions`.

    `inputs` are pairs of a name and a list type (`("questions", list[str])`); `outputs` names (at
    least one, each once); `examples` dicts with `inputs` and `outputs`, possibly none.
    `chat_generator` is any Haystack ChatGenerator; without one, and without `judge` (the name of a
    language model as judge, or a `Judge`), it is `OpenAIChatGenerator` in JSON mode, whose key is
    looked for when the component warms up or runs. `raise_on_failure`: the first row that fails is
    a `RowFailed` (a `ValueError`) that names it; else its result is `None`. `max_concurrency`
    (default 16, at least 1), `journal` (the path of a store that keeps paid replies) and
    `progress_bar` are those of all judged components. Raises `UsageError` (a `ValueError`) for
    settings that cannot be.
    """

    __module__ = PUBLIC

    def __init__(
        self,
        instructions: str,
        inputs: list[tuple[str, type[list[Any]]]],
        outputs: list[str],
        examples: list[dict[str, Any]],
        progress_bar: bool = True,
        *,
        raise_on_failure: bool = True,
        chat_generator: Any = None,
        judge: str | Judge | None = None,
        max_concurrency: int | None = None,
        journal: str | Path | None = None,
    ) -> None:
        _check(instructions, inputs, outputs, examples)
        self._set_up(
            _NAME,
            examples=examples,
            chat_generator=chat_generator,
            judge=judge,
            max_concurrency=max_concurrency,
            journal=journal,
            progress_bar=progress_bar,
            raise_on_failure=raise_on_failure,
        )
        if self._asked.name == "builtin":
            raise UsageError(
                f"{_NAME}: the built-in judge compares words and follows no instructions; "
                "name a language model, such as openai/gpt-4o-mini or http://HOST:PORT/v1#MODEL"
            )
        self.instructions = instructions
        self.inputs = [*inputs]
        self.outputs = [*outputs]
        self._inputs = dict(inputs)
        self._metric = Outputs(instructions, tuple(outputs))
        component.set_input_types(self, **self._inputs)

    @component.output_types(results=list[dict[str, Any]], meta=list[dict[str, Any]] | None)
    def run(self, **inputs: Any) -> dict[str, Any]:
        """Judge each row of the inputs, lists of one length.

        Returns, in the order of the input:

        - `results`: per row a dict of the outputs by their names, any JSON value but null, or
          `None` for a row that failed;
        - `meta`: per row the metadata of its last reply, `{}` where that has none or no call was
          made for the row.

        Empty lists give empty lists, and `None` as `meta`. Raises `InputError` (a `ValueError`) for
        inputs that are missing, unknown, no lists or of different lengths, `RowFailed` as told, and
        `JudgeSetupError` (no `ValueError`) where no row can be judged (no key, ten failures and no
        success).
        """
        return _output(self._judged(self._metric, self._samples(inputs)))

    @component.output_types(results=list[dict[str, Any]], meta=list[dict[str, Any]] | None)
    async def run_async(self, **inputs: Any) -> dict[str, Any]:
        """`run` on the running event loop, with the same inputs and outputs."""
        return _output(await self._judged_async(self._metric, self._samples(inputs)))

    def to_dict(self) -> dict[str, Any]:
        """The component as basic types; `SerializationError` where that cannot be."""
        return serialised(
            self,
            instructions=self.instructions,
            inputs=[[name, serialize_type(kind)] for name, kind in self._inputs.items()],
            outputs=self._metric.outputs,
            **self._parameters(),
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> LLMEvaluator:
        """The component that `to_dict` wrote down."""
        parameters = dict(data.get("init_parameters") or {})
        if "inputs" in parameters:  # else it is another class's data, and refused as that
            parameters["inputs"] = [(n, deserialize_type(kind)) for n, kind in parameters["inputs"]]
        return revived(cls, {**data, "init_parameters": parameters})

    def _samples(self, inputs: Mapping[str, Any]) -> list[Sample]:
        given = _columns(self._inputs, inputs)
        rows = [dict(zip(given, row, strict=True)) for row in zip(*given.values(), strict=True)]
        return [
            Sample(str(place), meta={"inputs": _as_json(place + 1, row)})
            for place, row in enumerate(rows)
        ]


def _output(judged: Judged) -> dict[str, Any]:
    results = [None if s.value is None else dict(s.details) for s in judged.scores]
    return {"results": results, "meta": judged.meta}


def _columns(expected: Mapping[str, Any], received: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs in the order of `expected`, checked as far as their types say what they hold."""
    plain: dict[str, Any] = dict.fromkeys(expected, "")
    for name, value in received.items():
        is_list(_NAME, name, value)
        plain[name] = len(value) * ("",)
    columns(_NAME, dict.fromkeys(expected, Texts), {n: plain[n] for n in received})  # their lengths
    known = {name: kind for name, kind in expected.items() if kind in (Texts, Groups)}
    checked = columns(_NAME, known, {n: received[n] for n in known}) if known else {}
    return {name: checked.get(name, received[name]) for name in expected}


def _as_json(row: int, value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=_plain)
    except (TypeError, ValueError) as error:
        raise InputError(f"cannot be written as JSON: {error}", source=_NAME, row=row) from None


def _plain(value: Any) -> Any:
    """A number of numpy's as a number; what JSON does not know, a Document for one, as its text."""
    if isinstance(value, Document) and value.content is not None:
        return value.content
    return value.item() if hasattr(value, "item") and not hasattr(value, "items") else str(value)


def _check(instructions: Any, inputs: Any, outputs: Any, examples: Any) -> None:
    if not isinstance(instructions, str):
        raise UsageError(f"{_NAME}: instructions must be text, not {shown(instructions)}")
    if not isinstance(inputs, list) or not inputs or not all(map(_is_input, inputs)):
        raise UsageError(
            f"{_NAME}: inputs must be a list of tuples of a name and the type of its list, such as "
            f"[('questions', list[str])]; not {shown(inputs)}"
        )
    if not isinstance(examples, list):
        raise UsageError(f"{_NAME}: examples must be a list, possibly empty; not {shown(examples)}")
    names = outputs if isinstance(outputs, list) else []
    if not names or not all(isinstance(n, str) for n in names) or len(set(names)) < len(names):
        raise UsageError(
            f"{_NAME}: outputs must be a list of names, at least one and each once; "
            f"not {shown(outputs)}"
        )


def _is_input(pair: Any) -> bool:
    return isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str) and _typed(pair)


def _typed(pair: Sequence[Any]) -> bool:
    return pair[1] is not list  # its items' type is what connections are checked against
