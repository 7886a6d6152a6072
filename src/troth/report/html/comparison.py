"""Two runs as the one document that their page holds: differences, slices, changed rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from troth.compare import Changed, Comparison, Difference, Outcome
from troth.report.html.data import (
    UNNAMED,
    encode_row,
    first,
    identity,
    interval_of,
    number,
    span_of,
    spelled,
)
from troth.report.html.texts import Pool, fit

ONLY = 10  # ids of rows of one run alone that are named


def comparison_document(
    comparison: Comparison, about: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """What the page of `comparison` shows, in plain JSON values."""
    c = comparison
    pool = Pool()
    a, b = identity(c.a), identity(c.b)
    labels = [one.metric for one in c.differences]
    ranking = [m for m in c.b.account.ranking if m in labels] or labels
    return {
        "kind": "comparison",
        "title": _title(a["title"], b["title"]),
        "a": a,
        "b": b,
        "lead": _lead(c),
        "paired": c.rows,
        "warnings": [*map(fit, c.warnings)],
        "cluster": c.cluster,
        "metrics": [
            _difference(one) | _scale(c, one.metric) | {"about": (about or {}).get(one.metric, "")}
            for one in c.differences
        ],
        "ranking": ranking,
        "first": first(ranking),
        "slices": _slices(c),
        "changed": [_changed(each, labels, pool) for each in c.changed],
        "only": {
            side: {"count": len(ids), "ids": [*map(fit, ids[:ONLY])]}
            for side, ids in (("A", c.only_a), ("B", c.only_b))
        },
        "texts": pool.texts,
    }


def _title(a: str, b: str) -> str:
    if a != b:
        return f"{a} → {b}"
    return "Comparison" if a == UNNAMED else a


def _difference(one: Difference) -> dict[str, Any]:
    found = one.paired
    said: dict[str, Any] = {
        "label": one.metric,
        "outcome": str(one.outcome),
        "words": one.words,
        "neither": one.neither,
        "unpaired": [
            {
                "run": each.run,
                "status": str(each.status),
                "reason": fit(each.reason),
                "count": each.count,
                "ids": [*map(fit, each.ids)],
            }
            for each in one.unpaired
        ],
        "paired": None,
    }
    if found is not None:
        said["paired"] = {
            "n": found.n,
            "a": number(found.mean_a),
            "b": number(found.mean_b),
            "difference": number(found.difference),
            "interval": interval_of(found.interval),
            "p": one.p_adjusted,
            "test": found.test,
            "counts": [found.better, found.worse, found.equal],
        }
    return said


def _scale(c: Comparison, metric: str) -> dict[str, Any]:
    values = [*c.a.account.tallies[metric].values, *c.b.account.tallies[metric].values]
    return {"range": list(span_of(values))}


def _slices(c: Comparison) -> list[dict[str, Any]]:
    columns: dict[str, list[dict[str, Any]]] = {}
    for each in c.slices:
        values = columns.setdefault(each.column, [])
        metrics = [_difference(one) for one in each.differences]
        values.append({"value": fit(each.value), "rows": each.rows, "metrics": metrics})
    return [{"column": fit(name), "values": values} for name, values in columns.items()]


def _changed(each: Changed, labels: list[str], pool: Pool) -> dict[str, Any]:
    return {
        "id": fit(each.id),
        "change": number(each.change),
        "by": [number(each.differences.get(label, 0.0)) for label in labels],
        "a": encode_row(0, each.a, labels, pool),
        "b": encode_row(0, each.b, labels, pool),
    }


def _lead(c: Comparison) -> str:
    """Which metrics are better and which worse, in one sentence."""
    by: dict[Outcome, list[str]] = {outcome: [] for outcome in Outcome}
    for one in c.differences:
        by[one.outcome].append(one.metric)
    parts = [
        f"{word} in {_listed(by[outcome])}"
        for outcome, word in ((Outcome.WORSE, "worse"), (Outcome.BETTER, "better"))
        if by[outcome]
    ]
    count = len(c.differences)
    if not parts:
        same = len(by[Outcome.EQUAL]) == count
        return "No row differs." if same else "No metric shows a difference that is sure."
    open_ = len(by[Outcome.UNCLEAR])
    rest = f" For {open_} of {count} metrics it cannot be told." if open_ else ""
    return f"B is {' and '.join(parts)}.{rest}"


def _listed(names: list[str]) -> str:
    told = [*map(spelled, names)]
    return told[0] if len(told) == 1 else f"{', '.join(told[:-1])} and {told[-1]}"
