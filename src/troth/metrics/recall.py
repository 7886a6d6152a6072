"""Recall: how many of the relevant documents were found?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from troth import ranking
from troth.retrieval import RetrievalMetric


@dataclass(frozen=True, slots=True)
class Recall(RetrievalMetric):
    """Relevant documents found ÷ relevant documents, in [0, 1]; higher is better.

    `recall@k` looks at the first k; where more are relevant than k has room for, 1.0 cannot be
    reached, as in trec_eval's `recall_k` (https://github.com/usnistgov/trec_eval). Nothing
    retrieved gives 0.0; unscorable where no document is marked as relevant.
    """

    name: ClassVar = "recall"
    formula = staticmethod(ranking.recall)
