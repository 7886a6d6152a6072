"""Hit rate: was any relevant document found?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from troth import ranking
from troth.retrieval import RetrievalMetric


@dataclass(frozen=True, slots=True)
class HitRate(RetrievalMetric):
    """1.0 if at least one relevant document was found, else 0.0; higher is better.

    `hit_rate@k` looks at the first k; trec_eval's `success_k`
    (https://github.com/usnistgov/trec_eval). Nothing retrieved gives 0.0; unscorable where no
    document is marked as relevant.
    """

    name: ClassVar = "hit_rate"
    formula = staticmethod(ranking.hit_rate)
