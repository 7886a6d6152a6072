"""How sure is a mean? Its confidence interval, by the method that fits the values."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from troth.stats.bootstrap import bootstrap_t
from troth.stats.numbers import checked, confident, gathered
from troth.stats.proportion import blaker
from troth.stats.tilting import WeightedRatio

if TYPE_CHECKING:
    import numpy as np

    Floats = np.ndarray[Any, np.dtype[np.float64]]

FEW, FEW_UNBOUNDED = 10, 30  # fewer rows or clusters are not to be trusted
Ends = tuple[float, float]
ALIKE = 5  # clusters of equal size that would say as much
NEUTRAL = 1 / 3  # rows unseen at each end: a proportion's median then is unbiased


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval of a mean, `low` <= mean <= `high`.

    `method` is `blaker`, `bayesian-bootstrap` or `bootstrap-t`, the last two with `cluster-` before
    them where whole clusters count as one observation.
    `n` is the number of independent pieces it rests on: rows, or clusters.
    `trusted` is false where they are too few for the interval to cover what it says; `note` says
    so in a few words, and is empty otherwise.
    """

    low: float
    high: float
    confidence: float
    method: str
    n: int
    trusted: bool = True
    note: str = ""


def mean_interval(
    values: Sequence[float],
    *,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
    seed: int = 0,
    bounds: tuple[float, float] | None = (0.0, 1.0),
) -> Interval | None:
    """The confidence interval of the mean of `values`; `None` where there are none.

    clusters: the group of each value (its document, its question); values of one group are not
        independent, and groups are what is counted. `None` in it is a group of its own.
    bounds: the range that the values cannot leave; `None` where there is none. Values outside show
        that there is none.
    seed: of the resampling, which values without bounds need.

    All values at the bounds (0/1 scores): Blaker's exact interval. Values within the bounds: the
    Bayesian bootstrap, with a third of a row unseen at each end (Kerman's neutral prior,
    https://doi.org/10.1214/11-EJS648). Others: the studentised bootstrap.
    Raises `UsageError` for values that are not finite, clusters of another length, or a
    `confidence` outside (0, 1).
    """
    numbers = checked("values", values)
    confident(confidence)
    if not len(numbers):
        return None
    if bounds is not None and not (bounds[0] <= numbers.min() and numbers.max() <= bounds[1]):
        bounds = None
    totals, sizes = gathered(numbers, clusters)
    clustered = len(totals) < len(numbers)
    if bounds is None:
        method, ends = "bootstrap-t", bootstrap_t(totals, sizes, confidence, seed=seed)
    elif not clustered and ((numbers == bounds[0]) | (numbers == bounds[1])).all():
        method, ends = "blaker", _exact(numbers, bounds, confidence)
    else:
        method, ends = "bayesian-bootstrap", _bounded(totals, sizes, bounds, confidence)
    few = FEW_UNBOUNDED if bounds is None else FEW
    return _judged(ends, confidence, method, sizes, few, clustered=clustered)


def weighted_difference(totals: Floats, sizes: Floats) -> WeightedRatio:
    """The Bayesian bootstrap of a mean difference between two systems on the same rows.

    A third of a row is unseen at either end, which is as far as any row has moved. Where rows move
    that far or not at all (0/1 scores), a whole one instead, at the one end or at the other: then
    it says of zero what McNemar's mid-p test says.
    """
    import numpy as np  # noqa: PLC0415 - loads on use

    moved = np.abs(totals / sizes)
    farthest = float(moved.max()) or 1.0
    ends = (-farthest, farthest)
    unseen = [[(end, NEUTRAL) for end in ends]]
    if (sizes == 1).all() and ((moved == 0) | (moved == farthest)).all():
        unseen = [[(end, 1.0)] for end in ends]
    return WeightedRatio(totals, sizes, unseen, ends)


def difference_interval(
    weighted: WeightedRatio, sizes: Floats, confidence: float, *, clustered: bool, binary: bool
) -> Interval:
    """The interval of a mean difference, with what speaks against it."""
    few = FEW if binary or clustered else FEW_UNBOUNDED
    ends = weighted.interval(confidence)
    return _judged(ends, confidence, "bayesian-bootstrap", sizes, few, clustered=clustered)


def _exact(numbers: Floats, bounds: Ends, confidence: float) -> Ends:
    low, high = blaker(int((numbers == bounds[1]).sum()), len(numbers), confidence)
    span = bounds[1] - bounds[0]
    return bounds[0] + span * low, bounds[0] + span * high


def _bounded(totals: Floats, sizes: Floats, bounds: Ends, confidence: float) -> Ends:
    unseen = [[(bound, NEUTRAL) for bound in bounds]]
    return WeightedRatio(totals, sizes, unseen, bounds).interval(confidence)


def _judged(
    ends: Ends, confidence: float, method: str, sizes: Floats, few: int, *, clustered: bool
) -> Interval:
    """The interval, with what speaks against it."""
    n = len(sizes)
    note = ""
    if n < few:
        what = ("cluster" if clustered else "row") + ("" if n == 1 else "s")
        note = f"only {n} {what}: too few to trust the interval"
    elif clustered and (alike := float(sizes.sum() ** 2 / (sizes**2).sum())) < ALIKE:
        note = f"most rows are in a few of the {n} clusters, as if there were {alike:.1f}"
    elif ends[0] == ends[1]:
        note = "all values are the same: they do not say how much others may differ"
    method = f"cluster-{method}" if clustered else method
    return Interval(*ends, confidence, method, n, not note, note)
