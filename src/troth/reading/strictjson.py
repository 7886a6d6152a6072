"""JSON without the liberties of `json.loads`.

Refused: NaN and Infinity, numbers beyond the range of a float, the same key twice in one object,
lone surrogates, nesting too deep to walk. Each leaves the value readable, so that the reader can
say which row it stands in and go on behind it; only broken syntax ends the text.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

_SPACE = re.compile(r"[ \t\r\n]*")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class BadJson(ValueError):
    """What is wrong with a text; `line` and `column` say where, if the syntax is broken.

    `trailing`: the value is whole, but more text follows it.
    """

    def __init__(
        self, problem: str, line: int = 0, column: int = 0, trailing: bool = False
    ) -> None:
        self.problem = problem
        self.line = line
        self.column = column
        self.trailing = trailing
        super().__init__(problem)


class StrictDecoder:
    """Decodes values one after the other from a text."""

    def __init__(self) -> None:
        self._faults: list[str] = []
        self._decoder = json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_constant=self._constant,
            parse_float=self._float,
        )

    def one(self, text: str) -> Any:
        """The value of a text that holds one; `BadJson` if there is more, less or worse."""
        value, fault, end = self.value(text, skip_space(text, 0))
        refuse_more(text, end)
        if fault:
            raise BadJson(fault)
        return value

    def value(self, text: str, start: int) -> tuple[Any, str, int]:
        """The value at `start`, what must not stand in it (or `""`), and where it ends."""
        self._faults.clear()
        try:
            value, end = self._decoder.raw_decode(text, start)
            fault = self._faults[0] if self._faults else ""
            if not fault and _SURROGATE.search(text, start, end):
                fault = _lone_surrogate(value)
        except json.JSONDecodeError as error:
            raise broken(text, error.pos, error.msg[:1].lower() + error.msg[1:]) from None
        except RecursionError:
            raise BadJson("objects or lists are nested too deeply; flatten them") from None
        except ValueError:  # the interpreter refuses to convert that many digits
            raise BadJson("a whole number has too many digits; write it as a string") from None
        return value, fault, end

    def items(self, text: str, start: int) -> Iterator[tuple[Any, str]]:
        """The items of the list that opens at `start`, each with its fault or `""`.

        Raises `BadJson` where the list is broken or something follows it.
        """
        place = skip_space(text, start + 1)
        closed = text[place : place + 1] == "]"
        while not closed:
            item, fault, place = self.value(text, place)
            yield item, fault
            place = skip_space(text, place)
            closed = text[place : place + 1] == "]"
            if not closed:
                if text[place : place + 1] != ",":
                    raise broken(text, place, "expecting ',' or ']' behind an item of the list")
                place = skip_space(text, place + 1)
        refuse_more(text, place + 1)

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            counts = Counter(name for name, _ in pairs)
            twice = next(name for name, count in counts.items() if count > 1)
            self._faults.append(f"the key {twice[:40]!r} stands twice in one object; keep one")
        return made

    def _constant(self, name: str) -> float:
        self._faults.append(f"{name} is not JSON; write null, or leave the key out")
        return math.nan

    def _float(self, digits: str) -> float:
        number = float(digits)
        if math.isinf(number):
            self._faults.append(f"the number {digits[:40]} is too large; write it as a string")
        return number


def skip_space(text: str, place: int) -> int:
    """The first place from `place` on that is no JSON white space."""
    found = _SPACE.match(text, place)
    return found.end() if found else place


def refuse_more(text: str, place: int) -> None:
    """`BadJson` if anything but white space stands from `place` on."""
    end = skip_space(text, place)
    if end < len(text):
        raise broken(text, end, "more text follows where the value has ended", trailing=True)


def broken(text: str, place: int, problem: str, trailing: bool = False) -> BadJson:
    """Broken syntax at `place`."""
    line = text.count("\n", 0, place) + 1
    column = place - text.rfind("\n", 0, place)
    return BadJson(f"not valid JSON: {problem}", line, column, trailing)


def _lone_surrogate(value: Any) -> str:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return (
            "it holds half of a surrogate pair (\\ud800 to \\udfff), which is no character; mend it"
        )
    return ""
