"""How well documents are ranked: the formulas of trec_eval, and what counts as found.

`grades` maps the relevant documents (at least one) to their grades, all above 0; `met` says which
of them were found: the rank (from 1) and the document, in the order of the ranks. A formula that
gets a `k` looks at the first k ranks alone. All lie in [0, 1]; higher is better.
They are trec_eval's (https://github.com/usnistgov/trec_eval): `recall_k`, `success_k`,
`recip_rank`, `map` and `map_cut_k`, `ndcg` and `ndcg_cut_k`.

A document that is retrieved twice keeps both ranks and counts at the first. trec_eval knows no
chunk that holds two relevant documents; here they count as if they stood one behind the other, so
that nothing exceeds 1 and the perfect ranking reaches it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from math import log2

from troth.text.tokens import words

Met = Sequence[tuple[int, Hashable]]
Grades = Mapping[Hashable, float]

EXACT, OVERLAP, SPAN = "exact", "overlap", "span"
MATCHES = (EXACT, OVERLAP, SPAN)
DEEP = 1024  # ranks whose logarithm is looked up
DEPTHS = tuple(log2(rank + 1) for rank in range(DEEP))
RUN = 3  # tokens that must stand in the same order to count as common
ENOUGH = 0.5  # share of the shorter text's tokens in such runs


def recall(met: Met, grades: Grades, k: int | None = None) -> float:
    """Relevant documents found ÷ relevant documents, however many of them k has room for."""
    return len(met if k is None else _first(met, k)) / len(grades)


def hit_rate(met: Met, grades: Grades, k: int | None = None) -> float:
    """1.0 if any relevant document was found, else 0.0."""
    return 1.0 if met and (k is None or met[0][0] <= k) else 0.0


def reciprocal_rank(met: Met, grades: Grades, k: int | None = None) -> float:
    """1 ÷ the rank of the first relevant document; 0.0 where none was found."""
    return 1 / met[0][0] if met and (k is None or met[0][0] <= k) else 0.0


def average_precision(met: Met, grades: Grades, k: int | None = None) -> float:
    """Precision at the rank of each relevant document, 0 for those not found, on average.

    The average is over all relevant documents, however many of them k has room for.
    """
    if k is not None:
        met = _first(met, k)
    total = 0.0
    for count, (rank, _) in enumerate(met, 1):
        total += count / rank if rank > count else 1.0
    return total / len(grades)


def ndcg(met: Met, grades: Grades, k: int | None = None) -> float:
    """Σ grade ÷ log₂(rank + 1), divided by the same for the best order there is."""
    if not met:
        return 0.0
    gain = 0.0
    for count, (rank, document) in enumerate(met, 1):
        place = rank if rank > count else count
        if k is None or place <= k:
            gain += grades[document] / (DEPTHS[place] if place < DEEP else log2(place + 1))
    return min(1.0, gain / _best(tuple(sorted(grades.values(), reverse=True)[:k])))


def _first(met: Met, k: int) -> Met:
    return [found for found in met if found[0] <= k]


@lru_cache(maxsize=4096)  # many rows have the same few grades
def _best(grades: tuple[float, ...]) -> float:
    """The gain of the best order of all."""
    return sum(grade / log2(place + 1) for place, grade in enumerate(grades, 1))


def relevant(grades: Grades) -> dict[Hashable, float]:
    """The documents whose grade says that they are relevant: above 0."""
    return {document: grade for document, grade in grades.items() if grade > 0}


def find(retrieved: Iterable[Hashable], grades: Grades) -> Met:
    """The documents of `grades` among those `retrieved`, best first; each counts once."""
    left = dict(grades)
    met: list[tuple[int, Hashable]] = []
    rank = 0  # counted by hand, here and below: a million rows pass here
    for document in retrieved:
        rank += 1  # noqa: SIM113
        if document in left:
            met.append((rank, document))
            del left[document]
            if not left:
                break
    return met


def find_first(retrieved: Iterable[Hashable], grades: Grades) -> Met:
    """The first that `find` finds; for formulas that look no further."""
    rank = 0
    for document in retrieved:
        rank += 1  # noqa: SIM113
        if document in grades:
            return ((rank, document),)
    return ()


def find_text(retrieved: Iterable[str], grades: Grades, match: str) -> Met:
    """`find` for texts that come in other pieces than the relevant ones do.

    `match="span"`: one text lies within the other, token by token. `"overlap"`: of the shorter
    one's tokens at least half stand in runs of three that the other has, too; two texts of one
    language share half of their single tokens by chance. Case, punctuation and white space do not
    matter; a text without a token matches none.
    """
    same = overlap if match == OVERLAP else span
    left = sorted(grades, key=lambda document: -grades[document])
    met: list[tuple[int, Hashable]] = []
    for rank, text in enumerate(retrieved, 1):
        met += [(rank, gold) for gold in left if same(text, str(gold))]
        found = {gold for _, gold in met}
        left = [gold for gold in left if gold not in found]
    return met


def span(one: str, other: str) -> bool:
    """Does one of two texts lie within the other, token by token?"""
    short, long = sorted((_tokens(one), _tokens(other)), key=len)
    return bool(short) and _within(short, long)


def overlap(one: str, other: str) -> bool:
    """Do two texts have at least half of the shorter one's tokens in common, in runs of three?"""
    short, long = sorted((_tokens(one), _tokens(other)), key=len)
    if len(short) < RUN:
        return bool(short) and _within(short, long)
    known = _runs(long)
    common = end = 0
    for start, run in enumerate(zip(short, short[1:], short[2:], strict=False)):
        if run in known:
            common += start + RUN - max(end, start)
            end = start + RUN
    return common >= ENOUGH * len(short)


def _within(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    # A space cannot stand inside a token, so with one at either side a match is whole tokens.
    return f" {' '.join(short)} " in f" {' '.join(long)} "


@lru_cache(maxsize=512)  # a row's texts meet each other, and a corpus meets many questions
def _tokens(text: str) -> tuple[str, ...]:
    return tuple(word.casefold() for word in words(text))


@lru_cache(maxsize=512)
def _runs(tokens: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    return frozenset(zip(tokens, tokens[1:], tokens[2:], strict=False))
