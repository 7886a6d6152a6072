"""The judge that a component's parameters name."""

from __future__ import annotations

from typing import Any

from troth.errors import UsageError
from troth.judges.base import Judge
from troth.judges.names import has_form, resolve
from troth.judges.openai import OpenAIChat


def judge_for(model: str | Judge | None, base_url: str | None = None) -> Judge:
    """A model of an OpenAI-compatible endpoint, or any judge by its name, or a `Judge` itself.

    A plain name such as `"gpt-4"` is a model of `base_url` (default: `OPENAI_BASE_URL`, else
    OpenAI), `None` that endpoint's default model. Opens no connection and asks for no key.
    Raises `UsageError` for names of no known form and for a `base_url` that cannot be used.
    """
    if base_url is not None and not isinstance(base_url, str):
        raise UsageError(f"base_url must be a string, not {type(base_url).__name__}")
    options: dict[str, Any] = {} if base_url is None else {"base_url": base_url}
    if model is None:
        return OpenAIChat(**options)
    name = f"openai/{model}" if _is_plain(model) else model
    if options and not (isinstance(name, str) and name.startswith("openai/")):
        shown = model.name if isinstance(model, Judge) else repr(model)
        raise UsageError(f"base_url is for models named like 'gpt-4', and cannot go with {shown}")
    return resolve(name, **options)


def _is_plain(model: object) -> bool:
    return isinstance(model, str) and model != "" and not has_form(model)
