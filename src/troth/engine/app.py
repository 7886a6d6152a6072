"""The user's own application, asked for answers before they are scored."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from troth.sample import Sample


class AppFault(Exception):
    """The application did not deliver what can be scored; the message says so by itself."""


def wrap(function: Callable[[str], Any]) -> Callable[[Sample], Awaitable[Sample]]:
    """`function(question)` -> a coroutine that fills in a sample's answer and contexts.

    `function` may be sync (it runs in a thread) or async, and returns the answer, a pair of answer
    and contexts, or a mapping with `answer` and, if there are any, `contexts`. Other results, and
    samples without a question, raise `AppFault`; in a run that fails the row alone.
    """

    async def answered(sample: Sample) -> Sample:
        if sample.question is None:
            raise AppFault("the row has no question to ask the application")
        result = await _call(function, sample.question)
        answer, contexts = _parts(result)
        if contexts is not None:
            sample = replace(sample, contexts=contexts)
        sample = replace(sample, answer=answer)
        "".join((sample.answer or "", *(sample.contexts or ()))).encode()  # no half characters
        return sample

    return answered


async def _call(function: Callable[[str], Any], question: str) -> Any:
    if inspect.iscoroutinefunction(function):
        return await function(question)
    result = await asyncio.to_thread(_guarded, function, question)
    return await result if inspect.isawaitable(result) else result


def _guarded(function: Callable[[str], Any], question: str) -> Any:
    try:
        return function(question)
    except StopIteration as error:  # no future can carry it: it would hang instead
        raise RuntimeError("StopIteration (next() on an empty iterator?)") from error


def _parts(result: Any) -> tuple[Any, Any]:
    match result:
        case str():
            return result, None
        case Mapping() if "answer" in result:
            return result["answer"], result.get("contexts")
        case (answer, contexts):
            return answer, contexts
    raise AppFault(
        "the application must return the answer, (answer, contexts) or a mapping with 'answer' "
        f"and 'contexts', not {type(result).__name__}"
    )
