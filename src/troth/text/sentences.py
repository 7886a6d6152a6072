"""Sentences of a text in any script, and a guess at its language from its script."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from troth.text.asides import without_markers

# Characters that decide a language, most telling first: kana makes Japanese of what is otherwise
# Chinese. Latin letters are not listed: they are the default.
_SCRIPTS: Final = tuple(
    (language, re.compile(f"[{letters}]"))
    for language, letters in (
        ("ja", "\u3040-\u30ff\uff66-\uff9d"),
        ("ko", "\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3"),
        ("zh", "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"),
        ("th", "\u0e00-\u0e7f"),
        ("km", "\u1780-\u17ff"),
        ("my", "\u1000-\u109f"),
        ("ar", "\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufeff"),
        ("he", "\u0590-\u05ff"),
        ("ru", "\u0400-\u052f"),
        ("el", "\u0370-\u03ff\u1f00-\u1fff"),
        ("hy", "\u0530-\u058f"),
        ("ka", "\u10a0-\u10ff"),
        ("am", "\u1200-\u137f"),
        ("hi", "\u0900-\u097f"),
        ("bn", "\u0980-\u09ff"),
        ("pa", "\u0a00-\u0a7f"),
        ("gu", "\u0a80-\u0aff"),
        ("ta", "\u0b80-\u0bff"),
        ("te", "\u0c00-\u0c7f"),
        ("kn", "\u0c80-\u0cff"),
        ("ml", "\u0d00-\u0d7f"),
    )
)
_LATIN = re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
_LOOK = 4000  # characters read to guess the language
_WINDOW = 2000  # the splitter's time grows with the square of what it is given at once
_SURROGATES = re.compile("[\ud800-\udfff]")
_WIDE_SPACE = re.compile(r"[^\S\x00-\x7f]")
# What may open a list entry. Only marks that cannot be part of a value are taken off: the minus of
# "- 5 °C" and the number of "3. Oktober" are claimed, so they stay.
_LIST_MARK = re.compile(r"[ \t]*(?:[-*+>•‣◦▪–—]|#{1,6}|\(?\d{1,3}[.)])[ \t]+(?=\S)")
_IDLE_MARK = re.compile(r"[ \t]*(?:[*•‣◦▪]|#{1,6}|[-+>–—](?=[ \t]+[^\W\d_]))[ \t]+(?=\S)")
_COUNTED = re.compile(r"[ \t]*\(?(\d{1,3})[.)][ \t]+(?=\S)")
_BARE_NUMBER = re.compile(r"\W*\d{1,3}[.)]\s*")
_WORD = re.compile(r"[^\W_]")
# The splitter takes "。" before a digit for a decimal point.
_FULL_STOP = re.compile(r"(?<=[。！？])(?=\d)")
_OPEN_END = re.compile(r"[\w,;]\s*$")


def language(text: str) -> str:
    """The likely language of `text` as a two-letter code, by counting characters of each script.

    One language stands for each script: all Latin-script texts are `"en"`, all Cyrillic ones
    `"ru"`, all Arabic-script ones `"ar"`. That suffices to cut sentences, which is what it is for.
    A text without letters, the empty one included, is `"en"`.
    """
    sample = text[:_LOOK]
    if sample.isascii():
        return "en"
    counts = {name: len(pattern.findall(sample)) for name, pattern in _SCRIPTS}
    if counts["ja"] * 10 >= counts["zh"] and counts["ja"]:
        counts["ja"] += counts["zh"]
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] and counts[best] * 2 >= len(_LATIN.findall(sample)) else "en"


def says_anything(text: str) -> bool:
    """Does `text` hold a letter or digit of any script? What does not has no sentences."""
    return _WORD.search(text) is not None


@lru_cache(maxsize=64)  # several metrics of a row cut the same texts, one after the other
def sentences(text: str) -> tuple[str, ...]:
    """The sentences of `text`, in order, without surrounding white space.

    Lines are cut as well: list entries, headings and paragraphs end at their line break (a line
    that a wrapped sentence continues is joined), and bullets and heading marks are left out. A
    number in front (`1. `) is left out where lines count on (`1. `, `2. `); elsewhere it stays, as
    it may be what the sentence is about.
    What holds no letter or digit is joined to the sentence before it, or dropped where there is
    none; so are citation markers (`[1]`) that stand alone behind a sentence. Sentences of Latin
    script are found by English rules. An empty or blank text has no sentences. A stretch of over
    2,000 characters without a sentence end is cut at a space. Raises nothing on any string.
    """
    code = language(text)
    found: list[str] = []
    for line in _lines(text):
        at_start = len(found)
        for piece in _pieces(line, code):
            stripped = piece.strip()
            if len(found) > at_start and (
                not _WORD.search(without_markers(stripped)) or _BARE_NUMBER.fullmatch(found[-1])
            ):
                found[-1] = f"{found[-1]} {stripped}".rstrip()
            elif _WORD.search(stripped):
                found.append(stripped)
    return tuple(found)


def _lines(text: str) -> Iterator[str]:
    """The lines of `text`, a wrapped sentence's lines joined, list marks taken off."""
    held: list[str] = []
    lines = text.splitlines()
    counting = _counting(lines)
    for place, line in enumerate(lines):
        if not line or line.isspace():
            if held:
                yield " ".join(held)
            held = []
            continue
        mark = _LIST_MARK.match(line)
        idle = (_COUNTED if place in counting else _IDLE_MARK).match(line)
        body = line[idle.end() :] if idle else line
        wraps = held and not mark and len(held[-1]) >= 40 and _OPEN_END.search(held[-1][-80:])
        if not (wraps and body[:1].islower()):
            if held:
                yield " ".join(held)
            held = []
        held.append(body)
    if held:
        yield " ".join(held)


def _counting(lines: list[str]) -> set[int]:
    """The places of lines whose numbers count on from one such line to the next."""
    marks = [(n, int(m[1])) for n, line in enumerate(lines) if (m := _COUNTED.match(line))]
    pairs = [(a, b) for (a, x), (b, y) in itertools.pairwise(marks) if y == x + 1]
    return {place for pair in pairs for place in pair}


def _pieces(line: str, code: str) -> Iterator[str]:
    """Cut one line, window by window; a window's last piece is read again with what follows."""
    start = 0
    while len(line) - start > _WINDOW:
        window = line[start : start + _WINDOW]
        cut = _segment(window, code)[:-1] or [_to_last_space(window)]
        for piece in cut:
            yield piece
            start += len(piece)
    yield from _segment(line[start:], code)


def _to_last_space(window: str) -> str:
    space = max(window.rfind(" "), window.rfind("\t"))
    return window[: space + 1] if space > 0 else window


def _segment(text: str, code: str) -> list[str]:
    """The splitter's pieces as slices of `text`.

    It refuses lone surrogates and panics on wide spaces, so it is shown others of the same length.
    """
    # A compiled library without types, loaded on first use.
    from sentencex import segment  # type: ignore[import-untyped]  # noqa: PLC0415

    pieces = []
    start = 0
    shown = _WIDE_SPACE.sub(" ", _SURROGATES.sub("\ufffd", text))
    try:
        found = segment(code, shown)
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # a bug of the library is no end of the run
            raise
        return [text]
    for piece in found:
        pieces += _FULL_STOP.split(text[start : start + len(piece)])
        start += len(piece)
    return pieces
