"""The server itself: a thread with its own event loop, bound to loopback only."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.endpoint.answers import Answer, Label
from tests.endpoint.faults import Exchange, Fault, error, fault

Spec = str | Fault | None


@dataclass
class Recorded:
    """One request as it came in."""

    body: dict[str, Any]
    headers: dict[str, str]
    path: str
    at: float  # of the loop's clock: for the distance between two requests
    status: int | None = field(default=None)  # None: no response was sent


class Endpoint:
    """An OpenAI-compatible `/v1/chat/completions`, alive inside a `with` block.

    `latency`: seconds before each reply. `rate`: requests within any second that are taken; the
    others get 429 at once, with `retry_after` also the time from which on one is taken.
    `faults`: a plan by order of arrival (`None` = answer properly; after its end all are answered
    properly), or a function from the body to a fault.
    `label(item_text, schema_name)` chooses the labels; default: the good one.
    `refuses`: any of `json_schema`, `json_object`, `temperature`, answered with 400.
    `key`: where given, other keys get 401. `stats()` holds the counters.
    """

    def __init__(
        self,
        *,
        latency: float = 0.0,
        rate: float | None = None,
        retry_after: bool = False,
        faults: Iterable[Spec] | Callable[[dict[str, Any]], Spec] = (),
        label: Label | None = None,
        refuses: Iterable[str] = (),
        key: str | None = None,
        port: int = 0,
    ) -> None:
        self.latency = latency
        self.rate = rate
        self.retry_after = retry_after
        self.label = label
        self.refuses = frozenset(refuses)
        self.key = key
        self.requests: list[Recorded] = []
        self.statuses: Counter[int | None] = Counter()
        self.in_flight = self.in_flight_max = 0
        self.prompt_tokens = self.completion_tokens = 0
        self._taken: deque[float] = deque()  # when the requests of the last second were taken
        self.port = port
        self._choose = faults if callable(faults) else None
        self._plan: deque[Spec] = deque(() if callable(faults) else faults)
        self._started = threading.Event()
        self._problem: BaseException | None = None
        self._thread = threading.Thread(target=self._serve, name="endpoint", daemon=True)

    @property
    def base_url(self) -> str:
        """What a client is pointed at."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def count(self) -> int:
        """How many chat requests have come in."""
        return len(self.requests)

    def stats(self) -> dict[str, Any]:
        """The counters, also served at `/stats` for a client in another process."""
        return {
            "count": self.count,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "in_flight": self.in_flight,
            "in_flight_max": self.in_flight_max,
            "statuses": {str(status): count for status, count in self.statuses.items()},
        }

    def __enter__(self) -> Endpoint:
        self._thread.start()
        self._started.wait(10)
        if self._problem is not None:
            raise self._problem
        return self

    def __exit__(self, *exc: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    def wait(self) -> None:
        """Serve until the process is interrupted."""
        self._thread.join()

    def _serve(self) -> None:
        try:
            asyncio.run(self._main())
        except OSError as problem:
            self._problem = problem
            self._started.set()

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        app = web.Application(client_max_size=64 << 20)
        app.router.add_post("/v1/chat/completions", self._handle)
        app.router.add_get("/stats", self._stats)
        # A request that its client gave up must not keep the server alive.
        runner = web.AppRunner(
            app, shutdown_timeout=0.01, handler_cancellation=True, access_log=None
        )
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", self.port, backlog=1024)
        await site.start()
        self.port = runner.addresses[0][1]
        self._started.set()
        await self._stop.wait()
        await runner.cleanup()

    async def _stats(self, request: web.Request) -> web.Response:
        return web.json_response(self.stats())

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        self.in_flight += 1
        self.in_flight_max = max(self.in_flight_max, self.in_flight)
        try:
            return await self._answer(request)
        except ConnectionError:  # the client has gone: nobody is left to be told
            return _nothing(request)
        finally:
            self.in_flight -= 1

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        body = json.loads(await request.read())
        record = Recorded(body, dict(request.headers), request.path_qs, self._loop.time())
        self.requests.append(record)
        response = self._throttled()
        if response is None and self.latency:
            await asyncio.sleep(self.latency)
        response = response or self._refusal(request, body)
        if response is None:
            response = await self._replied(request, body)
        record.status = response.status if response is not None else None
        self.statuses[record.status] += 1
        return response if response is not None else _nothing(request)

    async def _replied(
        self, request: web.Request, body: dict[str, Any]
    ) -> web.StreamResponse | None:
        exchange = Exchange(request, body, Answer(body, self.label))
        chosen = fault(self._next(body))
        response = await chosen(exchange) if chosen else exchange.say(exchange.right())
        prompt, reply = exchange.tokens
        self.prompt_tokens += prompt
        self.completion_tokens += reply
        return response

    def _throttled(self) -> web.Response | None:
        if self.rate is None:
            return None
        now = self._loop.time()
        window = max(1.0, 1 / self.rate)
        while self._taken and self._taken[0] <= now - window:
            self._taken.popleft()
        if len(self._taken) < self.rate * window:
            self._taken.append(now)
            return None
        wait = {"Retry_After": f"{self._taken[0] + window - now:.3f}"} if self.retry_after else {}
        return error(429, "Rate limit reached.", code="rate_limit_exceeded", **wait)

    def _next(self, body: dict[str, Any]) -> Spec:
        if self._choose is not None:
            return self._choose(body)
        return self._plan.popleft() if self._plan else None

    def _refusal(self, request: web.Request, body: dict[str, Any]) -> web.Response | None:
        if self.key and request.headers.get("Authorization") != f"Bearer {self.key}":
            return error(401, "Incorrect API key provided.", code="invalid_api_key")
        form = (body.get("response_format") or {}).get("type")
        if form in self.refuses:
            message = f"'response_format' of type '{form}' is not supported with this model."
            return error(400, message, param="response_format")
        if "temperature" in self.refuses and "temperature" in body:
            message = "Unsupported value: 'temperature' does not support 0.0 with this model."
            return error(400, message, param="temperature", code="unsupported_value")
        return None


def _nothing(request: web.Request) -> web.Response:
    if request.transport is not None:
        request.transport.abort()
    return web.Response()
