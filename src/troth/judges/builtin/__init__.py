"""The built-in judge: offline, deterministic, without a model; a baseline that explains itself."""

from __future__ import annotations

from troth.asks import Answer, Ask, Relevance, Support, Usefulness
from troth.errors import JudgeUnavailable
from troth.judges.base import Judge, Reply
from troth.judges.builtin.relevance import judge_relevance, judge_usefulness
from troth.judges.builtin.support import judge_support


class Builtin(Judge):
    """Judges by words, numbers and names that the texts share; it reads no instruction in them.

    Every item gets exactly one verdict with `support` in [0, 1] and a reason that can be checked
    by eye. The same ask always gets the same reply. It knows no synonyms and no world: see
    docs/judges/builtin.md for what it is right and wrong about, measured.
    """

    name = "builtin"
    concurrency = 1

    async def reply(self, ask: Ask, problem: str | None = None) -> Reply:
        """Answer `Support`, `Relevance` and `Usefulness`; other asks are `JudgeUnavailable`."""
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
        raise JudgeUnavailable(
            f"the built-in judge answers support, relevance and usefulness, not {ask.name!r}; "
            "use a language model as judge"
        )


__all__ = ["Builtin"]
