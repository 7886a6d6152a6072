"""The bundled example: a small RAG data set about an invented island."""

from __future__ import annotations

from importlib.resources import files

METRICS = (
    "exact_match",
    "token_f1:squad",
    "contains:squad",
    "faithfulness",
    "answer_relevancy",
    "contextual_precision",
    "contextual_recall",
    "contextual_relevancy",
)


def path() -> str:
    """Where the data lies, as JSONL: `troth.evaluate(troth.demo.path())`."""
    return str(files("troth.demo") / "lighthouse.jsonl")
