"""The studentised bootstrap, for means of values whose range is not known."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    Floats = np.ndarray[Any, np.dtype[np.float64]]

RESAMPLES = 10_000
CELLS = 500_000  # numbers that lie in memory at a time


def bootstrap_t(
    totals: Floats,
    sizes: Floats,
    confidence: float = 0.95,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> tuple[float, float]:
    """The bootstrap-t interval of sum(totals) / sum(sizes); of a mean, where all sizes are 1.

    Both ends lie at the mean where the values do not vary. The ratio is linearised for its standard
    error. A resample of equal values says no more than the most extreme of the others.
    https://doi.org/10.1201/9780429246593, chapter 12.
    """
    import numpy as np  # noqa: PLC0415 - loads on use

    n = len(totals)
    mean = float(totals.sum() / sizes.sum())
    rest = totals - mean * sizes
    error = math.sqrt(n / (n - 1) * float(rest @ rest)) / float(sizes.sum()) if n > 1 else 0.0
    if error <= 1e-12 * float(np.abs(totals).max()):
        return mean, mean
    alike = bool((sizes == sizes[0]).all())
    rng = np.random.default_rng(seed)
    found = []
    for first in range(0, resamples, step := max(1, CELLS // n)):
        drawn = rng.integers(0, n, (min(step, resamples - first), n))
        # Where all sizes are the same they need not be drawn: half of the time.
        found.append(_studentised(rest[drawn], sizes[:1] if alike else sizes[drawn], n))
    t = np.concatenate(found)
    finite = t[np.isfinite(t)]
    t = np.clip(t, finite.min(initial=0.0), finite.max(initial=0.0))
    tail = (1 - confidence) / 2
    low, high = np.quantile(t, [tail, 1 - tail], method="inverted_cdf")
    return mean - float(high) * error, mean - float(low) * error


def _studentised(rest: Floats, sizes: Floats, n: int) -> Floats:
    """The t statistic of each resample, a row each; infinite where its values are all the same."""
    import numpy as np  # noqa: PLC0415

    total = rest.sum(axis=1)
    squares = np.einsum("ij,ij->i", rest, rest)
    if sizes.ndim == 1:
        size = np.full(len(rest), n * sizes[0])
        products, size_squares = total * sizes[0], size * sizes[0]
    else:
        size = sizes.sum(axis=1)
        products = np.einsum("ij,ij->i", rest, sizes)
        size_squares = np.einsum("ij,ij->i", sizes, sizes)
    shift = total / size
    spread = n / (n - 1) * (squares - 2 * shift * products + shift**2 * size_squares)
    spread[spread <= 1e-12 * squares] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        t = total / np.sqrt(spread)
    return np.where(np.isnan(t), 0.0, t)
