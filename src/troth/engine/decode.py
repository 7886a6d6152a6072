"""Replies in, reconciled verdicts out. Nothing else lets a judge's words near a formula.

A reply is read strictly first; failing that, JSON is looked for in fences and prose, and mended
only where nothing can be lost by it. Never is a label or a number searched for in prose.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import msgspec

from troth.asks import Answer, Ask
from troth.errors import BadReply
from troth.prompts.reply import Claim, Claims, ClaimsReply, Judged, JudgedReply
from troth.score import Verdict

SCAN_LIMIT = 256_000  # characters that are searched for JSON inside prose
SCAN_MISSES = 200  # brackets in prose that may turn out not to open JSON
MEND_LIMIT = 32_000  # json-repair is slow and recursive on long or deep garbage
MEND_DEPTH = 16
THINKING = re.compile(r"<think>.*?</think>", re.DOTALL)
FENCE = re.compile(r"```\w*\n(.*)\n?```", re.DOTALL)
OPENING = re.compile(r"[{\[]")

Group = tuple[str, tuple[Verdict, ...]]  # an item's id and the verdicts on its claims


class Partial(BadReply):
    """All that came is right, but some items are missing: those alone are asked again."""

    def __init__(self, answer: Answer, missing: Sequence[str]) -> None:
        self.answer = answer
        self.missing = tuple(missing)
        super().__init__(f"there is no verdict for {', '.join(missing)}")


def decode(ask: Ask, content: object) -> Answer:
    """The verdicts of a reply, item by item in the order asked.

    Raises `BadReply`, which says what is wrong with it, or `Partial` where items are missing.
    """
    if isinstance(content, str):
        return reconcile(ask, _from_text(ask, content))
    if isinstance(content, tuple) and all(isinstance(v, Verdict) for v in content):
        return reconcile(ask, [(i, tuple(vs)) for i, vs in groupby(content, lambda v: v.id)])
    raise BadReply(f"a reply is text or a tuple of verdicts, not {type(content).__name__}")


def reconcile(ask: Ask, groups: Sequence[Group]) -> Answer:
    """Hold verdicts against what was asked: every id exactly once, no other, known labels."""
    texts = {item.id: item.text for item in ask.items}
    came: dict[str, tuple[Verdict, ...]] = {}
    for item_id, verdicts in groups:
        if item_id not in texts:
            raise BadReply(f"there is a verdict for {item_id!r}, which was not asked about")
        if item_id in came:
            raise BadReply(f"there are two verdicts for {item_id!r}")
        for verdict in verdicts:
            _check(ask, verdict)
        if verdicts and not math.isclose(sum(v.weight for v in verdicts), 1.0):
            raise BadReply(f"the verdicts for {item_id!r} do not weigh 1 together")
        came[item_id] = tuple(v if v.text else replace(v, text=texts[item_id]) for v in verdicts)
    answer = tuple(v for item in ask.items for v in came.get(item.id, ()))
    missing = [item.id for item in ask.items if not came.get(item.id)]
    if missing:
        raise Partial(answer, missing)
    return answer


def _check(ask: Ask, verdict: Verdict) -> None:
    if verdict.label not in ask.labels:
        raise BadReply(
            f"the label of {verdict.id!r} must be one of {', '.join(ask.labels)}, "
            f"not {verdict.label[:40]!r}"
        )
    if not 0.0 <= verdict.support <= 1.0:  # NaN fails this too
        raise BadReply(f"the support of {verdict.id!r} must be in [0, 1], not {verdict.support!r}")


def _from_text(ask: Ask, text: str) -> list[Group]:
    text = THINKING.sub("", text).strip()
    if fenced := FENCE.fullmatch(text):
        text = fenced[1].strip()
    if not text:
        raise BadReply("the reply is empty")
    try:
        whole = _loads(text)
    except (ValueError, RecursionError):
        return _from_prose(ask, text)
    return _typed(ask, whole)


def _from_prose(ask: Ask, text: str) -> list[Group]:
    found, problem = [], "the reply holds no JSON object of the asked shape"
    for value in _values(text[:SCAN_LIMIT]):
        if not isinstance(value, dict) or "verdicts" not in value:
            continue  # a scrap of something broken is no answer, even if it has the right shape
        try:
            found.append(_typed(ask, value))
        except BadReply as bad:
            problem = bad.problem
    if not found:
        mended = _mend(text)
        if mended is None:
            raise BadReply(problem, text[:2000])
        return _typed(ask, mended)
    if any(_labels(other) != _labels(found[0]) for other in found[1:]):
        raise BadReply(f"the reply holds {len(found)} JSON objects that disagree", text[:2000])
    return found[0]


def _labels(groups: list[Group]) -> list[tuple[str, list[tuple[str, float]]]]:
    return [(item_id, [(v.label, v.support) for v in verdicts]) for item_id, verdicts in groups]


def _values(text: str) -> Iterator[Any]:
    """The JSON objects and arrays in `text`, in order, none of them inside another."""
    place, misses = 0, 0
    while misses < SCAN_MISSES and (start := OPENING.search(text, place)):
        try:
            value, place = DECODER.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            place, misses = start.start() + 1, misses + 1
        else:
            yield value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return dict(pairs)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)
_loads = DECODER.decode


def _mend(text: str) -> Any:
    """Slightly broken JSON (trailing commas, single quotes), or None where mending could lose any.

    Refused: what was cut off, what is long or deep, and what holds more than one answer, of which
    a repair would silently keep one.
    """
    body = text[text.find("{") : text.rfind("}") + 1]
    depth = deepest = 0
    for bracket in re.findall(r"[{}\[\]]", body):
        depth += 1 if bracket in "{[" else -1
        deepest = max(deepest, depth)
    if not body or depth or deepest > MEND_DEPTH or len(body) > MEND_LIMIT:
        return None
    if body.count("verdicts") != 1:
        return None
    import json_repair  # noqa: PLC0415 - only a broken reply pays for its import

    try:
        return json_repair.loads(body)
    except (ValueError, RecursionError):
        return None


def _typed(ask: Ask, value: Any) -> list[Group]:
    if isinstance(value, list):  # the list alone, without the object around it
        value = {"verdicts": value}
    try:
        if ask.splits:
            return [_split(ask, c) for c in msgspec.convert(value, ClaimsReply).verdicts]
        judged = msgspec.convert(value, JudgedReply).verdicts
    except msgspec.ValidationError as error:
        raise BadReply(f"the reply has the wrong shape: {error}") from None
    return [(j.id, (_verdict(ask, j.id, j),)) for j in judged]


def _split(ask: Ask, item: Claims) -> Group:
    weight = 1 / max(1, len(item.claims))
    return item.id, tuple(_verdict(ask, item.id, c, c.claim, weight) for c in item.claims)


def _verdict(
    ask: Ask, item_id: str, said: Claim | Judged, text: str = "", weight: float = 1.0
) -> Verdict:
    label = said.label.strip().casefold()
    support = ask.labels.get(label, 0.0) if said.support is None else said.support
    return Verdict(item_id, label, support, said.reason, said.sources, text, weight)
