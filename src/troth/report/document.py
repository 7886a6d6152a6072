"""A run as one JSON document, written row by row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from troth.account import Row
from troth.report.intervals import intervals
from troth.run import Run

PASSING = ("usage", "saved")  # what a score cost differs from run to run


def to_json(run: Run, cluster: str | None = None) -> Iterator[bytes]:
    """The document in UTF-8, piece by piece, a row a line.

    The account of every metric, then `rows`, in order: `rows[i]["scores"][metric]` has `value`
    (null unless scored), `status`, `support`, `reason`, `verdicts`, `details`, `usage`, `saved`.
    `interval` of a metric is that of its mean, null where no row is scored; `cluster` names the
    column whose equal values mark rows that are not independent.
    """
    sure = intervals(run, cluster)
    head = {
        "run": run.id,
        "judge": run.judge,
        "seconds": round(run.seconds, 3),
        "metrics": {
            label: {
                "mean": s.mean,
                "interval": sure[label],
                "total": s.total,
                "scored": s.scored,
                "unscorable": s.unscorable,
                "failed": s.failed,
                "usage": s.usage,
                "saved": s.saved,
                "cost": run.cost_of(s.usage),
            }
            for label, s in run.summary().items()
        },
        "skipped": run.skipped,
        "info": run.info,
    }
    yield msgspec.json.format(_encode(head), indent=2)[:-2] + b',\n  "rows": ['
    between = b"\n    "
    for row in run.rows:
        yield between + _encode({"id": row.sample.id, "scores": row.scores})
        between = b",\n    "
    yield b"\n  ]\n}\n"


def canonical(run: Run) -> Iterator[bytes]:
    """What must be the same whenever equal replies are given: one line per row, in order.

    Samples and scores without what they cost, times, ids of runs and what came from the journal.
    """
    for row in run.rows:
        yield msgspec.json.encode(_canonical(row), enc_hook=str, order="sorted") + b"\n"


def _canonical(row: Row) -> dict[str, Any]:
    scores: dict[str, dict[str, Any]] = msgspec.to_builtins(row.scores, enc_hook=str)
    for score in scores.values():
        for name in PASSING:
            del score[name]
    return {"sample": row.sample, "scores": scores}


def _encode(value: Any) -> bytes:
    return msgspec.json.encode(value, enc_hook=str)
