"""What components are given, checked before anything is computed or paid for."""

from __future__ import annotations

import reprlib
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from troth.errors import InputError

# An input's type in a pipeline. Connections between components are checked against it.
Texts = list[str]
Groups = list[list[str]]


def columns(
    source: str, expected: Mapping[str, Any], received: Mapping[str, Any]
) -> dict[str, Collection[Any]]:
    """The inputs of the component `source`, by name, in the order of `expected`.

    `expected` maps each input to `Texts` or `Groups`. Raises `InputError` (a `ValueError`) that
    names the input and, where there is one, the row: for inputs that are missing or unknown, are
    no lists, differ in length, or hold anything but strings (lists of strings). Lists that are all
    empty are let through: what no row means is the component's to say.
    """
    wanted = ", ".join(expected)
    for name in received:
        if name not in expected:
            raise InputError(
                f"there is no such input; they are {wanted}", source=source, field=name
            )
    for name in expected:
        if name not in received:
            raise InputError(f"is missing; needed are {wanted}", source=source, field=name)
        _is_list(source, name, received[name])
    given = {name: received[name] for name in expected}
    _same_length(source, given)
    for name, kind in expected.items():
        check = _groups if kind == Groups else _texts
        check(source, name, given[name])
    return given


def _is_list(source: str, name: str, value: Any) -> None:
    unordered = isinstance(value, (str, bytes, Mapping, AbstractSet))
    if unordered or not isinstance(value, Collection):
        raise InputError(f"expected a list, got {shown(value)}", source=source, field=name)


def _same_length(source: str, given: Mapping[str, Collection[Any]]) -> None:
    lengths = {name: len(values) for name, values in given.items()}
    shortest = min(lengths, key=lengths.__getitem__)
    if len(set(lengths.values())) > 1:
        counts = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise InputError(
            f"the row is missing; all inputs need the same length, got {counts}",
            source=source,
            row=lengths[shortest] + 1,
            field=shortest,
        )


def _texts(source: str, name: str, values: Collection[Any]) -> None:
    for row, value in enumerate(values, 1):
        if not isinstance(value, str):
            problem = f"expected a string, got {shown(value)}"
            raise InputError(problem, source=source, row=row, field=name)


def _groups(source: str, name: str, values: Collection[Any]) -> None:
    for row, group in enumerate(values, 1):
        if not isinstance(group, (list, tuple)):
            problem = f"expected a list of strings, got {shown(group)}"
            raise InputError(problem, source=source, row=row, field=name)
        _strings(source, name, row, group)


def _strings(source: str, name: str, row: int, group: Sequence[Any]) -> None:
    for place, text in enumerate(group, 1):
        if not isinstance(text, str):
            problem = f"expected a list of strings, but its item {place} is {shown(text)}"
            raise InputError(problem, source=source, row=row, field=name)


def shown(value: Any) -> str:
    """A value's type and a short form of it, for messages."""
    return f"{type(value).__name__}: {reprlib.repr(value)}"
