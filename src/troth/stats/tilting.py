"""Quantiles of the Bayesian bootstrap of a mean or a ratio, without resampling.

The Bayesian bootstrap gives every observation a random weight, Exponential(1), and looks at how
the weighted mean varies (https://doi.org/10.1214/aos/1176345338). Alone it knows nothing beyond
the values seen: where 30 answers are all right it is sure that every answer will be. So some
weight is also given to values at the ends of the range, which nobody has seen yet.

That the weighted mean lies below m means that a weighted sum of Gamma variables lies below zero,
whose probability the saddlepoint approximation gives to about one part in a hundred, by
Barndorff-Nielsen's r* (https://doi.org/10.1093/biomet/73.2.307), in a few passes over the data and
without chance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from troth.stats.distributions import root

if TYPE_CHECKING:
    import numpy as np

    Floats = np.ndarray[Any, np.dtype[np.float64]]

NORMAL = NormalDist()
AT_ZERO = 1e-4  # the formula is 0 / 0 at the middle
NOTHING = 1e-200  # less has no reciprocal to calculate with
INSIDE = 1 - 1e-12  # as near to a pole as doubles allow
LEAST, MOST = 1e-300, 1 - 1e-16  # probabilities that have a finite quantile
Unseen = Sequence[tuple[float, float]]  # a value and its weight, in observations


class WeightedRatio:
    """sum(weight * total) / sum(weight * size) under random weights, within `ends`.

    An observation is a value with size 1, or the total of a cluster with its size. `unseen` holds
    one or several alternatives of what may still be seen; each is as likely.
    """

    def __init__(
        self, totals: Floats, sizes: Floats, unseen: Sequence[Unseen], ends: tuple[float, float]
    ) -> None:
        import numpy as np  # noqa: PLC0415 - loads on use

        if (sizes == sizes[0]).all():  # equal observations are looked at once
            totals, times = np.unique(totals, return_counts=True)
            sizes, counts = np.full(len(totals), sizes[0]), times.astype(float)
        else:
            counts = np.ones(len(totals))
        mass = float(counts @ sizes)
        typical = float(counts @ sizes**2) / mass  # the size of cluster that a row finds itself in
        self.ends = ends
        self.middle = float(counts @ totals) / mass
        self._cases = []
        for values in unseen:
            extra, weights = np.array(values, dtype=float).T
            all_totals = np.concatenate([totals, extra * typical])
            all_sizes = np.concatenate([sizes, np.full(len(extra), typical)])
            self._cases.append((all_totals, all_sizes, np.concatenate([counts, weights])))

    def below(self, m: float) -> float:
        """P(ratio <= m)."""
        return math.fsum(_negative(t - m * s, w) for t, s, w in self._cases) / len(self._cases)

    def interval(self, confidence: float) -> tuple[float, float]:
        """The central interval, stretched to the ratio of what was seen where it lies outside."""
        tail = (1 - confidence) / 2
        low = self._quantile(tail, self.ends[0], self.middle)
        return low, self._quantile(1 - tail, self.middle, self.ends[1])

    def p_value(self, m: float) -> float:
        """Two-sided: below 0.05 where the 95% interval does not hold `m`."""
        return min(1.0, 2 * min(below := self.below(m), 1 - below))

    def _quantile(self, probability: float, low: float, high: float) -> float:
        at = NORMAL.inv_cdf(probability)

        def beyond(m: float) -> float:  # on the normal scale, where the curve is straight
            return NORMAL.inv_cdf(min(MOST, max(LEAST, self.below(m)))) - at

        return root(beyond, low, high)


def _negative(terms: Floats, weights: Floats) -> float:
    """P(sum of terms * Gamma(weights) <= 0)."""
    import numpy as np  # noqa: PLC0415

    least, most = float(terms.min()), float(terms.max())
    if least > -NOTHING or most < NOTHING:
        return float(most < NOTHING)

    def slope(s: float) -> float:  # of the cumulant function, freed of its two poles
        return float(weights @ (terms / (1 - s * terms))) * (1 - s * least) * (1 - s * most)

    s = root(slope, INSIDE / least, INSIDE / most)
    tilted = s * terms
    cumulant = -float(weights @ np.log1p(-tilted))
    curvature = float(weights @ (tilted / (1 - tilted)) ** 2)
    w = math.copysign(math.sqrt(max(0.0, -2 * cumulant)), s)
    u = math.copysign(math.sqrt(curvature), s)
    star = w if abs(w) < AT_ZERO else w + math.log(u / w) / w
    return NORMAL.cdf(star)
