"""The way to a chat endpoint: pooled connections of one event loop, proxies, and patience."""

from __future__ import annotations

import asyncio
import ipaddress
import random
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from troth.errors import JudgeSetupError, JudgeUnavailable
from troth.judges.openai_reply import Passing, Response

if TYPE_CHECKING:
    import aiohttp

BODY_LIMIT = 4 << 20  # bytes; a reply of verdicts is a few kB
_CONNECT_FOR = 5.0  # seconds in which an endpoint that was never reached may come up
_FIRST_BACKOFF, _LAST_BACKOFF = 0.5, 20.0


@dataclass(slots=True)
class Lane:
    """One event loop's connections to the endpoint; of no use to any other loop."""

    session: aiohttp.ClientSession
    url: str
    proxy: str | None
    slots: asyncio.Semaphore
    settled: asyncio.Event = field(default_factory=asyncio.Event)  # see OpenAIChat._in_turn
    fresh: bool = True

    async def post(self, body: bytes) -> Response:
        """Send one request. Raises `Passing`, `JudgeSetupError` or `JudgeUnavailable`.

        No exception of the client is chained to: some of them carry the request's headers.
        """
        import aiohttp  # noqa: PLC0415 - heavy

        try:
            async with self.session.post(
                self.url, data=body, proxy=self.proxy, allow_redirects=False
            ) as response:
                return Response(
                    response.status,
                    response.reason or "",
                    response.headers,
                    await _body(response.content),
                )
        except TimeoutError:
            raise Passing(f"no answer within {self.session.timeout.total:g} s") from None
        except (aiohttp.ClientConnectorCertificateError, aiohttp.ClientConnectorSSLError) as error:
            raise JudgeSetupError(f"no secure connection: {error}") from None
        except aiohttp.ClientConnectorError as error:
            reason = error.strerror or type(error.os_error).__name__
            raise Passing(f"cannot connect ({reason})", unreachable=True) from None
        except (aiohttp.ClientError, OSError) as error:
            raise Passing(f"the connection broke ({type(error).__name__})") from None


def open_lane(url: str, headers: dict[str, str], timeout: float, concurrency: int) -> Lane:
    """A lane for the running event loop."""
    import aiohttp  # noqa: PLC0415 - heavy

    proxy = proxy_for(urlsplit(url))  # before there is anything to close
    session = aiohttp.ClientSession(
        headers=headers,
        timeout=aiohttp.ClientTimeout(total=timeout),
        connector=aiohttp.TCPConnector(limit=concurrency),
        cookie_jar=aiohttp.DummyCookieJar(),
    )
    return Lane(session, url, proxy, asyncio.Semaphore(concurrency))


def proxy_for(url: SplitResult) -> str | None:
    """The proxy that the environment names for `url`, never one for this machine itself.

    Not left to the client's `trust_env`, which would also send passwords found in `~/.netrc`.
    """
    from urllib.request import getproxies, proxy_bypass  # noqa: PLC0415 - heavy

    host = url.hostname or ""
    if is_loopback(host) or proxy_bypass(host):
        return None
    proxies = getproxies()
    proxy = proxies.get(url.scheme) or proxies.get("all")
    if proxy and "://" in proxy and not proxy.startswith(("http://", "https://")):
        raise JudgeSetupError(
            f"the environment's proxy for {host} is of the kind {proxy.partition(':')[0]!r}; "
            f"set {url.scheme.upper()}_PROXY to an http:// proxy, or add the host to NO_PROXY"
        )
    return f"http://{proxy}" if proxy and "://" not in proxy else proxy


def is_loopback(host: str) -> bool:
    """Does `host` name this machine?"""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
    return address.is_loopback or address.is_unspecified


class Patience:
    """How long one ask is retried: by time, so that throttling costs no attempts."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._started: float | None = None
        self.tries = 0

    def after(self, fault: Passing, *, reached: bool) -> float:
        """The seconds to wait before the next try.

        A wait that the endpoint asked for is obeyed, with a little spread so that not all come
        back at once; else full jitter over a doubling range. The last try falls on the deadline.
        Raises `JudgeUnavailable` when the time is spent or the endpoint asks for more of it than
        there ever was, and `JudgeSetupError` when the endpoint was never `reached`.
        """
        now = time.monotonic()
        self._started = now if self._started is None else self._started
        self.tries += 1
        allowed = self._seconds
        if fault.unreachable and not reached:
            allowed = min(allowed, _CONNECT_FOR)
        left = self._started + allowed - now
        if left <= 0 and fault.unreachable and not reached:
            raise JudgeSetupError(f"{fault}; is the endpoint up, and is base_url= right?")
        if left <= 0:
            raise JudgeUnavailable(f"{fault}; gave up after {self._seconds:g} s, try {self.tries}")
        if fault.wait and fault.wait > self._seconds:
            raise JudgeUnavailable(
                f"{fault}; it asks to wait {fault.wait:.0f} s, "
                f"longer than retries_for={self._seconds:g} allows"
            )
        return min(_delay(fault.wait, self.tries), left)


def _delay(asked: float | None, tries: int) -> float:
    spread = random.random()  # noqa: S311 - not a secret
    if asked:
        return asked + spread * min(asked / 4, 1.0)
    return spread * min(_FIRST_BACKOFF * 2.0 ** min(tries - 1, 10), _LAST_BACKOFF)


async def _body(stream: aiohttp.StreamReader) -> bytes:
    chunks: list[bytes] = []
    size = 0
    async for chunk in stream.iter_any():
        size += len(chunk)
        if size > BODY_LIMIT:
            raise JudgeUnavailable(f"the response is larger than {BODY_LIMIT >> 20} MB")
        chunks.append(chunk)
    return b"".join(chunks)
