"""The components that score a ranking of documents; their formulas are in `troth.ranking`."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from enum import StrEnum
from numbers import Real
from operator import countOf
from typing import Any

from haystack import Document, component

from troth import ranking
from troth.errors import InputError, UsageError
from troth.haystack._component import span
from troth.haystack._documents import (
    Get,
    Rows,
    check_rows,
    comparable,
    documents,
    reader,
    text,
)
from troth.haystack._inputs import numbered
from troth.haystack._serialise import PUBLIC, Fixed, revived, serialised

_log = logging.getLogger("troth.haystack")


class RecallMode(StrEnum):
    """What `DocumentRecallEvaluator` counts: any hit at all, or all of them."""

    SINGLE_HIT = "single_hit"
    MULTI_HIT = "multi_hit"

    @staticmethod
    def from_str(string: str) -> RecallMode:
        """The mode of this name; raises `UsageError` (a `ValueError`) that lists all names."""
        try:
            return RecallMode(string)
        except ValueError:
            raise UsageError(
                f"there is no recall mode {string!r}; there are {', '.join(RecallMode)}"
            ) from None


class _Ranked(Fixed):
    """What the four components share; a component adds its formula and what has no value."""

    _formula: Callable[[ranking.Met, ranking.Grades, int | None], float]
    _exact: Callable[[Iterable[Hashable], ranking.Grades], ranking.Met]
    _exact = staticmethod(ranking.find)
    _blank_is_none = False  # does an empty text name no document, as no text does?

    def __init__(self, document_comparison_field: str, match: str, k: int | None) -> None:
        name = type(self).__name__
        if match not in ranking.MATCHES:
            known = ", ".join(map(repr, ranking.MATCHES))
            raise UsageError(f"{name}: match={match!r} is unknown; choose one of {known}")
        if match != ranking.EXACT and document_comparison_field == "id":
            raise UsageError(f"{name}: match={match!r} compares texts, and an id is none")
        if k is not None and (isinstance(k, bool) or not isinstance(k, int) or k < 1):
            raise UsageError(f"{name}: k must be a whole number from 1 on, or None, not {k!r}")
        self.document_comparison_field = document_comparison_field
        self.match = match
        self.k = k
        self._find = self._exact if match == ranking.EXACT else self._by_text

    @component.output_types(score=float, individual_scores=list[float])
    def run(
        self,
        ground_truth_documents: list[list[Document]],
        retrieved_documents: list[list[Document]],
    ) -> dict[str, Any]:
        """Score row by row: the relevant documents of each, and those retrieved, best first.

        Returns `individual_scores`, a float in [0, 1] per row, and `score`, their mean. A row
        without a relevant document that has a value to compare has the score 0.0, as in Haystack
        and trec_eval, and a warning names it: it lowers the mean, and nothing could have been
        found. Nothing retrieved is 0.0 as well.
        Raises `InputError` (a `ValueError`) for empty lists, lists of different lengths, a
        `document_comparison_field` that does not exist, and whatever is no list of documents.
        """
        name = type(self).__name__
        truths, retrieved = documents(name, ground_truth_documents, retrieved_documents)
        if not all(countOf(map(type, rows), list) == len(rows) for rows in (truths, retrieved)):
            check_rows(name, truths, retrieved)  # "" or {} would be read as no documents
        get = reader(name, self.document_comparison_field)
        if self.match != ranking.EXACT:
            what = f"match={self.match!r} compares texts, but {self.document_comparison_field}"
            get = text(get, what)
        with span(name, {"troth.match": self.match, "troth.k": self.k, "troth.total": len(truths)}):
            try:
                scores = self._scores(truths, retrieved, get)
            except (AttributeError, TypeError) as error:
                check_rows(name, truths, retrieved)
                if isinstance(error, AttributeError):
                    raise
                # A list in `meta` cannot be looked up, what it holds can.
                scores = self._scores(truths, retrieved, comparable(get))
        if None in scores:
            self._warn([at for at, score in enumerate(scores) if score is None], len(scores))
        plain = [score or 0.0 for score in scores]
        return {"score": sum(plain) / len(plain), "individual_scores": plain}

    @component.output_types(score=float, individual_scores=list[float])
    async def run_async(
        self,
        ground_truth_documents: list[list[Document]],
        retrieved_documents: list[list[Document]],
    ) -> dict[str, Any]:
        """`run`, in a thread: many rows must not hold up the event loop."""
        return await asyncio.to_thread(self.run, ground_truth_documents, retrieved_documents)

    def to_dict(self) -> dict[str, Any]:
        """The component as basic types."""
        return serialised(self, **self._parameters())

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Any:
        """The component that `to_dict` wrote down."""
        return revived(cls, data)

    def warm_up(self) -> None:
        """Nothing has to be loaded."""

    def close(self) -> None:
        """Nothing is held."""

    def _parameters(self) -> dict[str, Any]:
        field = self.document_comparison_field
        return {"document_comparison_field": field, "match": self.match, "k": self.k}

    def _scores(self, truths: Rows, retrieved: Rows, get: Get) -> list[float | None]:
        """One row's score each; `None` without a relevant document."""
        grades_of, find, formula, k = self._grades, self._find, self._formula, self.k
        scores: list[float | None] = []
        try:
            for wanted, came in zip(truths, retrieved, strict=True):
                grades = grades_of(wanted, get)
                met = find(map(get, came if k is None else came[:k]), grades)
                scores.append(formula(met, grades, k) if grades else None)
        except InputError as error:
            row = len(scores) + 1
            raise InputError(error.problem, source=type(self).__name__, row=row) from None
        return scores

    def _grades(self, truths: Sequence[Document], get: Get) -> dict[Hashable, float]:
        """The relevant documents by what they are compared by: all of them worth 1."""
        grades: dict[Hashable, float] = {}
        for document in truths:
            value = get(document)
            if value is not None:
                grades[value] = 1.0
        if self._blank_is_none:
            grades.pop("", None)
        return grades

    def _by_text(self, values: Iterable[Any], grades: ranking.Grades) -> ranking.Met:
        return ranking.find_text([value or "" for value in values], grades, self.match)

    def _warn(self, places: Sequence[int], total: int) -> None:
        message = (
            "%s: %d of %d rows (%s) have no ground truth document with a value to compare; "
            "their score is 0.0"
        )
        _log.warning(message, type(self).__name__, len(places), total, numbered(places))


@component
class DocumentRecallEvaluator(_Ranked):
    """Recall: was any relevant document retrieved, or how many of them?

    - `mode`: `"single_hit"` (1.0 if any was) or `"multi_hit"` (the share of them that was), or a
      `RecallMode`.
    - `document_comparison_field`: two documents are the same if this is: `"content"`, `"id"`, or
      `"meta.a.b"` for a value in `meta`.
    - `match`: `"overlap"` or `"span"` also finds a chunk of a relevant document; see
      `troth.ranking.find_text`.
    - `k`: how many of the documents retrieved are looked at; default all.
    """

    __module__ = PUBLIC
    _blank_is_none = True

    def __init__(
        self,
        mode: str | RecallMode = RecallMode.SINGLE_HIT,
        document_comparison_field: str = "content",
        *,
        match: str = ranking.EXACT,
        k: int | None = None,
    ) -> None:
        _Ranked.__init__(self, document_comparison_field, match, k)
        self.mode = RecallMode.from_str(str(mode))  # Haystack's own enum is as good
        any_hit = self.mode == RecallMode.SINGLE_HIT
        self._formula = ranking.hit_rate if any_hit else ranking.recall
        if any_hit and match == ranking.EXACT:
            self._find = ranking.find_first

    def _parameters(self) -> dict[str, Any]:
        return {"mode": self.mode, **_Ranked._parameters(self)}


@component
class DocumentMRREvaluator(_Ranked):
    """Mean reciprocal rank: how far in front does the first relevant document stand?

    Parameters as of `DocumentRecallEvaluator`, without `mode`.
    """

    __module__ = PUBLIC
    _formula = staticmethod(ranking.reciprocal_rank)
    _exact = staticmethod(ranking.find_first)

    def __init__(
        self,
        document_comparison_field: str = "content",
        *,
        match: str = ranking.EXACT,
        k: int | None = None,
    ) -> None:
        _Ranked.__init__(self, document_comparison_field, match, k)


@component
class DocumentMAPEvaluator(_Ranked):
    """Mean average precision: do the relevant documents stand in front?

    Parameters as of `DocumentRecallEvaluator`, without `mode`.
    """

    __module__ = PUBLIC
    _formula = staticmethod(ranking.average_precision)

    def __init__(
        self,
        document_comparison_field: str = "content",
        *,
        match: str = ranking.EXACT,
        k: int | None = None,
    ) -> None:
        _Ranked.__init__(self, document_comparison_field, match, k)


@component
class DocumentNDCGEvaluator(_Ranked):
    """Normalised discounted cumulative gain: do the most relevant documents stand in front?

    A relevant document's grade is its `score`, and 1 where none of its row has one; 0 or less is
    not relevant. Parameters as of `DocumentRecallEvaluator`, without `mode`.
    """

    __module__ = PUBLIC
    _formula = staticmethod(ranking.ndcg)

    def __init__(
        self,
        document_comparison_field: str = "content",
        *,
        match: str = ranking.EXACT,
        k: int | None = None,
    ) -> None:
        _Ranked.__init__(self, document_comparison_field, match, k)

    def _grades(self, truths: Sequence[Document], get: Get) -> dict[Hashable, float]:
        given = [document.score for document in truths]
        if given.count(None) == len(given):
            return _Ranked._grades(self, truths, get)
        best: dict[Hashable, float] = {}
        for document, grade in zip(truths, given, strict=True):
            if not isinstance(grade, Real) or not math.isfinite(grade):
                raise InputError(
                    "either all or none of a row's ground truth documents must have a score, and "
                    f"a score is a finite number, got {given}"
                )
            value = get(document)
            if value is not None and grade > best.get(value, 0.0):
                best[value] = float(grade)
        return best
