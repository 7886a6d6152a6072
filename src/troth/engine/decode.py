"""Replies in, reconciled verdicts out. Nothing else lets a judge's words near a formula.

A reply is read strictly first; failing that, JSON is looked for in fences and prose. Never is a
label or a number searched for in prose, and where anything like a second answer stays unread the
reply is refused: asking again costs a call, a wrong score costs the trust in all.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import msgspec
from msgspec.structs import replace

from troth.asks import Answer, Ask, Form, Joint
from troth.engine.among import filled, object_among
from troth.engine.literal import Unreadable, loads, loads_loosely, values
from troth.errors import BadReply
from troth.prompts.reply import Claim, Claims, ClaimsReply, Judged, JudgedReply, splits
from troth.score import Verdict

SHOWN = 40  # characters of a judge's word that an error repeats
FENCE = "```"
LANGUAGE = re.compile(r"\w*\s*")  # behind an opening fence
ANSWERING = re.compile(r"verdicts|[\"']label[\"']")  # what an unread answer would hold
WORD = re.compile(r"([\"'`*“‘「]*)(\w+)[.。]?([\"'`*”’」]*)[.。]?")

_CLAIMS = msgspec.json.Decoder(ClaimsReply)
_JUDGED = msgspec.json.Decoder(JudgedReply)

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
        if isinstance(ask, Form):
            return reconcile(ask, filled(ask, _object_of(ask.outputs, content)))
        return reconcile(ask, _from_text(ask, content))
    if isinstance(content, tuple) and all(isinstance(v, Verdict) for v in content):
        return reconcile(ask, [(i, tuple(vs)) for i, vs in groupby(content, lambda v: v.id)])
    raise BadReply(f"a reply is text or a tuple of verdicts, not {type(content).__name__}")


def decode_joint(ask: Joint, content: object) -> dict[Ask, Answer]:
    """The answers to those parts of a joint ask that are whole and right; the others are left out.

    Raises `BadReply` where the reply cannot be read at all.
    """
    if not isinstance(content, str):
        raise BadReply("a joint reply is text")
    value = _object_of([f"t{n}" for n in range(1, 1 + len(ask.parts))], content)
    answers: dict[Ask, Answer] = {}
    for n, part in enumerate(ask.parts, 1):
        try:
            answers[part] = reconcile(part, _typed(part, value[f"t{n}"]))
        except (KeyError, BadReply):
            continue
    return answers


def _object_of(names: Sequence[str], text: str) -> dict[str, Any]:
    try:
        return _object_in(text)
    except BadReply:
        return object_among(names, _after_thinking(text))


def _object_in(text: str) -> dict[str, Any]:
    text = _unfenced(_after_thinking(text))
    for read in (loads, loads_loosely):
        try:
            value = read(text)
        except Unreadable:
            continue
        if isinstance(value, dict):
            return value
    raise BadReply("the reply is no JSON object")


def reconcile(ask: Ask, groups: Sequence[Group]) -> Answer:
    """Hold verdicts against what was asked: every id exactly once, no other, known labels."""
    texts = {item.id: item.text for item in ask.items}
    came: dict[str, tuple[Verdict, ...]] = {}
    for item_id, verdicts in groups:
        if item_id not in texts:
            raise BadReply(f"there is a verdict for {_shown(item_id)}, which was not asked about")
        if item_id in came or (len(verdicts) > 1 and not ask.splits):
            raise BadReply(f"there are two verdicts for {item_id!r}")
        for verdict in verdicts:
            _check(ask, verdict)
        total = verdicts[0].weight if len(verdicts) == 1 else math.fsum(v.weight for v in verdicts)
        if verdicts and not math.isclose(total, 1.0):
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
            f"not {_shown(verdict.label)}"
        )
    if not 0.0 <= verdict.support <= 1.0:  # NaN fails this too
        raise BadReply(f"the support of {verdict.id!r} must be in [0, 1], not {verdict.support!r}")
    if not 0.0 < verdict.weight <= 1.0:
        raise BadReply(f"the weight of {verdict.id!r} must be in (0, 1], not {verdict.weight!r}")
    try:
        "".join((verdict.reason, verdict.text, *verdict.sources)).encode()
    except UnicodeEncodeError:
        raise BadReply(f"the verdict for {verdict.id!r} holds half a character") from None


def _shown(word: str) -> str:
    return repr(word if len(word) <= SHOWN else f"{word[:SHOWN]}…")


def _from_text(ask: Ask, text: str) -> list[Group]:
    if ask.one_word:
        return _from_word(ask, _after_thinking(text))
    if (plain := _from_plain(ask, text)) is not None:
        return plain
    try:
        return _typed(ask, loads(text))
    except Unreadable:
        pass
    text = _unfenced(_after_thinking(text))
    if not text:
        raise BadReply("the reply is empty")
    for read in (loads, loads_loosely):
        try:
            value = read(text)
        except Unreadable:
            continue
        return _typed(ask, value)
    return _from_prose(ask, text)


def _from_word(ask: Ask, text: str) -> list[Group]:
    """One of the labels, whatever its case, in quotation marks or before a full stop."""
    found = WORD.fullmatch(text)
    label = found[2].casefold() if found and len(found[1]) == len(found[3]) else ""
    if label not in ask.labels:
        words = " or ".join(ask.labels)
        raise BadReply(f"the reply must be one word ({words}), not {_shown(text)}")
    return [(i.id, (Verdict(i.id, label, ask.labels[label]),)) for i in ask.items]


def _after_thinking(text: str) -> str:
    """A model's thoughts stand before its answer, and are no part of it."""
    text = text.strip()
    place = 0
    while text.startswith("<think>", place):
        end = text.find("</think>", place)
        if end < 0:
            raise BadReply("the reply ends before its thinking does")
        place = end + len("</think>")
        while place < len(text) and text[place].isspace():
            place += 1
    return text[place:]


def _unfenced(text: str) -> str:
    """What stands in the fence, where `text` is one; `text` itself where it is not."""
    if not (text.startswith(FENCE) and text.endswith(FENCE)):
        return text
    first, newline, body = text[len(FENCE) : -len(FENCE)].partition("\n")
    return body.strip() if newline and LANGUAGE.fullmatch(first) else text


def _from_prose(ask: Ask, text: str) -> list[Group]:
    """The one answer in the midst of words, if there is one and nothing like it beside it."""
    found: list[list[Group]] = []
    rest, place = [], 0
    try:
        for value, start, end in values(text):
            if isinstance(value, dict) and "verdicts" in value:
                found.append(_typed(ask, value))
                rest.append(text[place:start])
                place = end
    except Unreadable as error:
        raise BadReply(f"the reply holds no JSON that can be read: {error}") from None
    rest.append(text[place:])
    if found and any(ANSWERING.search(part) for part in rest):
        raise BadReply("the reply holds something like a second answer that cannot be read")
    if not found:
        return _loosely(ask, text)
    if any(_labels(other) != _labels(found[0]) for other in found[1:]):
        raise BadReply(f"the reply holds {len(found)} answers that disagree")
    return found[0]


def _loosely(ask: Ask, text: str) -> list[Group]:
    """Between the first and the last brace there is one slightly broken object, or nothing."""
    body = text[text.find("{") : text.rfind("}") + 1]
    try:
        value = loads_loosely(body)
    except Unreadable:
        raise BadReply("the reply holds no JSON object of the asked shape") from None
    if ANSWERING.search(text.replace(body, "", 1)):
        raise BadReply("the reply holds something like a second answer that cannot be read")
    return _typed(ask, value)


def _labels(groups: list[Group]) -> list[tuple[str, list[tuple[str, float]]]]:
    return [(item_id, [(v.label, v.support) for v in verdicts]) for item_id, verdicts in groups]


def _from_plain(ask: Ask, text: str) -> list[Group] | None:
    """What nearly all replies are, read fast: JSON of the asked shape and nothing beside it.

    `None` where a key might stand twice, which this reader would not see: the keys are counted,
    and an escape could hide one.
    """
    if "\\u" in text or '"support"' in text:
        return None
    try:
        reply: ClaimsReply | JudgedReply = (_CLAIMS if splits(ask) else _JUDGED).decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    items = labels = len(reply.verdicts)
    if isinstance(reply, ClaimsReply):
        labels = sum(len(item.claims) for item in reply.verdicts)
    once = {"verdicts": 1, "id": items, "label": labels}
    if any(text.count(f'"{key}"') != times for key, times in once.items()):
        return None
    others = {"claims": items, "claim": labels, "reason": labels, "sources": labels}
    if any(text.count(f'"{key}"') not in (0, times) for key, times in others.items()):
        return None
    return _groups(ask, reply)


def _typed(ask: Ask, value: Any) -> list[Group]:
    if isinstance(value, list):  # the list alone, without the object around it
        value = {"verdicts": value}
    kind: type[ClaimsReply | JudgedReply] = ClaimsReply if splits(ask) else JudgedReply
    try:
        reply = msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise BadReply(f"the reply has the wrong shape: {error}") from None
    return _groups(ask, reply)


def _groups(ask: Ask, reply: ClaimsReply | JudgedReply) -> list[Group]:
    texts = {item.id: item.text for item in ask.items}
    if isinstance(reply, ClaimsReply):
        return [_split(ask, c, texts.get(c.id, "")) for c in reply.verdicts]
    return [(j.id, (_verdict(ask, j.id, j, texts.get(j.id, "")),)) for j in reply.verdicts]


def _split(ask: Ask, item: Claims, text: str) -> Group:
    weight = 1 / max(1, len(item.claims))
    return item.id, tuple(_verdict(ask, item.id, c, c.claim or text, weight) for c in item.claims)


def _verdict(
    ask: Ask, item_id: str, said: Claim | Judged, text: str, weight: float = 1.0
) -> Verdict:
    word = said.label if isinstance(said.label, str) else _level(ask, said.label)
    label = word.strip().casefold()
    support = ask.labels.get(label, 0.0) if said.support is None else said.support
    return Verdict(item_id, label, support, said.reason, said.sources, text, weight)


def _level(ask: Ask, number: float) -> str:
    """The label that says the same number, however either is written."""
    return next((label for label in ask.labels if _number(label) == number), str(number))


def _number(label: str) -> float | None:
    for kind in (int, float):  # an int is exact, however large
        try:
            return kind(label)
        except ValueError:
            continue
    return None
