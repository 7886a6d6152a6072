"""Runs and replies on disk, in real SQLite."""

import asyncio
import json
import os
import sqlite3
import stat
import subprocess
import sys
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from troth.account import Row
from troth.api import evaluate
from troth.engine.desk import Desk
from troth.engine.runner import run_rows
from troth.engine.sync import run_sync
from troth.errors import StoreError
from troth.judges.base import Judge, Reply
from troth.judges.scripted import Scripted
from troth.metrics.faithfulness import Faithfulness
from troth.run import Run
from troth.sample import Sample
from troth.score import Score, Usage, Verdict
from troth.store import Store

TEXT = st.text(st.characters(codec="utf-8"))


def a_run(texts=("x",), run_id="r1"):
    verdict = Verdict("a1", "supported", 0.5, "why", ("c1",), "text", 0.5)
    score = Score(0.5, reason="half", verdicts=(verdict,), support=0.25, usage=Usage(1, 2, 3))
    rows = tuple(
        Row(
            Sample(str(n), text, text, (text,), (), {"topic": text}),
            {"m": score, "n": Score.unscorable(text or "none")},
        )
        for n, text in enumerate(texts)
    )
    return Run(rows, ("m", "n"), "builtin", {"k": ["v"]}, ("row 3: bad",), 1.5, run_id)


@settings(max_examples=30)
@given(st.lists(TEXT, max_size=3))
def test_a_run_comes_back_equal(texts):
    with TemporaryDirectory() as folder, Store(Path(folder) / "t.db") as store:
        run = a_run(texts)
        store.save(run)
        back = store.load("r1")
        assert back == run
        assert [row.sample.meta for row in back] == [row.sample.meta for row in run]
        assert list(back[1:]) == list(run[1:])


def test_runs_are_listed_newest_first(tmp_path):
    with Store(tmp_path / "t.db") as store:
        for run_id in ("a", "b", "c"):
            store.save(a_run(run_id=run_id))
        assert [entry.id for entry in store.runs()] == ["c", "b", "a"]


def test_a_run_is_kept_whole_or_not_at_all(tmp_path):
    with Store(tmp_path / "t.db") as store:
        store.save(a_run())
        with pytest.raises(StoreError):
            store.save(a_run(("y", "z")))  # the same id again
        assert store.load("r1") == a_run()
        with pytest.raises(StoreError, match="holds no run 'r2'"):
            store.load("r2")


def test_replies(tmp_path):
    async def kept():
        await store.journal.put("k", "openai/x", Reply("text", Usage(1, 10, 2)))
        return store.journal.get("k")

    with Store(tmp_path / "t.db") as store:
        assert store.journal.get("k") is None
        assert asyncio.run(kept()) == Reply("text", Usage(1, 10, 2))
        [info] = store.journal.info()
        assert (info["judge"], info["replies"], info["input_tokens"]) == ("openai/x", 1, 10)
        assert [dict(reply)["content"] for reply in store.journal.export()] == ["text"]
        store.journal.forget("k")
        assert store.journal.get("k") is None


def test_pruning(tmp_path):
    async def fill():
        for n in range(5):
            await store.journal.put(f"k{n}", f"judge{n % 2}", Reply("x"))

    with Store(tmp_path / "t.db") as store:
        asyncio.run(fill())
        assert store.journal.prune(days=1) == 0
        assert store.journal.prune(judge="judge1") == 2
        assert store.journal.prune() == 3
        assert store.journal.info() == []


def test_the_files_are_private_and_kept_out_of_git(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Store().close()
    mode = stat.S_IMODE((tmp_path / ".troth" / "troth.db").stat().st_mode)
    assert mode == 0o600
    assert (tmp_path / ".troth" / ".gitignore").read_text() == "*\n"


def test_garbage_a_newer_version_and_a_folder_are_refused_untouched(tmp_path):
    short = tmp_path / "short.db"
    short.write_bytes(b"x")
    with pytest.raises(StoreError, match="no database"):
        Store(short)
    assert short.read_bytes() == b"x"
    garbage = tmp_path / "garbage.db"
    garbage.write_bytes(b"not a database" * 100)
    with pytest.raises(StoreError, match="cannot be used"):
        Store(garbage)
    assert garbage.read_bytes() == b"not a database" * 100
    newer = tmp_path / "newer.db"
    Store(newer).close()
    with sqlite3.connect(newer) as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreError, match="newer Troth"):
        Store(newer)
    with pytest.raises(StoreError):
        Store(tmp_path)


@pytest.mark.parametrize("version", [0, 1, 7])
def test_another_programs_database_is_refused_before_a_byte_of_it_changes(tmp_path, version):
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE runs (x)")
        db.execute(f"PRAGMA user_version = {version}")
    db.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="another program"):
        Store(path)
    assert path.read_bytes() == before


def test_two_processes_and_many_threads_share_one_file(tmp_path):
    path = tmp_path / "t.db"
    code = (
        "import asyncio, sys; from pathlib import Path; from troth.judges.base import Reply\n"
        "from troth.store import Journal\n"
        "async def main():\n"
        "    j = Journal(Path(sys.argv[1]))\n"
        "    for n in range(100): await j.put(f'{sys.argv[2]}{n}', 'j', Reply('x'))\n"
        "    j.close()\n"
        "asyncio.run(main())\n"
    )
    others = [
        subprocess.Popen([sys.executable, "-c", code, str(path), name], env=os.environ)
        for name in "ab"
    ]

    async def put(names):
        await asyncio.gather(*(store.journal.put(name, "j", Reply("x")) for name in names))

    with Store(path) as store:
        threads = [
            threading.Thread(target=asyncio.run, args=(put([f"c{n}", f"d{n}"]),)) for n in range(20)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [p.wait() for p in others] == [0, 0]
        for key in ("a0", "a99", "b0", "b99", "c0", "c19", "d19"):
            assert store.journal.get(key)


def test_a_disk_that_is_full_stops_the_run_and_keeps_what_there_was(tmp_path):
    samples = [Sample(str(n), answer=f"Row {n}.", contexts=["x"]) for n in range(50)]
    reason = "long " * 2000
    claims = [{"label": "supported", "reason": reason}]
    judge = Paid(lambda ask: {"verdicts": [{"id": i.id, "claims": claims} for i in ask.items]})
    with Store(tmp_path / "t.db") as store:
        db = store.journal._db  # the only way to fill a disk without one
        [pages] = db.execute("PRAGMA page_count").fetchone()
        db.execute(f"PRAGMA max_page_count = {pages + 20}")
        with pytest.raises(StoreError, match="full"):
            run_sync(
                lambda: run_rows(samples, [Faithfulness()], Desk(judge, replies=store.journal))
            )
        db.execute("PRAGMA max_page_count = 1000000")
        kept = sum(1 for _ in store.journal.export())
        assert 0 < kept < 50
        rows = run_sync(
            lambda: run_rows(samples, [Faithfulness()], Desk(judge, replies=store.journal))
        )
    assert len(rows) == 50
    assert len(judge.asks) == 50 + 1  # what was in flight when the disk was full is asked again


class Paid(Scripted):
    """A scripted judge whose replies are kept, like those of a paid one."""

    def key(self, ask, problem=None):
        return repr((ask, problem))


def test_a_reply_that_was_paid_for_is_not_asked_for_again(tmp_path):
    samples = [Sample(str(n), answer=f"Row {n}.", contexts=["x"]) for n in range(5)]

    def script(ask):
        claims = [{"label": "supported"}]
        return {"verdicts": [{"id": i.id, "claims": claims} for i in ask.items]}

    def evaluate(judge):
        with Store(tmp_path / "t.db") as store:
            return run_sync(
                lambda: run_rows(samples, [Faithfulness()], Desk(judge, replies=store.journal))
            )

    first, second = Paid(script), Paid(script)
    before, after = evaluate(first), evaluate(second)
    assert len(first.asks) == 5
    assert second.asks == []
    assert [r.scores["faithfulness"].value for r in after] == [1.0] * 5
    assert before[0].scores["faithfulness"].usage == Usage(1)
    assert after[0].scores["faithfulness"].usage == Usage(0)
    assert after[0].scores["faithfulness"].saved == Usage(1)


def test_useless_replies_are_forgotten_so_that_a_later_run_asks_anew(tmp_path):
    samples = [Sample("1", answer="Row.", contexts=["x"])]
    bad = Paid(lambda ask: "nonsense")
    good = Paid(lambda ask: {"verdicts": [{"id": "a1", "claims": [{"label": "supported"}]}]})
    with Store(tmp_path / "t.db") as store:

        def score(judge):
            [row] = run_sync(
                lambda: run_rows(samples, [Faithfulness()], Desk(judge, replies=store.journal))
            )
            return row.scores["faithfulness"]

        for judge, calls in ((bad, 3), (bad, 6), (good, 1)):
            result = score(judge)
            assert len(judge.asks) == calls
    assert result.value == 1.0


class Moody(Judge):
    """Says what it is told, one reply after the other."""

    name = "moody"

    def __init__(self, *replies):
        self.replies = list(replies)
        self.calls = 0

    def key(self, ask, problem=None):
        return repr((ask, problem))

    async def reply(self, ask, problem=None):
        self.calls += 1
        return self.replies.pop(0)


def moody(path, *replies):
    judge = Moody(*replies)
    row = {"answer": "It is so.", "contexts": ["It is so."]}
    score = evaluate([row], ["faithfulness"], judge, store=path)[0].scores["faithfulness"]
    return score.value, judge.calls


def said(label, **more):
    verdict = {"id": "a1", "claims": [{"claim": "so", "label": label}]}
    return Reply(json.dumps({"verdicts": [verdict]}), Usage(1, 10, 10), **more)


def test_the_same_command_again_asks_nothing_also_after_a_reply_of_no_use(tmp_path):
    cut = said("supported", problem="it was cut off")
    path = tmp_path / "t.db"
    assert moody(path, cut, said("maybe"), said("unmentioned")) == (0.0, 3)
    assert moody(path) == (0.0, 0)


def test_a_reply_that_cannot_be_written_ends_the_run(tmp_path):
    huge = Reply(said("supported").content, Usage(1, 2**63, 1))
    with pytest.raises(StoreError, match="cannot be kept"):
        moody(tmp_path / "t.db", huge)


def test_sums_beyond_what_sqlite_counts_are_shown_all_the_same(tmp_path):
    with Store(tmp_path / "t.db") as store:
        for key in "abc":
            run_sync(lambda key=key: store.journal.put(key, "j", Reply("x", Usage(1, 2**62, 1))))
        [line] = store.journal.info()
        assert (line["replies"], line["output_tokens"]) == (3, 3)


@pytest.mark.parametrize("damage", ["tokens = '{'", "tokens = '[1]'", "calls = 'x'", "content = 7"])
def test_a_damaged_reply_is_asked_for_again(tmp_path, damage):
    path = tmp_path / "t.db"
    moody(path, said("supported"))
    with sqlite3.connect(path) as db:
        db.execute(f"UPDATE replies SET {damage}")
    db.close()
    assert moody(path, said("supported")) == (1.0, 1)
    assert moody(path) == (1.0, 0)


def test_pruning_leaves_a_run_that_is_on(tmp_path):
    with Store(tmp_path / "t.db") as store:
        store.begin("on", ("m",), "j")
        store.begin("dead", ("m",), "j")
        with sqlite3.connect(store.path) as db:
            db.execute("UPDATE runs SET created = '2020-01-01T00:00:00Z' WHERE id = 'dead'")
        db.close()
        store.journal.prune()
        with sqlite3.connect(store.path) as db:
            assert db.execute("SELECT id FROM runs").fetchall() == [("on",)]
        db.close()


def test_a_file_of_the_older_format_is_brought_up_to_date(tmp_path):
    path = tmp_path / "t.db"
    moody(path, said("supported"))
    with sqlite3.connect(path) as db:
        db.execute("ALTER TABLE replies DROP COLUMN problem")
        db.execute("ALTER TABLE runs DROP COLUMN summary")
        db.execute("PRAGMA user_version = 1")
    db.close()
    assert moody(path) == (1.0, 0)
    with Store(path) as store:
        assert [reply["problem"] for reply in store.journal.export()] == [""]
