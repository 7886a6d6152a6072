"""The built-in judge: offline, deterministic, without a model; a baseline that explains itself."""

from __future__ import annotations

from troth.asks import (
    Answer,
    Ask,
    Correctness,
    Relevance,
    RelevanceWhole,
    RubricLevel,
    Support,
    SupportWhole,
    Usefulness,
)
from troth.errors import JudgeSetupError, JudgeUnavailable
from troth.judges.base import Judge, Reply
from troth.judges.builtin.correctness import judge_correctness
from troth.judges.builtin.relevance import judge_relevance, judge_usefulness
from troth.judges.builtin.support import judge_support
from troth.judges.builtin.whole import judge_relevance_whole, judge_support_whole


class Builtin(Judge):
    """Judges by words, numbers and names that the texts share; it reads no instruction in them.

    Every item gets exactly one verdict with `support` in [0, 1] and a reason that can be checked
    by eye. The same ask always gets the same reply. It knows no synonyms and no world: see
    docs/judges/builtin.md for what it is right and wrong about, measured.
    """

    name = "builtin"
    concurrency = 1

    async def reply(self, ask: Ask, problem: str | None = None) -> Reply:
        """Answer all asks that compare texts; others are `JudgeUnavailable`.

        A criterion of the user's own is `JudgeSetupError`: no row could be judged by it, so the
        run ends at once instead of failing row by row.
        """
        return Reply(self.judge(ask))

    def judge(self, ask: Ask) -> Answer:
        """The verdicts, without waiting for anything."""
        match ask:
            case Support():
                return judge_support(ask)
            case Relevance():
                return judge_relevance(ask)
            case Usefulness():
                return judge_usefulness(ask)
            case Correctness():
                return judge_correctness(ask)
            case SupportWhole():
                return judge_support_whole(ask)
            case RelevanceWhole():
                return judge_relevance_whole(ask)
            case RubricLevel():
                raise JudgeSetupError(
                    "the built-in judge compares words and can apply no criterion of yours "
                    f"({ask.items[0].text!r}); name a language model as judge, such as "
                    "openai/gpt-4o-mini or http://HOST:PORT/v1#MODEL, or leave the rubric out"
                )
        raise JudgeUnavailable(
            f"the built-in judge compares texts and has no answer to {ask.name!r}; "
            "use a language model as judge"
        )


__all__ = ["Builtin"]
