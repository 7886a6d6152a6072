"""What the components share: scoring rows, warming up, closing, spans (and see `_serialise`).

A component that asks a judge is a plain class under `@component` that derives from
`JudgedComponent` and sets one attribute:

    @component
    class MyEvaluator(JudgedComponent):
        __module__ = PUBLIC

        def __init__(self, *, judge=None, chat_generator=None, max_concurrency=None, ...):
            self._judging = Judging(NAME, judge_of(NAME, judge, chat_generator, max_concurrency),
                                    generator=chat_generator, max_concurrency=max_concurrency, ...)

        @component.output_types(...)
        def run(self, **inputs):
            return self._output(self._judging.scores(METRIC, self._samples(inputs)))

        @component.output_types(...)  # the same types and the same parameters as run
        async def run_async(self, **inputs):
            return self._output(await self._judging.scores_async(METRIC, self._samples(inputs)))

        def to_dict(self):
            return serialised(self, judge=..., chat_generator=..., **self._judging.options())

        @classmethod
        def from_dict(cls, data):
            return revived(cls, data)

`PUBLIC`, `serialised` and `revived` are in `_serialise`, `judge_of` in `_judge`. Components that
ask no judge use those, `span` and `mean_of` alone.
Never write `super()` without arguments in a class under `@component`: the decorator makes a second
class of it. `__module__ = PUBLIC` is the name that stands in a pipeline's YAML; modules under
`haystack_integrations` are loaded from it without asking. Nothing here keeps an event loop, a
connection or an open file between two runs, so that one component serves several loops and threads.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any

from haystack.tracing.tracer import Span, tracer

from troth.account import Row, Summary
from troth.engine.desk import Desk
from troth.engine.runner import run_rows
from troth.engine.sync import run_sync
from troth.errors import JudgeSetupError, RowFailed, UsageError
from troth.haystack._inputs import numbered, shown
from troth.haystack._serialise import Fixed
from troth.judges.base import Judge
from troth.judges.chat_generator import close_async
from troth.metric import Metric
from troth.plan import keeping
from troth.report.progress import progress_bar as progress
from troth.sample import Sample
from troth.score import Score, Status

_log = logging.getLogger("troth.haystack")
_WITHOUT = {Status.FAILED: "failed", Status.UNSCORABLE: "hold nothing to judge"}


class Judging:
    """The judge of one component and how it is asked. Nothing is opened before rows are scored.

    - `max_concurrency`: replies awaited at once, at least 1; the judge's own default.
    - `journal`: path of a store (`troth.Store`) that keeps the paid replies, so that the same rows
      are not paid for twice; made on first use.
    - `progress_bar`: shown on standard error for what takes over a second.
    - `raise_on_failure`: a row that the judge fails is a `RowFailed` (a `ValueError`), raised when
      all rows before it are judged; rows behind it that are being asked about then are given up,
      and no other is begun. Otherwise its `Score` is `failed`, with the reason. A row in which
      there is nothing to judge is `unscorable` and never an error.
    - `explain`: without it labels alone are asked for: cheaper, and no reasons.

    Raises `UsageError` for settings that cannot be.
    """

    def __init__(
        self,
        source: str,
        judge: Judge,
        *,
        generator: Any = None,
        max_concurrency: int | None = None,
        journal: str | Path | None = None,
        progress_bar: bool = True,
        raise_on_failure: bool = True,
        explain: bool = True,
    ) -> None:
        if journal is not None and not isinstance(journal, (str, Path)):
            raise UsageError(f"{source}: journal must be a path or None, not {shown(journal)}")
        self.source = source
        self.judge = judge
        self.generator = generator
        self.max_concurrency = concurrency_of(source, max_concurrency)
        self.journal = None if journal is None else str(journal)
        self.progress_bar = _switch(source, "progress_bar", progress_bar)
        self.raise_on_failure = _switch(source, "raise_on_failure", raise_on_failure)
        self.explain = explain
        self._warm = False

    def options(self) -> dict[str, Any]:
        """The settings under the names that all constructors give them, for `serialised`."""
        names = ("max_concurrency", "journal", "progress_bar", "raise_on_failure")
        return {name: getattr(self, name) for name in names}

    def scores(self, metric: Metric, samples: Sequence[Sample]) -> list[Score]:
        """One score per sample, in their order; works inside a running event loop too."""
        return run_sync(lambda: self.scores_async(metric, samples))

    async def scores_async(self, metric: Metric, samples: Sequence[Sample]) -> list[Score]:
        """`scores` for async code: the rows are judged concurrently on the running loop.

        Raises `RowFailed` (see the class), `JudgeSetupError` where no row can be judged (no key),
        `StoreError` where the journal cannot be used.
        """
        scores: list[Score] = []
        with (
            self._named(),
            span(self.source, {"troth.metric": metric.label, "troth.judge": self.judge.name}) as sp,
            keeping(self.journal) as store,
        ):
            desk = Desk(
                self.judge,
                replies=store.journal if store is not None else None,
                concurrency=self.max_concurrency,
                explain=self.explain,
            )
            with progress(len(samples), desk.meter, self.progress_bar) as show:

                def on_row(row: Row) -> None:
                    score = row.scores[metric.label]
                    if self.raise_on_failure and score.status is Status.FAILED:
                        raise RowFailed(self.source, len(scores) + 1, score.reason)
                    scores.append(score)
                    show()

                await run_rows(samples, [metric], desk, on_row=on_row)
            self._account(sp, metric, scores)
        return scores

    def _account(self, sp: Span, metric: Metric, scores: Sequence[Score]) -> None:
        summary = Summary.of(metric.label, scores)
        counts = ("total", "scored", "unscorable", "failed", "mean")
        sp.set_tags({f"troth.{name}": getattr(summary, name) for name in counts})
        usage = ("calls", "input_tokens", "output_tokens")
        sp.set_tags({f"troth.usage.{name}": getattr(summary.usage, name) for name in usage})
        sp.set_tags({f"troth.saved.{name}": getattr(summary.saved, name) for name in usage})
        for status, what in _WITHOUT.items():
            if places := [place for place, score in enumerate(scores) if score.status is status]:
                rows, first = numbered(places), scores[places[0]].reason
                text = "%s: %d of %d rows %s and have no score (%s); the first one: %s"
                _log.warning(text, self.source, len(places), len(scores), what, rows, first)

    def warm_up(self) -> None:
        """See whether the judge can start: its key, its model file, its generator's own warm-up.

        Does nothing the second time. Raises `JudgeSetupError` where the judge cannot start.
        """
        if not self._warm:
            run_sync(self._tried)
            self._warm = True

    async def warm_up_async(self) -> None:
        """`warm_up` on the running event loop."""
        if not self._warm:
            await self._tried()
            self._warm = True

    async def _tried(self) -> None:
        with self._named():
            try:
                await self.judge.start()
            finally:
                await self.judge.close()

    @contextmanager
    def _named(self) -> Iterator[None]:
        """An error that ends the run says which component of the pipeline it is from."""
        try:
            yield
        except JudgeSetupError as error:
            raise JudgeSetupError(f"{self.source}: {error}") from None

    def close(self) -> None:
        """Close the generator; a judge holds nothing between runs. It may be used again."""
        self._warm = False
        if hasattr(self.generator, "close"):
            self.generator.close()

    async def close_async(self) -> None:
        """`close` on the running event loop."""
        self._warm = False
        if hasattr(self.generator, "close_async"):
            await close_async(self.generator)
        elif hasattr(self.generator, "close"):
            self.generator.close()


class JudgedComponent(Fixed):
    """Base of components that ask a judge: what Haystack calls around a run."""

    _judging: Judging

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """A copy has the same judge: that serves several callers, and may hold connections."""
        held = vars(self)
        params = held.get("metric_params") or {}
        shared = [self._judging.judge, self._judging.generator, held.get("judge"), *params.values()]
        memo |= {id(one): one for one in shared}
        copied = memo[id(self)] = object.__new__(type(self))
        vars(copied).update(deepcopy(held, memo))
        return copied

    def warm_up(self) -> None:
        """Find out now whether the judge can work; raises `JudgeSetupError` where it cannot."""
        self._judging.warm_up()

    async def warm_up_async(self) -> None:
        """`warm_up` on the running event loop."""
        await self._judging.warm_up_async()

    def close(self) -> None:
        """Release what the judge holds. The component may be used again."""
        self._judging.close()

    async def close_async(self) -> None:
        """`close` on the running event loop."""
        await self._judging.close_async()


def concurrency_of(source: str, value: int | None) -> int | None:
    """`value`, an int of at least 1 or `None`; `UsageError` for anything else."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
        raise UsageError(f"{source}: max_concurrency must be at least 1 or None, not {value!r}")
    return value


def flag(source: str, name: str, value: Any) -> bool:
    """`value`, `True` or `False`; `UsageError` for anything else."""
    if not isinstance(value, bool):
        raise UsageError(f"{source}: {name} must be True or False, not {shown(value)}")
    return value


def _switch(source: str, name: str, value: Any) -> bool:
    """`flag`, where 1, 0 and `None` will do: Haystack's own components take them."""
    return flag(source, name, bool(value) if value in (None, 0, 1) else value)


def mean_of(values: Iterable[float | None]) -> float | None:
    """The mean of the values that are there, a plain float; `None` where there is none."""
    present = [float(value) for value in values if value is not None]
    return math.fsum(present) / len(present) if present else None


@contextmanager
def span(source: str, tags: Mapping[str, Any]) -> Iterator[Span]:
    """A tracing span around a component's own work, below the one that a pipeline makes for it."""
    with tracer.trace(
        "troth.evaluator.run",
        tags={"haystack.component.type": source, **tags},
        parent_span=tracer.current_span(),
    ) as made:
        yield made
