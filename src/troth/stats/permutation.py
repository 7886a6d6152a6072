"""Tests of paired differences: McNemar's mid-p test, and sign flips."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from troth.stats.distributions import at_most

if TYPE_CHECKING:
    import numpy as np

    Floats = np.ndarray[Any, np.dtype[np.float64]]

FLIPS = 10_000
EXACT = 13  # differences up to which all 2 ** n sign patterns are tried
CELLS = 1_000_000  # signs that lie in memory at a time
TIE = 1e-12  # sums that differ by less, relatively, are the same


def mcnemar_mid_p(better: int, worse: int) -> float:
    """The two-sided mid-p value of McNemar's test, in (0, 1]; 1.0 where no pair differs.

    It counts half of the probability of what was seen: https://doi.org/10.1186/1471-2288-13-91
    """
    n, fewer = better + worse, min(better, worse)
    if n == 0:
        return 1.0
    seen = at_most(fewer, n, 0.5) - at_most(fewer - 1, n, 0.5)
    return min(1.0, 2 * at_most(fewer, n, 0.5) - seen)


def sign_flips(differences: Floats, *, flips: int = FLIPS, seed: int = 0) -> float:
    """The two-sided p value of the sum of `differences` when their signs are chance, in (0, 1].

    Exact for up to 13 differences; otherwise from `flips` random sign patterns, what was seen
    counted among them (https://doi.org/10.2202/1544-6115.1585). 1.0 where no pair differs.
    """
    import numpy as np  # noqa: PLC0415 - loads on use

    moved = differences[differences != 0]
    n = len(moved)
    if n == 0:
        return 1.0
    total = float(moved.sum())
    least = abs(total) - TIE * float(np.abs(moved).sum())
    if n <= EXACT:
        patterns = np.arange(2**n)[:, None] >> np.arange(n) & 1
        return float((np.abs(2 * (patterns @ moved) - total) >= least).mean())
    rng = np.random.default_rng(seed)
    as_far = 0
    for first in range(0, flips, step := max(1, CELLS // n)):
        many = min(step, flips - first)
        random = np.frombuffer(rng.bytes(-(-many * n // 8)), dtype=np.uint8)
        signs = np.unpackbits(random, count=many * n).reshape(many, n)
        as_far += int((np.abs(2 * (signs @ moved) - total) >= least).sum())
    return (as_far + 1) / (flips + 1)
