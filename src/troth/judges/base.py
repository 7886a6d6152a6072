"""What a judge is: whatever answers asks. All judges are peers behind this protocol."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from troth.asks import Answer, Ask
from troth.score import NO_USAGE, Usage

Token = tuple[str, tuple[tuple[str, float], ...]]  # its text, alternatives with log-probabilities


@dataclass(frozen=True, slots=True)
class Reply:
    """What a judge said: raw text that still has to be decoded, or verdicts already typed.

    Either way the engine reconciles it with what was asked before a metric sees it. `problem` is
    what the judge itself knows to be wrong with it (it was cut off, the model refused): such a
    reply is paid for and counted, but never read. `tokens` are those of `content`, where the judge
    knows how likely each alternative was; those that cannot bear on a label may have none.
    """

    content: str | Answer
    usage: Usage = NO_USAGE
    problem: str = ""
    tokens: tuple[Token, ...] = ()


class Judge(ABC):
    """Answers asks. Subclass it, override `reply`, and pass an instance as `judge=`."""

    name: str  # short and reproducible: it is written beside every score
    concurrency: int = 1  # how many replies may be awaited at once
    joint: bool = False  # can it answer several asks of one row in one reply?
    window: int | None = None  # tokens of prompt and reply together; longer asks are split

    @abstractmethod
    async def reply(self, ask: Ask, problem: str | None = None) -> Reply:
        """Answer `ask`. `problem` says what was wrong with the previous reply to the same ask.

        Raises `JudgeUnavailable` when this ask could not be answered, `JudgeSetupError` when none
        ever will.
        """

    def key(self, ask: Ask, problem: str | None = None) -> str | None:
        """What identifies the reply in the journal: everything that was sent, hashed.

        `None` (the default) means that replies cost nothing and are not kept.
        """
        return None

    @property
    def free(self) -> bool:
        """Do replies cost nothing, so that none is kept in the journal?"""
        return type(self).key is Judge.key

    def sent(self, ask: Ask) -> str | None:
        """All text that would be sent for `ask`; `None` (the default) where nothing is paid for."""
        return None

    def identity(self) -> Mapping[str, Any]:
        """What somebody needs to repeat this judge's work; plain JSON values, never a secret."""
        return {"name": self.name}

    async def start(self) -> None:  # noqa: B027 - most judges have nothing to open
        """Called once before the first ask; raises `JudgeSetupError` where a key is missing."""

    async def close(self) -> None:  # noqa: B027 - most judges have nothing to close
        """Release connections. The judge may be started again."""
