"""What a run may spend, what it would spend, and what it need not spend again."""

import asyncio
import json

import pytest
from click.testing import CliRunner

import troth
import troth.judges.openai
from tests.endpoint import Endpoint
from troth.api import estimate
from troth.cli import main
from troth.errors import JudgeSetupError, JudgeUnavailable, UsageError
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
    with pytest.raises(UsageError, match="max_calls must be a number of at least 0"):
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


@pytest.mark.parametrize("limits", [{"max_cost": float("nan")}, {"max_calls": "3"}])
def test_a_limit_that_is_no_number_is_refused(limits):
    with pytest.raises(UsageError, match=f"{next(iter(limits))} must be a number"):
        troth.Budget(**limits)


@pytest.mark.parametrize("price", [float("nan"), float("inf"), -1.0])
def test_a_price_that_is_none_is_refused(price):
    with pytest.raises(UsageError, match="at least 0 and finite"):
        troth.evaluate(ROWS, METRICS, Priced(), prices={"priced": {"input": price, "output": 1.0}})


def test_prices_without_one_for_the_judge_are_refused_and_a_file_will_do(tmp_path):
    table = tmp_path / "prices.toml"
    table.write_text("[other]\ninput = 1\noutput = 1\n")
    with pytest.raises(UsageError, match="none for 'priced', only for 'other'"):
        troth.evaluate(ROWS, METRICS, Priced(), prices=table)
    assert estimate(ROWS, METRICS, "builtin", prices=table)[0].cost == 0  # it costs nothing
    table.write_text("[priced]\ninput = 1\noutput = 0\n")
    run = troth.evaluate(ROWS, METRICS, Priced(), prices=str(table))
    summary = run.summary()["faithfulness"]
    assert run.cost_of(summary.usage) == pytest.approx(20 * 100 / 1e6)
    with pytest.raises(UsageError, match=r"prices in '.*nowhere\.toml' cannot be read"):
        troth.evaluate(ROWS, METRICS, Priced(), prices=tmp_path / "nowhere.toml")


def test_tokens_that_the_endpoint_does_not_report_are_estimated_for_the_limit():
    class Silent(Priced):
        async def reply(self, ask, problem=None):
            return Reply((await super().reply(ask, problem)).content, Usage(1))

    judge = Silent()
    judge.concurrency = 1
    run = troth.evaluate(ROWS, METRICS, judge, budget=troth.Budget(max_tokens=500))
    assert 2 <= len(judge.asks) <= 6  # 100 tokens in, and the reply's
    assert {s.usage.input_tokens for s in run.summary().values()} == {0}


RICH = [{**row, "references": [row["answer"], f"{n} is so."]} for n, row in enumerate(ROWS)]
MANY = ["faithfulness", "faithfulness:counts", "answer_correctness", "contextual_recall"]


@pytest.mark.parametrize("metrics", [MANY, MANY[:2], MANY[::2], [*MANY[:1], "faithfulness@answer"]])
@pytest.mark.parametrize("joint", [False, True])
def test_an_estimate_counts_what_is_asked_then_and_nothing_after(
    tmp_path, monkeypatch, metrics, joint
):
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    given = {"joint": joint, "store": tmp_path / "t.db"}
    with Endpoint() as endpoint:
        judge = f"{endpoint.base_url}#m"
        before = estimate(RICH, metrics, judge, **given)
        troth.evaluate(RICH, metrics, judge, **given)
        after = estimate(RICH, metrics, judge, **given)
        assert sum(one.usage.calls for one in before) == endpoint.count
    assert sum(one.usage.calls for one in after) == 0


def test_an_estimate_survives_a_row_that_cannot_be_cut(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    rows = [ROWS[0], {**ROWS[1], "answer": "x" * 9000}]
    judge = troth.judges.openai.OpenAIChat(base_url="http://127.0.0.1:9/v1", window=900)
    [found] = estimate(rows, ["faithfulness@answer"], judge)
    assert (found.usage.calls, found.silent) == (1, 0)


def test_what_was_paid_for_counts_also_where_the_ask_fails_in_the_end():
    class Cut(Priced):
        def right(self, ask):
            return JudgeUnavailable("503 at last", usage=Usage(1, 100, 10))

        def __init__(self):
            Scripted.__init__(self, self.right)

        async def reply(self, ask, problem=None):
            await asyncio.sleep(0.05)  # equal asks come while it is in flight
            return await super().reply(ask, problem)

    for joint in (False, True):
        judge = Cut()
        judge.joint = True
        run = troth.evaluate([ROWS[0], ROWS[0]], METRICS, judge, joint=joint)
        spent = sum((s.usage for s in run.summary().values()), Usage())
        assert spent == Usage(1 if joint else 2, 100 if joint else 200, 10 if joint else 20)
        assert all(s.failed == 2 for s in run.summary().values())
