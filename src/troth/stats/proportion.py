"""Intervals of a proportion: Blaker's exact one, and Wilson's to measure it by."""

from __future__ import annotations

import math

from troth.stats.distributions import at_least, at_most, normal_quantile, root


def wilson(successes: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a proportion, within [0, 1]; `n` > 0 may be an effective size.

    https://doi.org/10.1080/01621459.1927.10502953
    """
    z = normal_quantile((1 + confidence) / 2)
    share = successes / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def blaker(successes: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Blaker's exact interval of a proportion, within [0, 1]; `n` > 0.

    It covers the truth at least as often as it says, whatever the truth, and lies within the
    interval of Clopper and Pearson. https://doi.org/10.2307/3315916
    """
    alpha = 1 - confidence
    return _lower(successes, n, alpha), 1 - _lower(n - successes, n, alpha)


def _lower(x: int, n: int, alpha: float) -> float:
    """The smallest p at which the acceptability of `x` reaches `alpha`.

    Acceptability is P(X >= x) + P(X <= y), where y is the largest number whose lower tail is no
    larger than the upper one. It jumps up where y grows by one; between two jumps it falls first
    and rises then, so that it passes `alpha` there at most once on its way up.
    """
    if x == 0:
        return 0.0
    start = root(lambda p: at_least(x, n, p) - alpha / 2, 0.0, x / n)
    end = root(lambda p: at_least(x, n, p) - alpha, start, 1.0)
    y = _opposite(x, n, start)
    while start < end:
        stop = min(_balance(y + 1, x, n), end) if y + 1 < x else end

        def beyond(p: float, y: int = y) -> float:
            return at_least(x, n, p) + at_most(y, n, p) - alpha

        if beyond(start) >= 0:
            return start
        if beyond(stop) >= 0:
            return root(beyond, start, stop)
        start, y = stop, y + 1
    return end


def _opposite(x: int, n: int, p: float) -> int:
    """The largest y with P(X <= y) <= P(X >= x); -1 where there is none."""
    tail = at_least(x, n, p)
    low, high = -1, x - 1
    while low < high:
        middle = (low + high + 1) // 2
        if at_most(middle, n, p) <= tail:
            low = middle
        else:
            high = middle - 1
    return low


def _balance(y: int, x: int, n: int) -> float:
    """The p at which P(X <= y) == P(X >= x)."""
    return root(lambda p: at_least(x, n, p) - at_most(y, n, p), 0.0, 1.0)
