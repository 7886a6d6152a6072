"""Whatever happens to a run or to its journal: an error or the right scores, never wrong ones.

The long form, with more interruptions, is benchmarks/crash.py.
"""

import json
import random
import resource
import shutil
import signal
import sqlite3
from pathlib import Path

import pytest

import troth
from tests.crashing import command, exported, finished, interrupted, repeated, started, write_rows
from tests.endpoint import Endpoint
from troth.errors import StoreError

LATENCY = 0.03
CONCURRENCY = 4
ROWS = 40


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Rows, and an undisturbed run over them: its store and its canonical form."""
    folder = tmp_path_factory.mktemp("whole")
    rows = write_rows(folder / "rows.jsonl", ROWS)
    with Endpoint() as endpoint:
        code, said = finished(command(rows, folder / "t.db", endpoint.base_url, 16))
        assert (code, endpoint.count) == (0, 2 * ROWS), said
        url = endpoint.base_url
    [export] = exported(folder / "t.db")
    assert export.count(b'"status":"scored"') == 2 * ROWS
    return rows, folder / "t.db", export, url


def test_a_run_that_is_killed_again_and_again_ends_like_one_that_was_not(whole):
    rows, _, export, _ = whole
    draw = random.Random(7)
    with Endpoint(latency=LATENCY) as endpoint:
        arguments = command(rows, "t.db", endpoint.base_url, CONCURRENCY)
        for how in [signal.SIGKILL] * 4 + [signal.SIGINT]:
            code, said = interrupted(
                arguments, endpoint, how, after=draw.randint(1, 14), delay=draw.uniform(0, 0.05)
            )
            if how == signal.SIGINT:
                assert code == 130, said
                assert said.startswith("troth: interrupted")
            else:
                assert code == -signal.SIGKILL
        assert exported("t.db") == []  # what is not finished is not listed
        assert finished(arguments)[0] == 0
        assert exported("t.db") == [export]
        # Nothing but what was in flight.
        assert repeated(endpoint) <= 5 * CONCURRENCY
        before = endpoint.count
        assert finished(arguments)[0] == 0
        assert endpoint.count == before  # all is paid for
        assert exported("t.db") == [export, export]


def test_two_processes_may_run_the_same_on_one_store(whole):
    rows, _, export, _ = whole
    with Endpoint(latency=LATENCY) as endpoint:
        arguments = command(rows, "t.db", endpoint.base_url, CONCURRENCY)
        with started(arguments) as first, started(arguments) as second:
            for process in (first, second):
                _, said = process.communicate(timeout=60)
                assert process.returncode == 0, said
        assert exported("t.db") == [export, export]
        first_at = {}
        for record in endpoint.requests:
            at = first_at.setdefault(json.dumps(record.body), record.at)
            assert record.at - at < LATENCY + 1  # asked twice only while it was in flight


GARBAGE = {"noise": random.Random(1).randbytes(9000), "text": b"not a database\n" * 99}


@pytest.mark.parametrize("content", GARBAGE.values(), ids=list(GARBAGE))
def test_a_journal_of_garbage_is_refused_and_left_alone(whole, content):
    Path("t.db").write_bytes(content)
    rows, _, _, url = whole
    code, said = finished(command(rows, "t.db", url, 1))
    assert code == 2
    assert said.startswith("troth: ")
    assert "t.db" in said
    assert "Traceback" not in said
    assert Path("t.db").read_bytes() == content


def test_a_journal_of_a_newer_version_is_refused_and_left_alone(whole):
    rows, store, _, url = whole
    shutil.copy(store, "t.db")
    with sqlite3.connect("t.db") as db:
        db.execute("PRAGMA user_version = 999")
    db.close()
    before = Path("t.db").read_bytes()
    code, said = finished(command(rows, "t.db", url, 1))
    assert code == 2
    assert "newer" in said
    assert "--store" in said
    assert Path("t.db").read_bytes() == before


def values(run):
    return [(label, s.value, s.status) for row in run for label, s in row.scores.items()]


def evaluated(rows, url, store):
    metrics = ["faithfulness", "answer_relevancy"]
    return values(troth.evaluate(rows, metrics, f"{url}#model", store=store))


@pytest.mark.parametrize("seed", range(6))
def test_a_damaged_journal_gives_an_error_or_the_right_scores(whole, seed):
    rows, store, _, url = whole
    draw = random.Random(seed)
    content = bytearray(store.read_bytes())
    for _ in range(draw.choice((1, 10))):
        place = draw.randrange(4096, len(content) - 300)
        content[place : place + 300] = draw.randbytes(300)
    Path("t.db").write_bytes(content)
    port = int(url.rpartition(":")[2].removesuffix("/v1"))
    with Endpoint(port=port):  # the journal knows replies by their endpoint
        right = evaluated(rows, url, store)
        try:
            got = evaluated(rows, url, "t.db")
        except StoreError as error:
            assert "t.db" in str(error)  # noqa: PT017 - either outcome is right
        else:
            assert got == right


@pytest.mark.parametrize("limit", [30_000, 90_000, 150_000])
def test_a_full_disk_ends_the_run_and_once_there_is_room_it_goes_on(whole, limit):
    rows, _, export, _ = whole

    def no_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    with Endpoint() as endpoint:
        arguments = command(rows, "t.db", endpoint.base_url, CONCURRENCY)
        code, said = finished(arguments, preexec_fn=no_room)
        assert code == 2, said
        assert said.startswith("troth: ")
        assert "Traceback" not in said
        asked = endpoint.count
        assert finished(arguments)[0] == 0
        assert exported("t.db") == [export]
        assert endpoint.count <= asked + 2 * ROWS
        assert repeated(endpoint) <= 2 * CONCURRENCY
