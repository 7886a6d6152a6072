"""Replies with log-probabilities, in the shape in which OpenAI sends them.

Endpoint(faults=lambda body: spoken(likely={"yes": {"Yes": 0.7, "no": 0.3}}))
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from aiohttp import web

from tests.endpoint.faults import Exchange, Fault, error

Split = Callable[[str], list[str | bytes]]


def pieces(text: str) -> list[str | bytes]:
    """Words in pieces of at most four letters, everything else by itself."""
    return [*re.findall(r"\w{1,4}|\W", text)]


def spoken(
    content: str | None = None,
    *,
    likely: Mapping[str, Mapping[str, float]] | None = None,
    split: Split = pieces,
    change: Callable[[dict[str, Any]], Any] = lambda token: token,
) -> Fault:
    """Say `content` (default: the right answer), with log-probabilities where they are asked for.

    `likely` gives the alternatives of a token with their probabilities; other tokens are certain.
    Tokens that are bytes are half characters. `change` spoils each token's entry.
    """

    async def say(exchange: Exchange) -> web.Response:
        text = exchange.right() if content is None else content
        if not exchange.body.get("logprobs"):
            return exchange.say(text)
        tokens = [change(_entry(token, likely or {}, exchange.body)) for token in split(text)]
        return exchange.say(text, logprobs={"content": tokens, "refusal": None})

    return say


def refused(status: int = 400, most: int = 0) -> Fault:
    """An error where more than `most` alternatives are asked for."""

    async def refuse(exchange: Exchange) -> web.Response:
        if exchange.body.get("top_logprobs", 0) > most:
            return error(status, "You are not allowed to request logprobs from this model.")
        return await spoken()(exchange)

    return refuse


def _entry(
    token: str | bytes, likely: Mapping[str, Mapping[str, float]], body: Mapping[str, Any]
) -> dict[str, Any]:
    name = token if isinstance(token, str) else "bytes:" + "".join(f"\\x{b:02x}" for b in token)
    others = likely.get(name, {name: 1.0})
    most = body["top_logprobs"]
    top = [{"token": t, "logprob": math.log(p), "bytes": [*t.encode()]} for t, p in others.items()]
    return {
        "token": name,
        "logprob": math.log(others.get(name, 0.5)),
        "bytes": [*(token.encode() if isinstance(token, str) else token)],
        "top_logprobs": top[:most],
    }
