"""What llama.cpp streams, as a reply."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import msgspec

from troth.asks import Ask
from troth.judges.base import Reply
from troth.judges.openai_tokens import tokens
from troth.score import Usage


class Said:
    """Gathers the chunks of one reply."""

    def __init__(self, unwanted: threading.Event) -> None:
        self.unwanted = unwanted
        self.parts: list[str] = []
        self.tokens: list[Any] = []
        self.error: Mapping[str, Any] = {}
        self.usage = Usage(1)
        self.cut = False

    def hear(self, chunk: dict[str, Any]) -> bool:
        """Take one chunk in; true ends the reply."""
        self.error = chunk.get("error") or self.error
        if counts := chunk.get("usage"):
            self.usage = Usage(1, counts["prompt_tokens"], counts["completion_tokens"])
        for choice in chunk.get("choices", ()):
            self.parts.append(choice["delta"].get("content") or "")
            self.cut = self.cut or choice.get("finish_reason") == "length"
            self.tokens += (choice.get("logprobs") or {}).get("content") or ()
        return self.unwanted.is_set()

    def reply(self, ask: Ask) -> Reply:
        """All of it, as the reply to `ask`."""
        problem = "the reply was cut off; be shorter" if self.cut else ""
        logprobs = msgspec.Raw(msgspec.json.encode({"content": self.tokens}))
        return Reply("".join(self.parts), self.usage, problem, tokens(logprobs, ask.labels))


def explained(error: Mapping[str, Any]) -> str:
    """What llama.cpp complains about, and what to do."""
    if error.get("type") == "exceed_context_size_error":
        return (
            f"the prompt has {error['n_prompt_tokens']} tokens, and the context only "
            f"{error['n_ctx']}: use a larger context= if the model has one, or shorter texts"
        )
    return str(error.get("message", error))
