"""The log-probabilities in a completion, as far as they can bear on a label.

A reply of some hundred tokens carries thousands of alternatives: they are read where a label may
stand, and skipped everywhere else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from functools import lru_cache
from typing import Any

import msgspec

from troth.asks import Ask, Joint
from troth.judges.base import Token


class Choice(msgspec.Struct):
    """One choice of a completion; only `logprobs` is held to a type, when it is read."""

    message: Any = None
    finish_reason: Any = None
    logprobs: msgspec.Raw = msgspec.Raw()


class Completion(msgspec.Struct):
    """The body of a successful response."""

    choices: list[Choice]
    usage: Any = None


class _Alternative(msgspec.Struct):
    token: str
    logprob: float


class _Token(msgspec.Struct):
    token: str
    logprob: float
    bytes: msgspec.Raw = msgspec.Raw()
    top_logprobs: msgspec.Raw = msgspec.Raw()


class _Logprobs(msgspec.Struct):
    content: list[_Token] | None = None


_CONSTANTS = {"-Infinity": -9999.0}  # OpenAI's word for impossible; the others become null
_COMPLETION = msgspec.json.Decoder(Completion)
_LOGPROBS = msgspec.json.Decoder(_Logprobs | None)
_ALTERNATIVES = msgspec.json.Decoder(list[_Alternative] | None)
_BYTES = msgspec.json.Decoder(list[int] | None)
_EDGES = re.compile(r"^\W+|\W+$")
_AROUND = " \t\n\"'`*:,{}[]"  # what stands around a label; other signs may be a part of it: -1, 0.5
_MARKS = str.maketrans("▁Ġ", "  ")  # how some vocabularies write the space before a word


def labels_of(ask: Ask) -> tuple[str, ...]:
    """The labels that may stand in the reply to `ask`."""
    parts = ask.parts if isinstance(ask, Joint) else (ask,)
    return tuple({label: None for part in parts for label in part.labels})


def completion(body: bytes) -> Completion | None:
    """The completion in `body`, or `None` where it holds none.

    NaN and Infinity, which are not JSON, are read all the same: some servers write them among the
    log-probabilities.
    """
    try:
        return _COMPLETION.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        if b"NaN" not in body and b"Infinity" not in body:
            return None
    try:
        value = json.loads(body, parse_constant=_CONSTANTS.get)
        return _COMPLETION.decode(json.dumps(value))
    except (msgspec.DecodeError, RecursionError, ValueError):
        return None


def tokens(logprobs: msgspec.Raw, labels: Collection[str]) -> tuple[Token, ...]:
    """The reply's tokens, with alternatives where one of `labels` may stand.

    `()` where the endpoint sent none, or something of another shape. Half a character is a lone
    surrogate (`surrogateescape`), so that joined and encoded tokens give the reply's bytes.
    """
    if not bytes(logprobs):
        return ()
    known = tuple(label.casefold() for label in labels)
    # Whether one of these has ended is for the token behind it to say, whatever that is.
    short = tuple(a for a in known if any(b.startswith(a) and a != b for b in known))
    try:
        found = _LOGPROBS.decode(logprobs)
        read: list[Token] = []
        for token in (found.content if found else None) or ():
            behind = bool(short and read) and read[-1][0].casefold().endswith(short)
            read.append(_token(token, known, behind=behind))
        return tuple(read)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError, ValueError):
        return ()


def _token(token: _Token, labels: tuple[str, ...], *, behind: bool) -> Token:
    text = token.token
    if ("\\x" in text or "\ufffd" in text) and bytes(token.bytes):
        text = bytes(_BYTES.decode(token.bytes) or b"").decode("utf-8", "surrogateescape") or text
    text, bears = _read(text, labels)
    if not (bears or behind):
        return text, ()
    top = _ALTERNATIVES.decode(token.top_logprobs) if bytes(token.top_logprobs) else None
    # Some become equal here, and their probabilities add up.
    others = [(other.token.translate(_MARKS), other.logprob) for other in top or ()]
    if all(other != text for other, _ in others):
        others.append((text, token.logprob))
    return text, tuple(others)


@lru_cache(maxsize=4096)  # the same few tokens come again and again
def _read(text: str, labels: tuple[str, ...]) -> tuple[str, bool]:
    """The token as plain text, and whether it may be a part of a label."""
    text = text.translate(_MARKS)
    core = (_EDGES.sub("", text) or text.strip(_AROUND)).casefold()
    return text, bool(core) and any(core in label or label in core for label in labels)
