"""nDCG: do the most relevant documents stand in front?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from troth import ranking
from troth.retrieval import RetrievalMetric


@dataclass(frozen=True, slots=True)
class Ndcg(RetrievalMetric):
    """Discounted gain of the ranking ÷ that of the best there is, in [0, 1]; higher is better.

    The gain of a document is its grade (1 where there are none), divided by log₂(rank + 1).
    trec_eval's `ndcg` and `ndcg_cut_k` (https://github.com/usnistgov/trec_eval), after Järvelin
    and Kekäläinen, 2002 (https://doi.org/10.1145/582415.582418). Nothing retrieved gives 0.0;
    unscorable where no document is marked as relevant.
    """

    name: ClassVar = "ndcg"
    formula = staticmethod(ranking.ndcg)
