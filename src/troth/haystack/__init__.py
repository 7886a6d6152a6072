"""Haystack components: change the import line, keep the pipeline.

    from troth.haystack import AnswerExactMatchEvaluator, DeepEvalEvaluator, DeepEvalMetric

The same names are in `haystack_integrations.components.evaluators.troth`. Names load on use;
without haystack-ai they raise `MissingExtra`. See docs/haystack.md.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from troth.errors import MissingExtra

if TYPE_CHECKING:  # what type checkers and editors see; a test holds it to the table
    from troth.errors import RowFailed as RowFailed
    from troth.haystack._inputs import Column as Column
    from troth.haystack.answer_f1 import AnswerF1Evaluator as AnswerF1Evaluator
    from troth.haystack.context_relevance import (
        ContextRelevanceEvaluator as ContextRelevanceEvaluator,
    )
    from troth.haystack.deepeval import DeepEvalEvaluator as DeepEvalEvaluator
    from troth.haystack.deepeval import DeepEvalMetric as DeepEvalMetric
    from troth.haystack.documents import DocumentMAPEvaluator as DocumentMAPEvaluator
    from troth.haystack.documents import DocumentMRREvaluator as DocumentMRREvaluator
    from troth.haystack.documents import DocumentNDCGEvaluator as DocumentNDCGEvaluator
    from troth.haystack.documents import DocumentRecallEvaluator as DocumentRecallEvaluator
    from troth.haystack.documents import RecallMode as RecallMode
    from troth.haystack.exact_match import AnswerExactMatchEvaluator as AnswerExactMatchEvaluator
    from troth.haystack.faithfulness import FaithfulnessEvaluator as FaithfulnessEvaluator
    from troth.haystack.llm import LLMEvaluator as LLMEvaluator
    from troth.haystack.run_result import EvaluationRunResult as EvaluationRunResult
    from troth.haystack.sas import SASEvaluator as SASEvaluator

_HOMES = {
    "exact_match": ("AnswerExactMatchEvaluator",),
    "answer_f1": ("AnswerF1Evaluator",),
    "sas": ("SASEvaluator",),
    "deepeval": ("DeepEvalEvaluator", "DeepEvalMetric"),
    "faithfulness": ("FaithfulnessEvaluator",),
    "context_relevance": ("ContextRelevanceEvaluator",),
    "llm": ("LLMEvaluator",),
    "documents": (
        "DocumentRecallEvaluator",
        "RecallMode",
        "DocumentMRREvaluator",
        "DocumentMAPEvaluator",
        "DocumentNDCGEvaluator",
    ),
    "run_result": ("EvaluationRunResult",),
    "_inputs": ("Column",),
    "_component": ("RowFailed",),
}
_NAMES = {name: home for home, names in _HOMES.items() for name in names}
__all__ = list(_NAMES)


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = importlib.import_module(f"{__name__}.{_NAMES[name]}")
    except ImportError as error:
        # An old or foreign package of that name lacks what the components build on.
        if (error.name or "").partition(".")[0] != "haystack":
            raise
        raise MissingExtra("haystack-ai", "haystack") from error
    return getattr(module, name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_NAMES])
