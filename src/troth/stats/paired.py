"""Is B better than A on the same rows? Difference, interval, test, effect size, power."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from troth.errors import UsageError
from troth.stats.intervals import Interval, difference_interval, weighted_difference
from troth.stats.numbers import ROUNDING, checked, confident, gathered, rounded
from troth.stats.permutation import mcnemar_mid_p, sign_flips
from troth.stats.power import detectable

if TYPE_CHECKING:
    import numpy as np

    Floats = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, slots=True)
class Paired:
    """Two systems on the same rows. `difference` is b - a: positive where b is larger.

    `interval` is that of the difference. `p_value` is two-sided, in (0, 1]; `test` is
    `mcnemar-midp` (0/1 scores) or `permutation`: of signs, of whole clusters where there are any,
    and never less than what the interval says. Flipping signs alone takes it for granted that a
    row that changes much is as likely to change for the better as for the worse.
    `effect_size` is the mean difference in standard deviations of the differences (Cohen's d_z);
    0.0 where no row differs, `None` where all rows differ by the same amount.
    `detectable` is the smallest true difference that as many rows as these find with 80% power;
    `None` where they are so few that they find none.
    `better`, `worse` and `equal` count rows: b larger than a, smaller, the same.
    """

    n: int
    mean_a: float
    mean_b: float
    difference: float
    interval: Interval
    p_value: float
    test: str
    effect_size: float | None
    detectable: float | None
    better: int
    worse: int
    equal: int


def paired(
    a: Sequence[float],
    b: Sequence[float],
    *,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> Paired | None:
    """Compare `b` with `a`, which are scores of the same rows in the same order.

    `None` where there are no rows. `clusters` and `confidence` as for
    `troth.stats.intervals.mean_interval`; `seed` is that of the sign flips.
    Raises `UsageError` for numbers that are not finite or sequences of different lengths.
    """
    first, second = checked("a", a), checked("b", b)
    confident(confidence)
    if len(first) != len(second):
        raise UsageError(
            f"a and b must be scores of the same rows: {len(first)} are not {len(second)}; "
            "match them by id first"
        )
    if not len(first):
        return None
    differences = rounded(second - first)
    totals, sizes = gathered(differences, clusters)
    clustered = len(totals) < len(differences)
    weighted = weighted_difference(totals, sizes)
    binary = not clustered and all(_binary(side) for side in (first, second))
    better, worse = int((differences > 0).sum()), int((differences < 0).sum())
    n = len(differences)
    return Paired(
        n=n,
        mean_a=math.fsum(first) / n,
        mean_b=math.fsum(second) / n,
        difference=math.fsum(differences) / n,
        interval=difference_interval(
            weighted, sizes, confidence, clustered=clustered, binary=binary
        ),
        p_value=(
            mcnemar_mid_p(better, worse)
            if binary
            else max(sign_flips(totals, seed=seed), weighted.p_value(0.0))
        ),
        test="mcnemar-midp" if binary else "permutation",
        effect_size=_effect_size(differences),
        detectable=detectable(a, b, clusters=clusters, confidence=confidence),
        better=better,
        worse=worse,
        equal=n - better - worse,
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment of p values, in the order given; `[]` for none.

    Each is at most 1 and never below what was given. https://www.jstor.org/stable/4615733
    """
    count = len(p_values)
    adjusted = [0.0] * count
    largest = 0.0
    for rank, place in enumerate(sorted(range(count), key=lambda i: p_values[i])):
        largest = max(largest, min(1.0, (count - rank) * p_values[place]))
        adjusted[place] = largest
    return adjusted


def _binary(scores: Floats) -> bool:
    return bool(((scores == 0) | (scores == 1)).all())


def _effect_size(differences: Floats) -> float | None:
    if not differences.any():
        return 0.0
    if float(differences.max() - differences.min()) <= ROUNDING:
        return None
    return float(differences.mean() / differences.std(ddof=1))
