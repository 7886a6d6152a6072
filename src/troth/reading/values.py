"""Cells to the texts of a `Sample`. Nothing is turned into text that is not text already."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from typing import Any

from troth.reading.columns import holds_one_text
from troth.reading.strictjson import BadJson, StrictDecoder

_TEXT_KEYS = ("content", "text", "page_content")  # Haystack, SQuAD and most others, LangChain
_LISTS = ("references", "contexts", "relevant_contexts")
_IDS = ("retrieved_ids", "relevant_ids")
_GRADES = ("grade", "relevance", "score")  # of a document that came as an object; the first counts
_TOO_LARGE = 1e100  # for a grade; NaN is not smaller, either
_OPEN = {"[": "list", "{": "object"}  # what JSON in a cell opens with

_short = reprlib.Repr()
_short.maxstring = _short.maxother = 50
_short.maxlevel = 2
_short.maxdict = _short.maxlist = _short.maxtuple = 3


class Mismatch(ValueError):
    """A cell that is not what its field holds: what was expected, what came, what to do."""


def show(value: Any) -> str:
    """Type and start of `value`, about 60 characters: for error messages."""
    if value is None:
        return "null"
    text = _short.repr(value)
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:59] + '…'}"


def from_cell(field: str, cell: str | None, decoder: StrictDecoder) -> Any:
    """What a cell of a CSV file stands for: nothing if empty, a list if it opens with `[`.

    Relevant ids may be an object, too.
    """
    if not cell:
        return None
    opens = "[{" if field == "relevant_ids" else "["
    if field not in (*_LISTS, *_IDS) or cell[0] not in opens:
        return cell
    try:
        return decoder.one(cell)
    except BadJson as error:
        quotes = "use double quotes" if cell.startswith(("['", "{'")) else 'such as ["one", "two"]'
        raise Mismatch(
            f"a cell that opens with {cell[0]} must be a JSON {_OPEN[cell[0]]} ({quotes}), "
            f"got {show(cell)}: {error.problem}; "
            "a text that really opens with [ goes into a list of its own"
        ) from None


def to_field(field: str, value: Any, column: str) -> Any:
    """The value of `field`; `Mismatch` for what is not its type. `null` gives `None`."""
    if value is None:
        return None
    if not isinstance(value, (str, list, tuple)) and hasattr(value, "tolist"):
        value = value.tolist()  # numpy arrays and scalars, columns of data frames
    if field in _LISTS:
        return _texts(field, value, column)
    if field in _IDS:
        return _ids(field, value, column)
    if field == "id":
        return _id(value)
    return _text(value)


def check_text(text: str) -> None:
    """`Mismatch` for a string that no file can hold."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise Mismatch(
                "it holds half of a surrogate pair (\\ud800 to \\udfff), which is no character; "
                f"mend the text, got {text[:40]!a}"
            ) from None


def _text(value: Any) -> str:
    if not isinstance(value, str):
        missing = value != value if isinstance(value, float) else False  # noqa: PLR0124 - NaN
        todo = "use null where there is none" if missing else "write it as text, in quotes"
        raise Mismatch(f"expected a string or null, got {show(value)}; {todo}")
    check_text(value)
    return value


def _id(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise Mismatch(
            f"expected a string or a whole number, got {show(value)}; map another column "
            "(--map id=COLUMN), or number the rows (--map id=)"
        )
    check_text(value)
    return value


def _ids(field: str, value: Any, column: str) -> Any:
    """A tuple of ids, or of ids with their grades; an id without a grade was not graded."""
    if isinstance(value, (str, int)) and holds_one_text(field, column):
        value = [value]
    graded = field == "relevant_ids"
    if graded and isinstance(value, Mapping):
        if "id" in value and value.keys() & {"grade", "relevance", "score"}:
            raise Mismatch(f"expected a list of ids, got one document alone; write [{show(value)}]")
        value = [[key, grade] for key, grade in value.items() if grade is not None]
    if not isinstance(value, (list, tuple)):
        objects = ', or an object {"id": grade, …}' if graded else ", best first"
        raise Mismatch(f'expected a list of ids{objects}, got {show(value)}; write ["…", "…"]')
    items = [(place, item, _named(item, place)) for place, item in enumerate(value, 1)]
    if not graded:
        return tuple(_item_id(named, place) for place, _, named in items)
    return tuple(_graded(_with_grade(item, named), place) for place, item, named in items)


def _named(item: Any, place: int) -> Any:
    """The id of a document that came as an object (Haystack, LlamaIndex, a row of a corpus)."""
    if isinstance(item, (str, int, list, tuple)):
        return item
    found = item.get("id") if isinstance(item, Mapping) else getattr(item, "id", None)
    if found is None:
        raise Mismatch(
            f"expected a list of ids, but its item {place} is {show(item)}; "
            'write a string, a whole number, or an object with an "id"'
        )
    return found


def _with_grade(item: Any, named: Any) -> Any:
    """An object's id and the grade that stands in it, if any; anything else as it is."""
    if named is item:
        return item
    get = item.get if isinstance(item, Mapping) else lambda key: getattr(item, key, None)
    grade: Any = next((value for value in map(get, _GRADES) if value is not None), None)
    if hasattr(grade, "item"):
        grade = grade.item()  # a number of numpy's
    return named if grade is None else [named, grade]


def _item_id(item: Any, place: int) -> str:
    if isinstance(item, bool) or not isinstance(item, (str, int)):
        raise Mismatch(
            f"expected a list of ids, but its item {place} is {show(item)}; "
            "an id is a string or a whole number"
        )
    text = str(item)
    check_text(text)
    return text


def _graded(item: Any, place: int) -> tuple[str, float]:
    if not isinstance(item, (list, tuple)):
        return _item_id(item, place), 1.0
    match item:
        case (key, int() | float() as grade) if abs(grade) < _TOO_LARGE:
            return _item_id(key, place), float(grade)
    raise Mismatch(
        f"expected an id and its grade, but item {place} is {show(item)}; "
        "a grade is a finite number, 0 or less for what is not relevant"
    )


def _texts(field: str, value: Any, column: str) -> tuple[str, ...]:
    if isinstance(value, str):
        if value.lstrip().startswith("[") and value.rstrip().endswith("]"):
            raise Mismatch(
                f"expected a list of strings, got one as text ({show(value)}); read it first, "
                "e.g. frame[column].map(json.loads)"
            )
        if not holds_one_text(field, column):
            one = "context" if field == "contexts" else "relevant_context"
            raise Mismatch(
                "expected a list of strings, got one string: wrap it in [ ]; "
                f"or name the column `{one}` if there is one per row (it is {show(value)})"
            )
        value = [value]
    elif field == "references" and isinstance(value, Mapping):
        value = _gold(value)
    if not isinstance(value, (list, tuple)):
        raise Mismatch(f'expected a list of strings, got {show(value)}; write ["…", "…"]')
    try:
        "".join(value).encode()  # one pass says that all is well, which is the common case
        return tuple(value)
    except (TypeError, UnicodeEncodeError):
        return tuple(_item(item, place) for place, item in enumerate(value, 1))


def _gold(value: Mapping[Any, Any]) -> Any:
    """SQuAD's `{"text": [...], "answer_start": [...]}`; `text` may be one string as well."""
    texts = value.get("text")
    if hasattr(texts, "tolist"):
        texts = texts.tolist()  # type: ignore[union-attr]
    if isinstance(texts, str):
        return [texts]
    return texts if isinstance(texts, (list, tuple)) else value


def _item(item: Any, place: int) -> str:
    if not isinstance(item, str):
        get = item.get if isinstance(item, Mapping) else lambda key: getattr(item, key, None)
        texts = [text for text in map(get, _TEXT_KEYS) if isinstance(text, str)]
        if not texts:
            raise Mismatch(
                f"expected a list of strings, but its item {place} is {show(item)}; "
                'write a string, or an object with a "content" or "text" string'
            )
        item = texts[0]
    check_text(item)
    text: str = item
    return text
