"""One JSON object in the midst of words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from troth.asks import FILLED, Form
from troth.engine.literal import Unreadable, values
from troth.errors import BadReply
from troth.score import Verdict


def object_among(names: Sequence[str], text: str) -> dict[str, Any]:
    """The one object in `text` that has any of `names` as a key.

    Raises `BadReply` where there is none, where two disagree, and where anything like a second one
    stands beside it and cannot be read.
    """
    found: list[dict[str, Any]] = []
    rest, place = [], 0
    try:
        for value, start, end in values(text):
            if isinstance(value, dict) and value.keys() & set(names):
                found.append(value)
                rest.append(text[place:start])
                place = end
    except Unreadable as error:
        raise BadReply(f"the reply holds no JSON that can be read: {error}") from None
    rest.append(text[place:])
    if not found:
        raise BadReply(f"the reply is no JSON object with {', '.join(names)}")
    if any(value != found[0] for value in found[1:]):
        raise BadReply(f"the reply holds {len(found)} answers that disagree")
    if any(f"{quote}{name}{quote}" in part for part in rest for name in names for quote in "\"'"):
        raise BadReply("the reply holds something like a second answer that cannot be read")
    return found[0]


def filled(ask: Form, value: Mapping[str, Any]) -> list[tuple[str, tuple[Verdict, ...]]]:
    """The values of the wanted outputs; what is null was not given, and others are left out.

    Raises `BadReply` for a number that JSON cannot hold (`1e999`).
    """
    return [
        (name, (Verdict(name, FILLED, 1.0, text=_as_json(name, value[name])),))
        for name in ask.outputs
        if value.get(name) is not None
    ]


def _as_json(name: str, value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        raise BadReply(f"the value of {name!r} holds a number that is not finite") from None
