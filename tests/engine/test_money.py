"""What a run may spend, what it would spend, and what it need not spend again."""

import asyncio
import json

import pytest
from click.testing import CliRunner

import troth
from tests.endpoint import Endpoint
from troth.api import estimate
from troth.cli import main
from troth.errors import JudgeSetupError, UsageError
from troth.judges.base import Reply
from troth.judges.scripted import Scripted
from troth.score import Usage

ROWS = [
    {"question": f"Is {n} so?", "answer": f"Row {n} is so.", "contexts": [f"Row {n} is so."]}
    for n in range(20)
]
METRICS = ["faithfulness", "answer_relevancy"]


class Priced(Scripted):
    """A scripted judge that costs 100 tokens in and 10 out, and can be kept."""

    name = "priced"

    def __init__(self):
        super().__init__(self.right)

    @staticmethod
    def right(ask):
        label = next(iter(ask.labels))
        claim = {"label": label}
        return {
            "verdicts": [
                {"id": i.id, "claims": [claim]} if ask.splits else {"id": i.id, **claim}
                for i in ask.items
            ]
        }

    async def reply(self, ask, problem=None):
        await asyncio.sleep(0)
        return Reply((await super().reply(ask, problem)).content, Usage(1, 100, 10))

    def key(self, ask, problem=None):
        return repr((ask, problem))

    def sent(self, ask):
        return "word " * 80


def test_calls_end_at_their_limit_and_go_on_from_there(tmp_path):
    judge, store = Priced(), tmp_path / "t.db"
    first = troth.evaluate(ROWS, METRICS, judge, store=store, budget=troth.Budget(max_calls=15))
    assert len(judge.asks) == 15
    summaries = first.summary().values()
    assert sum(s.scored for s in summaries) == 15
    assert sum(s.failed for s in summaries) == 25
    assert all(s.total == 20 for s in summaries)
    reasons = {s.reason for row in first for s in row.scores.values() if s.value is None}
    assert reasons == {"max_calls=15 is spent"}

    second = troth.evaluate(ROWS, METRICS, judge, store=store)
    assert len(judge.asks) == 40
    assert [s.scored for s in second.summary().values()] == [20, 20]
    assert sum(s.saved.calls for s in second.summary().values()) == 15


@pytest.mark.parametrize(
    ("limits", "calls"),
    [({"max_tokens": 330}, 3), ({"max_cost": 0.05}, 5), ({"max_calls": 0}, 0)],
)
def test_tokens_and_cost_end_likewise(limits, calls):
    judge = Priced()
    prices = {"priced": {"input": 90.0, "output": 100.0}}  # 0.01 a call
    troth.evaluate(ROWS, METRICS, judge, budget=troth.Budget(**limits), prices=prices)
    assert len(judge.asks) == calls


def test_limits_that_cannot_be_kept_are_refused():
    with pytest.raises(UsageError, match="price of 'priced'"):
        troth.evaluate(ROWS, METRICS, Priced(), budget=troth.Budget(max_cost=1))
    with pytest.raises(UsageError, match="max_calls must not be negative"):
        troth.Budget(max_calls=-1)
    with pytest.raises(UsageError, match="per million tokens"):
        troth.evaluate(ROWS, METRICS, Priced(), prices={"priced": {"input": "much"}})


def test_an_estimate_asks_nothing_and_knows_the_journal(tmp_path):
    judge, store = Priced(), tmp_path / "t.db"
    rows = [*ROWS, {**ROWS[0]}, {"question": "q", "answer": "", "contexts": ["x"]}]
    found = estimate(rows, METRICS, judge, store=store)
    assert judge.asks == []
    assert not store.exists()
    faithful = found[0]
    assert (faithful.rows, faithful.asks, faithful.silent) == (22, 21, 1)
    assert faithful.usage == Usage(20, 20 * 100, 20 * 40)  # equal asks are asked once
    assert faithful.cost is None

    troth.evaluate(ROWS[:5], METRICS, judge, store=store)
    prices = {"priced": {"input": 1.0, "output": 0.0}}
    faithful = estimate(rows, METRICS, judge, store=store, prices=prices)[0]
    assert (faithful.kept, faithful.usage.calls) == (5, 15)
    assert faithful.cost == pytest.approx(15 * 100 / 1e6)


def test_an_estimate_of_the_real_prompts_is_near_what_is_sent(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with Endpoint() as endpoint:
        judge = f"{endpoint.base_url}#m"
        [found] = estimate(ROWS, ["faithfulness"], judge)
        assert endpoint.count == 0
        troth.evaluate(ROWS, ["faithfulness"], judge)
        words = [
            len(message["content"]) / 4
            for request in endpoint.requests
            for message in request.body["messages"]
        ]
    assert found.usage.calls == endpoint.count
    assert found.usage.input_tokens == pytest.approx(sum(words), rel=0.05)


def test_equal_asks_in_flight_are_asked_once():
    judge = Priced()
    judge.concurrency = 10
    run = troth.evaluate([ROWS[0]] * 10, ["faithfulness"], judge)
    assert len(judge.asks) < 10
    assert [s.value for s in run.scores("faithfulness")] == [1.0] * 10
    paid = sum(s.usage.calls for s in run.scores("faithfulness"))
    saved = sum(s.saved.calls for s in run.scores("faithfulness"))
    assert (paid, paid + saved) == (len(judge.asks), 10)


def test_a_hopeless_run_is_given_up_early():
    from troth.errors import JudgeUnavailable

    judge = Scripted(lambda ask: JudgeUnavailable("HTTP 500"))
    with pytest.raises(JudgeSetupError, match=r"the first 10 asks all failed.*HTTP 500"):
        troth.evaluate(ROWS, METRICS, judge)
    assert len(judge.asks) == 10


def test_the_command_line_counts_limits_and_prices(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    data = tmp_path / "rows.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")

    def troth_run(*arguments):
        return CliRunner().invoke(main, ["run", str(data), "--metrics", "faithfulness", *arguments])

    with Endpoint() as endpoint:
        name = f"{endpoint.base_url}#m"
        prices = tmp_path / "prices.toml"
        prices.write_text(f'["{name}"]\ninput = 1000.0\noutput = 0.0\n', "utf-8")
        judge = ("--judge", name)
        dry = troth_run(*judge, "--dry-run", "--prices", str(prices))
        assert dry.exit_code == 0, dry.output
        assert "unknown" not in dry.stdout
        assert "unknown" in troth_run(*judge, "--dry-run").stdout
        document = json.loads(troth_run(*judge, "--dry-run", "--json").stdout)
        assert document["metrics"]["faithfulness"]["calls"] == 20
        assert endpoint.count == 0

        some = troth_run(*judge, "--max-calls", "7", "--prices", str(prices))
        assert some.exit_code == 0
        assert endpoint.count == 7
        assert "max_calls=7 is spent" in some.stdout
        assert "cost" in some.stdout

        rest = troth_run(*judge)
        assert endpoint.count == 20
        assert "saved by the journal" in rest.stdout
        assert troth_run(*judge, "--max-cost", "1").exit_code == 2

        info = CliRunner().invoke(main, ["cache", "info"])
        assert "20" in info.stdout
        export = CliRunner().invoke(main, ["cache", "export"])
        assert len(export.stdout.splitlines()) == 20
        assert "OPENAI" not in export.stdout
        prune = CliRunner().invoke(main, ["cache", "prune"])
        assert prune.exit_code == 2
        prune = CliRunner().invoke(main, ["cache", "prune", "--all"])
        assert "deleted: 20" in prune.stdout
        assert CliRunner().invoke(main, ["cache", "info", "--store", "no.db"]).exit_code == 2
