"""Which column holds which field of a `Sample`: the known names, as data, and their search."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType

from troth.errors import InputError, UsageError

# The first name of a row that is there wins. `answers` is what SQuAD calls its gold answers.
NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "id": ("id", "_id", "qid", "sample_id"),
        "question": (
            "question",
            "questions",
            "query",
            "queries",
            "input",
            "user_input",
            "prompt",
        ),
        "answer": (
            "answer",
            "response",
            "responses",
            "prediction",
            "predictions",
            "predicted_answer",
            "predicted_answers",
            "actual_output",
            "output",
            "generated_answer",
            "model_answer",
        ),
        "references": (
            "references",
            "reference",
            "ground_truth",
            "ground_truths",
            "ground_truth_answer",
            "ground_truth_answers",
            "expected_output",
            "gold_answers",
            "gold_answer",
            "answers",
            "expected_answer",
            "target",
        ),
        "contexts": (
            "contexts",
            "context",
            "retrieved_contexts",
            "retrieval_context",
            "documents",
            "passages",
            "retrieved_documents",
        ),
        "retrieved_ids": (
            "retrieved_ids",
            "retrieved_doc_ids",
            "retrieved_document_ids",
            "retrieved_context_ids",
            "retrieved_chunk_ids",
            "context_ids",
            "document_ids",
            "doc_ids",
        ),
        "relevant_ids": (
            "relevant_ids",
            "relevant_doc_ids",
            "relevant_document_ids",
            "relevant_context_ids",
            "reference_context_ids",
            "reference_ids",
            "expected_ids",
            "gold_ids",
            "gold_doc_ids",
            "ground_truth_ids",
            "ground_truth_document_ids",
            "positive_ids",
            "qrels",
            "relevant_id",
            "relevant_doc_id",
            "gold_id",
            "gold_doc_id",
            "positive_id",
        ),
        "relevant_contexts": (
            "relevant_contexts",
            "relevant_documents",
            "relevant_passages",
            "reference_contexts",
            "expected_contexts",
            "gold_contexts",
            "gold_documents",
            "gold_passages",
            "ground_truth_contexts",
            "ground_truth_documents",
            "positive_passages",
            "relevant_context",
            "gold_context",
            "gold_passage",
            "ground_truth_context",
        ),
    }
)


def plain(name: str) -> str:
    """`" Ground-Truth "` -> `"ground_truth"`: the form in which names are compared."""
    return name.strip().casefold().replace("-", "_").replace(" ", "_")


def holds_one_text(field: str, column: str) -> bool:
    """May a string in this column be the one item of its field?

    A reference always may. In other fields yes for a column that is no plural; a string under a
    name that promises a list is far more often a list that was flattened by mistake.
    """
    name = plain(column)
    if field == "references" or name == "context":
        return True
    return name not in NAMES["contexts"] and not name.endswith("s")


def check_mapping(mapping: Mapping[str, str]) -> None:
    """Raise `UsageError` for a field that does not exist or a column that is no string."""
    for field, column in mapping.items():
        _check_field(field)
        if not isinstance(column, str):
            raise UsageError(f"mapping {field!r} to {column!r}: a column is named by a string")


def check_needs(needs: Collection[str]) -> None:
    """Raise `UsageError` for a needed field that does not exist."""
    if isinstance(needs, str):
        raise UsageError(f"needs must be a collection of fields, not the string {needs!r}")
    for field in needs:
        _check_field(field)


def _check_field(field: str) -> None:
    if field not in NAMES:
        near = difflib.get_close_matches(str(field), NAMES, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise UsageError(f"no field is called {field!r}: {hint}there are {', '.join(NAMES)}")


def recognise(columns: Iterable[str], mapping: Mapping[str, str]) -> dict[str, str]:
    """Field -> column, for fields that `mapping` leaves open and columns that it does not use."""
    taken = set(mapping.values())
    by_name: dict[str, str] = {}
    for column in columns:
        if column not in taken and (plain(column) not in by_name or column == plain(column)):
            by_name[plain(column)] = column  # the first one, or the one that is written plainly
    return {
        field: next(by_name[name] for name in names if name in by_name)
        for field, names in NAMES.items()
        if field not in mapping and any(name in by_name for name in names)
    }


def check_columns(mapping: Mapping[str, str], columns: Collection[str], source: str) -> None:
    """Raise `InputError` for a mapped column that the input does not have."""
    for field, column in mapping.items():
        if column and column not in columns:
            near = difflib.get_close_matches(column, columns, n=1)
            hint = f"; did you mean {near[0]!r}" if near else ""
            raise InputError(
                f"it is mapped to column {column!r}, which is not there{hint}. {listed(columns)}",
                source=source,
                field=field,
            )


def check_needed(
    needs: Collection[str], mapped: Mapping[str, str], columns: Collection[str], source: str
) -> None:
    """Raise `InputError` for a needed field that no column holds."""
    for field in needs:
        if field not in mapped:
            free = [column for column in columns if column not in mapped.values()]
            near = _nearest(field, free)
            hint = f" Did you mean {near!r}?" if near is not None else ""
            column = near if near is not None else "COLUMN"
            others = [repr(other) for other in needs if other != field and other not in mapped]
            more = f", nor {' or '.join(others)}, which is needed too" if others else ""
            raise InputError(
                f"no column holds it{more}. {listed(columns)}{hint} "
                f'Say which: --map {field}={column} (mapping={{"{field}": "{column}"}})',
                source=source,
                field=field,
            )


def listed(columns: Collection[str]) -> str:
    """`The columns are 'a', 'b'.`: on one line, and not without end."""
    shown = [repr(column if len(column) <= 40 else column[:39] + "…") for column in columns]
    more = f" and {len(shown) - 30} more" if len(shown) > 30 else ""
    return f"The columns are {', '.join(shown[:30])}{more}." if shown else "There are no columns."


def _nearest(field: str, columns: Collection[str]) -> str | None:
    def likeness(column: str) -> float:
        name = plain(column)
        return max(difflib.SequenceMatcher(None, name, known).ratio() for known in NAMES[field])

    best = max(columns, key=likeness, default=None)
    return best if best is not None and likeness(best) >= 0.6 else None
