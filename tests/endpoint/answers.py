"""The right reply to a request, worked out from the request alone, whatever its schema."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from tests.endpoint import asked

Label = Callable[[str, str], str]
Item = Mapping[str, Any]

_GOOD = {"supported", "relevant", "useful", "correct", "true", "yes"}
_UNJUDGED = {"sources", "evidence", "id", "ids"}  # a list under these names holds no labels


class Answer:
    """What a perfect judge says to one request; `label` chooses among the labels by rule.

    Objects and lists are filled item by item; a field named like a part of the data (its id, or
    its key) is about that part alone. Numbers are at their maximum where the label is good, else
    at their minimum. A request for no JSON is answered with one word.
    """

    def __init__(self, body: Mapping[str, Any], label: Label | None = None) -> None:
        self.name, self.schema = asked.schema(body)
        self.data = asked.data(body)
        self.items = asked.items(self.data)
        self._words = asked.words(body)
        self._rule = label

    def reply(self, label: Label | None = None) -> Any:
        """An object of the schema, or a word; `label` overrides the endpoint's rule."""
        rule = label or self._rule
        if self.schema is None:
            item = self.items[0] if len(self.items) == 1 else {"text": json.dumps(self.data)}
            return _Filling(self, rule).label(self._words, item)
        return _Filling(self, rule).value("", self.schema, self.data, None)

    def other(self) -> Any:
        """The same reply with every item's label turned into another one."""
        return _turned(self.reply(), self.labels)

    @property
    def labels(self) -> list[str]:
        """The labels that the schema allows, the good one first."""
        return (_labels(self.schema, self.schema) or self._words)[:]


class _Filling:
    """One way through the schema; an `item` is what the value is about, once that is known."""

    def __init__(self, answer: Answer, rule: Label | None) -> None:
        self.answer = answer
        self.rule = rule

    def label(self, labels: list[Any], item: Item) -> Any:
        if self.rule is None:
            return labels[0]
        said = self.rule(str(item.get("text", "")), self.answer.name)
        if said in labels:
            return said
        return labels[0] if said in _GOOD else labels[-1]

    def value(self, name: str, schema: Any, scope: Any, item: Item | None) -> Any:
        schema = _resolved(schema, self.answer.schema)
        if "const" in schema:
            return schema["const"]
        match schema.get("type"):
            case "object":
                return self._object(schema, scope, item)
            case "array":
                return self._array(name, schema, scope, item)
        return self._plain(name, schema, item or {})

    def _plain(self, name: str, schema: Any, item: Item) -> Any:
        if "enum" in schema:
            own = item.get("id")
            return own if own in schema["enum"] else self.label(schema["enum"], item)
        if schema.get("type") in ("integer", "number", "boolean"):
            good = self.label([True, False], item)
            return good if schema["type"] == "boolean" else _end(schema, good)
        text = item.get("text", "")
        return {"id": item.get("id", ""), "claim": text, "text": text}.get(name, "because")

    def _object(self, schema: Any, scope: Any, item: Item | None) -> dict[str, Any]:
        filled = {}
        for name, inner in schema.get("properties", {}).items():
            narrow = asked.part(scope, name) if item is None else scope
            single = asked.items(narrow) if narrow is not scope else []
            about = single[0] if item is None and single and single[0] is narrow else item
            filled[name] = self.value(name, inner, narrow, about)
        rest = schema.get("additionalProperties")
        if isinstance(rest, dict) and item is None:
            for each in asked.items(scope):
                filled[each["id"]] = self.value("", rest, scope, each)
        return filled

    def _array(self, name: str, schema: Any, scope: Any, item: Item | None) -> list[Any]:
        fixed = schema.get("prefixItems")
        element = schema.get("items") or {}
        if fixed:
            about = [item] * len(fixed) if item else asked.items(scope)
            return [self.value("", s, scope, i) for s, i in zip(fixed, about, strict=False)]
        resolved = _resolved(element, self.answer.schema)
        judged = "id" in resolved.get("properties", {}) or _labels(element, self.answer.schema)
        if judged and name not in _UNJUDGED:
            about = [item] if item else asked.items(scope)
            return [self.value("", element, scope, each) for each in about]
        least = schema.get("minItems", 0)
        return [self.value("", element, scope, item) for _ in range(least)]


def _end(schema: Any, good: bool) -> float:
    return schema.get("maximum", 1) if good else schema.get("minimum", 0)


def _resolved(schema: Any, root: Any) -> Any:
    """A schema without references and alternatives: the first that is not null."""
    while isinstance(schema, dict):
        if "$ref" in schema:
            target = root
            for step in schema["$ref"].removeprefix("#/").split("/"):
                target = target[step]
            schema = target
        elif options := schema.get("anyOf") or schema.get("oneOf"):
            schema = next((o for o in options if o.get("type") != "null"), options[0])
        elif isinstance(schema.get("type"), list):
            kinds = [kind for kind in schema["type"] if kind != "null"]
            schema = {**schema, "type": kinds[0] if kinds else "null"}
        else:
            break
    return schema


def _labels(schema: Any, root: Any) -> list[str]:
    schema = _resolved(schema, root)
    if not isinstance(schema, dict):
        return []
    if "enum" in schema:
        return list(schema["enum"])
    named = [s for name, s in schema.get("properties", {}).items() if name not in _UNJUDGED]
    rest = [schema.get("items"), schema.get("additionalProperties"), *schema.get("prefixItems", [])]
    return next((labels for sub in [*named, *rest] if (labels := _labels(sub, root))), [])


def _turned(value: Any, labels: list[str]) -> Any:
    if isinstance(value, list):
        return [_turned(element, labels) for element in value]
    if isinstance(value, dict):
        return {name: _turned(sub, labels) for name, sub in value.items()}
    if value in labels:
        return next(label for label in labels if label != value)
    return value
