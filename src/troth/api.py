"""The main job in one call: rows in, accounted scores out."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from platform import python_version
from typing import Any

from troth import metrics as catalogue
from troth.account import Row
from troth.engine.app import wrap
from troth.engine.budget import Budget
from troth.engine.desk import Desk
from troth.engine.runner import run_rows
from troth.engine.sync import run_sync
from troth.errors import UsageError
from troth.judges.base import Judge
from troth.judges.names import resolve
from troth.metric import Metric
from troth.reading import Scan, scan
from troth.report.progress import progress_bar
from troth.run import Run
from troth.store import Store
from troth.store.sink import Sink, ranking

Metrics = str | Metric | Iterable[str | Metric]
APP_FIELDS = frozenset({"answer", "contexts"})  # what the user's application brings


def evaluate(
    data: Any,
    metrics: Metrics | None = None,
    judge: str | Judge = "builtin",
    *,
    app: Callable[[str], Any] | None = None,
    mapping: Mapping[str, str] | None = None,
    skip_bad_rows: bool = False,
    store: Store | str | Path | None = None,
    concurrency: int | None = None,
    budget: Budget | None = None,
    progress: bool | None = None,
) -> Run:
    """Evaluate `data` and return the run; works inside a running event loop (a notebook) too.

    data: a path (JSONL, JSON, CSV, TSV, Parquet), rows (mappings or `Sample`s), a mapping of
        columns, or a data frame; see docs/data.md for the column names that are recognised.
    metrics: names (`"faithfulness"`, `"exact_match:squad"`) or `Metric`s; without them, all that
        the columns permit.
    judge: a name (`"builtin"`, `"openai/gpt-4o-mini"`, `"http://127.0.0.1:11434/v1#qwen3"`) or a
        `Judge`; asked by judged metrics only.
    app: your system, sync or async: called with each row's question, it returns the answer,
        `(answer, contexts)` or a mapping of both, which are then scored.
    mapping: field -> column, for columns of other names.
    skip_bad_rows: leave malformed rows out and count them in `Run.skipped`.
    store: a `Store` or the path of one, to keep the run and the judge's replies.
    concurrency: how many of the judge's replies may be awaited at once; the judge's own default.
    budget: `troth.Budget(max_calls=..., max_tokens=..., max_cost=...)`; what is not asked any more
        is `failed` and says so, and the same call with the same store goes on from there.
    progress: a bar on standard error; by default on a terminal, for what takes over a second.

    An empty input raises `InputError`, as does a metric whose columns are absent. A row that
    cannot be scored is in the run, with its status and reason.
    """
    return run_sync(
        lambda: aevaluate(
            data,
            metrics,
            judge,
            app=app,
            mapping=mapping,
            skip_bad_rows=skip_bad_rows,
            store=store,
            concurrency=concurrency,
            budget=budget,
            progress=progress,
        )
    )


async def aevaluate(
    data: Any,
    metrics: Metrics | None = None,
    judge: str | Judge = "builtin",
    *,
    app: Callable[[str], Any] | None = None,
    mapping: Mapping[str, str] | None = None,
    skip_bad_rows: bool = False,
    store: Store | str | Path | None = None,
    concurrency: int | None = None,
    budget: Budget | None = None,
    progress: bool | None = None,
) -> Run:
    """`evaluate` for async code: the same parameters, the same run."""
    chosen = None if metrics is None else parse_metrics(metrics)
    answering = resolved(judge, concurrency)
    scanned = _scan(data, chosen, app, mapping, skip_bad_rows)
    chosen = chosen or default_metrics(scanned, app)
    desk = Desk(answering, concurrency=concurrency, budget=budget)
    run_id = time.strftime("%Y%m%d-%H%M%S-") + secrets.token_hex(2)
    with keeping(store) as kept:
        sink = Sink.open(kept, run_id, chosen, answering.name, answered=app is not None)
        count = sink.take(scanned.samples())
        if kept is not None:
            desk.replies = kept.journal
        started = time.perf_counter()
        with progress_bar(count, desk.meter, progress) as show:

            def on_row(row: Row) -> None:
                sink.add(row)
                show()

            await run_rows(
                sink.samples(), chosen, desk, app=wrap(app) if app else None, on_row=on_row
            )
        info = _info(scanned, chosen, answering, sink.digest)
        skipped = tuple(str(error) for error in scanned.skipped)
        return sink.finish(info, skipped, time.perf_counter() - started)


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
    every = [catalogue.metric_class(name)() for name in catalogue.names()]
    chosen = tuple(m for m in every if set(m.needs) <= fields)
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
def keeping(store: Store | str | Path | None) -> Iterator[Store | None]:
    """The store to keep a run in; one that is given by its path is closed at the end."""
    if not isinstance(store, (str, Path)):
        yield store
        return
    with Store(store) as opened:
        yield opened


def _scan(
    data: Any,
    metrics: Sequence[Metric] | None,
    app: object,
    mapping: Mapping[str, str] | None,
    skip_bad: bool,
) -> Scan:
    needs = {field for metric in metrics or () for field in metric.needs}
    if app:
        needs = (needs - APP_FIELDS) | {"question"}
    return scan(data, mapping=mapping, skip_bad=skip_bad, needs=needs)


def _info(scanned: Scan, metrics: Sequence[Metric], judge: Judge, digest: str) -> dict[str, Any]:
    """What somebody needs to repeat the run; plain JSON values."""
    from importlib.metadata import version  # noqa: PLC0415 - 80 ms that only a run needs

    judged = [metric.label for metric in metrics if metric.judged]
    return {
        "source": scanned.source.encode("utf-8", "replace").decode(),
        "data_sha256": digest,
        "mapped": dict(scanned.mapped),
        "metrics": {metric.label: repr(metric) for metric in metrics},
        "ranking": list(ranking(metrics)),
        "unused": [c for c in scanned.columns if c not in scanned.mapped.values()],
        "judge": dict(judge.identity()) if judged else None,
        "versions": {"troth": version("troth"), "python": python_version()},
    }
