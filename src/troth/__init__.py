"""Troth evaluates question answering and RAG. Every score accounts for itself.

    import troth

    run = troth.evaluate("answers.jsonl", metrics=["faithfulness", "exact_match"])
    print(run.summary())

Names load on use: `import troth` alone costs a few milliseconds and imports no other library.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what type checkers and editors see; a test holds it to the catalogue
    from troth.account import Row as Row
    from troth.account import Summary as Summary
    from troth.api import aevaluate as aevaluate
    from troth.api import evaluate as evaluate
    from troth.engine.budget import Budget as Budget
    from troth.engine.budget import Price as Price
    from troth.errors import TrothError as TrothError
    from troth.judges.base import Judge as Judge
    from troth.judges.base import Reply as Reply
    from troth.judges.builtin import Builtin as Builtin
    from troth.judges.openai import OpenAIChat as OpenAIChat
    from troth.judges.scripted import Scripted as Scripted
    from troth.metric import Metric as Metric
    from troth.metrics.answer_correctness import AnswerCorrectness as AnswerCorrectness
    from troth.metrics.answer_relevancy import AnswerRelevancy as AnswerRelevancy
    from troth.metrics.average_precision import AveragePrecision as AveragePrecision
    from troth.metrics.contains import Contains as Contains
    from troth.metrics.contextual_precision import ContextualPrecision as ContextualPrecision
    from troth.metrics.contextual_recall import ContextualRecall as ContextualRecall
    from troth.metrics.contextual_relevancy import ContextualRelevancy as ContextualRelevancy
    from troth.metrics.exact_match import ExactMatch as ExactMatch
    from troth.metrics.faithfulness import Faithfulness as Faithfulness
    from troth.metrics.hit_rate import HitRate as HitRate
    from troth.metrics.ndcg import Ndcg as Ndcg
    from troth.metrics.recall import Recall as Recall
    from troth.metrics.reciprocal_rank import ReciprocalRank as ReciprocalRank
    from troth.metrics.rubric import Rubric as Rubric
    from troth.metrics.semantic_similarity import SemanticSimilarity as SemanticSimilarity
    from troth.metrics.token_f1 import TokenF1 as TokenF1
    from troth.run import Run as Run
    from troth.sample import Sample as Sample
    from troth.score import Score as Score
    from troth.score import Status as Status
    from troth.score import Usage as Usage
    from troth.score import Verdict as Verdict
    from troth.store import Store as Store

_HOMES = {
    "troth.api": ("evaluate", "aevaluate"),
    "troth.errors": ("TrothError",),
    "troth.judges.base": ("Judge", "Reply"),
    "troth.judges.builtin": ("Builtin",),
    "troth.judges.openai": ("OpenAIChat",),
    "troth.judges.scripted": ("Scripted",),
    "troth.metric": ("Metric",),
    "troth.account": ("Row", "Summary"),
    "troth.engine.budget": ("Budget", "Price"),
    "troth.run": ("Run",),
    "troth.sample": ("Sample",),
    "troth.score": ("Score", "Status", "Usage", "Verdict"),
    "troth.store": ("Store",),
}
_NAMES = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415 - 20 ms that few need

        return version("troth")
    if home := _NAMES.get(name):
        return getattr(importlib.import_module(home), name)
    if (metric := _metrics().get(name)) is not None:
        return getattr(importlib.import_module(f"troth.metrics.{metric}"), name)
    raise AttributeError(f"module 'troth' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_NAMES, *_metrics(), "__version__"])


def _metrics() -> dict[str, str]:
    from troth.metrics import class_name, names  # noqa: PLC0415

    return {class_name(name): name for name in names()}
