"""Where the rows of a run go while it goes on: into a store, or into memory."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from troth.account import Account, Row
from troth.errors import InputError
from troth.metric import Metric
from troth.run import Run
from troth.sample import Sample
from troth.store.base import CHUNK, RunStore, StoredRows


def ranking(metrics: Sequence[Metric]) -> tuple[str, ...]:
    """The metrics that rank rows from worst to best: the judged ones that look at the answer.

    Failing those, all judged ones; failing those, all. Somebody who debugs wants to see wrong
    answers first, not rows for which retrieval found little.
    """
    judged = [metric for metric in metrics if metric.judged]
    of_answers = [metric for metric in judged if "answer" in metric.needs]
    return tuple(metric.label for metric in of_answers or judged or metrics)


class Sink:
    """Takes the samples of a run first, then its rows, and becomes the `Run`.

    With a store nothing of it stays in memory but the account.
    """

    def __init__(self, run_id: str, metrics: Sequence[Metric], judge: str) -> None:
        self.run_id = run_id
        self.labels = tuple(metric.label for metric in metrics)
        self.judge = judge if any(metric.judged for metric in metrics) else "none"
        self.account = Account(self.labels, ranking(metrics))
        self.digest = ""
        self._samples: tuple[Sample, ...] = ()
        self._rows: list[Row] = []

    @staticmethod
    def open(
        store: RunStore | None,
        run_id: str,
        metrics: Sequence[Metric],
        judge: str,
        *,
        answered: bool,
    ) -> Sink:
        """A sink into `store`, or into memory; `answered`: an application changes the samples."""
        if store is None:
            return Sink(run_id, metrics, judge)
        return StoreSink(store, run_id, metrics, judge, answered)

    def take(self, samples: Iterable[Sample]) -> int:
        """Read all samples, so that a bad row is found before anything is asked; how many."""
        self._samples = tuple(self._hashed(samples))
        return len(self._samples)

    def samples(self) -> Iterable[Sample]:
        """The samples that were taken, in order."""
        return self._samples

    def add(self, row: Row) -> None:
        """The next row, scored."""
        self.account.add(row)
        self._rows.append(row)

    def finish(self, info: Mapping[str, Any], skipped: tuple[str, ...], seconds: float) -> Run:
        """The run."""
        return self._run(tuple(self._rows), info, skipped, seconds)

    def _run(
        self, rows: Sequence[Row], info: Mapping[str, Any], skipped: tuple[str, ...], seconds: float
    ) -> Run:
        return Run(rows, self.labels, self.judge, info, skipped, seconds, self.run_id, self.account)

    def _hashed(self, samples: Iterable[Sample]) -> Iterator[Sample]:
        digest = hashlib.sha256()
        for sample in samples:
            try:
                digest.update(msgspec.json.encode(sample, enc_hook=str))
            except Exception as error:  # a cell may be any object, with any __str__
                raise InputError(
                    "a column beside the fields cannot be kept: "
                    f"{type(error).__name__}: {error}; leave it out",
                    field=f"id {sample.id[:40]}",
                ) from None
            yield sample
        self.digest = digest.hexdigest()


class StoreSink(Sink):
    """A sink into a store."""

    def __init__(
        self,
        store: RunStore,
        run_id: str,
        metrics: Sequence[Metric],
        judge: str,
        answered: bool,
    ) -> None:
        Sink.__init__(self, run_id, metrics, judge)
        self.store = store
        self.answered = answered
        self.written = 0
        store.begin(run_id, self.labels, self.judge)

    def take(self, samples: Iterable[Sample]) -> int:
        """See `Sink`."""
        return self.store.add_samples(self.run_id, self._hashed(samples))

    def samples(self) -> Iterable[Sample]:
        """See `Sink`."""
        return self.store.samples(self.run_id)

    def add(self, row: Row) -> None:
        """See `Sink`."""
        Sink.add(self, row)
        if len(self._rows) >= CHUNK:
            self._write()

    def finish(self, info: Mapping[str, Any], skipped: tuple[str, ...], seconds: float) -> Run:
        """See `Sink`."""
        self._write()
        self.store.finish(self.run_id, info, skipped, seconds, self.account.summary())
        rows = StoredRows(self.store, self.run_id, self.labels, self.written)
        return self._run(rows, info, skipped, seconds)

    def _write(self) -> None:
        self.store.add_scores(self.run_id, self.written, self._rows, answered=self.answered)
        self.written += len(self._rows)
        self._rows = []
