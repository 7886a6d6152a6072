"""The judge that a component's parameters name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from troth.errors import UsageError
from troth.haystack._component import concurrency_of
from troth.haystack._inputs import shown
from troth.judges.base import Judge
from troth.judges.names import has_form, resolve
from troth.judges.openai import OpenAIChat
from troth.plan import resolved

OPENAI, ENDPOINTS = "openai/", ("openai/", "http://", "https://")


def judge_of(
    source: str,
    judge: str | Judge | None,
    chat_generator: Any = None,
    max_concurrency: int | None = None,
) -> Judge:
    """The judge of the component `source`: `judge`, by name or itself, or the `chat_generator`.

    Opens no connection and asks for no key. Raises `UsageError` where both are given, or neither,
    for a name of no known form, and for a generator that is no ChatGenerator.
    """
    concurrency_of(source, max_concurrency)
    if (judge is None) == (chat_generator is None):
        raise UsageError(f"{source}: give either a judge or a chat_generator")
    if judge is not None:
        return resolved(judge, max_concurrency)
    if isinstance(chat_generator, (str, type, Judge)):
        raise UsageError(
            f"{source}: chat_generator must be a ChatGenerator, not {shown(chat_generator)}"
        )
    return resolved(chat_generator, max_concurrency)


def judge_for(
    model: str | Judge | None = None,
    base_url: str | None = None,
    *,
    api_key: Callable[[], str] | None = None,
    max_concurrency: int | None = None,
) -> Judge:
    """A model of an OpenAI-compatible endpoint, or any judge by its name, or a `Judge` itself.

    A plain name such as `"gpt-4"` is a model of `base_url` (default: `OPENAI_BASE_URL`, else
    OpenAI), `None` that endpoint's default model. `api_key` gives the key when it is needed.
    Opens no connection and asks for no key. Raises `UsageError` for names of no known form and for
    a `base_url` or an `api_key` that cannot be used.
    """
    if base_url is not None and not isinstance(base_url, str):
        raise UsageError(f"base_url must be a string, not {type(base_url).__name__}")
    options: dict[str, Any] = {"base_url": base_url, "api_key": api_key}
    options = {name: value for name, value in options.items() if value is not None}
    width: dict[str, Any] = {} if max_concurrency is None else {"concurrency": max_concurrency}
    if model is None:
        return OpenAIChat(**options, **width)
    name = f"openai/{model}" if _is_plain(model) else model
    allowed = [*["api_key"] * _starts(name, *ENDPOINTS), *["base_url"] * _starts(name, OPENAI)]
    if foreign := [option for option in options if option not in allowed]:
        written = model.name if isinstance(model, Judge) else repr(model)
        raise UsageError(
            f"{foreign[0]} is for models named like 'gpt-4', and cannot go with {written}"
        )
    return resolve(name, **options, **width)


def _starts(name: object, *prefixes: str) -> bool:
    return isinstance(name, str) and name.startswith(prefixes)


def _is_plain(model: object) -> bool:
    return isinstance(model, str) and model != "" and not has_form(model)
