"""What a run is going to do: which metrics over which input, by which judge, at what price."""

from __future__ import annotations

import secrets
import sys
import time
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from platform import machine, python_version
from typing import Any

from troth import metrics as catalogue
from troth.engine.budget import Budget, Price, Prices, price_of
from troth.engine.desk import Desk
from troth.errors import UsageError
from troth.judges.base import Judge
from troth.judges.names import resolve
from troth.metric import Metric
from troth.reading import Scan, scan
from troth.reading.columns import check_needed
from troth.store import RunStore, Store
from troth.store.sink import ranking

Metrics = str | Metric | Iterable[str | Metric]
SCORING = ("troth", "sentencex", "snowballstemmer")  # packages whose version can move a score
APP_FIELDS = frozenset({"answer", "contexts"})  # what the user's application brings


def parse_metrics(metrics: Metrics) -> tuple[Metric, ...]:
    """Names or metrics -> metrics; `UsageError` for unknown ones, none at all, or one twice."""
    listed: Iterable[str | Metric] = (
        [metrics] if isinstance(metrics, (str, Metric)) else list(metrics)
    )
    chosen = tuple(catalogue.parse(spec) for spec in listed)
    labels = [metric.label for metric in chosen]
    if not chosen:
        raise UsageError("no metric was asked for: leave `metrics` out for all that fit the data")
    if twice := {label for label in labels if labels.count(label) > 1}:
        raise UsageError(f"asked for twice: {', '.join(sorted(twice))}")
    return chosen


def default_metrics(scanned: Scan, app: object = None) -> tuple[Metric, ...]:
    """All metrics, in their plain form, whose fields are there (an `app` brings its own)."""
    fields = scanned.fields | (APP_FIELDS if app else frozenset())
    classes = map(catalogue.metric_class, catalogue.names())
    every = [found() for found in classes if not found.asked_only]
    chosen = tuple(m for m in every if not m.lacking(fields))
    if not chosen:
        raise UsageError(
            f"{scanned.source}: its columns ({', '.join(scanned.columns)}) permit no metric; "
            "name the answer's column with --map answer=COLUMN (mapping={...} in Python)"
        )
    return chosen


def resolved(judge: str | Judge, concurrency: int | None) -> Judge:
    """The judge by its name, with as many replies awaited at once as asked for."""
    if concurrency is None:
        return resolve(judge)
    if concurrency < 1:
        raise UsageError(f"concurrency must be at least 1, not {concurrency}")
    return resolve(judge, concurrency=concurrency)


@contextmanager
def keeping(store: RunStore | str | Path | None) -> Iterator[RunStore | None]:
    """The store to keep a run in; one that is given by its path is closed at the end."""
    if not isinstance(store, (str, Path)):
        yield store
        return
    with Store(store) as opened:
        yield opened


def chosen_metrics(
    data: Any,
    metrics: Metrics | None,
    *,
    granularity: str | None,
    app: object,
    mapping: Mapping[str, str] | None,
    skip_bad: bool,
) -> tuple[Scan, tuple[Metric, ...]]:
    """The input, looked through, and the metrics that were asked for or that it permits."""
    chosen = None if metrics is None else parse_metrics(metrics)
    needs = {field for metric in chosen or () for field in metric.needs}
    if app:
        needs = (needs - APP_FIELDS) | {"question"}
    scanned = scan(data, mapping=mapping, skip_bad=skip_bad, needs=needs)
    fields = scanned.fields | (APP_FIELDS if app else frozenset())
    for metric in chosen or ():  # what one of several columns would do for
        check_needed(metric.lacking(fields), scanned.mapped, scanned.columns, scanned.source)
    chosen = chosen or default_metrics(scanned, app)
    if granularity is not None:
        chosen = tuple(
            replace(metric, granularity=granularity)  # type: ignore[call-arg] # it has the field
            if hasattr(metric, "granularity")
            else metric
            for metric in chosen
        )
    return scanned, chosen


def known_price(
    judge: Judge, prices: Prices | str | Path | None, budget: Budget | None
) -> Price | None:
    """The judge's price, from a table or a TOML file of one.

    `UsageError` where it is unknown although a table or a limit on the cost was given; judges that
    cost nothing need none.
    """
    table = _table(prices) if isinstance(prices, (str, Path)) else prices
    price = price_of(judge.name, table)
    if price is None and table is not None and not judge.free:
        raise UsageError(
            f"the prices have none for {judge.name!r}, only for {', '.join(map(repr, table))}"
        )
    if price is None and budget is not None and budget.max_cost is not None:
        raise UsageError(
            f"max_cost needs the price of {judge.name!r}: prices={{{judge.name!r}: "
            '{"input": ..., "output": ...}}, or --prices FILE'
        )
    return price


def _table(path: str | Path) -> Prices:
    try:
        return tomllib.loads(Path(path).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"the prices in {str(path)!r} cannot be read: {error}") from None


def new_id() -> str:
    """An id for a run: sortable by time."""
    return time.strftime("%Y%m%d-%H%M%S-") + secrets.token_hex(2)


@lru_cache
def versions() -> Mapping[str, str]:
    """Of what decides scores. Looking them up takes some 50 ms, once."""
    from importlib.metadata import version  # noqa: PLC0415 - only a run needs it

    return {"python": python_version()} | {name: version(name) for name in SCORING}


def info_of(scanned: Scan, metrics: Sequence[Metric], desk: Desk, digest: str) -> dict[str, Any]:
    """What somebody needs to repeat the run; plain JSON values."""
    judged = any(metric.judged for metric in metrics)
    return {
        "source": scanned.source.encode("utf-8", "replace").decode(),
        "data_sha256": digest,
        "mapped": dict(scanned.mapped),
        "metrics": {metric.label: repr(metric) for metric in metrics},
        "ranking": list(ranking(metrics)),
        "unused": [c for c in scanned.columns if c not in scanned.mapped.values()],
        "judge": dict(desk.judge.identity()) if judged else None,
        "asking": _asking(desk) if judged else None,
        "encoders": {name: dict(said) for name, said in desk.encoders.items()} or None,
        "price": asdict(desk.price) if desk.price else None,
        "versions": dict(versions()),
        "platform": f"{sys.platform} {machine()}",
    }


def _asking(desk: Desk) -> dict[str, Any]:
    """How the judge was asked, and what the run might spend: rows behind a limit are failed."""
    limits = {name: limit for name, limit in asdict(desk.budget).items() if limit is not None}
    return {
        "joint": desk.joint,
        "explain": desk.explain,
        "window": getattr(desk.judge, "window", None),  # what is longer is asked in parts
        "budget": limits or None,
    }
