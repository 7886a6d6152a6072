"""The way to a chat endpoint: pooled connections of one event loop, proxies, and patience."""

from __future__ import annotations

import asyncio
import ipaddress
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from troth.errors import JudgeSetupError, JudgeUnavailable
from troth.judges.openai_reply import Passing, Response
from troth.judges.openai_settings import is_host
from troth.judges.window import Window

if TYPE_CHECKING:
    import aiohttp

BODY_LIMIT = 4 << 20  # bytes; a reply of verdicts is a few kB
_CONNECT_FOR = 5.0  # seconds in which an endpoint that was never reached may come up
_FIRST_BACKOFF, _LAST_BACKOFF = 0.5, 20.0
_FIRST_PAUSE, _LAST_PAUSE = 0.1, 10.0
_TURNS = 10  # while others get through, a throttled ask waits this many times as long


@dataclass(slots=True)
class Traffic:
    """What has happened between a judge and its endpoint so far."""

    retries: int = 0
    throttled: int = 0  # requests that were too many for the endpoint: 429, 503, 529, timeouts
    window: int = 0  # requests that may be in flight now


@dataclass(slots=True)
class Lane:
    """One event loop's connections to the endpoint; of no use to any other loop."""

    session: aiohttp.ClientSession
    url: str
    proxy: str | None
    window: Window
    settled: asyncio.Event = field(default_factory=asyncio.Event)  # see OpenAIChat._in_turn
    fresh: bool = True
    users: int = 0  # runs on this loop that have started the judge and not closed it

    def left(self) -> bool:
        """One user fewer; was it the last?"""
        self.users -= 1
        return self.users <= 0

    async def post(self, body: bytes, headers: Mapping[str, str] | None = None) -> Response:
        """Send one request, with `headers` beside the session's.

        Raises `Passing`, `JudgeSetupError` or `JudgeUnavailable`.
        No exception of the client is chained to: some of them carry the request's headers.
        """
        import aiohttp  # noqa: PLC0415 - heavy

        try:
            async with self.session.post(
                self.url, data=body, headers=headers, proxy=self.proxy, allow_redirects=False
            ) as response:
                return Response(
                    response.status,
                    response.reason or "",
                    response.headers,
                    await _body(response.content),
                )
        except TimeoutError:
            text = f"no answer within {self.session.timeout.total:g} s"
            raise Passing(text, overloaded=True, silent=True) from None
        except (aiohttp.InvalidURL, UnicodeError):
            raise JudgeSetupError("base_url=, or the proxy, is no address") from None
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
    return Lane(session, url, proxy, Window(concurrency))


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
    name = f"{url.scheme.upper()}_PROXY" if proxies.get(url.scheme) else "ALL_PROXY"
    if proxy and "://" in proxy and not proxy.startswith(("http://", "https://")):
        raise JudgeSetupError(
            f"the environment's proxy for {host} is of the kind {proxy.partition(':')[0]!r}; "
            f"set {name} to an http:// proxy, or add the host to NO_PROXY"
        )
    proxy = f"http://{proxy}" if proxy and "://" not in proxy else proxy
    if proxy and not _is_proxy(proxy):  # not repeated: a password may stand in it
        raise JudgeSetupError(
            f"{name} names no proxy for {host} that could be reached: it must look like "
            "http://host:3128; or add the host to NO_PROXY"
        )
    return proxy or None


def _is_proxy(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return is_host(parts.hostname) and parts.port != 0
    except ValueError:  # no port, or half an address
        return False


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

    def after(self, fault: Passing, *, reached: bool, progress: float) -> float:
        """The seconds left for further tries.

        While other asks get through (the last one at `progress`, monotonic seconds), a throttled
        one only waits for its turn, and has more time.
        Raises `JudgeUnavailable` when the time is spent or the endpoint asks for more of it than
        there ever was, and `JudgeSetupError` when the endpoint was never `reached`.
        """
        now = time.monotonic()
        started = self._started = now if self._started is None else self._started
        self.tries += 1
        allowed = self._seconds
        if fault.unreachable and not reached:
            allowed = min(allowed, _CONNECT_FOR)
        if fault.throttled:
            started = min(max(started, progress), started + (_TURNS - 1) * allowed)
        left = started + allowed - now
        if left <= 0 and fault.unreachable and not reached:
            raise JudgeSetupError(
                f"{fault}; is the endpoint up, and its address (base_url=, or the variable "
                "OPENAI_BASE_URL) right?"
            )
        if left <= 0:
            raise JudgeUnavailable(f"{fault}; gave up after {self._seconds:g} s, try {self.tries}")
        if fault.wait and fault.wait > self._seconds:
            raise JudgeUnavailable(
                f"{fault}; it asks to wait {fault.wait:.0f} s, "
                f"longer than retries_for={self._seconds:g} allows"
            )
        return left


def backoff(tries: int) -> float:
    """Seconds to wait after a fault that concerns one call: full jitter over a doubling range."""
    return _spread() * min(_FIRST_BACKOFF * 2.0 ** min(tries - 1, 10), _LAST_BACKOFF)


def breather(barren: int) -> float:
    """Seconds for which all calls pause after the window was cut `barren` times in vain.

    None after the first cut: the smaller window itself may be enough.
    """
    if barren < 2:
        return 0.0
    longest = min(_FIRST_PAUSE * 1.5 ** min(barren - 2, 20), _LAST_PAUSE)
    return longest * (1 + _spread()) / 2


def _spread() -> float:
    return random.random()  # noqa: S311 - not a secret


async def _body(stream: aiohttp.StreamReader) -> bytes:
    chunks: list[bytes] = []
    size = 0
    async for chunk in stream.iter_any():
        size += len(chunk)
        if size > BODY_LIMIT:
            raise JudgeUnavailable(f"the response is larger than {BODY_LIMIT >> 20} MB")
        chunks.append(chunk)
    return b"".join(chunks)
