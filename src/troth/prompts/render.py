"""From an ask to the messages that put it to a language model.

Prompts are data: `<language>/<ask>.md` holds a `## system` and a `## user` section, `repair.md`
the message that asks once more. `{{name}}` stands for the ask's field `name` as JSON.
What never changes comes first, then the contexts, then what changes most, so that a provider's
prefix cache serves as much as it can.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

from troth.asks import Ask, Item
from troth.errors import UsageError
from troth.prompts.reply import schema

_HERE = Path(__file__).parent
_SLOT = re.compile(r"\{\{(.*?)\}\}")
_SECTIONS = re.compile(r"\A## system\n(.+?)\n+## user\n(.+)\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Prompt:
    """All that is sent to a chat endpoint about one ask.

    `messages` are role/content pairs; `schema` is the JSON schema of the reply, under the name
    `schema_name`; `hash` is the beginning of the SHA-256 of the prompt file's text, and stands
    beside the results that the prompt led to.
    """

    messages: tuple[dict[str, str], ...]
    schema: dict[str, Any]
    schema_name: str
    hash: str


def render(ask: Ask, language: str = "en", problem: str | None = None) -> Prompt:
    """The prompt for `ask` in `language`.

    With `problem`, what was wrong with the previous reply, one more message asks for a full reply
    again; all before it keeps its bytes. Equal asks give equal bytes.
    Raises `UsageError` for a language or ask that has no prompt file, and `ValueError` where a
    file is malformed or a placeholder in it names no field of the ask.
    """
    file = _load(language, ask.name)
    messages = [
        {"role": "system", "content": file.system},
        {"role": "user", "content": _fill(file.user, _values(ask))},
    ]
    if problem is not None:
        repair = _fill(_text(language, "repair").strip(), {"problem": problem})
        messages.append({"role": "user", "content": repair})
    return Prompt(tuple(messages), schema(ask), ask.name, file.hash)


def languages() -> tuple[str, ...]:
    """The languages that prompts exist in."""
    return tuple(sorted(file.parent.name for file in _HERE.glob("*/repair.md")))


def hashes(language: str) -> dict[str, str]:
    """The hash of every prompt of a language, by the name of its ask."""
    names = sorted(file.stem for file in (_HERE / language).glob("*.md"))
    return {name: _load(language, name).hash for name in names if name != "repair"}


def as_json(value: Any) -> str:
    """`value` as one line of compact JSON that cannot forge a delimiter.

    `<` is escaped, so that no text can hold a chat template's token (`<|im_end|>`) or close a tag;
    a lone surrogate is escaped too, since it could not be sent as UTF-8.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain)
    return text.replace("<", "\\u003c").encode("utf-8", "backslashreplace").decode()


@dataclass(frozen=True, slots=True)
class _File:
    system: str
    user: str
    hash: str


@lru_cache
def _load(language: str, name: str) -> _File:
    text = _text(language, name)
    sections = _SECTIONS.match(text)
    if sections is None:
        raise ValueError(f"prompt {language}/{name}.md needs a '## system' and a '## user' section")
    system, user = (section.strip() for section in sections.groups())
    if "{{" in system + _SLOT.sub("", user):
        raise ValueError(
            f"prompt {language}/{name}.md: a '{{{{' is unclosed or stands in the system section"
        )
    return _File(system, user, hashlib.sha256(text.encode()).hexdigest()[:12])


@lru_cache
def _text(language: str, name: str) -> str:
    if language not in languages():
        known = ", ".join(languages())
        raise UsageError(f"there are no prompts in language {language!r}; choose one of {known}")
    file = _HERE / language / f"{name}.md"
    if not file.is_file():
        raise UsageError(f"there is no prompt for {name!r} in language {language!r}")
    return file.read_text(encoding="utf-8")


def _fill(template: str, values: Mapping[str, Any]) -> str:
    # One pass: what a text holds is never taken for a placeholder.
    def value(slot: re.Match[str]) -> str:
        if slot[1] not in values:
            raise ValueError(
                f"a prompt holds {slot[0]}, which is not one of {', '.join(sorted(values))}"
            )
        return as_json(values[slot[1]])

    return _SLOT.sub(value, template)


def _values(ask: Ask) -> dict[str, Any]:
    return {field.name: getattr(ask, field.name) for field in fields(ask)}


def _plain(value: Any) -> Any:
    if isinstance(value, Item):
        return {"id": value.id, "text": value.text}
    raise TypeError(f"{type(value).__name__} cannot stand in a prompt: {value!r}")
