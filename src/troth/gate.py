"""A gate: is a run good enough, and not worse than a baseline by more than is allowed?

A gate passes on what the rows show, not on what they suggest: it looks at the lower bound of the
confidence interval. Few rows make a wide interval, and a gate that does not open.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from statistics import NormalDist

from troth.account import Summary
from troth.compare import FARTHEST, Comparison, compare
from troth.errors import UsageError
from troth.pairing import groups_of
from troth.run import Run
from troth.score import Status
from troth.stats.intervals import Interval, mean_interval

MIN, MAX_DROP, MAX_FAILED, MAX_UNSCORED = "min", "max-drop", "max-failed", "max-unscored"


class Result(StrEnum):
    """How a check, or the gate, ended."""

    PASSED = "passed"
    NOT_PASSED = "not passed"
    CANNOT_TELL = "cannot tell"  # there is not one score to check


EXIT_CODES = {Result.PASSED: 0, Result.NOT_PASSED: 1, Result.CANNOT_TELL: 2}


@dataclass(frozen=True, slots=True)
class Check:
    """One limit, and what was found: `found` is the bound or share that was held against it.

    `rule` says it in a line, `reason` why it ended so, `unscored` which rows it does not rest on
    (empty where it rests on all).
    """

    metric: str
    kind: str
    limit: float
    result: Result
    rule: str
    reason: str
    found: float | None = None
    estimate: float | None = None
    interval: Interval | None = None
    unscored: str = ""


@dataclass(frozen=True, slots=True)
class Gate:
    """All checks of a run. `comparison` is that with the baseline, where there was one."""

    run: Run
    checks: tuple[Check, ...]
    comparison: Comparison | None = None

    @property
    def result(self) -> Result:
        """Not passed if one check is not; else cannot tell if one cannot; else passed."""
        results = {check.result for check in self.checks}
        for worst in (Result.NOT_PASSED, Result.CANNOT_TELL):
            if worst in results:
                return worst
        return Result.PASSED

    @property
    def warnings(self) -> tuple[str, ...]:
        """What, besides the answers, differs from the baseline."""
        return self.comparison.warnings if self.comparison else ()


def gate(
    run: Run,
    minimum: Mapping[str, float] | None = None,
    *,
    baseline: Run | None = None,
    max_drop: Mapping[str, float] | None = None,
    max_failed: float | None = None,
    max_unscored: float | None = None,
    cluster: str | None = None,
    confidence: float = 0.95,
    accept_small: bool = False,
) -> Gate:
    """Check `run` against limits, each of which is a number in [0, 1].

    minimum: metric -> what the lower bound of its mean must reach.
    max_drop: metric -> by how much it may be worse than in `baseline`: the lower bound of the
        paired difference (run - baseline) must not be below minus that.
    max_failed: share of failed rows that every metric of the run may have.
    max_unscored: the same for failed and unscorable rows together.
    cluster: a column whose equal values mark rows that belong together.
    accept_small: let a bound pass that rests on too few rows to be trusted.

    Raises `UsageError` for no limit at all, unknown metrics, numbers outside [0, 1], and `max_drop`
    without `baseline`; `InputError` where the runs have no row in common.
    """
    minimum, max_drop = minimum or {}, max_drop or {}
    _validate(run, minimum, max_drop, {MAX_FAILED: max_failed, MAX_UNSCORED: max_unscored})
    if bool(max_drop) != (baseline is not None):
        raise UsageError("max_drop and a baseline go together: give both, or neither")
    groups = groups_of(run, cluster) if cluster is not None and minimum else {}
    checks = []
    for metric, limit in minimum.items():
        values = run.account.tallies[metric].values
        interval = mean_interval(values, clusters=groups.get(metric), confidence=confidence)
        checks.append(_minimum(run, metric, limit, interval, accept_small))
    comparison = None
    if baseline is not None:
        comparison = compare(
            baseline,
            run,
            metrics=list(max_drop),
            cluster=cluster,
            confidence=confidence,
            changed=0,
        )
        checks += [_drop(comparison, *item, accept_small) for item in max_drop.items()]
    for kind, share in ((MAX_FAILED, max_failed), (MAX_UNSCORED, max_unscored)):
        if share is not None:
            checks += [_share(run, summary, kind, share) for summary in run.summary().values()]
    return Gate(run, tuple(checks), comparison)


def _validate(
    run: Run,
    minimum: Mapping[str, float],
    max_drop: Mapping[str, float],
    shares: Mapping[str, float | None],
) -> None:
    limits = [(f"{kind} {m}", v) for kind, by in ((MIN, minimum), (MAX_DROP, max_drop))
              for m, v in by.items()]  # fmt: skip
    limits += [(kind, share) for kind, share in shares.items() if share is not None]
    if not limits:
        raise UsageError("no limit was given: name at least one, such as --min faithfulness=0.8")
    for name, limit in limits:
        if not 0 <= limit <= 1:  # NaN is not, either
            raise UsageError(f"{name}: a limit is a number from 0 to 1, not {limit!r}")
    for metric in (*minimum, *max_drop):
        if metric not in run.metrics:
            raise UsageError(f"the run has no metric {metric!r}; it has {', '.join(run.metrics)}")


def _minimum(
    run: Run, metric: str, limit: float, interval: Interval | None, accept_small: bool
) -> Check:
    values = run.account.tallies[metric].values
    rule, unscored = f"{metric} at least {limit:g}", _unscored(run, metric)
    if interval is None:
        return Check(metric, MIN, limit, Result.CANNOT_TELL, rule, "no row is scored",
                     unscored=unscored)  # fmt: skip
    mean = math.fsum(values) / len(values)
    reached = f"lower bound {interval.low:.3f}, mean {mean:.3f}, n={len(values)}"
    result = _judged(interval, interval.low >= limit, accept_small)
    if result is Result.PASSED:
        reason = reached
    elif interval.low >= limit:
        reason = f"{reached}: too few to trust ({interval.note})"
    elif mean < limit:
        reason = f"{reached}: the mean itself is below {limit:g}"
    else:
        plain = interval.n == len(values) and set(values) <= {0.0, 1.0}
        more = _more_ones(mean, limit, interval) if plain else _more(interval, mean, limit)
        reason = f"{reached}: not shown{_advice(more, len(values))}"
    return Check(metric, MIN, limit, result, rule, reason, interval.low, mean, interval, unscored)


def _drop(comparison: Comparison, metric: str, limit: float, accept_small: bool) -> Check:
    difference = comparison[metric]
    rule = f"{metric} not worse than the baseline by more than {limit:g}"
    parts = [
        f"{u.count} {u.status} in {'the baseline' if u.run == 'A' else 'this run'} only: "
        f"{u.reason} ({', '.join(u.ids)}{', …' if u.count > len(u.ids) else ''})"
        for u in difference.unpaired
    ]
    unscored = "; ".join([*parts, *([f"{n} in neither run"] if (n := difference.neither) else [])])
    if (paired := difference.paired) is None:
        return Check(metric, MAX_DROP, limit, Result.CANNOT_TELL, rule,
                     "no row is scored in both runs", unscored=unscored)  # fmt: skip
    interval = paired.interval
    reached = (
        f"difference {paired.difference:+.3f}, lower bound {interval.low:+.3f}, "
        f"{paired.mean_a:.3f} to {paired.mean_b:.3f}, n={paired.n}"
    )
    result = _judged(interval, interval.low >= -limit, accept_small)
    if result is Result.PASSED:
        reason = reached
    elif interval.low >= -limit:
        reason = f"{reached}: too few to trust ({interval.note})"
    elif paired.difference < -limit:
        reason = f"{reached}: worse by more than {limit:g}"
    else:
        more = _more(interval, paired.difference, -limit)
        reason = f"{reached}: not shown{_advice(more, paired.n)}"
    return Check(
        metric, MAX_DROP, limit, result, rule, reason, interval.low, paired.difference, interval,
        unscored,
    )  # fmt: skip


def _share(run: Run, summary: Summary, kind: str, limit: float) -> Check:
    count = summary.failed + (summary.unscorable if kind == MAX_UNSCORED else 0)
    share = count / summary.total if summary.total else 0.0
    what = "failed" if kind == MAX_FAILED else "failed or unscorable"
    why = _unscored(run, summary.metric)
    return Check(
        summary.metric,
        kind,
        limit,
        Result.PASSED if share <= limit else Result.NOT_PASSED,
        f"{summary.metric}: at most {limit:.3g} of the rows {what}",
        f"{count} of {summary.total} rows {what}" + (f" ({why})" if count else ""),
        found=share,
        estimate=share,
    )


def _judged(interval: Interval, reached: bool, accept_small: bool) -> Result:
    trusted = interval.trusted or accept_small
    return Result.PASSED if reached and trusted else Result.NOT_PASSED


def _more(interval: Interval, estimate: float, limit: float) -> float:
    """How many times as many rows would do: an interval shrinks with the root of their number."""
    if estimate <= limit:
        return math.inf
    return ((estimate - interval.low) / (estimate - limit)) ** 2


def _more_ones(share: float, limit: float, interval: Interval) -> float:
    """The same for a share: where the score test of `limit`, Wilson's interval, would pass."""
    if share <= limit:
        return math.inf
    z = NormalDist().inv_cdf((1 + interval.confidence) / 2)
    return z * z * limit * (1 - limit) / (share - limit) ** 2 / interval.n


def _advice(times: float, n: int) -> str:
    more = math.ceil(n * times) - n if times < FARTHEST else 0
    return f"; about {more:,} more rows like these would show it" if more > 0 else ""


def _unscored(run: Run, metric: str) -> str:
    """How many rows have no score, why, and which."""
    reasons = sorted(
        run.account.tallies[metric].unscored.items(),
        key=lambda item: (item[0][0] is not Status.FAILED, -item[1][0]),
    )
    return "; ".join(
        f"{count} {status}: {reason} ({', '.join(ids)}{', …' if count > len(ids) else ''})"
        for (status, reason), (count, ids) in reasons
    )
