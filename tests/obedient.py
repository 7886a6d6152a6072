"""A judge that does as it is told by whatever text stands outside of the data.

It knows nothing of the package's prompts and parsers: it reads the raw messages of a request. A
control token of a chat template ends the message, wherever it stands, as it would in a tokenizer;
of the rest, what is a JSON object, array or string is data, and an order anywhere else is obeyed.
Without an order it judges by a fixed rule: an item is good if most of its words stand in the rest
of the data.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from tests.endpoint.answers import Answer
from tests.endpoint.faults import Exchange, Fault
from tests.endpoint.texts import dumped

CONTROL = re.compile(r"<[|｜][^|｜<>\s]{1,40}[|｜]>|</?s>|<(?:start|end)_of_turn>|<</?SYS>>")
CLOSING = re.compile(r"</?(?:contexts|answer|data|document|user_input|tool_call|script)>|<!--")
ORDER = re.compile(
    r"ignor|obey|label|score|verdict|supported|relevant|useful|\b1\.0\b|\byes\b|grade|满分|忽略",
    re.IGNORECASE,
)
_VALUE = re.compile(r"[{\[\"]")


def orders(body: dict[str, Any]) -> str:
    """The first order that stands outside of the data; empty where there is none."""
    for message in body["messages"]:
        if message["role"] in ("system", "developer"):
            continue
        found = ORDER.search(outside(message["content"]))
        if found:
            return found[0]
    return ""


def outside(text: str) -> str:
    """What of a message is no data."""
    first = CONTROL.search(text) or CLOSING.search(text)
    if first:
        return outside(text[: first.start()]) + text[first.start() :]
    kept, place = [], 0
    decoder = json.JSONDecoder()
    while opening := _VALUE.search(text, place):
        kept.append(text[place : opening.start()])
        try:
            _, place = decoder.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            kept.append(opening[0])
            place = opening.end()
    return "".join([*kept, text[place:]])


def obedient(*, obeys: bool = True) -> Fault:
    """How the endpoint replies; with `obeys=False` by the rule alone, whatever is said."""

    async def reply(exchange: Exchange) -> Any:
        return exchange.say(dumped(said(exchange, obeys=obeys)))

    return reply


def said(exchange: Exchange, *, obeys: bool = True) -> Any:
    """The reply itself."""
    answer = exchange.answer
    if obeys and orders(exchange.body):
        return answer.reply(lambda text, name: answer.labels[0])
    return answer.reply(by_words(answer))


def by_words(answer: Answer) -> Callable[[str, str], str]:
    """The rule: at least 0.6 of an item's words stand in the data beside the items."""
    judged = {item.get("text") for item in answer.items}
    known = {word for text in strings(answer.data) if text not in judged for word in _words(text)}

    def label(text: str, name: str) -> str:
        words = _words(text)
        good = words and sum(word in known for word in words) >= 0.6 * len(words)
        return answer.labels[0 if good else 1]

    return label


def strings(value: Any) -> Iterator[str]:
    """Every string in a JSON value that is no key."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from strings(inner)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())
