"""What a request asks for: its data, the items to judge, and the schema of the reply."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

Body = Mapping[str, Any]
Schema = dict[str, Any]

_BULLET = re.compile(r"^(?:- )?\"?(\w+)\"?:", re.MULTILINE)
_YES_NO = re.compile(r"\byes\b.{0,200}\bno\b", re.IGNORECASE | re.DOTALL)
# By these an ask is known where a request names none.
_NAMES = {"supported": "support", "relevant": "relevance", "useful": "usefulness"}


def texts(body: Body, *, instructions: bool) -> Iterator[str]:
    """The texts of all messages with instructions, or of all others."""
    for message in body.get("messages", []):
        if (message.get("role") in ("system", "developer")) is not instructions:
            continue
        content = message.get("content")
        if isinstance(content, list):
            yield from (part.get("text", "") for part in content)
        elif isinstance(content, str):
            yield content


def data(body: Body) -> list[Any]:
    """Every outermost JSON object or array in the messages that are not instructions.

    Where `items` are ids of what stands elsewhere, they are put in their place.
    """
    found = [value for text in texts(body, instructions=False) for value in outermost(text)]
    named: dict[str, Any] = {}
    for value in _dicts(found):
        if isinstance(value.get("id"), str) and "items" not in value:
            whole = " ".join(s.get("text", "") for s in value.get("sentences", []))
            named.setdefault(value["id"], {"text": whole, **value})
    for value in _dicts(found):
        listed = value.get("items")
        if isinstance(listed, list) and listed and all(isinstance(i, str) for i in listed):
            value["items"] = [named.get(i, {"id": i, "text": ""}) for i in listed]
    return found


def outermost(text: str) -> Iterator[Any]:
    """Every outermost JSON object or array that stands in a text."""
    decoder = json.JSONDecoder()
    place = 0
    while opening := re.compile(r"[{\[]").search(text, place):
        try:
            value, place = decoder.raw_decode(text, opening.start())
        except ValueError:
            place = opening.end()
        else:
            yield value


def items(scope: Any) -> list[dict[str, Any]]:
    """What is to be judged in `scope`: all that is listed as `items`, else what has id and text."""
    found = [item for listed in _under(scope, "items") for item in _with_id(listed)]
    return found or _with_id(scope) or [i for s in _lists(scope) for i in _with_id(s)]


def part(scope: Any, key: str) -> Any:
    """The part of `scope` that is called `key` (as its id, or as a field with items)."""
    for value in _dicts(scope):
        if value.get("id") == key:
            return value
        inner = value.get(key)
        if isinstance(inner, (dict, list)) and next(_under(inner, "items"), None) is not None:
            return inner
    return scope


def schema(body: Body) -> tuple[str, Schema | None]:
    """Name and schema of the reply; without a schema what the instructions show, `None` a word."""
    form = body.get("response_format") or {}
    if form.get("type") == "json_schema":
        return form["json_schema"]["name"], form["json_schema"]["schema"]
    told = "\n".join(texts(body, instructions=True)) or "\n".join(texts(body, instructions=False))
    labels = _BULLET.findall(told)
    name = _NAMES.get(labels[0], labels[0]) if labels else ""
    example = next((value for value in outermost(told) if isinstance(value, dict) and value), None)
    return name, None if example is None else _shape("", example, labels)


def words(body: Body) -> list[str]:
    """The words that a reply of one word may be, the good one first."""
    told = "\n".join([*texts(body, instructions=True), *texts(body, instructions=False)])
    return ["yes", "no"] if _YES_NO.search(told) else _BULLET.findall(told) or ["yes", "no"]


def _shape(name: str, example: Any, labels: list[str]) -> Schema:
    match example:
        case dict():
            inner = {key: _shape(key, value, labels) for key, value in example.items()}
            return {"type": "object", "properties": inner}
        case list():
            element = _shape(name, example[0], labels) if example else {"type": "string"}
            return {"type": "array", "items": element}
        case bool():
            return {"type": "boolean"}
        case int() | float():
            return {"type": "number"}
    labelled = labels and (name == "label" or example in labels)
    return {"type": "string", **({"enum": list(labels)} if labelled else {})}


def _dicts(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _dicts(inner)


def _lists(scope: Any) -> Iterator[Any]:
    return (v for d in _dicts(scope) for v in d.values() if isinstance(v, list))


def _under(scope: Any, key: str) -> Iterator[Any]:
    return (d[key] for d in _dicts(scope) if isinstance(d.get(key), list))


def _with_id(value: Any) -> list[dict[str, Any]]:
    listed = value if isinstance(value, list) else [value]
    return [i for i in listed if isinstance(i, dict) and "id" in i and "items" not in i]
