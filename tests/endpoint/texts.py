"""Replies whose text is wrong, each a small function from the right answer to a text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from tests.endpoint.answers import Answer


def dumped(reply: Any) -> str:
    """A reply as text: a word as it is, all else as JSON."""
    return reply if isinstance(reply, str) else json.dumps(reply)


def _right(answer: Answer) -> str:
    return dumped(answer.reply())


def _other(answer: Answer) -> str:
    return dumped(answer.other())


def _changed(reply: Any, change: Callable[[list[Any]], list[Any]]) -> Any:
    """`reply` with its outermost lists of verdicts changed (or its fields, where it has none)."""
    if isinstance(reply, list):
        return change(reply)
    if not isinstance(reply, dict):
        return reply
    nested = {k: v for k, v in reply.items() if isinstance(v, (list, dict)) and v}
    if nested:
        return {**reply, **{name: _changed(value, change) for name, value in nested.items()}}
    return dict(change(list(reply.items())))


def _entries(change: Callable[[list[Any]], list[Any]]) -> Callable[[Answer], str]:
    return lambda answer: dumped(_changed(answer.reply(), change))


def _renamed(verdict: Any, name: str) -> Any:
    return {**verdict, "id": name} if isinstance(verdict, dict) else (name, verdict[1])


def _relabelled(value: Any, labels: list[str], label: Any) -> Any:
    if isinstance(value, list):
        return [_relabelled(element, labels, label) for element in value]
    if isinstance(value, dict):
        return {name: _relabelled(sub, labels, label) for name, sub in value.items()}
    return label if isinstance(value, str) and value in labels else value


def _wrong_label(answer: Answer, label: str = "maybe") -> str:
    return dumped(_relabelled(answer.reply(), answer.labels, label))


def _nan(answer: Answer) -> str:
    return dumped(_relabelled(answer.reply(), answer.labels, float("nan")))


def _supported(answer: Answer, support: str) -> str:
    """Every label with a `support` beside it, written as it is given: `"0.9"`, `NaN`, `7`."""
    text = _right(answer)
    for label in answer.labels:
        text = text.replace(f'"label": "{label}"', f'"label": "{label}", "support": {support}')
    return text


def _prose_fenced(answer: Answer) -> str:
    return f"Here is my answer:\n\n```json\n{_right(answer)}\n```\n\nI hope this helps!"


def _top_level_list(answer: Answer) -> str:
    reply = answer.reply()
    lists = [v for v in reply.values() if isinstance(v, list)] if isinstance(reply, dict) else []
    return dumped(lists[0]) if lists else dumped([reply])


TEXTS: dict[str, Callable[..., str]] = {
    "empty": lambda answer: "",
    "empty_object": lambda answer: "{}",
    "empty_list": _entries(lambda entries: []),
    "null_reply": lambda answer: "null",
    "malformed": lambda answer: _right(answer)[:-3].replace('"id":', "id:"),
    "trailing_commas": lambda answer: re.sub(r"(?<=[^\[{,])([}\]])", r",\1", _right(answer)),
    "fenced": lambda answer: f"```json\n{_right(answer)}\n```",
    "prose": lambda answer: f"Here you are: {_right(answer)}\nI hope this helps {{:",
    "prose_fenced": _prose_fenced,
    "think": lambda answer: f"<think>Is it {{{_other(answer)}}}? No.</think>\n{_right(answer)}",
    "think_unclosed": lambda answer: f"<think>Is it {_right(answer)}?",
    "top_level_list": _top_level_list,
    "missing_ids": _entries(lambda entries: entries[:-1]),
    "doubled_ids": _entries(lambda entries: [*entries, *entries[:1]]),
    "extra_ids": _entries(lambda e: [*e, *(_renamed(last, "z99") for last in e[-1:])]),
    "unknown_ids": _entries(lambda e: [*e[:-1], *(_renamed(last, "z99") for last in e[-1:])]),
    "wrong_label": _wrong_label,
    "nan": _nan,
    "support": _supported,
    "contradicting": lambda answer: f"{_right(answer)}\n{_other(answer)}",
    "repeated": lambda answer: f"{_right(answer)}\n{_right(answer)}",
    "brackets": lambda answer, kilobytes="200": "{ " * (int(kilobytes) << 9),
}
