"""Every fault of an endpoint, on one row, on all, and on the first call: the table holds."""

import json
import math
import subprocess
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest

import troth
from tests.endpoint import Endpoint, Plan
from tests.fault_table import FAULTS, PAGE, ROWS, page
from troth.errors import JudgeSetupError
from troth.judges.openai import OpenAIChat

DATA = [
    {
        "question": f"Lamp {n:02}?",
        "answer": f"Lamp {n:02} is lit. Keeper {n:02} is away.",
        "contexts": [f"Lamp {n:02} is lit."],
    }
    for n in range(1, ROWS + 1)
]
STRUCK = 7  # the row that is hit where one row is
WHERE = {"one": f"with=Lamp {STRUCK:02} is lit", "all": "all", "first": "first"}
RETRIES_FOR = 0.5
SILENT = {"hang", "trickle"}  # only a timeout ends them
SECONDS = {"one": 8, "all": 45, "first": 8}  # within which the faults that are waited for end


def truth(text, name):
    """What the endpoint says of a sentence: in even rows the keeper is not mentioned."""
    keeper, number = text.startswith("Keeper"), text.split()[1]
    return "unmentioned" if keeper and int(number) % 2 == 0 else "supported"


def values(run):
    return [score.value for score in run.scores("faithfulness")]


def right(place):
    return 0.5 if (place + 1) % 2 == 0 else 1.0


def outcome(name, where, timeout, **settings):
    """The run (`None`: it stopped), how many calls came, and the seconds."""
    with Endpoint(faults=Plan([f"{name}:{WHERE[where]}"]), label=truth) as endpoint:
        judge = OpenAIChat(base_url=endpoint.base_url, timeout=timeout, retries_for=RETRIES_FOR)
        started = time.monotonic()
        try:
            run = troth.evaluate(DATA, ["faithfulness"], judge, progress=False, **settings)
        except JudgeSetupError:
            run = None
        return run, endpoint.count, time.monotonic() - started


def hold(name, kind, where, seen, seconds):
    """What the table says, and what holds whatever it says."""
    run, calls, took = seen
    end = getattr(kind, where)
    told = f"{name} on {where}: {calls} calls, {took:.1f} s, {run!r}"
    assert took < seconds, told
    assert end.least <= calls <= (end.most or math.inf), told
    assert (run is None) == (end.scored is None), told
    if run is None:
        return
    assert sum(value is not None for value in values(run)) == end.scored, told
    for place, score in enumerate(run.scores("faithfulness")):
        assert score.value in (None, right(place)), told
        assert (score.value is None) == (score.status == "failed"), told
        assert score.value is not None or score.reason, told
    if where == "one":
        assert None not in [v for n, v in enumerate(values(run), 1) if n != STRUCK], told


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize(
    ("name", "kind"),
    [(name, kind) for name, _, kind in FAULTS if not kind.waits],
    ids=[name for name, _, kind in FAULTS if not kind.waits],
)
def test_faults_that_end_at_once(name, kind, where):
    hold(name, kind, where, outcome(name, where, timeout=20), seconds=8)


def test_faults_that_are_waited_for():
    """All side by side, as they do little but wait; the slowest first."""
    named = sorted(
        ((name, kind) for name, _, kind in FAULTS if kind.waits), key=lambda n: n[0] not in SILENT
    )
    with ThreadPoolExecutor(8) as pool:
        runs = [
            (name, kind, where, pool.submit(outcome, name, where, 0.8 if name in SILENT else 20))
            for where in ("all", "one", "first")
            for name, kind in named
        ]
        for name, kind, where, run in runs:
            hold(name, kind, where, run.result(), SECONDS[where])


def test_a_run_that_was_stopped_goes_on_and_pays_for_nothing_twice(tmp_path):
    def again():
        judge = OpenAIChat(base_url=endpoint.base_url, concurrency=1)
        return troth.evaluate(DATA, ["faithfulness"], judge, store=tmp_path / "s.db")

    with Endpoint(faults=Plan([f"status:401:{STRUCK}"]), label=truth) as endpoint:
        with pytest.raises(JudgeSetupError, match="401"):
            again()
        assert endpoint.count < ROWS
        run = again()
        assert values(run) == [right(place) for place in range(ROWS)]
    assert endpoint.statuses == {401: 1, 200: ROWS}


def test_a_throttled_run_loses_no_row():
    with Endpoint(rate=8, label=truth) as endpoint:
        judge = OpenAIChat(base_url=endpoint.base_url, retries_for=20)
        run = troth.evaluate(DATA, ["faithfulness"], judge, progress=False)
    assert values(run) == [right(place) for place in range(ROWS)]
    assert endpoint.statuses[200] == ROWS


def test_the_endpoint_runs_for_anyone_and_counts():
    command = [sys.executable, "-m", "tests.endpoint", "--port", "0", "--latency-ms", "1"]
    command += ["--rate", "2", "--retry-after", "--fault", "status:503:first"]
    with subprocess.Popen(command, cwd=PAGE.parents[1], stdout=subprocess.PIPE, text=True) as run:
        try:
            url = run.stdout.readline().strip()
            judge = OpenAIChat(base_url=url)
            seen = values(troth.evaluate(DATA[:4], ["faithfulness"], judge, progress=False))
            with urllib.request.urlopen(url.removesuffix("v1") + "stats") as response:
                stats = json.load(response)
        finally:
            run.terminate()
    assert seen == [1.0] * 4
    assert (stats["statuses"]["200"], stats["statuses"]["503"]) == (4, 1)
    assert stats["count"] == sum(stats["statuses"].values())
    assert stats["in_flight"] == 0 < stats["in_flight_max"]
    assert 0 < stats["completion_tokens"] < stats["prompt_tokens"]


@pytest.mark.parametrize("spec", ["nan", "nan:sometimes", "nan:0", "unheard-of:all"])
def test_a_fault_that_can_never_fall_is_told(spec):
    with pytest.raises(ValueError, match=spec.split(":")[0]):
        Plan([spec])


def test_the_page_is_current():
    told = "docs/faults.md: python -m tests.fault_table --write"
    assert PAGE.read_text("utf-8") == page(), told
