"""Lists of lists of documents: their check, and what two documents are compared by."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from operator import attrgetter
from typing import Any

from haystack import Document

from troth.errors import InputError
from troth.haystack._inputs import is_list, same_length, shown

NAMES = ("ground_truth_documents", "retrieved_documents")
Rows = Sequence[Sequence[Document]]
Get = Callable[[Document], Any]


def documents(source: str, truths: Any, retrieved: Any) -> tuple[Rows, Rows]:
    """Both inputs; `InputError` where one is no list, is empty, or they differ in length."""
    given = dict(zip(NAMES, (truths, retrieved), strict=True))
    for name, rows in given.items():
        is_list(source, name, rows)
        if not len(rows):
            raise InputError(
                "the list is empty; at least one row is needed", source=source, field=name
            )
    same_length(source, given)
    return truths, retrieved


def check_rows(source: str, truths: Rows, retrieved: Rows) -> None:
    """Raise `InputError` for the first row that is no list of documents."""
    for name, rows in zip(NAMES, (truths, retrieved), strict=True):
        for row, group in enumerate(rows, 1):
            wrong: list[Any] = [group]
            if isinstance(group, (list, tuple)):
                wrong = [document for document in group if not isinstance(document, Document)]
            if wrong:
                problem = f"expected a list of documents, got {shown(wrong[0])}"
                raise InputError(problem, source=source, row=row, field=name)


def reader(source: str, field: str) -> Get:
    """What gives the value by which a document is compared; `None` where it has none.

    Raises `InputError` for a field that is not `content`, `id` or `meta.` and a key.
    """
    if field in ("content", "id"):
        return attrgetter(field)
    if not isinstance(field, str) or not field.startswith("meta."):
        raise InputError(
            f"document_comparison_field={field!r} is unknown; choose 'content', 'id' or "
            "'meta.' and a key ('meta.file_id', 'meta.source.url')",
            source=source,
        )
    keys = field.removeprefix("meta.").split(".")

    def value(document: Document) -> Any:
        found: Any = document.meta
        for key in keys:
            found = found.get(key) if isinstance(found, dict) else None
        return found

    return value


def comparable(get: Get) -> Get:
    """`get` with values that can be looked up, equal where its own are: for lists in `meta`."""
    return lambda document: _hashable(get(document))


def text(get: Get, what: str) -> Get:
    """`get` with texts alone, `None` for an empty one; `InputError` for any other value."""

    def checked(document: Document) -> str | None:
        value = get(document)
        if value is not None and not isinstance(value, str):
            raise InputError(f"{what} is {shown(value)}")
        return value or None

    return checked


def _hashable(value: Any) -> Hashable:
    if hasattr(value, "tolist"):  # numpy arrays
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return (type(value), *map(_hashable, value))
    if isinstance(value, dict):
        return (dict, frozenset((key, _hashable(part)) for key, part in value.items()))
    if isinstance(value, set):
        return frozenset(value)
    try:
        hash(value)
    except TypeError:
        raise InputError(
            f"documents cannot be compared by {shown(value)}; use a text, a number or a list"
        ) from None
    return value  # type: ignore[no-any-return]
