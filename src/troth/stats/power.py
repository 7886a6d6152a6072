"""How small a difference can these rows show, and how many rows would a smaller one need?"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from troth.errors import UsageError
from troth.stats.distributions import at_least, root, t_quantile
from troth.stats.numbers import checked, confident, gathered, rounded

MOST = 10**12  # rows


@dataclass(frozen=True, slots=True)
class _Noise:
    """What paired differences teach about the noise of more rows like these."""

    spread: float  # standard deviation of the mean difference, times sqrt(rows)
    pieces: float  # independent pieces per row: 1, or clusters / rows
    step: float  # how much a row changes that changes at all
    changes: int  # how many must change, all in one direction, before a test can notice
    power: float
    alpha: float

    def detectable(self, rows: int) -> float | None:
        """The difference that `rows` find; `None` where they find none."""
        freedom = rows * self.pieces - 1
        if rows < self.changes or freedom <= 0:
            return None
        quantiles = t_quantile(1 - self.alpha / 2, freedom) + t_quantile(self.power, freedom)
        share = root(lambda p: at_least(self.changes, rows, p) - self.power, 0.0, 1.0)
        return max(quantiles * self.spread / math.sqrt(rows), share * self.step)


def detectable(
    a: Sequence[float],
    b: Sequence[float],
    *,
    clusters: Sequence[Hashable] | None = None,
    power: float = 0.8,
    confidence: float = 0.95,
) -> float | None:
    """The smallest true difference that as many rows as these find with `power`.

    (t(1 - alpha/2) + t(power)) standard errors of the mean difference, but no less than what makes
    enough rows change for the test to notice (5 for 0/1 scores, 6 for others): where few rows
    differ their spread says little. `None` where there are no rows, or too few to find anything.
    Raises `UsageError` as `troth.stats.paired.paired`.
    https://doi.org/10.4324/9780203771587, chapter 2
    """
    if not len(a):
        return None
    return _noise(a, b, clusters, power, confidence).detectable(len(a))


def rows_needed(
    a: Sequence[float],
    b: Sequence[float],
    difference: float,
    *,
    clusters: Sequence[Hashable] | None = None,
    power: float = 0.8,
    confidence: float = 0.95,
) -> int:
    """How many rows in all, of the kind of these, find a true `difference` with `power`.

    The smallest number whose `detectable` is no larger, at least 2; with clusters, rows come in
    clusters as large as these. Raises `UsageError` where `difference` is not above 0 or there are
    no rows to learn from.
    """
    if not difference > 0:
        raise UsageError(f"difference must be above 0, e.g. 0.05, not {difference!r}")
    if not len(a):
        raise UsageError("there are no rows to learn from how much scores vary")
    noise = _noise(a, b, clusters, power, confidence)

    def enough(rows: int) -> bool:
        return (found := noise.detectable(rows)) is not None and found <= difference

    low, high = 1, 2
    while not enough(high) and high < MOST:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _noise(
    a: Sequence[float],
    b: Sequence[float],
    clusters: Sequence[Hashable] | None,
    power: float,
    confidence: float,
) -> _Noise:
    confident(confidence)
    confident(power, "power")
    differences = rounded(checked("b", b) - checked("a", a))
    totals, sizes = gathered(differences, clusters)
    rows, pieces = len(differences), len(totals)
    rest = totals - differences.mean() * sizes
    variance = float(rest @ rest) / max(1, pieces - 1) * pieces / rows  # of the mean, times rows
    moved = abs(differences[differences != 0])
    ternary = bool((moved == 1).all())
    alpha = 1 - confidence
    # Of n changes in one direction, mid-p is 2 ** -n, and a permutation's p twice that.
    changes = math.ceil(-math.log2(alpha) - 1e-9) + (0 if ternary else 1)
    step = float(moved.mean()) if len(moved) else 1.0
    return _Noise(math.sqrt(variance), pieces / rows, step, changes, power, alpha)
