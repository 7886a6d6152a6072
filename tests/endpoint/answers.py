"""The right reply to a request, worked out from the request alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Label = Callable[[str, str], str]

# For requests without a schema: the words by which an ask's labels are known, the good one first.
_LABELS = {
    "support": ("supported", "contradicted", "unmentioned", "no_claim"),
    "relevance": ("relevant", "irrelevant"),
    "usefulness": ("useful", "useless"),
}


class Answer:
    """What a perfect judge says to one request; `label` chooses among the labels by rule."""

    def __init__(self, body: Mapping[str, Any], label: Label | None = None) -> None:
        self.name, self.schema = _schema(body)
        self.items = _items(body)
        self._label = label

    def reply(self, label: Label | None = None) -> dict[str, Any]:
        """The reply as an object of the schema; `label` overrides the endpoint's rule."""
        return _object(self.schema, {"label": label or self._label, "answer": self, "item": None})

    def other(self) -> dict[str, Any]:
        """The same reply with every item's label turned into another one."""
        return _turned(self.reply(), self.labels)

    @property
    def labels(self) -> list[str]:
        """The labels that the schema allows, the good one first."""
        return _find_labels(self.schema) or ["yes", "no"]


def _schema(body: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    form = body.get("response_format") or {}
    if form.get("type") == "json_schema":
        return form["json_schema"]["name"], form["json_schema"]["schema"]
    text = " ".join(_texts(body))
    name = next((name for name, words in _LABELS.items() if f"- {words[0]}:" in text), "support")
    string = {"type": "string"}
    judged = {"label": {"type": "string", "enum": list(_LABELS[name])}, "reason": string}
    sources = {"type": "array", "items": string}
    if '"claims"' in text:
        claim = _shape(claim=string, **judged, sources=sources)
        verdict = _shape(id=string, claims={"type": "array", "items": claim})
    else:
        verdict = _shape(id=string, **judged)
    return name, _shape(verdicts={"type": "array", "items": verdict})


def _shape(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def _texts(body: Mapping[str, Any]) -> Iterator[str]:
    for message in body.get("messages", []):
        content = message.get("content")
        if isinstance(content, list):
            yield from (part.get("text", "") for part in content)
        elif isinstance(content, str):
            yield content


def _items(body: Mapping[str, Any]) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    for text in _texts(body):
        for value in _objects(text):
            items = value.get("items")
            if isinstance(items, list) and all(isinstance(i, dict) and "id" in i for i in items):
                found = items
    return found


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Every outermost JSON object that stands in a text."""
    decoder = json.JSONDecoder()
    at = text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except ValueError:
            end = at + 1
        else:
            if isinstance(value, dict):
                yield value
        at = text.find("{", end)


def _object(schema: Mapping[str, Any], state: dict[str, Any]) -> dict[str, Any]:
    return {name: _value(name, sub, state) for name, sub in schema["properties"].items()}


def _value(name: str, schema: Mapping[str, Any], state: dict[str, Any]) -> Any:
    item = state["item"] or {"id": "", "text": ""}
    match schema.get("type"):
        case "object":
            return _object(schema, state)
        case "array":
            return _array(schema["items"], state)
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return True
    if "enum" in schema:
        rule = state["label"]
        return rule(item.get("text", ""), state["answer"].name) if rule else schema["enum"][0]
    return {"id": item["id"], "claim": item.get("text", "")}.get(name, "because")


def _array(element: Mapping[str, Any], state: dict[str, Any]) -> list[Any]:
    if element.get("type") != "object":
        return []
    if "id" in element["properties"]:
        return [_object(element, {**state, "item": item}) for item in state["answer"].items]
    return [_object(element, state)]


def _find_labels(schema: Any) -> list[str]:
    if not isinstance(schema, dict):
        return []
    if "enum" in schema:
        return list(schema["enum"])
    nested = [*schema.get("properties", {}).values(), schema.get("items")]
    return next((labels for sub in nested if (labels := _find_labels(sub))), [])


def _turned(value: Any, labels: list[str]) -> Any:
    if isinstance(value, list):
        return [_turned(element, labels) for element in value]
    if isinstance(value, dict):
        return {
            name: next(label for label in labels if label != sub)
            if name == "label"
            else _turned(sub, labels)
            for name, sub in value.items()
        }
    return value
