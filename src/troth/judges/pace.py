"""How fast an endpoint may be used: pauses, token buckets, and the quota that its headers tell."""

from __future__ import annotations

import asyncio
import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass

from troth.judges.loops import Lock

_BURST = 1.0  # seconds' worth of a rate that may be used at once
_SPAN = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


class Bucket:
    """A token bucket that lends: whoever takes more than there is waits until it is paid back."""

    def __init__(self, per_minute: float) -> None:
        self._rate = per_minute / 60
        self._most = max(1.0, self._rate * _BURST)
        self._left = self._most
        self._at = time.monotonic()

    def take(self, amount: float) -> float:
        """Take `amount`; returns the seconds to wait before it may be used."""
        now = time.monotonic()
        self._left = min(self._most, self._left + (now - self._at) * self._rate)
        self._at = now
        self._left -= amount
        return max(0.0, -self._left / self._rate)

    def give(self, amount: float) -> None:
        """Put back what was taken too much (negative: take what was taken too little)."""
        self._left = min(self._most, self._left + amount)


@dataclass
class _Quota:
    """What the endpoint says is left until a moment at which all is there again."""

    left: float = math.inf
    until: float = 0.0


class Pace:
    """When the next call may be sent; shared by all event loops that use one endpoint.

    `rpm`, `tpm`: requests and tokens per minute that are allowed, `None` for no limit of our own.
    A quota in the endpoint's headers is waited for, unless that takes longer than `patience`
    seconds (a daily quota): then the endpoint itself has to refuse.
    """

    def __init__(self, rpm: float | None, tpm: float | None, patience: float) -> None:
        self._requests = Bucket(rpm) if rpm else None
        self._tokens = Bucket(tpm) if tpm else None
        self._quotas = {"requests": _Quota(), "tokens": _Quota()}
        self._patience = patience
        self._paused_until = 0.0
        self._lock = Lock()

    def pause(self, seconds: float) -> None:
        """Let no call go for that long."""
        self._paused_until = max(self._paused_until, time.monotonic() + seconds)

    async def turn(self, tokens: float) -> None:
        """Wait until a call of about that many tokens may be sent, and count it as sent."""
        with self._lock:
            wait = max(
                self._requests.take(1) if self._requests else 0.0,
                self._tokens.take(tokens) if self._tokens else 0.0,
            )
        try:
            if wait > 0:
                await asyncio.sleep(wait)
            while (left := self._held(tokens)) > 0:
                await asyncio.sleep(left)
        except asyncio.CancelledError:
            self.correct(-tokens)
            if self._requests:
                self._requests.give(1)
            raise

    def correct(self, tokens: float) -> None:
        """So many tokens more (negative: fewer) than were counted have been used."""
        if self._tokens:
            with self._lock:
                self._tokens.give(-tokens)

    def note(self, headers: Mapping[str, str]) -> None:
        """Take in what a response says about the quota (`x-ratelimit-remaining-*`, `-reset-*`)."""
        now = time.monotonic()
        for kind, quota in self._quotas.items():
            left = _number(headers.get(f"x-ratelimit-remaining-{kind}", ""))
            reset = seconds(headers.get(f"x-ratelimit-reset-{kind}", ""))
            if left is None or reset is None or reset > self._patience:
                continue
            with self._lock:
                if now >= quota.until:
                    quota.left, quota.until = left, now + reset
                else:  # our own count knows of calls that are still on their way
                    quota.left = min(quota.left, left)

    def _held(self, tokens: float) -> float:
        """The seconds to wait from now on; 0.0 where the call may go, and then it is counted."""
        now = time.monotonic()
        if self._paused_until > now:
            return self._paused_until - now
        with self._lock:
            costs = ((self._quotas["requests"], 1.0), (self._quotas["tokens"], tokens))
            waits = [q.until - now for q, cost in costs if now < q.until and q.left < cost]
            if waits:
                return max(waits)
            for quota, cost in costs:
                quota.left = quota.left - cost if now < quota.until else math.inf
        return 0.0


def seconds(text: str) -> float | None:
    """The length of a span such as `6m0s`, `120ms` or `7.66`; `None` where it is none."""
    text = text.strip()
    number = _number(text)
    if number is not None:
        return number
    if not text or _SPAN.sub("", text):
        return None
    return sum(float(amount) * _SECONDS[unit] for amount, unit in _SPAN.findall(text))


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None
