"""The main job in one call: rows in, accounted scores out."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from platform import python_version
from typing import Any

import msgspec

from troth import metrics as catalogue
from troth.engine.app import wrap
from troth.engine.runner import run_rows
from troth.engine.sync import run_sync
from troth.errors import InputError, UsageError
from troth.judges.base import Judge
from troth.judges.names import resolve
from troth.metric import Metric
from troth.reading import Reading, read
from troth.report.progress import progress_bar
from troth.run import Run
from troth.sample import Sample
from troth.store import Store

Metrics = str | Metric | Iterable[str | Metric]


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
    progress: bool | None = None,
) -> Run:
    """`evaluate` for async code: the same parameters, the same run."""
    chosen = None if metrics is None else parse_metrics(metrics)
    answering = _resolved(judge, concurrency)
    given = {"answer", "contexts"} if app else set()
    needs = {field for metric in chosen or () for field in metric.needs} - given
    reading = read(
        data,
        mapping=mapping,
        skip_bad=skip_bad_rows,
        needs=needs | ({"question"} if app else set()),
    )
    chosen = chosen or default_metrics(reading.fields | given, reading)
    keeping = Store(store) if isinstance(store, (str, Path)) else store
    started = time.perf_counter()
    try:
        with progress_bar(len(reading.samples), progress) as on_row:
            rows = await run_rows(
                reading.samples,
                chosen,
                answering,
                app=wrap(app) if app else None,
                replies=keeping,
                concurrency=concurrency,
                on_row=on_row,
            )
        judged = any(metric.judged for metric in chosen)
        run = Run(
            rows,
            tuple(metric.label for metric in chosen),
            answering.name if judged else "none",
            _info(reading, chosen, answering if judged else None),
            tuple(str(error) for error in reading.skipped),
            time.perf_counter() - started,
            time.strftime("%Y%m%d-%H%M%S-") + secrets.token_hex(2),
        )
        if keeping:
            keeping.save(run)
    finally:
        if keeping and keeping is not store:
            keeping.close()
    return run


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


def default_metrics(fields: Collection[str], reading: Reading) -> tuple[Metric, ...]:
    """All metrics, in their plain form, whose fields are there."""
    every = [catalogue.metric_class(name)() for name in catalogue.names()]
    chosen = tuple(m for m in every if set(m.needs) <= set(fields))
    if not chosen:
        raise UsageError(
            f"{reading.source}: its columns ({', '.join(reading.columns)}) permit no metric; "
            "name the answer's column with --map answer=COLUMN (mapping={...} in Python)"
        )
    return chosen


def _resolved(judge: str | Judge, concurrency: int | None) -> Judge:
    if concurrency is None:
        return resolve(judge)
    if concurrency < 1:
        raise UsageError(f"concurrency must be at least 1, not {concurrency}")
    return resolve(judge, concurrency=concurrency)


def _kept(sample: Sample, source: str) -> bytes:
    """The sample as it is kept; an odd cell in its other columns is an error of its row."""
    try:
        return msgspec.json.encode(sample, enc_hook=str)
    except Exception as error:  # a cell may be any object, with any __str__
        raise InputError(
            f"a column beside the fields cannot be kept: {type(error).__name__}: {error}; "
            "leave it out",
            source=source,
            field=f"id {sample.id[:40]}",
        ) from None


def _info(reading: Reading, metrics: Sequence[Metric], judge: Judge | None) -> dict[str, Any]:
    """What somebody needs to repeat the run; plain JSON values."""
    from importlib.metadata import version  # noqa: PLC0415 - 80 ms that only a run needs

    digest = hashlib.sha256()
    for sample in reading.samples:
        digest.update(_kept(sample, reading.source))
    return {
        "source": reading.source.encode("utf-8", "replace").decode(),
        "data_sha256": digest.hexdigest(),
        "mapped": dict(reading.mapped),
        "metrics": {metric.label: repr(metric) for metric in metrics},
        "judge": dict(judge.identity()) if judge else None,
        "versions": {"troth": version("troth"), "python": python_version()},
    }
