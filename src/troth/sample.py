"""One row of an evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

FIELDS = ("question", "answer", "references", "contexts")
RETRIEVAL = ("retrieved_ids", "relevant_ids", "relevant_contexts")
COLUMNS = (*FIELDS, *RETRIEVAL)

Grades = tuple[tuple[str, float], ...]
_TOO_LARGE = 1e100  # so that sums of grades stay finite; NaN is not smaller, either


@dataclass(frozen=True, slots=True)
class Sample:
    """A question, what the system answered, what it had retrieved, and what would be right.

    Absent is `None`, never `""` or `()`: an empty answer was given and can be wrong, an empty
    `contexts` says that retrieval ran and found nothing.
    `references` and `contexts` accept any sequence of strings and are kept as tuples.
    `meta` holds the row's other columns, untouched.

    For the metrics of retrieval: `retrieved_ids` are the documents that were found, best first;
    `relevant_ids` those that should be, as a list of ids or a mapping of each id to its grade (a
    number; 0 or less is not relevant). It is kept as pairs of an id and its grade, an id once with
    its highest grade. `relevant_contexts` are the texts that should be found, where there are no
    ids.
    Raises `TypeError` where a field has the wrong type; a string is never taken for a list.
    """

    id: str = ""
    question: str | None = None
    answer: str | None = None
    references: tuple[str, ...] | None = None
    contexts: tuple[str, ...] | None = None
    meta: Mapping[str, Any] = field(default_factory=dict, hash=False, compare=False)
    retrieved_ids: tuple[str, ...] | None = None
    relevant_ids: Grades | None = None
    relevant_contexts: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        for name in ("id", "question", "answer"):
            value = getattr(self, name)
            if not isinstance(value, str) and not (value is None and name != "id"):
                raise TypeError(f"{name} must be a string, not {type(value).__name__}: {value!r}")
        for name in ("references", "contexts", "retrieved_ids", "relevant_contexts"):
            object.__setattr__(self, name, _texts(name, getattr(self, name)))
        if self.relevant_ids is not None:
            object.__setattr__(self, "relevant_ids", _grades(self.relevant_ids))


def _texts(name: str, value: Any) -> tuple[str, ...] | None:
    if value is None:
        return None
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"{name} must be a list of strings, not {type(value).__name__}: {value!r}")
    for place, text in enumerate(value, 1):
        if not isinstance(text, str):
            raise TypeError(
                f"{name} must be a list of strings; "
                f"its item {place} is {type(text).__name__}: {text!r}"
            )
    return tuple(value)


def _grades(value: Any) -> Grades:
    if not isinstance(value, (list, tuple, Mapping)):
        raise TypeError(
            "relevant_ids must be a list of ids or a mapping of ids to grades, "
            f"not {type(value).__name__}: {value!r}"
        )
    found: dict[str, float] = {}
    for place, item in enumerate(value.items() if isinstance(value, Mapping) else value, 1):
        match (item, 1.0) if isinstance(item, str) else item:
            case (str(name), int() | float() as grade) if abs(grade) < _TOO_LARGE:
                found[name] = max(float(grade), found.get(name, float(grade)))
            case _:
                raise TypeError(
                    "relevant_ids must hold ids, which are strings, or ids with a finite number "
                    f"as their grade; its item {place} is {item!r}"
                )
    return tuple(found.items())
