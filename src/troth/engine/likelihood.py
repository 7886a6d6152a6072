"""How firmly a judge stands behind its labels, from the log-probabilities of its reply.

At the place where a label begins, the model gave each next token a probability. Those that begin
exactly one label are that label's:

    p(label)  = sum of the probabilities of the alternatives that begin this label and no other
    support   = sum of p(label) * worth(label) / sum of p(label)

`worth` is the ask's own value of a label, stretched so that the best label is worth 1 and the worst
0. For `Support` supported is worth 1, contradicted and unmentioned 0, and no_claim is left out of
both sums. Where the first token begins several labels (`use` of useful and useless), the next one
decides, and its probabilities count as parts of the first one's. An alternative that was not taken
has no next one: `1` of 1 and 10 is 1 where `10` is an alternative too (a model that has a token for
a label does not spell it), else it cannot be told. Where that is more than a hundredth of what
begins a label, the verdict gets no support from it: what is left out might be the larger part.

After G-Eval's weighting by token probabilities, https://arxiv.org/abs/2303.16634.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, islice
from typing import NamedTuple

from msgspec.structs import replace

from troth.asks import CONTRADICTED, SUPPORTED, UNMENTIONED, Answer, Ask, Support
from troth.errors import JudgeSetupError
from troth.judges.base import Token

UNTOLD = 0.01  # of what begins a label may begin another one as well

_STRING = r'"((?:[^"\\]|\\.)*)"'
# A key with the string or number that follows it, or any other string: nothing inside a string
# is ever taken for a key.
_MEMBER = re.compile(rf"{_STRING}\s*:\s*(?:{_STRING}|(-?\d[\d.]*))?|{_STRING}", re.DOTALL)
_PART = re.compile(r"t\d+")
_WORD = re.compile(r"\w+")
_JSON = re.compile(r"[{\[]")


class _Piece(NamedTuple):
    """A token in the reply's text, from byte `start` to before `end`."""

    start: int
    end: int
    text: str
    others: Sequence[tuple[str, float]]


def weighed(
    ask: Ask,
    text: object,
    answer: Answer,
    tokens: Sequence[Token],
    *,
    part: str = "",
    insist: bool = False,
) -> Answer:
    """The decoded `answer` with each verdict's `support` from the tokens of its reply `text`.

    `part` is the key under which the answer stands in a joint reply. Without `tokens`, or where
    text, tokens and answer do not fit together, or no token tells the labels apart, the verdicts
    stay as they are; with `insist` that is a `JudgeSetupError`.
    """
    if not answer or not isinstance(text, str) or not (tokens or insist):
        return answer
    labels = [label.casefold() for label in ask.labels]
    pieces = _pieces(text, tokens)
    places = _places(ask, text, answer, part) if pieces else [None] * len(answer)
    worth = _worth(ask)
    found = []
    for verdict, at in zip(answer, places, strict=True):
        chances = {} if at is None else _chances(labels, pieces, len(text[:at].encode()))
        support = _support(chances, worth)
        if insist and not chances:
            raise JudgeSetupError(
                f"logprobs=True, but the reply's log-probabilities do not tell how likely each of "
                f"{', '.join(ask.labels)} was for {verdict.id!r}; logprobs=None does without"
            )
        known = support is not None and verdict.label.casefold() in worth
        found.append(replace(verdict, support=support or 0.0) if known else verdict)
    return tuple(found)


def _worth(ask: Ask) -> dict[str, float]:
    if isinstance(ask, Support):
        return {SUPPORTED: 1.0, UNMENTIONED: 0.0, CONTRADICTED: 0.0}
    best, worst = max(ask.labels.values()), min(ask.labels.values())
    if best == worst:
        return {}
    return {label.casefold(): (v - worst) / (best - worst) for label, v in ask.labels.items()}


def _pieces(text: str, tokens: Sequence[Token]) -> list[_Piece]:
    """The tokens where they stand in `text`; none where `text` is not what they say."""
    try:
        said = [token.encode("utf-8", "surrogateescape") for token, _ in tokens]
        begin = b"".join(said).rfind(text.encode())  # thoughts may stand before it
    except UnicodeEncodeError:
        return []
    if begin < 0 or not tokens:
        return []
    ends = [end - begin for end in accumulate(map(len, said))]
    return [
        _Piece(end - len(raw), end, token, others)
        for end, raw, (token, others) in zip(ends, said, tokens, strict=True)
    ]


def _places(ask: Ask, text: str, answer: Answer, part: str) -> Sequence[int | None]:
    """For each verdict where in `text` its label begins; all `None` where that is not certain."""
    nowhere: Sequence[int | None] = [None] * len(answer)
    begin = text.rfind("</think>") + 1
    if ask.one_word:
        word = _WORD.search(text, begin and begin + len("</think>") - 1)
        return [word.start()] if word and len(answer) == 1 else nowhere
    said: dict[str, list[tuple[str, int]]] = {}
    for item, label, at in _labels(text, begin, part):
        said.setdefault(item, []).append((label, at))
    decoded: dict[str, list[str]] = {}
    for verdict in answer:
        decoded.setdefault(verdict.id, []).append(verdict.label.casefold())
    if decoded != {item: [label for label, _ in found] for item, found in said.items()}:
        return nowhere
    return [said[verdict.id].pop(0)[1] for verdict in answer]


def _labels(text: str, begin: int, part: str) -> Iterator[tuple[str, str, int]]:
    """Id, label and place of each label in JSON text, in the order of the text."""
    start = _JSON.search(text, begin)
    item, within = "", ""
    for member in _MEMBER.finditer(text, start.start()) if start else ():
        key, value, number, _ = member.groups()
        if key is not None and _PART.fullmatch(key) and value is None and number is None:
            within = key
        elif key == "id" and value is not None:
            item = value
        elif key == "label" and within == part and (value or number):
            said = value or number
            at = member.end() - len(said) - (number is None)
            yield item, said.strip().casefold(), at + len(said) - len(said.lstrip())


def _chances(labels: Sequence[str], pieces: Sequence[_Piece], at: int) -> dict[str, float]:
    """The probability of each label that may begin at byte `at`; `{}` where it cannot be told."""
    chances: dict[str, float] = {}
    sofar, share, seen, untold = "", 1.0, 0, 0.0
    for piece in islice(pieces, bisect_right(pieces, at, key=lambda piece: piece.end), None):
        if not piece.text:
            continue
        before = piece.text.encode("utf-8", "surrogateescape")[: max(0, at - piece.start)]
        lead = before.decode("utf-8", "surrogateescape")
        said = _plain(sofar + piece.text[len(lead) :])
        likely = _likely(piece.others, lead, sofar)
        if said not in likely:  # what else it might have been is not known
            return {}
        seen += len(piece.others)
        goes_on = len(begun := _begun(said, labels)) > 1
        for text, meant in _meant(likely, labels).items():
            if goes_on and text == said:
                continue
            if len(meant) == 1:
                chances[meant[0]] = chances.get(meant[0], 0.0) + share * likely[text]
            elif meant:
                untold += share * likely[text]
        if not goes_on:
            break
        sofar, share = said, share * likely[said]
    else:  # it ends with a label that begins another one, or with none
        chances[sofar] = chances.get(sofar, 0.0) + share
        begun = [label for label in labels if label == sofar]
    total = math.fsum(chances.values())
    told = seen > 1 and total > 0 and untold <= UNTOLD * (total + untold)
    return chances if begun and told else {}


def _likely(others: Sequence[tuple[str, float]], lead: str, sofar: str) -> dict[str, float]:
    """How likely each text is: `sofar` and one of the `others` that begin with `lead`."""
    likely: dict[str, float] = {}
    for other, logprob in others:
        if rest := _behind(lead, other):
            text = _plain(sofar + rest)
            likely[text] = likely.get(text, 0.0) + _probability(logprob)
    return likely


def _behind(lead: str, other: str) -> str:
    """What `other` says behind `lead`, whatever white space either has; nothing without `lead`."""
    for sign in "".join(lead.split()):
        other = other.lstrip()
        if not other.startswith(sign):
            return ""
        other = other[len(sign) :]
    return other


def _meant(texts: Iterable[str], labels: Sequence[str]) -> dict[str, Sequence[str]]:
    """The labels that each of the alternative `texts` may mean."""
    meant = {text: _begun(text, labels) for text in texts}
    whole = {label for text, begun in meant.items() for label in begun if text.startswith(label)}
    return {
        text: [label for label in begun if text.startswith(label) or label not in whole] or begun
        for text, begun in meant.items()
    }


def _plain(text: str) -> str:
    return text.lstrip().casefold()


def _begun(text: str, labels: Sequence[str]) -> Sequence[str]:
    """The labels that `text` begins, or has already said."""
    return [label for label in labels if label.startswith(text) or _says(text, label)]


def _says(text: str, label: str) -> bool:
    rest = text[len(label) :]
    return text.startswith(label) and not (rest[0].isalnum() or rest[0] == "_")


def _probability(logprob: float) -> float:
    return math.exp(min(0.0, logprob)) if math.isfinite(logprob) else 0.0


def _support(chances: Mapping[str, float], worth: Mapping[str, float]) -> float | None:
    counted = {label: chance for label, chance in chances.items() if label in worth}
    total = math.fsum(counted.values())
    if total <= 0:
        return None
    return min(1.0, math.fsum(p * worth[label] for label, p in counted.items()) / total)
