"""A reply's schema, narrowed until every reply that it allows ends and covers what was asked.

A schema for an endpoint leaves the ids, the number of claims and the length of texts open, and a
small model uses that freedom: it invents ids and repeats one sentence until its tokens are spent.
What can be said in a grammar need not be asked for in a prompt.
"""

from __future__ import annotations

from typing import Any

from troth.asks import Ask

CLAIMS = 4  # claims per item
CLAIM = 60  # characters that a claim may have more than its item, for a pronoun that is resolved
TEXT = 120  # characters of a reason
NUMBER = 24  # characters of a number
_SHORT = ("number", "boolean")

Schema = dict[str, Any]


def narrowed(schema: Schema, ask: Ask) -> Schema:
    """`schema` with one verdict for each item of `ask`, in order, and bounds on all else."""
    if "verdicts" not in schema["properties"]:  # the user's own outputs, by their names
        return {**_bounded(schema, "", [], TEXT), "x-guidance": {"whitespace_flexible": False}}
    verdict = schema["properties"]["verdicts"]["items"]
    contexts = [context.id for context in getattr(ask, "contexts", ())]
    count = len(ask.items)
    rows = []
    for item in ask.items:
        row = _bounded(verdict, "", contexts, len(item.text) + CLAIM)
        rows.append({**row, "properties": {**row["properties"], "id": {"const": item.id}}})
    listed = {"type": "array", "prefixItems": rows, "minItems": count, "maxItems": count}
    return {
        **schema,
        "properties": {**schema["properties"], "verdicts": listed},
        "x-guidance": {"whitespace_flexible": False},  # blanks cost tokens, and may never end
    }


def longest(schema: Schema) -> int:  # noqa: PLR0911 - a case for each kind of schema
    """How many characters the longest reply has that a narrowed `schema` allows."""
    if "anyOf" in schema:
        return max(map(longest, schema["anyOf"]))
    if "const" in schema:
        return len(schema["const"]) + 2
    if "enum" in schema:
        return max(map(len, schema["enum"])) + 2
    if "prefixItems" in schema:
        return 2 + sum(longest(item) + 1 for item in schema["prefixItems"])
    if schema["type"] == "array":
        return 2 + (longest(schema["items"]) + 1) * int(schema["maxItems"])
    if schema["type"] == "object":
        fields = schema["properties"].items()
        return 2 + sum(len(name) + 4 + longest(value) for name, value in fields)
    if schema["type"] in _SHORT:
        return NUMBER
    return int(schema["maxLength"]) + 2


def words(ask: Ask) -> str:
    """The grammar of a reply that is one of the ask's labels, however it is capitalised."""
    forms = sorted({f for label in ask.labels for f in (label, label.capitalize(), label.upper())})
    return "root ::= " + " | ".join(f'"{form}"' for form in forms)


def _bounded(schema: Schema, name: str, contexts: list[str], claim: int) -> Schema:  # noqa: PLR0911
    if "enum" in schema or schema.get("type") in _SHORT:
        return schema
    if "anyOf" in schema:
        return {"anyOf": [_bounded(option, name, contexts, claim) for option in schema["anyOf"]]}
    if schema["type"] == "object":
        fields = schema["properties"].items()
        return {**schema, "properties": {n: _bounded(s, n, contexts, claim) for n, s in fields}}
    if schema["type"] == "string":
        return {**schema, "maxLength": claim if name == "claim" else TEXT}
    if name == "sources" and contexts:
        known: Schema = {"type": "string", "enum": contexts}
        return {**schema, "items": known, "maxItems": len(contexts)}
    items = _bounded(schema["items"], name, contexts, claim)
    if name == "sources":
        return {**schema, "items": items, "maxItems": 0}
    return {**schema, "items": items, "minItems": int(name == "claims"), "maxItems": CLAIMS}
