"""One row of an evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

FIELDS = ("question", "answer", "references", "contexts")


@dataclass(frozen=True, slots=True)
class Sample:
    """A question, what the system answered, what it had retrieved, and what would be right.

    Absent is `None`, never `""` or `()`: an empty answer was given and can be wrong, an empty
    `contexts` says that retrieval ran and found nothing.
    `references` and `contexts` accept any sequence of strings and are kept as tuples.
    `meta` holds the row's other columns, untouched.
    Raises `TypeError` where a field has the wrong type; a string is never taken for a list.
    """

    id: str = ""
    question: str | None = None
    answer: str | None = None
    references: tuple[str, ...] | None = None
    contexts: tuple[str, ...] | None = None
    meta: Mapping[str, Any] = field(default_factory=dict, hash=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("id", "question", "answer"):
            value = getattr(self, name)
            if not isinstance(value, str) and not (value is None and name != "id"):
                raise TypeError(f"{name} must be a string, not {type(value).__name__}: {value!r}")
        for name in ("references", "contexts"):
            object.__setattr__(self, name, _texts(name, getattr(self, name)))


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
