"""What a text says, in comparable pieces: word stems, numbers by value, names, negations.

Made for judging by overlap, not for reading aloud: case, spelling variants of Unicode (NFKC) and
inflection are folded away. Scripts that put no space between words are cut into overlapping pairs
of characters. No function here raises on any string; all take time linear in its length.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from troth.text.stopwords import (
    NEGATION_MARKS,
    NEGATIONS,
    NUMBER_WORDS,
    SCALES,
    STOPWORDS,
)

# Scripts without spaces: Thai, Lao, Burmese, Khmer, kana, Han.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
# Vowel signs and accents are no word characters to `re`, yet stand within words.
_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff"
_TOKEN = re.compile(
    r"(?P<scale>(?:(?<=\d)|(?<=\d[百千万萬亿億]))[百千万萬亿億])"
    rf"|(?P<unspaced>[{_UNSPACED}]+)"
    r"|(?P<number>\d+(?:[.,:]\d+)*)"
    rf"|(?P<word>(?:(?![{_UNSPACED}\d_])[\w{_MARKS}])+"
    rf"(?:['’](?:(?![{_UNSPACED}\d_])[\w{_MARKS}])+)*)"
)
_STEMMERS: Final = (
    (re.compile("[a-z]"), "english"),
    (re.compile("[\u0400-\u04ff]"), "russian"),
    (re.compile("[\u0370-\u03ff]"), "greek"),
    (re.compile("[\u0600-\u06ff]"), "arabic"),
    (re.compile("[\u0900-\u097f]"), "hindi"),
    (re.compile("[\u0530-\u058f]"), "armenian"),
    (re.compile("[\u0b80-\u0bff]"), "tamil"),
)
_UNSPACED_START = re.compile(f"[{_UNSPACED}]")
_DOTTED_CLOCK = re.compile(r"(\d\s?[ap])\.\s?m\b\.?", re.IGNORECASE)
_GROUPED = re.compile(r"\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?|[^,]*")
_LONGEST = 40  # characters of a word that are stemmed; longer ones are no words of a language


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written and what it is worth; a time of day is worth its minutes.

    `values` are the readings it allows (`"3.5 million"`: 3500000.0; `"5 pm"`: 5.0 and
    17:00), each a kind (`"n"` or `"time"`) with a value.
    """

    surface: str
    values: frozenset[tuple[str, float]]


def words(text: str) -> list[str]:
    """The words of `text` in order, NFKC-normalised, case kept; `[]` where there is none.

    A number is one word (`"3,500.5"`); a run of an unspaced script gives its pairs of characters;
    the `万` of `3万人` is a word of its own, and `5 p.m.` is read as `5 pm`.
    """
    found: list[str] = []
    read = _DOTTED_CLOCK.sub(r"\1m", unicodedata.normalize("NFKC", text))
    for match in _TOKEN.finditer(read):
        token = match.group()
        if match.lastgroup == "unspaced" and len(token) > 1:
            found.extend(token[i : i + 2] for i in range(len(token) - 1))
        else:
            found.append(token)
    return found


def unspaced_runs(text: str) -> list[str]:
    """The stretches of `text`, NFKC-normalised, that `words` cuts into pairs of characters."""
    read = unicodedata.normalize("NFKC", text)
    return [match.group() for match in _TOKEN.finditer(read) if match.lastgroup == "unspaced"]


def is_unspaced(word: str) -> bool:
    """Is this word, as `words` gives it, of a script that puts no space between words?"""
    return _UNSPACED_START.match(word) is not None


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """`word` without case and inflection. Numbers lose their digit-grouping commas."""
    folded = word.casefold().replace("’", "'")
    if folded[:1].isdigit():
        return folded.replace(",", "")
    if len(folded) > _LONGEST:
        return folded
    for pattern, language in _STEMMERS:
        if pattern.match(folded):
            return _stemmer(language)(folded)
    return folded


def stems(text: str) -> list[str]:
    """The stems of the words of `text`, in order."""
    return [stem(word) for word in words(text)]


@lru_cache(maxsize=1 << 16)
def is_content(word: str) -> bool:
    """Does this word, as `words` gives it, say something by itself?"""
    folded = word.casefold()
    return folded not in STOPWORDS and folded not in NEGATIONS and not is_negation(folded)


@lru_cache(maxsize=1 << 16)
def is_negation(word: str) -> bool:
    """Does this word turn a statement around?"""
    folded = word.casefold().replace("’", "'")
    return (
        folded in NEGATIONS
        or folded.endswith("n't")
        or (not folded.isascii() and any(mark in folded for mark in NEGATION_MARKS))
    )


def names(tokens: list[str]) -> list[str]:
    """The named things among a sentence's words: capitalised ones, the first word left out.

    Scripts without capitals have none. `"I"` and stop words are no names.
    """
    return [word for word in tokens[1:] if word[0].isupper() and len(word) > 1 and is_content(word)]


def numbers(tokens: list[str]) -> list[Number]:
    """The numbers among a sentence's words, with their values (digits and English words)."""
    return list(_numbers([token.casefold() for token in tokens]))


def _numbers(tokens: list[str]) -> Iterator[Number]:
    place = 0
    while place < len(tokens):
        start, value, clock = place, *_read(tokens[place])
        place += 1
        if value is None:
            continue
        if tokens[start] in NUMBER_WORDS and value >= 20 and place < len(tokens):
            ones = NUMBER_WORDS.get(tokens[place], 0)
            if 0 < ones < 10:
                value, place = value + ones, place + 1
        while place < len(tokens) and tokens[place] in SCALES:
            value, place = value * SCALES[tokens[place]], place + 1
        values = {("n", value)} if clock is None else {("time", clock), ("n", value)}
        if place < len(tokens) and tokens[place] in ("am", "pm") and value <= 24:
            minutes = value * 60 if clock is None else clock
            values = {("time", minutes % 720 + (720 if tokens[place] == "pm" else 0))}
            place += 1
        yield Number(" ".join(tokens[start:place]), frozenset(values))


def _read(token: str) -> tuple[float | None, float | None]:
    """The value of one token as a number and, for `11:30`, as minutes of the day."""
    if token in NUMBER_WORDS:
        return float(NUMBER_WORDS[token]), None
    if not token[0].isdigit() or len(token) > _LONGEST:
        return None, None
    if ":" in token:
        hours, _, minutes = token.partition(":")
        if hours.isdecimal() and minutes.isdecimal():
            return float(hours), float(hours) * 60 + float(minutes)
        return None, None
    # "3,5" is three and a half in half of the world; "3,500" is a grouped number everywhere here.
    plain = token.replace(",", "") if _GROUPED.fullmatch(token) else token.replace(",", ".")
    try:
        return float(plain), None
    except ValueError:
        return None, None  # 1.2.3: a version or a date, compared as a word


@cache
def _stemmer(language: str) -> Callable[[str], str]:
    import snowballstemmer  # type: ignore[import-untyped]  # noqa: PLC0415 - heavy, first use

    stemmer: Callable[[str], str] = snowballstemmer.stemmer(language).stemWord
    return stemmer
