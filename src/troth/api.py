"""The main job in one call: rows in, accounted scores out."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from troth.account import Row
from troth.engine.app import wrap
from troth.engine.budget import Budget, Prices
from troth.engine.desk import Desk
from troth.engine.estimate import Estimate, estimates
from troth.engine.runner import run_rows
from troth.engine.sync import run_sync
from troth.judges.base import Judge
from troth.plan import (
    Metrics,
    chosen_metrics,
    info_of,
    keeping,
    known_price,
    new_id,
    resolved,
    versions,
)
from troth.report.progress import progress_bar
from troth.run import Run
from troth.store import RunStore
from troth.store.sink import Sink


def evaluate(
    data: Any,
    metrics: Metrics | None = None,
    judge: str | Judge = "builtin",
    *,
    app: Callable[[str], Any] | None = None,
    mapping: Mapping[str, str] | None = None,
    skip_bad_rows: bool = False,
    granularity: str | None = None,
    joint: bool = False,
    explain: bool = True,
    store: RunStore | str | Path | None = None,
    concurrency: int | None = None,
    budget: Budget | None = None,
    prices: Prices | str | Path | None = None,
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
    granularity: `"answer"` asks one yes/no per answer instead of judging sentence by sentence.
    joint: one call per row for all its metrics, contexts sent once, where the judge can.
    explain: without it labels alone are asked for: cheaper, and no reasons.
    store: a `Store` or the path of one, to keep the run and the judge's replies.
    concurrency: how many of the judge's replies may be awaited at once; the judge's own default.
    budget: `troth.Budget(max_calls=..., max_tokens=..., max_cost=...)`; what is not asked any more
        is `failed` and says so, and the same call with the same store goes on from there.
    prices: judge name -> `{"input": ..., "output": ...}` per million tokens, to know costs; or the
        path of a TOML file that says so.
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
            granularity=granularity,
            joint=joint,
            explain=explain,
            store=store,
            concurrency=concurrency,
            budget=budget,
            prices=prices,
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
    granularity: str | None = None,
    joint: bool = False,
    explain: bool = True,
    store: RunStore | str | Path | None = None,
    concurrency: int | None = None,
    budget: Budget | None = None,
    prices: Prices | str | Path | None = None,
    progress: bool | None = None,
) -> Run:
    """`evaluate` for async code: the same parameters, the same run."""
    answering = resolved(judge, concurrency)
    price = known_price(answering, prices, budget)
    scanned, chosen = chosen_metrics(
        data, metrics, granularity=granularity, app=app, mapping=mapping, skip_bad=skip_bad_rows
    )
    desk = Desk(
        answering,
        concurrency=concurrency,
        budget=budget,
        price=price,
        explain=explain,
        joint=joint,
    )
    with keeping(store) as kept:
        sink = Sink.open(kept, new_id(), chosen, answering.name, answered=app is not None)
        count = sink.take(scanned.samples())
        desk.replies = kept.journal if kept is not None else None
        started = time.perf_counter()
        known = asyncio.get_running_loop().run_in_executor(None, versions)  # while replies are due
        with progress_bar(count, desk.meter, progress) as show:

            def on_row(row: Row) -> None:
                sink.add(row)
                show()

            await run_rows(
                sink.samples(), chosen, desk, app=wrap(app) if app else None, on_row=on_row
            )
        await known
        info = info_of(scanned, chosen, desk, sink.digest)
        skipped = tuple(str(error) for error in scanned.skipped)
        return sink.finish(info, skipped, time.perf_counter() - started)


def estimate(
    data: Any,
    metrics: Metrics | None = None,
    judge: str | Judge = "builtin",
    *,
    mapping: Mapping[str, str] | None = None,
    skip_bad_rows: bool = False,
    granularity: str | None = None,
    joint: bool = False,
    explain: bool = True,
    store: RunStore | str | Path | None = None,
    concurrency: int | None = None,
    budget: Budget | None = None,
    prices: Prices | str | Path | None = None,
) -> list[Estimate]:
    """What `evaluate` with the same parameters would ask and cost; nothing is asked.

    One `Estimate` per metric. What the store's journal already holds is counted as kept, and costs
    nothing. A store that does not exist yet is not made.
    """
    answering = resolved(judge, concurrency)
    price = known_price(answering, prices, budget)
    scanned, chosen = chosen_metrics(
        data, metrics, granularity=granularity, app=None, mapping=mapping, skip_bad=skip_bad_rows
    )
    if isinstance(store, (str, Path)) and not Path(store).is_file():
        store = None
    with keeping(store) as kept:
        replies = kept.journal if kept is not None else None
        desk = Desk(answering, replies=replies, price=price, explain=explain, joint=joint)
        return estimates(scanned.samples(), chosen, desk)
