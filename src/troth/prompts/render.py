"""From an ask to the messages that put it to a language model.

Prompts are data: `<language>/<ask>.md` holds a `## system` and a `## user` section,
`<ask>_brief.md` the same for labels alone; `repair.md` and `repair_word.md` hold the message that
asks once more. `{{name}}` stands for the ask's field or property `name` as JSON.
What never changes comes first, then the contexts, then what changes most, so that a provider's
prefix cache serves as much as it can.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from troth.asks import Ask, Item, Joint
from troth.errors import UsageError
from troth.prompts.reply import schema
from troth.text.sentences import language as language_of_text

AUTO = "auto"  # the language of the ask's own texts, where there are prompts in it
DEFAULT = "en"
_HERE = Path(__file__).parent
_SLOT = re.compile(r"\{\{(.*?)\}\}")
_BLOCKS = re.compile(r"^\[(\w+)\]$", re.MULTILINE)
_CONTROL = re.compile(rb"\[(?=/?[A-Z])")  # no bracket of JSON itself stands before a capital letter
_SECTIONS = re.compile(r"\A## system\n(.+?)\n+## user\n(.+)\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Prompt:
    """All that is sent to a chat endpoint about one ask.

    `messages` are role/content pairs; `schema` is the JSON schema of the reply, under the name
    `schema_name`, or `None` where the reply is one word; `hash` is the beginning of the SHA-256 of
    the prompt file's text, and stands beside the results that the prompt led to.
    """

    messages: tuple[dict[str, str], ...]
    schema: dict[str, Any] | None
    schema_name: str
    hash: str


@lru_cache(maxsize=256)  # the journal's key and the call itself need the same prompt
def render(ask: Ask, language: str = "en", problem: str | None = None) -> Prompt:
    """The prompt for `ask` in `language`, one of `languages()` or `"auto"` (`language_of`).

    With `problem`, what was wrong with the previous reply, one more message asks for a full reply
    again; all before it keeps its bytes. Equal asks give equal bytes.
    Raises `UsageError` for a language or ask that has no prompt file, and `ValueError` where a
    file is malformed or a placeholder in it names no field of the ask.
    """
    language = language_of(ask) if language == AUTO else language
    brief = not (ask.explain or ask.one_word or isinstance(ask, Joint))
    file = _load(language, f"{ask.name}_brief" if brief else ask.name)
    system = _chosen(file.system, ask.blocks) if isinstance(ask, Joint) else file.system
    user = _fill(file.user, ask)
    if ask.examples:
        more = _load(language, "examples")
        system = f"{system}\n\n{more.system}"
        user = f"{_fill(more.user, _Examples(json.loads(ask.examples)))}\n{user}"
    messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    if problem is not None:
        again = _text(language, "repair_word" if ask.one_word else "repair").strip()
        messages.append({"role": "user", "content": _fill(again, _Repair(problem))})
    return Prompt(tuple(messages), schema(ask), ask.name, file.hash)


def languages() -> tuple[str, ...]:
    """The languages that prompts exist in."""
    return tuple(sorted(file.parent.name for file in _HERE.glob("*/repair.md")))


def language_of(ask: Ask) -> str:
    """The language of `languages()` whose script `ask` is written in; `"en"` where none is.

    The question decides, as reasons are to be in its language; without one, the other texts do.
    """
    named = ("items", "material", "texts")
    texts = [item.text for name in named for item in getattr(ask, name, ())]
    question = (getattr(ask, "question", None) or "").strip()
    code = language_of_text(question or "\n".join(texts))
    return code if code in languages() else DEFAULT


def hashes(language: str) -> dict[str, str]:
    """The hash of every prompt of a language, by the name of its file; raises `UsageError`.

    For `"auto"` those of all languages, as `en/support`.
    """
    if language == AUTO:
        return {f"{code}/{n}": h for code in languages() for n, h in hashes(code).items()}
    _known(language)
    names = sorted(file.stem for file in (_HERE / language).glob("*.md"))
    return {n: _load(language, n).hash for n in names if not n.startswith("repair")}


def as_json(value: Any) -> str:
    """`value` as one line of compact JSON that cannot forge a delimiter.

    `<` is escaped, and `[` before a capital letter, so that no text can hold a chat template's
    token (`<|im_end|>`, `[INST]`) or close a tag; a lone surrogate is escaped too, since it could
    not be sent as UTF-8.
    """
    try:
        raw = msgspec.json.encode(value)
    except UnicodeEncodeError:  # a lone surrogate
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain)
        raw = text.encode("utf-8", "backslashreplace")
    if b"<" in raw:
        raw = raw.replace(b"<", b"\\u003c")
    return _CONTROL.sub(rb"\\u005b", raw).decode()


@dataclass(frozen=True, slots=True)
class _Repair:
    problem: str


@dataclass(frozen=True, slots=True)
class _Examples:
    examples: Any


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
    _known(language)
    file = _HERE / language / f"{name}.md"
    if not file.is_file():
        raise UsageError(f"there is no prompt for {name!r} in language {language!r}")
    return file.read_text(encoding="utf-8")


def _chosen(system: str, blocks: Collection[str]) -> str:
    """The text before the first `[block]`, and those blocks that are needed, unnamed."""
    first, *rest = _BLOCKS.split(system)
    named = dict(zip(rest[::2], rest[1::2], strict=True))
    return "\n\n".join([first.strip(), *(b.strip() for n, b in named.items() if n in blocks)])


def _known(language: str) -> None:
    if language not in languages():
        known = ", ".join((*languages(), AUTO))
        raise UsageError(f"there are no prompts in language {language!r}; choose one of {known}")


def _fill(template: str, source: Ask | _Repair | _Examples) -> str:
    # One pass: what a text holds is never taken for a placeholder.
    literal, *rest = _SLOT.split(template)
    filled = [literal]
    for name, literal in zip(rest[::2], rest[1::2], strict=True):
        names = _names(type(source))  # type: ignore[arg-type] # a class can be hashed
        if name not in names:
            known = ", ".join(sorted(names))
            raise ValueError(f"a prompt holds {{{{{name}}}}}, which is not one of {known}")
        filled += (as_json(getattr(source, name)), literal)
    return "".join(filled)


@lru_cache
def _names(kind: type[Any]) -> frozenset[str]:
    """What a placeholder may name: fields, and properties of the class's own."""
    derived = {name for name, value in vars(kind).items() if isinstance(value, property)}
    return frozenset({*(f.name for f in fields(kind)), *derived})


def _plain(value: Any) -> Any:
    if isinstance(value, Item):
        return {"id": value.id, "text": value.text}
    if isinstance(value, msgspec.Raw):
        return bytes(value).decode()
    raise TypeError(f"{type(value).__name__} cannot stand in a prompt: {value!r}")
