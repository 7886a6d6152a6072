"""Reciprocal rank: how far in front does the first relevant document stand?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from troth import ranking
from troth.retrieval import RetrievalMetric


@dataclass(frozen=True, slots=True)
class ReciprocalRank(RetrievalMetric):
    """1 ÷ the rank of the first relevant document, in [0, 1]; higher is better.

    0.0 where none was found, or none among the first k (`reciprocal_rank@k`); its mean is the MRR.
    trec_eval's `recip_rank` (https://github.com/usnistgov/trec_eval). Nothing retrieved gives 0.0;
    unscorable where no document is marked as relevant.
    """

    name: ClassVar = "reciprocal_rank"
    formula = staticmethod(ranking.reciprocal_rank)
