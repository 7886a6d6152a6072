"""The endpoint answers whatever schema a request brings."""

import json

import pytest

from tests.endpoint.answers import Answer

LABEL = {"type": "string", "enum": ["supported", "unmentioned"]}
TEXT = {"type": "string"}
ITEMS = [{"id": "a1", "text": "fine"}, {"id": "a2", "text": "bad"}]


def shape(**properties):
    return {"type": "object", "properties": properties}


def listed(element):
    return {"type": "array", "items": element}


VERDICTS = shape(verdicts=listed(shape(id=TEXT, label=LABEL, sources=listed(TEXT))))
SAID = [
    {"id": "a1", "label": "supported", "sources": []},
    {"id": "a2", "label": "unmentioned", "sources": []},
]
TASKS = {"tasks": [{"id": "t1", "items": ITEMS}, {"id": "t2", "items": ITEMS[1:]}]}
SCORE = {"type": "integer", "minimum": 1, "maximum": 5}


@pytest.mark.parametrize(
    ("schema", "data", "reply"),
    [
        (VERDICTS, {"items": ITEMS}, {"verdicts": SAID}),
        (shape(labels=listed(LABEL)), {"items": ITEMS}, {"labels": ["supported", "unmentioned"]}),
        (shape(a1=LABEL, a2=LABEL), {"items": ITEMS}, {"a1": "supported", "a2": "unmentioned"}),
        (shape(t1=VERDICTS, t2=VERDICTS), TASKS,
         {"t1": {"verdicts": SAID}, "t2": {"verdicts": SAID[1:]}}),
        (shape(v={"$ref": "#/$defs/V"}) | {"$defs": {"V": VERDICTS}}, {"items": ITEMS},
         {"v": {"verdicts": SAID}}),
        (listed(shape(id=TEXT, score=SCORE)), {"items": ITEMS},
         [{"id": "a1", "score": 5}, {"id": "a2", "score": 1}]),
    ],
)  # fmt: skip
def test_schemas(schema, data, reply):
    form = {"type": "json_schema", "json_schema": {"name": "support", "schema": schema}}
    assert answered(data, "Judge.", response_format=form) == reply


def test_without_a_schema_it_follows_the_instructions():
    shown = '- supported: yes\n- unmentioned: no\n{"verdicts":[{"id":"ID","label":"supported"}]}'
    short = [{"id": v["id"], "label": v["label"]} for v in SAID]
    assert answered({"items": ITEMS}, shown) == {"verdicts": short}
    assert answered({"items": ITEMS[:1]}, "Answer yes or no.") == "yes"
    assert answered({"items": ITEMS[1:]}, "Answer yes or no.") == "no"


def answered(data, instructions, **rest):
    messages = [
        {"role": "system", "content": instructions},
        {"role": "user", "content": json.dumps(data)},
    ]
    rule = lambda text, name: "unmentioned" if "bad" in text else "supported"  # noqa: E731
    return Answer({"messages": messages, **rest}, rule).reply()
