"""A run as the one document that its page holds: figures, slices, and rows with their claims."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from troth.account import Row, Summary
from troth.report.html.collect import MOST_ROWS, Collected
from troth.report.html.repeat import repeat
from troth.report.html.texts import Places, Pool, fit
from troth.run import Run
from troth.score import NO_USAGE, Score, Usage
from troth.stats.intervals import mean_interval

if TYPE_CHECKING:
    from troth.stats.intervals import Interval

BINS = 20
UNNAMED = "Evaluation"  # the title where the rows came from no file
SKIPPED = 20  # bad rows that are named
FIRST = ("faithfulness", "answer_correctness")
MOST_META = 40  # of a row's other columns
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


def run_document(
    run: Run, about: Mapping[str, str] | None = None, cluster: str | None = None
) -> dict[str, Any]:
    """What the page of `run` shows, in plain JSON values.

    about: what each metric says, by its label. cluster: the column whose equal values mark rows
    that belong together, for the intervals. Of more than 5,000 rows the lowest and a sample of the
    others are held; all figures are over all rows. The rows are read once; the run's own account is
    not looked at.
    """
    found = Collected.of(run.rows, run.metrics, run.account.ranking, cluster)
    kept = found.kept()
    codes = [each for *_, each in found.slices()]
    pool = Pool()
    return {
        **identity(run),
        "kind": "run",
        "lead": _lead(run, found),
        "metrics": [
            _metric(run, summary, found, (about or {}).get(label, ""))
            for label, summary in found.account.summary().items()
        ],
        "ranking": list(run.account.ranking),
        "first": first(run.account.ranking),
        "slices": _slices(found),
        "unscored": _unscored(found),
        "skipped": {"count": len(run.skipped), "first": [*map(fit, run.skipped[:SKIPPED])]},
        **_spent(run, found.account.summary().values()),
        "rows": [
            encode_row(place, row, run.metrics, pool) | {"k": [c[place] for c in codes]}
            for place, row in kept
        ],
        "texts": pool.texts,
        "repeat": repeat(run),
    }


def identity(run: Run) -> dict[str, Any]:
    """What a run is called and when it was made."""
    source = str(run.info.get("source", "")) or "rows"
    made = re.match(r"(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)", run.id)
    year, month, day, hour, minute = made.groups() if made else ("",) * 5
    when = f"{int(day)} {MONTHS[int(month) - 1]} {year}, {hour}:{minute}" if made else ""
    return {
        "id": run.id,
        "title": UNNAMED if source == "rows" else fit(PurePath(source.replace("\\", "/")).name),
        "judge": fit(run.judge),
        "when": when,
        "seconds": round(run.seconds, 1),
        "total": len(run),
        "most": MOST_ROWS,
    }


def first(ranking: Sequence[str]) -> str:
    """The metric that a page opens with: what tells most about answers, or the first that ranks."""
    return next((label for label in FIRST if label in ranking), ranking[0])


def spelled(label: str) -> str:
    """A metric's label in words: `token_f1:squad` is token F1 (squad), `recall@5` recall at 5."""
    name, *choices = re.split("[:@]", re.sub(r"@(?=\d+$)", " at ", label))
    words = re.sub(r"\bf1\b", "F1", name.replace("_", " "))
    return f"{words} ({', '.join(choices)})" if choices else words


def interval_of(interval: Interval | None) -> dict[str, Any] | None:
    """An interval as the page draws it."""
    if interval is None:
        return None
    return {
        "low": number(interval.low),
        "high": number(interval.high),
        "confidence": interval.confidence,
        "method": interval.method,
        "n": interval.n,
        "trusted": interval.trusted,
        "note": interval.note,
    }


def encode_row(place: int, row: Row, metrics: Sequence[str], pool: Pool) -> dict[str, Any]:
    """One row: texts by their number in the pool, scores in the order of `metrics`."""
    s = row.sample
    places = Places(s)
    encoded: dict[str, Any] = {"n": place + 1, "id": fit(s.id)}
    encoded |= {k: pool.add(v) for k, v in (("q", s.question), ("a", s.answer)) if v is not None}
    for key, texts in (("r", s.references), ("c", s.contexts), ("w", s.relevant_contexts)):
        if texts is not None:
            encoded[key] = [pool.add(text) for text in texts]
    if s.retrieved_ids is not None:
        encoded["found"] = [fit(found) for found in s.retrieved_ids]
    if s.relevant_ids is not None:
        encoded["wanted"] = [fit(name) for name, grade in s.relevant_ids if grade > 0]
    meta = list(s.meta.items())[:MOST_META]
    encoded["m"] = {fit(str(k)): pool.add(_said(v)) for k, v in meta if v is not None}
    encoded["s"] = [encode_score(row.scores[metric], places, pool) for metric in metrics]
    return encoded


def encode_score(score: Score, places: Places, pool: Pool) -> list[Any]:
    """Value, status, support, reason, verdicts. A claim's own words are left to its place."""
    add, place = pool.add, places.of
    verdicts = []
    for v in score.verdicts:
        span = place(v)
        told: list[Any] = [v.id, add(v.label), round(v.support, 3), add(v.reason), v.sources]
        own = span is None or v.weight != 1
        verdicts.append([*told, add(v.text) if own else -1, span or 0])
    value = None if score.value is None else number(score.value)
    support = None if score.support is None else number(score.support)
    return [value, str(score.status)[0], support, add(score.reason), verdicts]


def number(value: float, digits: int = 4) -> float | int:
    """A number as short as the page needs it."""
    rounded = round(float(value), digits)
    return int(rounded) if rounded == int(rounded) else rounded


def span_of(values: Sequence[float]) -> tuple[float, float]:
    """The scale that `values` are drawn on: 0 to 1, or what holds them all."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    if low >= 0 and high <= 1:
        return 0.0, 1.0
    return float(math.floor(low)), float(math.ceil(high))


def interval(
    values: Sequence[float], clusters: Sequence[str | None] | None = None
) -> dict[str, Any] | None:
    """The mean's interval; of values on another scale than 0 to 1 without that bound."""
    bounds = (0.0, 1.0) if span_of(values) == (0.0, 1.0) else None
    return interval_of(mean_interval(values, clusters=clusters, bounds=bounds))


def _metric(run: Run, s: Summary, found: Collected, about: str) -> dict[str, Any]:
    values, clusters = _scored(found, s.metric, None)
    low, high = span_of(values)
    bins = [0] * BINS
    for value in values:
        bins[min(BINS - 1, int((value - low) / (high - low) * BINS))] += 1
    return {
        "label": s.metric,
        "about": about,
        "range": [low, high],
        "mean": None if s.mean is None else number(s.mean),
        "interval": interval(values, clusters),
        "scored": s.scored,
        "unscorable": s.unscorable,
        "failed": s.failed,
        "total": s.total,
        "below": sum(value < high for value in values),
        "bins": bins,
        "labels": dict(found.labels[s.metric].most_common(12)),
        **_spent(run, [s]),
    }


def _scored(
    found: Collected, metric: str, chosen: tuple[Sequence[int], int] | None
) -> tuple[list[float], list[str | None] | None]:
    """The values of the scored rows (of one slice) and what they are grouped by."""
    every = found.values[metric]
    codes, code = chosen or ((), 0)
    places = [
        n
        for n, value in enumerate(every)
        if not math.isnan(value) and (not chosen or codes[n] == code)
    ]
    groups = found.clusters
    return [every[n] for n in places], None if groups is None else [groups[n] for n in places]


def _slices(found: Collected) -> list[dict[str, Any]]:
    made = []
    for column, names, codes in found.slices():
        values: list[dict[str, Any]] = []
        for code, name in enumerate(names):
            metrics: list[Any] = []
            for metric in found.metrics:
                scored, clusters = _scored(found, metric, (codes, code))
                mean = number(math.fsum(scored) / len(scored)) if scored else None
                metrics.append([mean, len(scored), interval(scored, clusters)])
            rows = sum(each == code for each in codes)
            values.append({"value": fit(name), "rows": rows, "metrics": metrics})
        made.append({"column": fit(column), "of": [*map(fit, names)], "values": values})
    return made


def _unscored(found: Collected) -> list[dict[str, Any]]:
    return [
        {
            "metric": m,
            "status": str(status),
            "reason": fit(why),
            "count": n,
            "ids": [*map(fit, ids)],
        }
        for m, tally in found.account.tallies.items()
        for (status, why), (n, ids) in sorted(tally.unscored.items(), key=lambda i: -i[1][0])
    ]


def _spent(run: Run, summaries: Any) -> dict[str, Any]:
    each = list(summaries)
    usage, saved = (sum((getattr(s, of) for s in each), NO_USAGE) for of in ("usage", "saved"))
    return {"usage": _usage(run, usage), "saved": _usage(run, saved)}


def _usage(run: Run, usage: Usage) -> list[Any]:
    cost = run.cost_of(usage)
    return [usage.calls, usage.input_tokens, usage.output_tokens, cost]


def _lead(run: Run, found: Collected) -> str:
    """The first thing to know, in one sentence."""
    label = first(run.account.ranking)
    name = spelled(label)
    s = found.account.summary()[label]
    if not s.scored:
        return f"No row of {s.total} has a score for {name}."
    values = _scored(found, label, None)[0]
    low = sum(value < 1 for value in values)
    silent = s.total - s.scored
    rest = f" {silent} could not be judged." if silent else ""
    if label == "faithfulness":
        what = "hold a claim that their contexts do not support"
        if not low:
            return f"All {s.scored} judged answers are supported by their contexts.{rest}"
        return f"{low} of {s.scored} judged answers {what}.{rest}"
    if span_of(values) != (0.0, 1.0):
        said = f"{name} is {s.mean:.2f} on average over {s.scored} of {s.total} rows."
        return said[0].upper() + said[1:]
    return f"{low} of {s.scored} scored rows are below 1 in {name}.{rest}"


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else str(value)
