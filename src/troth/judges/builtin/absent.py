"""What a reason may call absent: whole words, numbers and names that no context holds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from troth.judges.builtin.evidence import Evidence, Sentence
from troth.text.asides import without_asides
from troth.text.tokens import is_unspaced, stem, unspaced_runs, words

_MOST: Final = 50  # words that are looked for in all contexts
# Characters that say little at the edge of a run: particles, pronouns, a number's unit.
_EDGE: Final = (
    "的了是在它他她我你您们这那其之与和及或也都就还很而被把将于以为从到对有个のはがをにでとも"
)
_UNIT: Final = re.compile(r"(?<=\d)[百千万萬亿億]*[年月日号时時点分秒岁歳元名个個人米次回]+")


def absent(
    item: Sentence,
    evidence: Evidence,
    numbers: Iterable[str],
    names: Iterable[str],
    foreign: Iterable[str],
) -> tuple[str, ...]:
    """The new numbers, then the new names, then the foreign words of `item`, as it writes them.

    Pairs of characters are joined to the runs that they are cut from. What stands in a context
    after all, if only as a part of a longer word, is left out: a reason must hold when somebody
    looks for the word.
    """
    stems = set(foreign)
    spaced: dict[str, str] = {}
    for word in words(item.text):
        if stem(word) in stems and not is_unspaced(word):
            spaced.setdefault(stem(word), word)
    found = [*numbers, *names, *spaced.values(), *_runs(item, stems)]
    candidates = list(dict.fromkeys(found))[:_MOST]
    return tuple(word for word in candidates if not evidence.writes(word))


def _runs(item: Sentence, foreign: set[str]) -> Iterator[str]:
    """The stretches of characters that only foreign pairs cover, without particles at the edge."""
    for run in unspaced_runs(_UNIT.sub(" ", without_asides(item.text))):
        known = [False] * len(run)
        odd = [False] * len(run)
        for place in range(max(1, len(run) - 1)):
            mark = odd if run[place : place + 2] in foreign else known
            for at in range(place, min(place + 2, len(run))):
                mark[at] = True
        kept = "".join(c if odd[at] and not known[at] else " " for at, c in enumerate(run))
        yield from (part for piece in kept.split() if (part := piece.strip(_EDGE)))
