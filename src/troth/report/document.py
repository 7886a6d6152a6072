"""A run as one JSON document."""

from __future__ import annotations

from typing import Any

import msgspec

from troth.run import Run
from troth.score import Score


def document(run: Run) -> dict[str, Any]:
    """Plain values: the account of every metric, then every row in order with its scores.

    `rows[i]["scores"][metric]` has `value` (null unless scored), `status`, `support`, `reason`,
    `verdicts`, `details` and `usage`.
    """
    return {
        "run": run.id,
        "judge": run.judge,
        "seconds": round(run.seconds, 3),
        "metrics": {
            label: {
                "mean": s.mean,
                "total": s.total,
                "scored": s.scored,
                "unscorable": s.unscorable,
                "failed": s.failed,
                "usage": msgspec.to_builtins(s.usage),
            }
            for label, s in run.summary().items()
        },
        "skipped": list(run.skipped),
        "info": dict(run.info),
        "rows": [
            {
                "id": row.sample.id,
                "scores": {metric: _score(score) for metric, score in row.scores.items()},
            }
            for row in run.rows
        ],
    }


def to_json(run: Run) -> bytes:
    """`document(run)` in UTF-8, two spaces of indentation, a line break at its end."""
    raw = msgspec.json.encode(document(run), enc_hook=str)
    return msgspec.json.format(raw, indent=2) + b"\n"


def _score(score: Score) -> dict[str, Any]:
    built: dict[str, Any] = msgspec.to_builtins(score, enc_hook=str)
    return built
