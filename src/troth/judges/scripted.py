"""A judge that says what it is told to: for tests, documentation and dry runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from troth.asks import Answer, Ask
from troth.errors import JudgeUnavailable, UsageError
from troth.judges.base import Judge, Reply
from troth.score import Usage, Verdict

Said = str | Answer | Mapping[str, Any] | list[Any] | None | BaseException


class Scripted(Judge):
    """Answers from `script`, which is one of:

    - a callable `ask -> what is said`;
    - a mapping from an item's text to its label; `"*"` is for all other items;
    - an iterable of what is said, one per reply, in order; when it is used up the judge is
      unavailable.

    What is said: text as a language model would send it, a dict or list (sent as JSON), a tuple of
    `Verdict`s, `None` (sent as `null`), or an exception (raised). `asks` records what was asked.
    """

    name = "scripted"

    def __init__(
        self, script: Callable[[Ask], Said] | Mapping[str, str] | Iterable[Said], name: str = ""
    ) -> None:
        self.asks: list[Ask] = []
        self.problems: list[str | None] = []
        self.name = name or self.name
        self._script = script
        self._rest = iter(()) if callable(script) or isinstance(script, Mapping) else iter(script)

    @classmethod
    def from_file(cls, path: str) -> Scripted:
        """A script from a JSON file: an object of labels by text, or a list of replies."""
        try:
            script = json.loads(Path(path).read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise UsageError(f"the script {path!r} cannot be read: {error}") from None
        if not isinstance(script, (dict, list)):
            raise UsageError(f"the script {path!r} must be a JSON object or list")
        return cls(script, f"scripted:{path}")

    async def reply(self, ask: Ask, problem: str | None = None) -> Reply:
        """What the script says; each reply counts as one call."""
        self.asks.append(ask)
        self.problems.append(problem)
        said = self._said(ask)
        if isinstance(said, BaseException):
            raise said
        content = said if isinstance(said, (str, tuple)) else json.dumps(said, ensure_ascii=False)
        return Reply(content, Usage(calls=1))

    def _said(self, ask: Ask) -> Said:
        if isinstance(self._script, Mapping):
            return tuple(self._labelled(ask, item.id, item.text) for item in ask.items)
        if callable(self._script):
            return self._script(ask)
        try:
            return next(self._rest)
        except StopIteration:
            return JudgeUnavailable("the script is used up")

    def _labelled(self, ask: Ask, item_id: str, text: str) -> Verdict:
        labels: Mapping[str, str] = self._script  # type: ignore[assignment] # checked by _said
        label = labels.get(text, labels.get("*", ""))
        return Verdict(item_id, label, ask.labels.get(label, 0.0), "as scripted")
