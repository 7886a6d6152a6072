"""What a request to a chat endpoint holds, less what the endpoint has refused so far."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from troth.judges.openai_reply import Refused
from troth.prompts.render import Prompt

FORMS = ("json_schema", "json_object", None)  # from the most to the least that may be asked for
WORD_LIMIT = 16  # tokens of a reply of one word; a model that needs more is asked without a limit
_WORD_ALTERNATIVES, _ALTERNATIVES = 20, 5  # per token: one word has few tokens, JSON has many


@dataclass(frozen=True, slots=True)
class Dialect:
    """What may be sent. `alternatives` is how many log-probabilities a token, 0 for none."""

    form: int = 0
    temperature: bool = True
    limit: bool = True
    alternatives: int = _WORD_ALTERNATIVES

    def without(self, refusal: Refused, prompt: Prompt) -> Dialect | None:
        """What is left after a refusal of `prompt`; `None` where there is no other way to ask."""
        if refusal.tokens and self.alternatives:
            asked = self.alternatives_for(prompt)
            return replace(self, alternatives=_ALTERNATIVES if asked > _ALTERNATIVES else 0)
        if refusal.form and self.form + 1 < len(FORMS) and prompt.schema is not None:
            return replace(self, form=self.form + 1)
        if refusal.temperature and self.temperature:
            return replace(self, temperature=False)
        if refusal.limit and self.limit:
            return replace(self, limit=False)
        return None

    def both(self, other: Dialect) -> Dialect:
        """What neither of two has found refused."""
        return Dialect(
            max(self.form, other.form),
            self.temperature and other.temperature,
            self.limit and other.limit,
            min(self.alternatives, other.alternatives),
        )

    def alternatives_for(self, prompt: Prompt) -> int:
        """How many log-probabilities are asked for with each token of the reply to `prompt`."""
        most = _WORD_ALTERNATIVES if prompt.schema is None else _ALTERNATIVES
        return min(self.alternatives, most)


def body(
    model: str,
    prompt: Prompt,
    dialect: Dialect,
    *,
    temperature: float | None,
    extra: Mapping[str, Any],
) -> bytes:
    """The request's body; `extra` overrides what it shares with it."""
    sent: dict[str, Any] = {"model": model, "messages": merged(prompt.messages)}
    if dialect.temperature and temperature is not None:
        sent["temperature"] = temperature
    if alternatives := dialect.alternatives_for(prompt):
        sent |= {"logprobs": True, "top_logprobs": alternatives}
    form = FORMS[dialect.form]
    if prompt.schema is None:
        if dialect.limit:
            sent["max_tokens"] = WORD_LIMIT
    elif form == "json_schema":
        schema = {"name": prompt.schema_name, "schema": prompt.schema, "strict": True}
        sent["response_format"] = {"type": form, "json_schema": schema}
    elif form:
        sent["response_format"] = {"type": form}
    return msgspec.json.encode(sent | dict(extra))


def merged(messages: Iterable[Mapping[str, str]]) -> list[dict[str, str]]:
    """The messages, neighbours of one role as one: some chat templates insist that roles alternate.

    What stood before keeps its bytes, so that prefix caches still serve it.
    """
    found: list[dict[str, str]] = []
    for message in messages:
        if found and found[-1]["role"] == message["role"]:
            joined = f"{found[-1]['content']}\n\n{message['content']}"
            found[-1] = {**found[-1], "content": joined}
        else:
            found.append(dict(message))
    return found
