"""English words that judging treats apart: opposites, words that say little, contrasts.

General vocabulary, written down by hand, the light words after reading supported and unsupported
answers of RAGTruth and SummEdits; nothing here was computed.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from typing import Final

from troth.text.tokens import stem

_OPPOSITES: Final = """
increase decrease; increase decline; increase reduce; rise fall; rise drop; grow shrink; gain lose;
profit loss; up down; more less; more fewer; most least; higher lower; high low; larger smaller;
large small; big small; long short; longer shorter; older younger; old new; old young; early late;
earlier later; before after; first last; above below; over under; north south; east west;
northern southern; eastern western; left right; inside outside; indoor outdoor; open close;
start end; start stop; start finish; begin end; begin finish; win lose; winner loser;
victory defeat; accept reject; approve reject; agree disagree; allow forbid; allow ban;
permit prohibit; support oppose; support criticize; success failure; succeed fail; pass fail;
true false; correct wrong; right wrong; likely unlikely; good bad; better worse; best worst;
positive negative; strong weak; stronger weaker; hot cold; warm cool; safe dangerous;
public private; male female; man woman; men women; boy girl; husband wife; father mother;
son daughter; brother sister; king queen; buy sell; import export; enter leave; arrive depart;
include exclude; add remove; alive dead; die survive; guilty innocent; convict acquit; major minor;
majority minority; maximum minimum; always never; often rarely; all none; many few; same different;
similar different; easy difficult; easy hard; simple complex; rich poor; free paid;
cheap expensive; fast slow; full empty; national local; national international;
local international; domestic foreign; domestic international; urban rural; formal informal;
active passive; temporary permanent; voluntary mandatory; optional mandatory; optional required;
refuse accept; deny admit; deny confirm; attack defend; protect harm; improve worsen;
expand reduce; encourage discourage; prevent cause; love hate; happy sad; day night;
morning evening; today tomorrow; yesterday today; once twice; single multiple; single double;
annual monthly; weekly daily; weekly monthly; partial complete; upper lower; raise lower;
future past; secluded crowded; combine separate; avoid create; praise criticize; friend enemy;
cause effect; teacher student; employer employee; seller buyer; parent child; oldest youngest;
"""
# Any two of a series deny each other.
_SERIES: Final = """
monday tuesday wednesday thursday friday saturday sunday;
january february march april may june july august september october november december;
spring summer autumn winter; red blue green yellow black white; north south east west;
first second third fourth fifth; daily weekly monthly annual; morning afternoon evening night
"""
_PREFIXES: Final = ("un", "in", "im", "ir", "il", "dis", "non", "mis")
# What reports, summaries and reviews add of their own without claiming anything.
_LIGHT: Final = """
accord account acknowledge add additionally address admit aim allow among amount announce answer
appear approach appropriate approximately area argue article aspect associate available aware base
become believe bring business call carry case cause certain claim clear come comment common
company compare concern conclude conduct consider consist contain context continue contribute cover
create currently deal decide deem demonstrate depend describe detail determine develop different
discuss document due effect effective emphasize enable encourage enhance ensure especially event
example exist expect experience explain explore express extend fact factor feature find focus
follow form generally get give go group happen help highlight hold however idea identify illustrate
impact important importance improve include increase indicate individual inform information initial
instance intend interest introduce involve issue item keep key kind know large lead learn let like
likely list locate location look lot main mainly maintain make manner mean meet member mention
method moreover multiple name necessary need new note notable number object obtain occur offer
option order organization outline overall overview part particular particularly passage people
perform person place plan point popular portion possible potential prefer present primarily primary
process product project propose provide purpose put range receive recommend refer reflect regard
relate release relevant remain report represent require respond response result return reveal
review role said say see seek seem serve service set several show significant similar simply
situation specific specifically speak start state step story study subject suggest summary support
take talk tell term text thing think time topic total try type typically understand use usual
usually utilize variety various view visit want way well whether word work
furthermore addition conclusion therefore thus hence meanwhile nevertheless essentially basically
quality rate rating positive negative mix mixed known high low establish establishment recent
recently previous difficult easy effort attempt decision action incident proper properly choose
reach level function condition size combine vary adjust achieve suitable correct desire select
question structure data praise appreciate local another other others even still around now one
despite given sure here found face raise challenge critic critical author best well less mani
done made final finally anyone everyone someone something
great good nice excellent enjoy unique ideal perfect wonderful amazing customer client
"""
_CONTRASTS: Final = "but however although though while whereas yet instead except"


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in text.split())


@cache
def light() -> frozenset[str]:
    """Stems of words that claim next to nothing by themselves."""
    return _stems(_LIGHT)


@cache
def contrasts() -> frozenset[str]:
    """Stems of words at which a negation's reach ends."""
    return _stems(_CONTRASTS)


@cache
def opposites() -> dict[str, frozenset[str]]:
    """For each stem of the list, the stems that deny it."""
    table: dict[str, set[str]] = defaultdict(set)
    for group in (*_OPPOSITES.split(";"), *_SERIES.split(";")):
        members = [stem(word) for word in group.split()]
        for member in members:
            table[member].update(other for other in members if other != member)
    return {word: frozenset(others) for word, others in table.items()}


def denied_by(stem_: str, stems: frozenset[str]) -> str | None:
    """The stem among `stems` that says the opposite of `stem_`, if there is one."""
    listed = opposites().get(stem_, frozenset()) & stems
    if listed:
        return min(listed)
    for prefix in _PREFIXES:
        if prefix + stem_ in stems and len(stem_) >= 4:
            return prefix + stem_
        if stem_.startswith(prefix) and len(stem_) - len(prefix) >= 4:
            bare = stem_[len(prefix) :]
            if bare in stems:
                return bare
    return None
