"""Average precision: do the relevant documents stand in front?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from troth import ranking
from troth.retrieval import RetrievalMetric


@dataclass(frozen=True, slots=True)
class AveragePrecision(RetrievalMetric):
    """The precision at the rank of each relevant document, averaged, in [0, 1]; higher is better.

    A relevant document that was not found, or not among the first k (`average_precision@k`),
    counts as 0. The mean over rows is the MAP; trec_eval's `map` and `map_cut_k`
    (https://github.com/usnistgov/trec_eval). Nothing retrieved gives 0.0; unscorable where no
    document is marked as relevant.
    """

    name: ClassVar = "average_precision"
    formula = staticmethod(ranking.average_precision)
