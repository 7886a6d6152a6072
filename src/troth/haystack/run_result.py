"""The reports of an evaluation pipeline's run, and of two runs side by side."""

from __future__ import annotations

import csv
import logging
import math
from collections.abc import Collection, Mapping, Sequence
from copy import deepcopy
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from troth.errors import InputError, MissingExtra, UsageError
from troth.haystack._inputs import is_list, shown

if TYPE_CHECKING:
    from pandas import DataFrame

Format = Literal["json", "csv", "df"]
Table = dict[str, list[Any]]
_NAME = "EvaluationRunResult"
_log = logging.getLogger("troth.haystack")


class EvaluationRunResult:
    """The inputs and the results of one run of an evaluation pipeline.

    - `run_name`: names the run in comparisons.
    - `inputs`: name -> values, lists of one length.
    - `results`: metric -> the output of its evaluator, of which `score` and `individual_scores`
      (one per row of the inputs) are read.

    A row without a score is `None` (or NaN, as Haystack's evaluators write it; it becomes `None`).
    A metric may have the score `None` where no row has one. Raises `InputError` (a `ValueError`)
    for anything else: no inputs, other lengths, scores that are missing or no numbers, a metric
    that has the name of an input.
    """

    def __init__(
        self,
        run_name: str,
        inputs: Mapping[str, Collection[Any]],
        results: Mapping[str, Mapping[str, Any]],
    ) -> None:
        self.run_name = run_name
        self.inputs: Table = {name: _listed(name, values) for name, values in inputs.items()}
        self.results: dict[str, dict[str, Any]] = {}
        if not inputs:
            raise InputError("no inputs were given", source=_NAME)
        lengths = {name: len(values) for name, values in self.inputs.items()}
        if len(set(lengths.values())) > 1:
            counts = ", ".join(f"{name} {length}" for name, length in lengths.items())
            raise InputError(f"all inputs need the same length, got {counts}", source=_NAME)
        for metric, outputs in results.items():
            if metric in self.inputs:
                raise InputError("is the name of an input too", source=_NAME, field=metric)
            self.results[metric] = _checked(metric, outputs, next(iter(lengths.values())))

    def aggregated_report(
        self,
        output_format: Format = "json",
        csv_file: str | Path | None = None,
        *,
        coverage: bool = False,
    ) -> Table | DataFrame | str:
        """One line per metric: `metrics` and `score`; with `coverage` also `scored` and `total`.

        Those are how many rows have a score, of which `score` is the mean, and how many there are.
        Returns a dict of columns (`"json"`), a data frame (`"df"`) or, for `"csv"`, which writes
        `csv_file`, a sentence that says so. Raises `UsageError` (a `ValueError`) for other formats
        and where `csv_file` is not given, `OSError` where it cannot be written.
        """
        outputs = self.results.values()
        table: Table = {"metrics": [*self.results], "score": [each["score"] for each in outputs]}
        if coverage:
            rows = [each["individual_scores"] for each in outputs]
            table["scored"] = [len(scores) - scores.count(None) for scores in rows]
            table["total"] = [len(scores) for scores in rows]
        return _given_out(table, output_format, csv_file)

    def detailed_report(
        self, output_format: Format = "json", csv_file: str | Path | None = None
    ) -> Table | DataFrame | str:
        """One line per row: the inputs, then each metric's score. Formats as `aggregated_report`.

        A row without a score is `None` in a dict, empty in a CSV file, missing in a data frame.
        """
        return _given_out(self._detailed(), output_format, csv_file)

    def comparative_detailed_report(
        self,
        other: EvaluationRunResult,
        keep_columns: Sequence[str] | None = None,
        output_format: Format = "json",
        csv_file: str | Path | None = None,
    ) -> Table | DataFrame | str:
        """One line per row: this run's inputs, then each metric's scores in this run and `other`.

        Columns of scores are named after their run (`run_metric`), as are the inputs in
        `keep_columns`, which are given for both runs, and those that `other` alone has. Of inputs
        that differ this run's are given, and a warning says so. Formats as `aggregated_report`.
        Raises `TypeError` for what is no result, `InputError` (a `ValueError`) for runs of one
        name, of different lengths or metrics, for a row of which no input is the same in both (it
        is not the same row), for a `keep_columns` that is in neither or one run alone, and for
        names of which two would be one column.
        """
        if not isinstance(other, EvaluationRunResult):
            raise TypeError(f"other must be an EvaluationRunResult, not {shown(other)}")
        if isinstance(keep_columns, str):
            keep_columns = [keep_columns]
        kept = [*([] if keep_columns is None else keep_columns)]
        _comparable(self, other, kept)
        _same_rows(self, other, kept)
        if self.inputs.keys() != other.inputs.keys():
            text = "%s: the runs have different inputs; those that %r has are given once"
            _log.warning(text, _NAME, self.run_name)
        plain = [name for name in self.inputs if name not in kept]
        own, others = self._detailed(), other._detailed()
        columns = [
            *((name if name in plain else f"{self.run_name}_{name}", own[name]) for name in own),
            *((f"{other.run_name}_{n}", column) for n, column in others.items() if n not in plain),
        ]
        names = [name for name, _ in columns]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise InputError(
                f"two columns would be called {twice[0]!r}: rename a run", source=_NAME
            )
        return _given_out(dict(columns), output_format, csv_file)

    def _detailed(self) -> Table:
        scores = {name: outputs["individual_scores"] for name, outputs in self.results.items()}
        return {**self.inputs, **scores}


def _comparable(one: EvaluationRunResult, other: EvaluationRunResult, kept: list[str]) -> None:
    if one.run_name == other.run_name:
        problem = f"both runs are called {one.run_name!r}; give each a run_name of its own"
        raise InputError(problem, source=_NAME)
    rows, rows_of_other = (len(next(iter(run.inputs.values()))) for run in (one, other))
    if rows != rows_of_other:
        problem = f"{one.run_name!r} has {rows} rows and {other.run_name!r} has {rows_of_other}"
        raise InputError(f"{problem}: only runs over the same rows compare", source=_NAME)
    if one.results.keys() != other.results.keys():
        names = ", ".join(sorted(one.results.keys() ^ other.results.keys()))
        problem = f"only one of the runs has scores for {names}: leave them out of both"
        raise InputError(problem, source=_NAME)
    for name in kept:
        if not (name in one.inputs and name in other.inputs):
            problem = f"keep_columns names it, but it is no input of both runs; {[*one.inputs]} are"
            raise InputError(problem, source=_NAME, field=name)


def _same_rows(one: EvaluationRunResult, other: EvaluationRunResult, kept: list[str]) -> None:
    """Refuse a row that has nothing in common with the other run's; warn where a part differs."""
    names = [name for name in one.inputs if name in other.inputs and name not in kept]
    differing = {
        name: [not _equal(*pair) for pair in zip(one.inputs[name], other.inputs[name], strict=True)]
        for name in names
    }
    for row, parts in enumerate(zip(*differing.values(), strict=True)):
        if all(parts):
            came = " and ".join(shown(run.inputs[names[0]][row]) for run in (one, other))
            problem = f"{one.run_name!r} and {other.run_name!r} have {came}"
            advice = "only runs over the same rows compare; an input that is each run's own goes"
            raise InputError(
                f"{problem}: {advice} into keep_columns", source=_NAME, row=row + 1, field=names[0]
            )
    for name, differs in differing.items():
        if any(differs):
            text = "%s: %s differs in %d rows, first in row %d: the values of %r are given; %s"
            both = f"keep_columns=[{name!r}] gives those of both runs"
            first = differs.index(True) + 1
            _log.warning(text, _NAME, name, differs.count(True), first, one.run_name, both)


def _equal(one: Any, other: Any) -> bool:
    one, other = (value.tolist() if hasattr(value, "tolist") else value for value in (one, other))
    try:
        same = one is other or one == other or (one != one and other != other)  # noqa: PLR0124 - NaN
        return bool(same)
    except Exception:  # whatever foreign values raise: they cannot be told apart
        return True


def _listed(name: str, values: Any) -> list[Any]:
    is_list(_NAME, name, values)
    return deepcopy(list(values))


def _checked(metric: str, outputs: Any, rows: int) -> dict[str, Any]:
    """A metric's output with plain scores: floats, or ints as they came, and `None`."""
    for key in ("score", "individual_scores"):
        if not isinstance(outputs, Mapping) or key not in outputs:
            raise InputError(f"its results have no {key!r}", source=_NAME, field=metric)
    values = _listed(metric, outputs["individual_scores"])
    if len(values) != rows:
        problem = f"it has {len(values)} individual scores, but the inputs have {rows} rows"
        raise InputError(problem, source=_NAME, field=metric)
    scores = [_number(metric, value, row) for row, value in enumerate(values, 1)]
    if any(isinstance(score, float) for score in scores):
        scores = [None if score is None else float(score) for score in scores]
    total = _number(metric, outputs["score"], None)
    if total is None and any(score is not None for score in scores):
        raise InputError("its rows have scores, but it has none", source=_NAME, field=metric)
    return {**deepcopy(dict(outputs)), "score": total, "individual_scores": scores}


def _number(metric: str, value: Any, row: int | None) -> float | None:
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        value = value.item()  # a number of numpy's
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if not isinstance(value, (int, float)) or math.isinf(value):
        problem = f"expected a number or None, got {shown(value)}"
        raise InputError(problem, source=_NAME, row=row, field=metric)
    return value


def _given_out(table: Table, form: str, csv_file: str | Path | None) -> Table | DataFrame | str:
    if form == "json":
        return deepcopy(table)
    if form == "df":
        try:
            from pandas import DataFrame  # noqa: PLC0415 - half a second, and an extra
        except ImportError:
            raise MissingExtra("pandas") from None
        return DataFrame(table)
    if form != "csv":
        raise UsageError(f"output_format must be 'json', 'csv' or 'df', not {form!r}")
    if not csv_file:
        raise UsageError("output_format='csv' needs csv_file, the path to write to")
    text = StringIO()  # in memory first: what cannot be written must not cost an older file
    writer = csv.writer(text)
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))
    # Half of a surrogate pair, which no file can hold, is written as \ud800.
    Path(csv_file).write_bytes(text.getvalue().encode("utf-8", "backslashreplace"))
    return f"Data successfully written to {csv_file}"  # callers of the original look for this
