"""One body of steps, three drivers, the same score."""

import asyncio
from dataclasses import dataclass
from typing import ClassVar

import pytest

from troth.asks import Item, Relevance
from troth.engine.drive import adrive, drive, drive_wave
from troth.metric import Metric
from troth.metrics.exact_match import ExactMatch
from troth.metrics.faithfulness import Faithfulness
from troth.sample import Sample
from troth.score import Score, Verdict

SAMPLES = [Sample(str(n), answer="Ana sings. " * n, contexts=["Ana sings."]) for n in range(4)]


@dataclass(frozen=True, slots=True)
class TwoRounds(Metric):
    """Asks twice, the second time about what the first answer said."""

    name: ClassVar = "two_rounds"
    needs: ClassVar = ("answer",)

    def steps(self, sample):
        first = yield [self._ask("a"), self._ask("b")]
        labels = [v.label for answer in first for v in answer]
        [second] = yield [self._ask(labels[0])]
        return Score(len(labels) + len(second), reason=",".join([*labels, second[0].label]))

    def _ask(self, text):
        return Relevance(items=(Item("i", text),), question="q")


def echo(ask):
    return tuple(Verdict(item.id, f"<{item.text}>", 1.0) for item in ask.items)


def supported(ask):
    return tuple(Verdict(item.id, "supported", 0.75) for item in ask.items)


async def later(ask):
    await asyncio.sleep(0)
    return (echo if isinstance(ask, Relevance) else supported)(ask)


def everything():
    return [
        steps
        for sample in SAMPLES
        for steps in (
            Faithfulness().steps(sample),
            TwoRounds().steps(sample),
            ExactMatch().steps(Sample(answer="x", references=["x"])),
        )
    ]


def answer(ask):
    return (echo if isinstance(ask, Relevance) else supported)(ask)


def test_three_drivers_one_score():
    sync = [drive(steps, answer) for steps in everything()]
    awaited = asyncio.run(_all(everything()))
    waves = drive_wave(everything(), lambda asks: [answer(ask) for ask in asks])
    assert sync == awaited == waves
    assert sync[1].reason == "<a>,<b>,<<a>>"


async def _all(many):
    return [await adrive(steps, later) for steps in many]


def test_a_wave_collects_the_asks_of_all_rows():
    waves = []

    def answer_all(asks):
        waves.append(len(asks))
        return [answer(ask) for ask in asks]

    drive_wave([TwoRounds().steps(s) for s in SAMPLES], answer_all)
    assert waves == [8, 4]


def test_asks_yielded_together_are_awaited_together():
    waiting = []

    async def slow(ask):
        waiting.append(ask)
        await asyncio.sleep(0.01)
        seen.append(len(waiting))
        return echo(ask)

    seen = []
    asyncio.run(adrive(TwoRounds().steps(SAMPLES[0]), slow))
    assert seen == [2, 2, 3]


def test_too_few_answers_are_refused():
    with pytest.raises(ValueError, match="8 asks were answered by 0"):
        drive_wave([TwoRounds().steps(s) for s in SAMPLES], lambda asks: [])


def test_a_metric_must_return_a_score():
    def nothing():
        return 1.0
        yield ()

    with pytest.raises(TypeError, match=r"must return a Score, not 1\.0"):
        drive(nothing(), answer)


def test_an_error_of_the_answerer_reaches_the_caller_as_it_is():
    async def broken(ask):
        raise LookupError("no")

    with pytest.raises(LookupError):
        asyncio.run(adrive(TwoRounds().steps(SAMPLES[0]), broken))
