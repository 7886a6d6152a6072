"""The interval of every metric's mean, from a run's account."""

from __future__ import annotations

from troth.pairing import groups_of
from troth.run import Run
from troth.stats.intervals import Interval, mean_interval


def intervals(run: Run, cluster: str | None = None) -> dict[str, Interval | None]:
    """The 95% interval of each metric's mean, by label; `None` where no row is scored.

    cluster: a column (or `question`) whose equal values mark rows that are not independent; a row
    without it counts for itself. `UsageError` where no row has it. Without `cluster` no row is
    read: the account holds what is needed.
    """
    groups = groups_of(run, cluster) if cluster is not None else {}
    return {
        label: mean_interval(tally.values, clusters=groups.get(label))
        for label, tally in run.account.tallies.items()
    }


def short(interval: Interval) -> str:
    """`.812–.904`, with `?` where it is not to be trusted."""
    ends = (f"{end:.3f}".replace("0.", ".", 1) for end in (interval.low, interval.high))
    return "–".join(ends) + ("" if interval.trusted else "?")
