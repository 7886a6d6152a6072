"""The ways in which an endpoint fails, each a small function in the table `FAULTS`.

A fault is named in a plan as `name` or `name:argument:argument`; `fault` looks it up. What it is
given is an `Exchange`, what it returns is the response (or `None` for one that never comes).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from aiohttp import web

from tests.endpoint.answers import Answer
from tests.endpoint.texts import TEXTS, dumped

Reply = dict[str, Any]


class Exchange:
    """One request: its HTTP side, its body, and the right answer to it."""

    def __init__(self, request: web.Request, body: Reply, answer: Answer) -> None:
        self.request = request
        self.body = body
        self.answer = answer
        self.tokens = (0, 0)  # of the last completion: prompt, reply

    def completion(self, content: str | None = None, **choice: Any) -> Reply:
        """A chat completion that says `content`; `choice` overrides fields of its choice."""
        message = {"role": "assistant", "content": content, "refusal": None}
        prompt = sum(len(str(m.get("content"))) for m in self.body.get("messages", [])) // 4
        tokens = len(content or "") // 4
        self.tokens = (prompt, tokens)
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": self.body.get("model"),
            "choices": [{"index": 0, "message": message, "finish_reason": "stop", **choice}],
            "usage": {
                "prompt_tokens": prompt,
                "completion_tokens": tokens,
                "total_tokens": prompt + tokens,
            },
        }

    def say(self, content: str | None = None, **choice: Any) -> web.Response:
        """The response that carries `completion(content, **choice)`."""
        return web.json_response(self.completion(content, **choice))

    def right(self) -> str:
        """The right answer as text."""
        return dumped(self.answer.reply())


Fault = Callable[[Exchange], Awaitable[web.StreamResponse | None]]
FAULTS: dict[str, Callable[..., Awaitable[web.StreamResponse | None]]] = {}


def fault(spec: str | Fault | None) -> Fault | None:
    """The fault that `spec` names: `"status:429:2"`, `"fenced"`; a function is taken as it is."""
    if spec is None or callable(spec):
        return spec
    name, *arguments = spec.split(":")
    if name not in FAULTS:
        raise ValueError(f"no fault {name!r}; there are: {', '.join(sorted(FAULTS))}")
    return lambda exchange: FAULTS[name](exchange, *arguments)


def error(
    status: int, message: str, *, code: str | None = None, param: str | None = None, **headers: str
) -> web.Response:
    """An error the way OpenAI writes it."""
    body = {"error": {"message": message, "type": "error", "param": param, "code": code}}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return web.json_response(body, status=status, headers=named)


# --- the wire and the HTTP status -----------------------------------------------------------


async def _status(
    exchange: Exchange, status: str = "500", retry_after: str = "", code: str = ""
) -> web.Response:
    headers = {"Retry_After": retry_after} if retry_after else {}
    return error(int(status), f"simulated {status}", code=code or None, **headers)


async def _dropped(exchange: Exchange) -> None:
    if exchange.request.transport is not None:
        exchange.request.transport.abort()


async def _cut_body(exchange: Exchange) -> web.StreamResponse:
    body = json.dumps(exchange.completion(exchange.right())).encode()
    response = web.StreamResponse(headers={"Content-Length": str(len(body))})
    await response.prepare(exchange.request)
    await response.write(body[: len(body) // 2])
    await _dropped(exchange)
    return response


async def _trickle(exchange: Exchange, seconds: str = "3600") -> web.StreamResponse:
    """The right response, in twenty drops over `seconds`."""
    body = json.dumps(exchange.completion(exchange.right())).encode()
    response = web.StreamResponse(headers={"Content-Length": str(len(body))})
    await response.prepare(exchange.request)
    size = -(-len(body) // 20)
    for start in range(0, len(body), size):
        await response.write(body[start : start + size])
        await asyncio.sleep(float(seconds) / 20)
    return response


async def _hang(exchange: Exchange, seconds: str = "3600") -> None:
    await asyncio.sleep(float(seconds))


async def _redirect(exchange: Exchange, *to: str) -> web.Response:
    return web.Response(status=307, headers={"Location": ":".join(to) or "/elsewhere"})


async def _echoed_key(exchange: Exchange, status: str = "401") -> web.Response:
    key = exchange.request.headers.get("Authorization", "").removeprefix("Bearer ")
    return error(int(status), f"Incorrect API key provided: {key}", code="invalid_api_key")


# --- the body of a 200 ----------------------------------------------------------------------


async def _html(exchange: Exchange) -> web.Response:
    return web.Response(text="<html><body>Welcome</body></html>", content_type="text/html")


async def _malformed_body(exchange: Exchange) -> web.Response:
    text = json.dumps(exchange.completion(exchange.right()))
    return web.Response(text=text[:-20], content_type="application/json")


async def _huge(exchange: Exchange, megabytes: str = "5") -> web.Response:
    return exchange.say("x" * (int(megabytes) << 20))


async def _error_in_200(exchange: Exchange, code: str = "502") -> web.Response:
    return web.json_response({"error": {"message": "upstream failed", "code": int(code)}})


async def _no_choices(exchange: Exchange) -> web.Response:
    return web.json_response({**exchange.completion(), "choices": []})


async def _null_content(exchange: Exchange) -> web.Response:
    return exchange.say(None)


async def _refusal(exchange: Exchange) -> web.Response:
    message = {"role": "assistant", "content": None, "refusal": "I cannot help with that."}
    return exchange.say(message=message)


async def _content_filter(exchange: Exchange) -> web.Response:
    return exchange.say("", finish_reason="content_filter")


async def _length(exchange: Exchange, finish_reason: str = "length") -> web.Response:
    text = exchange.right()
    return exchange.say(text[: len(text) // 2], finish_reason=finish_reason)


async def _no_schema(exchange: Exchange) -> web.Response:
    if (exchange.body.get("response_format") or {}).get("type") != "json_schema":
        return exchange.say(exchange.right())
    message = "'response_format' of type 'json_schema' is not supported with this model."
    return error(400, message, param="response_format")


async def _parts(exchange: Exchange) -> web.Response:
    message = {"role": "assistant", "content": [{"type": "text", "text": exchange.right()}]}
    return exchange.say(message=message)


async def _usage(exchange: Exchange, form: str) -> web.Response:
    forms = {
        "null": None,
        "strings": {"prompt_tokens": "12", "completion_tokens": "many"},
        "negative": {"prompt_tokens": -3, "completion_tokens": None},
    }
    body = exchange.completion(exchange.right())
    del body["usage"]
    return web.json_response({**body, **({"usage": forms[form]} if form in forms else {})})


async def _said(text: Callable[..., str], exchange: Exchange, *arguments: str) -> web.Response:
    return exchange.say(text(exchange.answer, *arguments))


FAULTS.update(
    status=_status,
    dropped=_dropped,
    cut_body=_cut_body,
    hang=_hang,
    trickle=_trickle,
    redirect=_redirect,
    echoed_key=_echoed_key,
    html=_html,
    malformed_body=_malformed_body,
    huge=_huge,
    error_in_200=_error_in_200,
    no_choices=_no_choices,
    null_content=_null_content,
    refusal=_refusal,
    content_filter=_content_filter,
    length=_length,
    no_schema=_no_schema,
    parts=_parts,
    usage=_usage,
    **{name: partial(_said, text) for name, text in TEXTS.items()},
)
