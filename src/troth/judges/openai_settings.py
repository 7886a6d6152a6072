"""Where a chat endpoint is, and with what key and headers it is spoken to."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import SplitResult, urlsplit

import msgspec

from troth.errors import JudgeError, JudgeSetupError, UsageError

Key = str | Callable[[], str]

_KEY_HEADERS = {"authorization", "api-key", "x-api-key"}
_OWN = ("messages", "model", "stream")  # what the judge itself has to say
_HEADER = re.compile(r"[\w!#$%&'*+.^`|~-]+", re.ASCII)
_UNSENDABLE = re.compile(r"[\r\n\0\ud800-\udfff]")
_SECRET = re.compile(r"api.?key|(^|_)key$|secret|password|authori[sz]ation|credential", re.I)


class KeyRefused(JudgeSetupError):
    """The endpoint does not take the key; the message is its own."""


class Credentials:
    """The headers of requests to one endpoint, and what in them must never be shown."""

    def __init__(self, host: str, key: Key | None, headers: Mapping[str, str] | None) -> None:
        self._host = host
        self._key = key
        self._headers = _checked(headers)
        self._secrets: dict[str, None] = {}

    def fixed(self) -> dict[str, str]:
        """What every request of a session carries; raises `JudgeSetupError` without a key."""
        for value in self._headers.values():
            self._hide(value)
        headers = {"Content-Type": "application/json", **self._headers}
        return headers | self._authorization()

    def changing(self) -> dict[str, str] | None:
        """What has to be worked out anew for each request, if anything."""
        return self._authorization() if callable(self._key) else None

    def clean(self, text: str) -> str:
        """`text` without any secret."""
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text

    def told(self, error: JudgeError) -> str:
        """The error's message without any secret, and where a key that was refused is from."""
        text = self.clean(str(error))
        return f"{text}; {self._advice()}" if isinstance(error, KeyRefused) else text

    def _advice(self) -> str:
        if self._in_headers():
            return "check the key in headers="
        if self._key:
            return "check the key that api_key gives"
        if os.environ.get("OPENAI_API_KEY"):
            return "check the key in OPENAI_API_KEY"
        return "no key was sent: set OPENAI_API_KEY, or give api_key="

    def _in_headers(self) -> bool:
        return any(name.lower() in _KEY_HEADERS for name in self._headers)

    def _authorization(self) -> dict[str, str]:
        if self._in_headers():
            return {}
        key = self._read().strip()
        if key:
            if not (key.isascii() and key.isprintable()):
                raise JudgeSetupError("the API key holds characters no key can have")
            self._hide(key)
            return {"Authorization": f"Bearer {key}"}
        if _is_openai(self._host):
            raise JudgeSetupError(
                "it needs a key: set OPENAI_API_KEY (or OPENAI_BASE_URL for an endpoint "
                "of your own), or use the judge 'builtin', which needs neither key nor network"
            )
        return {}

    def _read(self) -> str:
        if not callable(self._key):
            return self._key or os.environ.get("OPENAI_API_KEY") or ""
        try:
            key = self._key()
        except JudgeSetupError:  # it says itself what is missing
            raise
        except Exception as error:  # the user's code; its message may hold a secret
            kind = type(error).__name__
            raise JudgeSetupError(f"api_key() raised {kind}") from None
        if not isinstance(key, str):
            kind = type(key).__name__
            raise JudgeSetupError(f"api_key() must return a string, not {kind}")
        return key

    def _hide(self, secret: str) -> None:
        if len(secret) > 5:
            self._secrets[secret] = None
            while len(self._secrets) > 20:  # keys that change are not kept for ever
                del self._secrets[next(iter(self._secrets))]


def check(
    *,
    model: str,
    temperature: float | None,
    logprobs: bool | None,
    above: Mapping[str, float | None],
    at_least: Mapping[str, tuple[float, float]],
) -> None:
    """Raises `UsageError` for settings that no endpoint can have; `above` 0 or `None`."""
    if not model:
        raise UsageError("model must name a model of the endpoint; it is empty")
    if temperature is not None and not 0 <= temperature <= 2:
        raise UsageError(f"temperature must be in [0, 2] or None, not {temperature!r}")
    if not (logprobs is None or isinstance(logprobs, bool)):
        raise UsageError(f"logprobs must be True, False or None, not {logprobs!r}")
    for name, value in above.items():
        if value is not None and not value > 0:
            raise UsageError(f"{name} must be above 0, not {value!r}")
    for name, (number, least) in at_least.items():
        if not number >= least:
            raise UsageError(f"{name} must be at least {least}, not {number!r}")


def base(url: str) -> SplitResult:
    """The parts of a base URL; raises `UsageError` for what cannot be one."""
    try:
        parts = urlsplit(url.strip())
        usable = parts.scheme in ("http", "https") and is_host(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        # The URL is not repeated: a password may stand in it.
        raise UsageError("base_url must look like https://host/v1 or http://127.0.0.1:8000/v1")
    path = parts.path.rstrip("/").removesuffix("/chat/completions")
    return parts._replace(path=path, fragment="")


def is_host(name: str | None) -> bool:
    """Can `name` be that of a machine? The parts between its dots must be 1 to 63 letters long."""
    if not name or not name.isprintable() or " " in name:
        return False
    parts = name.removesuffix(".").split(".") if name.isascii() else ()
    return all(0 < len(part) < 64 for part in parts)


def public(parts: SplitResult) -> str:
    """The URL without what may hold a secret."""
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def extra(body: Mapping[str, Any] | None) -> dict[str, Any]:
    """What the user adds to each request; raises `UsageError` for what cannot be added."""
    body = dict(body or {})
    if own := [name for name in _OWN if name in body]:
        raise UsageError(f"extra_body must not hold {own[0]!r}: the judge itself says that")
    try:
        msgspec.json.encode(body)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"extra_body must be JSON: {error}") from None
    return body


def shown(value: Any) -> Any:
    """`value` with everything hidden that is named like a secret."""
    if isinstance(value, Mapping):
        return {k: "***" if _SECRET.search(str(k)) else shown(v) for k, v in value.items()}
    return [shown(v) for v in value] if isinstance(value, (list, tuple)) else value


def _checked(headers: Mapping[str, str] | None) -> dict[str, str]:
    """The user's headers; raises `UsageError` for what cannot be sent, and shows no value."""
    if not isinstance(headers or {}, Mapping):
        raise UsageError(f"headers must map names to texts, not be a {type(headers).__name__}")
    for name, value in (headers or {}).items():
        if not (isinstance(name, str) and _HEADER.fullmatch(name)):
            raise UsageError(f"headers: {name!r} is no name of an HTTP header")
        if not isinstance(value, str):
            raise UsageError(f"headers[{name!r}] must be a text, not {type(value).__name__}")
        if _UNSENDABLE.search(value):
            raise UsageError(f"headers[{name!r}] holds a line break or half a character")
    return dict(headers or {})


def _is_openai(host: str) -> bool:
    return host == "api.openai.com" or host.endswith(".api.openai.com")
