"""JSON from the hands of language models: strict first, then what Python reads as a literal.

Trailing commas, single quotes and `True` are read; nothing is guessed. What has a key twice, is cut
off, or holds anything but plain values is refused, because a repair would silently drop the rest.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

LITERAL_LIMIT = 64_000  # characters; slightly broken JSON beyond that is asked for again
SEARCHED = 256_000  # characters of prose in which JSON is looked for
MISSES = 200  # brackets in prose that may turn out not to open JSON
WORK = 1_000_000  # characters that may be read behind such brackets, again and again
_OPENING = re.compile(r"[{\[]")
_NAMES = {"true": True, "false": False, "null": None}


class Unreadable(ValueError):
    """It is no JSON, nor a literal that says the same."""


def loads(text: str) -> Any:
    """The value of `text` as strict JSON without doubled keys; raises `Unreadable`."""
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable(str(error)) from None


def loads_loosely(text: str) -> Any:
    """The value of `text` as a Python literal, JSON's own names included; raises `Unreadable`."""
    if len(text) > LITERAL_LIMIT:
        raise Unreadable("it is too long to be read loosely")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "\/" is no escape of Python's
            return _value(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise Unreadable(str(error)) from None


def values(text: str) -> Iterator[tuple[Any, int, int]]:
    """The JSON objects and arrays in `text` with where each begins and ends, none inside another.

    Raises `Unreadable` where `text` is too long, or brackets that open no JSON are too many, or
    too far from where they turn out to, to go on.
    """
    if len(text) > SEARCHED:
        raise Unreadable(f"it has more than {SEARCHED} characters that are no JSON")
    faults: list[str] = []  # found by the decoder's hooks; raised there, their place would be lost
    decoder = json.JSONDecoder(
        object_pairs_hook=partial(_first, faults), parse_constant=faults.append
    )
    place = misses = work = 0
    while start := _OPENING.search(text, place):
        faults.clear()
        try:
            value, end = decoder.raw_decode(text, start.start())
        except json.JSONDecodeError as error:
            faults.append(error.msg)
            end = error.pos
        except (ValueError, RecursionError) as error:  # a number too long, or too many levels
            faults.append(str(error))
            end = len(text)
        if not faults:
            yield value, start.start(), end
            place = end
            continue
        place, misses, work = start.end(), misses + 1, work + end - start.start()
        if misses > MISSES or work > WORK:
            raise Unreadable("there are too many brackets in it")


def _value(node: ast.expr) -> Any:
    match node:
        case ast.Dict(keys=keys, values=items):
            return _unique([(_key(k), _value(v)) for k, v in zip(keys, items, strict=True)])
        case ast.List(elts=items):
            return [_value(item) for item in items]
        case ast.Constant(value=value) if value is None or isinstance(value, (str, int, float)):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case ast.Name(id=name) if name in _NAMES:
            return _NAMES[name]
    raise Unreadable(f"it holds a {type(node).__name__}")


def _key(node: ast.expr | None) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    raise Unreadable("a key is no string")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) != len(pairs):
        raise Unreadable("a key stands twice in one object")
    return dict(pairs)


def _first(faults: list[str], pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; a key that stands twice in it is one of the `faults`."""
    value = dict(pairs)
    if len(value) != len(pairs):
        faults.append("a key stands twice in one object")
    return value


def _no_constant(name: str) -> Any:
    raise Unreadable(f"{name} is not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)
