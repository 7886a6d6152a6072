"""Runs are listed, found by a part of their name, told apart, deleted; by any database."""

import json
import sqlite3
from collections import defaultdict

import pytest

from tests.store.test_store import a_run
from troth.account import Row, Summary
from troth.api import evaluate
from troth.errors import StoreError
from troth.store import Entry, RunStore, Store

ROWS = [
    {"id": "T-001", "answer": "Ana", "references": ["Ana"], "topic": "song"},
    {"id": "T-002", "answer": "Bo", "references": ["Cy"], "topic": "dance"},
    {"id": "T-003", "answer": None, "references": ["Cy"], "topic": "rest"},
]


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "t.db") as opened:
        for run_id in ("20260101-a", "20260101-b", "20260202-c"):
            opened.save(a_run(("x", "", "y"), run_id))
        yield opened


def test_a_list_says_who_judged_what_and_how_it_went(tmp_path):
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
    with Store(tmp_path / "t.db") as store:
        run = evaluate("rows.jsonl", ["exact_match", "token_f1"], store=store)
        evaluate(ROWS, ["faithfulness@answer"], mapping={"contexts": "references"}, store=store)
        newest, oldest = store.runs()
    assert (oldest.id, oldest.source, oldest.judge, oldest.rows) == (
        run.id,
        "rows.jsonl",
        "none",
        3,
    )
    assert oldest.metrics == ("exact_match", "token_f1")
    assert oldest.summary == run.summary()
    assert oldest.means == {"exact_match": 0.5, "token_f1": 0.5}
    assert oldest.info == run.info
    assert oldest.created <= oldest.finished
    assert (newest.judge, newest.source, newest.rows) == ("builtin", "rows", 3)


def test_what_is_needed_to_repeat_a_run_is_in_it(tmp_path):
    run = evaluate(ROWS, ["exact_match"], store=tmp_path / "t.db")
    assert {"source", "data_sha256", "mapped", "metrics", "judge", "platform"} <= set(run.info)
    assert set(run.info["versions"]) == {"troth", "python", "sentencex", "snowballstemmer"}
    judged = evaluate(ROWS, ["answer_correctness"], mapping={"question": "topic"})
    assert judged.info["judge"]["name"] == "builtin"
    assert set(judged.info["asking"]) == {"joint", "explain", "window", "budget"}


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("20260101-a", "20260101-a"),
        ("20260202", "20260202-c"),
        ("latest", "20260202-c"),
        ("latest~0", "20260202-c"),
        ("latest~2", "20260101-a"),
    ],
)
def test_a_run_is_found_by_a_part_of_its_name(store, name, found):
    assert store.find(name).id == found
    assert store.load(name) == a_run(("x", "", "y"), found)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("2026", ["beginning of 3 runs", "20260101-b, 20260101-a)", "write more"]),
        ("nope", ["holds no run 'nope'", "20260202-c, 20260101-b, 20260101-a", "troth runs"]),
        ("latest~3", ["no run 'latest~3'", "there are 3"]),
        ("latest~-1", ["no run 'latest~-1'"]),
        ("latest~" + "9" * 50, ["no run 'latest~999"]),
        ("", ["no run ''"]),
    ],
)
def test_a_name_that_fits_none_or_several_is_refused(store, name, said):
    with pytest.raises(StoreError) as caught:
        store.find(name)
    for text in said:
        assert text in str(caught.value)


def test_an_empty_store_and_an_unfinished_run(tmp_path):
    with Store(tmp_path / "t.db") as store:
        store.begin("on", ("m",), "j")
        for name in ("on", "latest"):
            with pytest.raises(StoreError, match="no other that is finished"):
                store.find(name)
    with pytest.raises(StoreError, match=r"no store at .*absent\.db"):
        Store.existing(tmp_path / "absent.db")
    assert not (tmp_path / "absent.db").exists()


def test_a_deleted_run_is_gone_with_its_texts_and_no_other(store):
    secret = "a secret that nobody shall find"
    store.save(a_run((secret,) * 50, "gone"))
    assert secret.encode() in store.path.read_bytes() + wal(store)
    store.delete("gone")
    store.delete("gone")
    assert [entry.id for entry in store.runs()] == ["20260202-c", "20260101-b", "20260101-a"]
    assert store.load("20260101-a") == a_run(("x", "", "y"), "20260101-a")
    assert secret.encode() not in store.path.read_bytes() + wal(store)


def wal(store):
    path = store.path.with_name(f"{store.path.name}-wal")
    return path.read_bytes() if path.exists() else b""


def test_a_run_is_deleted_while_somebody_reads(store):
    reader = sqlite3.connect(store.path)
    cursor = reader.execute("SELECT * FROM rows")
    cursor.fetchone()
    store.delete("20260101-a")
    assert len(store.runs()) == 2
    reader.close()


def test_runs_of_an_older_format_are_counted_once(store):
    with sqlite3.connect(store.path) as db:
        db.execute("UPDATE runs SET summary = ''")
    before = a_run(("x", "", "y")).summary()
    assert [entry.summary for entry in store.runs()] == [before] * 3
    with sqlite3.connect(store.path) as db:
        assert db.execute("SELECT count(*) FROM runs WHERE summary = ''").fetchone() == (0,)
    db.close()


@pytest.mark.parametrize("kept", [True, False])
def test_a_row_is_found_by_its_id(tmp_path, kept):
    run = evaluate(ROWS, ["exact_match"], store=tmp_path / "t.db" if kept else None)
    assert run["T-002"].sample.answer == "Bo"
    assert run["T-002"] == run[1]
    with pytest.raises(KeyError, match="no row has the id 'T-9'; the first of 3 are 'T-001'"):
        run["T-9"]


class InMemory(RunStore):
    """Another database, as somebody would write it: the abstract methods and nothing else."""

    def __init__(self):
        self.open, self.kept = {}, {}
        self.texts = defaultdict(list)
        self.scored = defaultdict(dict)

    journal = None

    def begin(self, run_id, metrics, judge):
        self.open[run_id] = (tuple(metrics), judge)

    def add_samples(self, run_id, samples):
        self.texts[run_id] = list(samples)
        return len(self.texts[run_id])

    def add_scores(self, run_id, first, rows, *, answered):
        for place, row in enumerate(rows, first):
            self.scored[run_id][place] = row.scores
            if answered:
                self.texts[run_id][place] = row.sample

    def finish(self, run_id, info, skipped, seconds, summary):
        metrics, judge = self.open.pop(run_id)
        rows = len(self.texts[run_id])
        self.kept[run_id] = Entry(
            run_id, "", "", judge, metrics, rows, summary, info, skipped, seconds
        )

    def samples(self, run_id):
        yield from self.texts[run_id]

    def rows(self, run_id, metrics, first, count):
        places = range(first, min(first + count, len(self.texts[run_id])))
        return [Row(self.texts[run_id][n], self.scored[run_id][n]) for n in places]

    def runs(self):
        return list(self.kept.values())[::-1]

    def delete(self, run_id):
        self.kept.pop(run_id, None)

    def again(self):
        return self

    def close(self):
        pass


def test_a_database_of_another_kind_does_all_that_ours_does(tmp_path):
    database = InMemory()
    ours = evaluate(ROWS, ["exact_match"], store=tmp_path / "t.db")
    theirs = evaluate(ROWS, ["exact_match"], store=database)
    assert list(theirs) == list(ours)
    assert database.load("latest") == theirs
    assert database.find(theirs.id[:-1]).means == {"exact_match": 0.5}
    answered = evaluate(
        [{"question": "q", "references": ["A"]}], ["exact_match"], app=lambda q: "A", store=database
    )
    assert database.load(answered.id)[0].sample.answer == "A"
    database.save(a_run(("x",), "saved"))
    assert database.load("saved") == a_run(("x",), "saved")
    assert isinstance(database.runs()[0].summary["m"], Summary)
    database.delete("saved")
    with pytest.raises(StoreError, match="holds no run 'saved'"):
        database.load("saved")


def test_rows_of_a_store_are_sliced_like_a_list(tmp_path):
    rows = [{"id": str(n), "answer": "x", "references": ["x"]} for n in range(7)]
    kept = evaluate(rows, ["exact_match"], store=tmp_path / "t.db")
    listed = list(kept)
    for piece in (slice(None), slice(2, 5), slice(-2, None), slice(9, None), slice(None, None, -3)):
        assert kept[piece] == listed[piece]
    assert kept[-1] == listed[-1]
    with pytest.raises(IndexError):
        kept[7]
