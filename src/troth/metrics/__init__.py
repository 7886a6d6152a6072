"""The metrics, one module each. The folder is the catalogue: there is no list to edit.

The class in `token_f1.py` is `TokenF1`; the metric's name is the module's.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from functools import cache
from typing import Any

from troth.errors import UsageError
from troth.metric import CUTOFF, GRANULARITY, Metric

# What metrics are called elsewhere -> their names here.
_ELSEWHERE = {
    "answer_relevance": "answer_relevancy",
    "answer_similarity": "semantic_similarity",
    "context_precision": "contextual_precision",
    "context_recall": "contextual_recall",
    "context_relevance": "contextual_relevancy",
    "contextual_relevance": "contextual_relevancy",
    "em": "exact_match",
    "f1": "token_f1",
    "g_eval": "rubric",
    "geval": "rubric",
    "groundedness": "faithfulness",
    "hit": "hit_rate",
    "map": "average_precision",
    "mean_average_precision": "average_precision",
    "mean_reciprocal_rank": "reciprocal_rank",
    "mrr": "reciprocal_rank",
    "sas": "semantic_similarity",
    "semantic_answer_similarity": "semantic_similarity",
    "success": "hit_rate",
}


@cache
def names() -> tuple[str, ...]:
    """The names of all metrics, sorted; imports none of them."""
    return tuple(sorted(m.name for m in pkgutil.iter_modules(__path__)))


def metric_class(name: str) -> type[Metric]:
    """The class of the metric called `name`; `UsageError` if there is none."""
    if name not in names():
        plain = name.strip().lower().replace("-", "_").replace(" ", "_")
        known = {n: n for n in names()} | _ELSEWHERE
        near = [plain] if plain in known else difflib.get_close_matches(plain, known, n=1)
        hint = f"did you mean {known[near[0]]!r}?" if near else f"there are {', '.join(_written())}"
        raise UsageError(f"no metric is called {name!r}: {hint}")
    module = importlib.import_module(f"{__name__}.{name}")
    found: type[Metric] = getattr(module, class_name(name))
    return found


def _written() -> list[str]:
    """All metrics, each with what may stand behind its name: `recall[:overlap|:span][@k]`."""
    return [name + "".join(f"[{'|'.join(tails)}]" for tails in _tails(name)) for name in names()]


def _tails(name: str) -> list[list[str]]:
    cls = metric_class(name)
    free = [cls.choice.upper()] if cls.choice and not cls.choices else []
    chosen = [f":{choice}" for choice in [*cls.choices[1:], *free]]
    counted = ["@k"] if cls.ranked else [f"@{word}" for word in cls.granularities[1:]]
    return [tails for tails in (chosen, counted) if tails]


def class_name(name: str) -> str:
    """`token_f1` -> `TokenF1`."""
    return "".join(part.capitalize() for part in name.split("_"))


def parse(spec: str | Metric) -> Metric:
    """`"exact_match:squad"`, `"faithfulness@answer"`, `"recall@5"` or a metric -> the metric.

    The part behind the colon sets the metric's `choice` field, the one behind `@` its
    `granularity`, or `k` where it looks at a ranking.
    """
    if isinstance(spec, Metric):
        return spec
    if not isinstance(spec, str):
        raise UsageError(f"a metric is named by a string or is a Metric, not {spec!r}")
    head, at, tail = spec.strip().partition("@")
    name, colon, choice = head.partition(":")
    cls = metric_class(name)
    options: dict[str, Any] = {}
    if colon:
        if cls.choice is None:
            raise UsageError(f"{name} takes no choice, but {spec!r} was asked for")
        options[cls.choice] = choice
    if at and cls.ranked:
        options[CUTOFF] = int(tail) if tail.isascii() and tail.isdecimal() else tail
    elif at:
        if not cls.granularities:
            raise UsageError(f"{name} has one granularity only, but {spec!r} was asked for")
        options[GRANULARITY] = tail
    return cls(**options)
