"""Judges by their short names."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from troth.errors import UsageError
from troth.judges.base import Judge

PREFIXES = ("openai/", "http://", "https://", "scripted:", "gguf:")
FORMS = "builtin, openai/MODEL, http://HOST:PORT/v1#MODEL, gguf:PATH, scripted:FILE"


def has_form(name: str) -> bool:
    """Is `name` a judge's name in one of the known forms (rather than a bare model's)?"""
    return name == "builtin" or name.startswith(PREFIXES)


def resolve(judge: str | Judge, **options: Any) -> Judge:
    """`builtin`, `openai/gpt-4o-mini`, `http://127.0.0.1:11434/v1#qwen3`, or a judge itself.

    A Haystack ChatGenerator becomes a `ChatGeneratorJudge`.

    `options` go to the constructor of an OpenAI-compatible judge; a GGUF file's takes `language`,
    `threads`, and `window` as its `context`. Raises `UsageError` for a name
    of no known form; opens no connection and asks for no key.
    """
    if not isinstance(judge, str):
        return judge if isinstance(judge, Judge) else _generator(judge, options)
    foreign = [name for name in options if name != "concurrency"]
    if judge.startswith("gguf:"):
        return _gguf(judge.removeprefix("gguf:"), options, foreign)
    if foreign and not judge.startswith(("openai/", "http://", "https://")):
        raise UsageError(f"{', '.join(foreign)}: only for judges behind an endpoint, not {judge!r}")
    if judge == "builtin":
        from troth.judges.builtin import Builtin  # noqa: PLC0415 - each judge loads on use

        return Builtin()
    if judge.startswith("scripted:"):
        from troth.judges.scripted import Scripted  # noqa: PLC0415

        return Scripted.from_file(judge.removeprefix("scripted:"))
    from troth.judges.openai import OpenAIChat  # noqa: PLC0415

    if judge.startswith("openai/") and judge != "openai/":
        return OpenAIChat(judge.removeprefix("openai/"), **options)
    if judge.startswith(("http://", "https://")):
        base_url, _, model = judge.partition("#")
        if not model:
            raise UsageError(f"the judge {judge!r} names no model: write {base_url}#MODEL")
        if "base_url" in options:
            raise UsageError(f"the judge {judge!r} names its endpoint: leave base_url out")
        return OpenAIChat(model, base_url=base_url, **options)
    builtin = bool(get_close_matches(judge.lower(), ["builtin"], cutoff=0.75))
    near = "builtin" if builtin else f"openai/{judge}" * (judge != "" and "/" not in judge)
    raise UsageError(
        f"no judge is called {judge!r}; the forms are {FORMS}"
        + (f". Did you mean {near}?" if near else "")
    )


def _generator(judge: Any, options: dict[str, Any]) -> Judge:
    """What is neither a judge nor a name may be a Haystack ChatGenerator."""
    if callable(getattr(judge, "run_async", None)) and not hasattr(judge, "run"):
        raise UsageError(
            f"{judge!r} has run_async alone; a ChatGenerator has run(messages) as well, which is "
            "what is called from code that is not async"
        )
    if isinstance(judge, type) or not callable(getattr(judge, "run", None)):
        raise UsageError(f"a judge is a name ({FORMS}) or a Judge, not {judge!r}")
    from troth.judges.chat_generator import ChatGeneratorJudge  # noqa: PLC0415

    return ChatGeneratorJudge(judge, **options)


def _gguf(path: str, options: dict[str, Any], names: list[str]) -> Judge:
    from troth.judges.gguf import Gguf  # noqa: PLC0415

    own = {"language": "language", "threads": "threads", "window": "context", "context": "context"}
    if foreign := [name for name in names if name not in own]:
        raise UsageError(f"{', '.join(foreign)}: only for judges behind an endpoint, not a file")
    return Gguf(path, **{own[name]: options[name] for name in names})
