"""Pairs of words of which one denies the other: a small list of common English ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Final

_PAIRS: Final = """
increase decrease; increase decline; increase reduce; rise fall; rise drop; grow shrink; gain lose;
up down; more less; more fewer; most least; higher lower; high low; larger smaller; large small;
big small; long short; longer shorter; older younger; old new; old young; early late;
earlier later; before after; first last; above below; over under; north south; east west;
northern southern; eastern western; left right; inside outside; indoor outdoor; open close;
start end; start stop; begin end; begin finish; win lose; winner loser; victory defeat;
accept reject; approve reject; agree disagree; allow forbid; allow ban; permit prohibit;
support oppose; success failure; succeed fail; pass fail; true false; correct incorrect;
legal illegal; possible impossible; likely unlikely; known unknown; able unable; good bad;
better worse; best worst; positive negative; strong weak; stronger weaker; hot cold; warm cool;
safe dangerous; public private; male female; man woman; men women; boy girl; husband wife;
father mother; son daughter; brother sister; king queen; buy sell; import export; enter leave;
arrive depart; include exclude; add remove; alive dead; die survive; guilty innocent;
convict acquit; major minor; majority minority; maximum minimum; always never; often rarely;
all none; many few; same different; similar different; easy difficult; simple complex; rich poor;
free paid; cheap expensive; fast slow; full empty; local national; local international;
domestic foreign; domestic international; urban rural; formal informal; direct indirect;
active passive; temporary permanent; voluntary mandatory; optional mandatory; optional required;
refuse accept; deny admit; deny confirm; attack defend; protect harm; improve worsen; expand reduce;
encourage discourage; prevent cause; love hate; like dislike; happy sad; day night; morning evening;
monday tuesday; today tomorrow; yesterday today; once twice; single multiple; single double;
annual monthly; weekly daily; weekly monthly; partial complete; upper lower; raise lower;
"""


def _table() -> Mapping[str, frozenset[str]]:
    from troth.text.tokens import stem

    table: dict[str, set[str]] = defaultdict(set)
    for pair in _PAIRS.split(";"):
        if pair.strip():
            a, b = (stem(w) for w in pair.split())
            table[a].add(b)
            table[b].add(a)
    return {w: frozenset(o) for w, o in table.items()}


OPPOSITES = _table()
