"""How many calls an endpoint takes at once: additive increase, multiplicative decrease (AIMD)."""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque

_SLOWEST = 5.0  # seconds; a call that takes longer is no measure of a round trip


class Window:
    """A limit on the calls in flight of one event loop, which follows what the endpoint takes.

    It begins at `most`, halves when a call is throttled, and grows by one for each windowful of
    calls that went through; always in [1, `most`]. Whoever has to wait is let in in turn.
    After Chiu and Jain, https://doi.org/10.1016/0169-7552(89)90019-6.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.size = float(most)
        self.in_flight = 0
        self.barren = 0  # how often it was cut since the last call that went through
        self.latency = 0.1  # seconds that a call takes, smoothed; a guess until one went through
        self._new = True
        self._safe = 0.0
        self._cut_at = -math.inf
        self._queue: deque[asyncio.Future[None]] = deque()

    @property
    def proven(self) -> bool:
        """Has any call gone through yet? Before that, silence says nothing about how many."""
        return not self._new

    async def enter(self, *, again: bool = False) -> None:
        """Wait for a place; a call that was in flight before (`again`) is let in first."""
        if self.in_flight < int(self.size) and not self._queue:
            self.in_flight += 1
            return
        turn = asyncio.get_running_loop().create_future()
        if again:
            self._queue.appendleft(turn)
        else:
            self._queue.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                self.leave()  # the place was given to a task that was just being cancelled
            raise

    def leave(self) -> None:
        """Give the place back."""
        self.in_flight -= 1
        self._admit()

    def succeeded(self, seconds: float) -> None:
        """A call went through, after that long."""
        self.latency += (seconds - self.latency) / (1 if self._new else 8)
        self._new = False
        self.barren = 0
        self.size = min(
            float(self.most), self.size + (1 if self.size < self._safe else 1 / self.size)
        )
        self._admit()

    def throttled(self, sent_at: float) -> bool:
        """The endpoint had too much of a call that was sent at `sent_at` (monotonic seconds).

        Halves the window and returns True, unless it was halved less than a call's time before
        that: then there has been no answer yet to the smaller one.
        """
        now = time.monotonic()
        if sent_at < self._cut_at + min(self.latency, _SLOWEST):
            return False
        full = min(self.size, self.in_flight)
        self._safe = full * 0.8
        self.size = max(1.0, full / 2)
        self.barren += 1
        self._cut_at = now
        return True

    def time_of_a_call(self) -> float:
        """For how long a refused call keeps its place, so that refusals set no faster pace."""
        return min(self.latency, _SLOWEST)

    def _admit(self) -> None:
        while self._queue and self.in_flight < int(self.size):
            turn = self._queue.popleft()
            if not turn.done():  # else its task was cancelled
                self.in_flight += 1
                turn.set_result(None)
