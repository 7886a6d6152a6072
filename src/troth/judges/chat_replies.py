"""What a ChatGenerator returned, read without trusting its shape."""

from __future__ import annotations

from typing import Any

from troth.judges.base import Reply
from troth.score import Usage

_CUT = {"length", "max_tokens", "max_output_tokens", "max_completion_tokens", "model_length"}
_WITHHELD = {"content_filter", "content_filtered", "safety", "refusal", "recitation", "blocklist"}
_TOOLS = {"tool_calls", "tool_call", "tool_use", "tool_call_results", "function_call"}
_BROKEN = {"error", "malformed_function_call", "incomplete", "failed", "cancelled"}
_COUNTS = (("prompt_tokens", "input_tokens"), ("completion_tokens", "output_tokens"))


def read(result: Any) -> tuple[Reply, dict[str, Any]]:
    """The first reply in `result`, and its metadata.

    Whatever is wrong with it is the reply's `problem`; a reason for ending that nobody knows is
    none, as what is not whole cannot be decoded.
    """
    replies = result.get("replies") if isinstance(result, dict) else None
    if not isinstance(replies, (list, tuple)) or not replies:
        return Reply("", Usage(1), "the generator returned no reply"), {}
    first = replies[0]
    found = getattr(first, "meta", None)
    meta = dict(found) if isinstance(found, dict) else {}
    text = first if isinstance(first, str) else getattr(first, "text", None)
    content = text if isinstance(text, str) else ""
    return Reply(content, _usage(meta.get("usage")), _problem(content, meta)), meta


def _problem(content: str, meta: dict[str, Any]) -> str:
    said = meta.get("finish_reason")
    reason = str(getattr(said, "value", said) or "").strip().lower()
    if reason in _CUT:
        return "the reply was cut off at the model's output limit; be shorter"
    if reason in _WITHHELD:
        return f"the reply was withheld ({reason})"
    if reason in _TOOLS:
        return "the reply calls a tool instead of answering"
    if reason in _BROKEN:
        return f"the reply is not whole ({reason})"
    return "" if content.strip() else "the reply holds no text"


def _usage(usage: Any) -> Usage:
    usage = usage if isinstance(usage, dict) else {}
    counts = (next((usage[n] for n in names if n in usage), 0) for names in _COUNTS)
    return Usage(1, *(n if type(n) is int and n > 0 else 0 for n in counts))
