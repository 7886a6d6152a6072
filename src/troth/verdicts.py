"""Arithmetic on verdicts that several metrics share."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence

from msgspec.structs import replace

from troth.asks import NO_CLAIM, UNMENTIONED, Item
from troth.sample import Sample
from troth.score import Verdict
from troth.text.sentences import says_anything, sentences

NO_CONTEXT = "there is no context"
FLOOR = 0.01  # the least support that a claim can have in a joint support
QUOTE = 90  # characters of a claim that an explanation quotes
NAMED = 5  # failing claims that an explanation names; all of them are in the verdicts


def numbered(prefix: str, text: str) -> tuple[Item, ...]:
    """The sentences of `text` as items `prefix1`, `prefix2`, ...; none for a blank text."""
    return tuple(Item(f"{prefix}{n}", s) for n, s in enumerate(sentences(text), 1))


def contexts_of(sample: Sample) -> tuple[Item, ...]:
    """The contexts that hold anything, as items `c1`, `c2`, ... numbered by their rank."""
    return tuple(
        Item(f"c{n}", text)
        for n, text in enumerate(sample.contexts or (), 1)
        if says_anything(text)
    )


def without_contexts(verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """What `verdicts` on support can say where no context was there to support or contradict.

    Which items claim nothing is the judge's to say; all others are unmentioned.
    """
    return tuple(
        v
        if v.label == NO_CLAIM
        else replace(v, label=UNMENTIONED, support=0.0, reason=NO_CONTEXT, sources=())
        for v in verdicts
    )


def share(verdicts: Sequence[Verdict], good: Collection[str]) -> float:
    """The weighted share, in [0, 1], of `verdicts` (at least one) whose label is in `good`.

    Weights add up to 1 per asked item, so the denominator is the number of items asked.
    """
    total = sum(v.weight for v in verdicts)
    return min(1.0, sum(v.weight for v in verdicts if v.label in good) / total)


def mean_support(verdicts: Sequence[Verdict]) -> float:
    """The weighted mean of `support` over `verdicts` (at least one), in [0, 1]."""
    total = sum(v.weight for v in verdicts)
    return min(1.0, sum(v.weight * v.support for v in verdicts) / total)


def claims_of(verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """The verdicts that are about a claim, weighed anew so that each item's still weigh 1.

    Otherwise a judge could make a sentence count for less by finding greetings in it.
    """
    claims = [v for v in verdicts if v.label != NO_CLAIM]
    weights: dict[str, float] = {}
    for v in claims:
        weights[v.id] = weights.get(v.id, 0.0) + v.weight
    return tuple(replace(v, weight=v.weight / weights[v.id]) for v in claims)


def joint_support(verdicts: Sequence[Verdict]) -> float:
    """How firmly *all* of `verdicts` (at least one) are supported, in (0, 1].

    The product of the supports s, each raised to its weight, to the power 1/√n for n items:
    between the product, which takes the items for independent and so falls with every further
    sentence, and the geometric mean, which lets nine good sentences hide a bad one.
    Supports below `FLOOR` count as `FLOOR`, so that one zero does not make all rows equal.
    """
    items = sum(v.weight for v in verdicts)
    log = math.fsum(v.weight * math.log(max(v.support, FLOOR)) for v in verdicts)
    return math.exp(log / math.sqrt(items))


def explain(verdicts: Sequence[Verdict], good: Collection[str], what: str) -> str:
    """The score in words, on one line: how many fail, and the first of them with reasons.

    Where none does: how many pass as what, since not every label that passes is praise.
    """
    bad = [v for v in verdicts if v.label not in good]
    if not bad:
        counts = Counter(v.label for v in verdicts).most_common()
        return f"all {what} pass: {', '.join(f'{n} {label}' for label, n in counts)}"
    named = [f"{quote(v.text)} is {v.label}{_because(v)}" for v in bad[:NAMED]]
    rest = [f"and {len(bad) - NAMED} more"] if len(bad) > NAMED else []
    verb = "fails" if len(bad) == 1 else "fail"
    return f"{len(bad)} of {len(verdicts)} {what} {verb}: {'; '.join(named + rest)}"


def quote(text: str) -> str:
    """`text` on one line between quotation marks, cut to `QUOTE` characters."""
    flat = " ".join(text.split())
    return f"“{flat}”" if len(flat) <= QUOTE else f"“{flat[: QUOTE - 1].rstrip()}…”"


def _because(verdict: Verdict) -> str:
    return f" ({verdict.reason})" if verdict.reason else ""
