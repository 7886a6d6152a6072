"""The shape of a reply: one source for the schema that is sent and the types that are decoded."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from troth.asks import Ask, Form, Joint

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class Claim(msgspec.Struct, frozen=True):
    """What a judge says of one claim of an item. `support` is for judges that know it."""

    label: str
    claim: str = ""
    reason: str = ""
    sources: tuple[str, ...] = ()
    support: Share | None = None


class Claims(msgspec.Struct, frozen=True):
    """An item and the claims that it was split into."""

    id: str
    claims: tuple[Claim, ...]


class Judged(msgspec.Struct, frozen=True):
    """An item that is judged as a whole. A level of a scale may be written as a JSON number."""

    id: str
    label: str | int | float
    reason: str = ""
    sources: tuple[str, ...] = ()
    support: Share | None = None


class ClaimsReply(msgspec.Struct, frozen=True):
    """The reply to an ask that splits its items."""

    verdicts: tuple[Claims, ...]


class JudgedReply(msgspec.Struct, frozen=True):
    """The reply to an ask that does not, or that wants labels alone."""

    verdicts: tuple[Judged, ...]


def splits(ask: Ask) -> bool:
    """Is the reply to `ask` to divide its items into claims?"""
    return ask.splits and ask.explain


def schema(ask: Ask) -> dict[str, Any] | None:
    """The JSON schema of the reply to `ask`, strict: every field required, no others.

    `None` where the reply is one word.
    """
    if ask.one_word:
        return None
    if isinstance(ask, Joint):
        return _object(**{f"t{n}": schema(part) for n, part in enumerate(ask.parts, 1)})
    if isinstance(ask, Form):
        return _object(**dict.fromkeys(ask.outputs, _VALUE))
    text = {"type": "string"}
    label = {"type": "string", "enum": list(ask.labels)}
    texts = {"type": "array", "items": text}
    if splits(ask):
        claim = _object(claim=text, label=label, reason=text, sources=texts)
        verdict = _object(id=text, claims={"type": "array", "items": claim})
    elif not ask.explain:
        verdict = _object(id=text, label=label)
    else:
        verdict = _object(id=text, label=label, reason=text)
    return _object(verdicts={"type": "array", "items": verdict})


_PLAIN = [{"type": "number"}, {"type": "string"}, {"type": "boolean"}]
_VALUE = {"anyOf": [*_PLAIN, {"type": "array", "items": {"anyOf": _PLAIN}}]}


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
