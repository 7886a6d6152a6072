"""The built-in encoder: a table of static vectors, one per piece of a word, and nothing to install.

A text is cut into pieces of a fixed vocabulary; its vector is the sum of the pieces' rows. All sums
are of whole numbers, so that a score is the same to the last bit on every machine. How the table
was made, and how well it does: docs/encoders.md.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from troth.encoders.base import BiEncoder

_TABLE: Final = Path(__file__).parent / "table"
START: Final = " "  # leads a piece that begins a word; scripts without spaces have none
# Scripts without spaces: Thai, Lao, Burmese, Khmer, kana, Han.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
# Runs of an unspaced script, numbers, words (with Arabic vowel marks), and signs, each by itself.
_RUN = re.compile(
    rf"(?P<unspaced>[{_UNSPACED}]+)|\d+"
    rf"|(?:(?![{_UNSPACED}\d_])[\w\u064b-\u065f])+|(?P<sign>[^\w\s])"
)
# Sorting a run of marks takes time by the square of its length: Unicode's stream-safe format lets
# none be longer than this, and puts a joiner between (UAX #15, section 13).
_MARKS = 30
_JOINER = "\u034f"
_MAYBE_MARKS = re.compile(rf"[^\w\s]{{{_MARKS + 1},}}")
_LED = 3  # letters of a piece by which it is looked up how long it can be
_MANY = 256  # pieces of a text from which on equal ones are counted first


class Table:
    """Pieces and their rows: one signed byte per dimension, row after row."""

    def __init__(self, pieces: Sequence[str], rows: bytes) -> None:
        self.places = dict(zip(pieces, range(len(pieces)), strict=True))
        self.dimensions = len(rows) // len(self.places)
        self._rows = memoryview(rows).cast("b")
        # How long the pieces are that begin with these letters; the longest is the last to say so.
        # Without it each place of a run would be looked up for the longest piece of all.
        self._reach = {piece[:_LED]: len(piece) for piece in sorted(pieces, key=len)}

    def cut(self, text: str) -> tuple[list[int], int, int]:
        """The places of the pieces of `text`, as `fold` gives it; letters known and unknown.

        Each run is cut greedily, the longest piece first. A letter or digit that starts no piece
        is skipped and counted as unknown; signs count as neither.
        """
        found: list[int] = []
        known = unknown = 0
        for match in _RUN.finditer(text):
            run, kind = match.group(), match.lastgroup
            skipped = len(run)
            for place, size in self._cut(run if kind else START + run):
                found.append(place)
                skipped -= size
            if kind != "sign":
                known += len(run) - skipped
                unknown += skipped
        return found, known, unknown

    def _cut(self, run: str) -> Iterator[tuple[int, int]]:
        """The pieces of a run, each with how many letters it stands for."""
        start, end = 0, len(run)
        while start < end:
            led = run[start : start + _LED]
            longest = min(self._reach.get(led, len(led) - 1), end - start)
            for size in range(longest, 0, -1):
                piece = run[start : start + size]
                place = self.places.get(piece)
                if place is not None:
                    yield place, len(piece.removeprefix(START))
                    start += size
                    break
            else:
                start += 1

    def vector(self, text: str) -> list[int] | None:
        """The sum of the rows of the pieces of `text`.

        `None` where it has no piece, and where more of its letters are unknown than known: what
        the rest would say is not what the text says.
        """
        places, known, unknown = self.cut(text)
        if not places or unknown > known:
            return None
        size, rows = self.dimensions, self._rows
        if len(places) < _MANY:
            chosen = (rows[place * size : (place + 1) * size] for place in places)
            return list(map(sum, zip(*chosen, strict=True)))
        total = [0] * size
        for place, count in Counter(places).items():
            row = rows[place * size : (place + 1) * size]
            total = [t + count * r for t, r in zip(total, row, strict=True)]
        return total


class Static(BiEncoder):
    """Similarity by the built-in table: offline, the same everywhere, no library needed.

    Values are cosines in [-1, 1], most of them in [0, 1]. Texts that differ in case, white space or
    Unicode's compatibility forms alone are exactly 1.0. `None` where a text is blank, or consists
    mostly of letters that the table does not know, and the other one is different. Word order is
    not seen. Sources: docs/encoders.md.
    """

    name = "builtin"

    def vectors(self, texts: Sequence[str]) -> list[list[int] | None]:
        """The sums of rows, whole numbers; `None` where the table knows too little of a text."""
        table = _table()
        return [table.vector(text) for text in texts]

    def key(self, text: str) -> str:
        """`text` as `fold` gives it."""
        return fold(text)

    def identity(self) -> Mapping[str, Any]:
        """Its name and what is in its table, hashed."""
        return {"name": self.name, "table": _digest()}

    def start(self) -> None:
        """Read the table."""
        _table()


def fold(text: str) -> str:
    """`text` as the table sees it: NFKC, case folded, white space collapsed.

    Case folding is Unicode's: `ß` is `ss`, and `ς` is `σ`.
    """
    if text.isascii():
        return " ".join(text.lower().split())
    text = _MAYBE_MARKS.sub(_parted, text)
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())  # folding may take apart


def _parted(run: re.Match[str]) -> str:
    """Signs and marks, with a joiner after so many marks."""
    parts: list[str] = []
    marks = 0
    for letter in run.group():
        marks = marks + 1 if unicodedata.combining(letter) else 0
        if marks > _MARKS:
            parts.append(_JOINER)
            marks = 1
        parts.append(letter)
    return "".join(parts)


def _read(name: str) -> bytes:
    return (_TABLE / name).read_bytes()


@cache
def _table() -> Table:
    return Table(_read("pieces.txt").decode("utf-8").split("\n"), _read("rows.bin"))


@cache
def _digest() -> str:
    import hashlib  # noqa: PLC0415 - for those who ask

    return hashlib.sha256(_read("pieces.txt") + _read("rows.bin")).hexdigest()[:16]
