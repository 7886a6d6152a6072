"""The texts of a page, each held once, and where in them the judged pieces stand."""

from __future__ import annotations

import re
from functools import lru_cache

from troth.sample import Sample
from troth.score import Verdict
from troth.text.sentences import sentences

LONGEST = 100_000  # characters of a text that a page holds; it says where it holds less
_ID = re.compile(r"([arc])(\d*)(?:\.(\d+))?")
Span = tuple[int, int]


class Pool:
    """Every different text once, under a number: rows share contexts, references and reasons."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._known: dict[str, int] = {}

    def add(self, text: str) -> int:
        """The number of `text`; what no file can hold (half a character) is replaced."""
        known = self._known.get(text)
        if known is None:
            known = self._known[text] = len(self.texts)
            self.texts.append(fit(text))
        return known


def fit(text: str) -> str:
    """`text` as the page holds it: cut to `LONGEST` characters, which is said at its end."""
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]}… [cut here: the text has {len(text):,} characters]"
    return text.encode("utf-8", "replace").decode()


@lru_cache(maxsize=4096)  # a run has few different ids
def aim(item: str) -> tuple[str, int, int] | None:
    """What an asked id points into: kind (`a`, `r`, `c`), place from 0, sentence from 1.

    Sentence 0 is the whole text. `None` for an id of another form.
    """
    found = _ID.fullmatch(item)
    if not found:
        return None
    kind, first, second = found[1], int(found[2] or 0), int(found[3] or 0)
    return ("a", 0, first) if kind == "a" else (kind, first - 1, second)


class Places:
    """Finds the pieces of one row's texts, in their order: equal sentences get their own places."""

    def __init__(self, sample: Sample) -> None:
        answer = () if sample.answer is None else (sample.answer,)
        self._texts = {"a": answer, "r": sample.references or (), "c": sample.contexts or ()}
        self._next: dict[tuple[str, int], int] = {}
        self._found: dict[tuple[str, str], Span | None] = {}

    def of(self, verdict: Verdict) -> Span | None:
        """Where the verdict's claim stands, in UTF-16 units, which scripts count in.

        A claim that a judge put in its own words has the place of its sentence.
        """
        # Several claims of one sentence share its weight.
        key = (verdict.id, "" if verdict.weight == 1 else verdict.text)
        if key not in self._found:
            self._found[key] = self._find(verdict)
        return self._found[key]

    def _find(self, verdict: Verdict) -> Span | None:
        kind, place, number = aim(verdict.id) or ("", 0, 0)
        texts = self._texts.get(kind, ())
        if not number or not 0 <= place < len(texts):
            return None
        text, after = texts[place], self._next.get((kind, place), 0)
        span = locate(text, verdict.text, after) if verdict.weight == 1 else None
        if span is None:
            cut = sentences(text)
            span = locate(text, cut[number - 1], after) if number <= len(cut) else None
            if span and verdict.weight != 1:
                inner = locate(text[: span[1]], verdict.text, span[0])
                return _units(text, inner or span)
        if span is None:
            return None
        self._next[kind, place] = span[1]
        return _units(text, span)


def locate(text: str, piece: str, after: int = 0) -> Span | None:
    """Where `piece` stands in `text` from `after` on, whatever the white space; `None`: nowhere."""
    if not piece.strip():
        return None
    start = text.find(piece, after)
    if start >= 0:
        return start, start + len(piece)
    found = _spaced(piece).search(text, after)
    return found.span() if found else None


@lru_cache(maxsize=256)
def _spaced(piece: str) -> re.Pattern[str]:
    return re.compile(r"\s*".join(map(re.escape, piece.split())))


def _units(text: str, span: Span) -> Span:
    if text.isascii() or _narrow(text):
        return span
    start, end = (len(text[:n].encode("utf-16-le", "surrogatepass")) // 2 for n in span)
    return start, end


@lru_cache(maxsize=64)  # a row's texts are asked for again and again
def _narrow(text: str) -> bool:
    return len(text.encode("utf-16-le", "surrogatepass")) == 2 * len(text)
