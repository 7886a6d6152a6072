"""Haystack components: change the import line, keep the pipeline.

    from troth.haystack import AnswerExactMatchEvaluator, DeepEvalEvaluator, DeepEvalMetric

Names load on use; without haystack-ai they raise `MissingExtra`. See docs/haystack.md.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from troth.errors import MissingExtra

if TYPE_CHECKING:
    from troth.haystack.deepeval import DeepEvalEvaluator as DeepEvalEvaluator
    from troth.haystack.deepeval import DeepEvalMetric as DeepEvalMetric
    from troth.haystack.exact_match import AnswerExactMatchEvaluator as AnswerExactMatchEvaluator

_NAMES = {
    "AnswerExactMatchEvaluator": "exact_match",
    "DeepEvalEvaluator": "deepeval",
    "DeepEvalMetric": "deepeval",
}
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
