"""What can be seen of one item beside the contexts. Each feature is a number of about [0, 1]."""

from __future__ import annotations

import math
from typing import NamedTuple

from troth.judges.builtin.evidence import Evidence, Sentence
from troth.judges.builtin.opposites import OPPOSITES
from troth.text.tokens import names, stem


class Features(NamedTuple):
    uncovered: float
    uncovered_best: float
    uncovered_top: float
    novel: float
    new_numbers: float
    new_names: float
    new_pairs: float
    new_triples: float
    short_run: float
    negation: float
    opposite: float
    length: float
    personal: float
    number_best: float
    names_best: float
    disorder: float
    single_novel: float
    hedge: float
    maxnovel: float
    near_num: float


def covered(item, stems_, ev):
    tot = got = 0.0
    for s in item.content:
        w = ev.weight(s)
        tot += w
        if s in stems_:
            got += w
        elif len(s) >= 5 and s[:5] in ev.prefixes:
            got += 0.5 * w
    return got / tot if tot else 1.0


def longest(a, b):
    best = 0
    prev = {}
    for i in range(len(a)):
        cur = {}
        for j in range(len(b)):
            if a[i] == b[j]:
                cur[j] = prev.get(j - 1, 0) + 1
                if cur[j] > best:
                    best = cur[j]
        prev = cur
    return best


def features(item: Sentence, ev: Evidence) -> Features:
    top = ev.best(item.content, 3)
    best = top[0] if top else Sentence.of("")
    topstems = {s for t in top for s in t.stems}
    novel = [s for s in item.content if s not in ev.places]
    nums = [n for n in item.numbers if n.surface != "one"]
    newnum = [n for n in nums if not n.values & ev.values and stem(n.surface) not in ev.places]
    topvals = {v for t in top for n in t.numbers for v in n.values}
    numbest = [n for n in nums if not n.values & topvals and n not in newnum]
    nms = [stem(n) for n in names(list(item.tokens))]
    newname = [n for n in set(nms) if n not in ev.places]
    namebest = [n for n in set(nms) if n in ev.places and n not in topstems]
    pairs = list(zip(item.stems, item.stems[1:]))
    newpairs = [p for p in pairs if p not in ev.pairs]
    alltok = [t.stems for t in top]
    tri = set(zip(*(alltok and [sum(alltok, ())[k:] for k in range(3)]))) if alltok else set()
    triples = list(zip(item.stems, item.stems[1:], item.stems[2:]))
    newtri = [t for t in triples if t not in tri]
    run = max((longest(item.stems[:200], t.stems[:300]) for t in top), default=0)
    cb = covered(item, set(best.stems), ev)
    opp = 0
    for s in item.content:
        if s not in topstems:
            if OPPOSITES.get(s, set()) & topstems:
                opp += 1
    # order of content stems in best
    pos = {}
    for i, s in enumerate(best.stems):
        pos.setdefault(s, i)
    seq = [pos[s] for s in item.stems if s in pos and s in item.content]
    dis = sum(1 for x, y in zip(seq, seq[1:]) if y < x) / max(1, len(seq) - 1)
    n = len(item.stems)
    return Features(
        1 - covered(item, ev.places, ev),
        1 - cb,
        1 - covered(item, topstems, ev),
        min(len(novel), 8) / 8,
        min(len(newnum), 3) / 3,
        min(len(newname), 3) / 3,
        len(newpairs) / len(pairs) if pairs else 0.0,
        len(newtri) / len(triples) if triples else 0.0,
        1 - min(1, run / n) if n else 0.0,
        float((item.negations % 2 > 0) != (best.negations % 2 > 0)) * (cb),
        min(opp, 2) / 2,
        math.log1p(n) / 4,
        float(any(s in ("i", "my", "me", "we") for s in item.stems)),
        min(len(numbest), 3) / 3,
        min(len(namebest), 3) / 3,
        dis,
        float(len(novel) > 0),
        float(any(s in ("may", "might", "could", "perhap", "possibl", "like") for s in item.stems)),
        max([0.0] + [ev.weight(s) for s in novel]) / 6,
        len(novel) / max(1, len(item.content)),
    )
