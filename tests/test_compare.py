"""Comparing runs: what is paired with what, what is said of it, what is warned of."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.two_runs import run_of
from troth.compare import Difference, Outcome, compare
from troth.errors import InputError, UsageError
from troth.stats.paired import holm, paired

WORDS = "abcdefghij"


def coins(n, share, seed):
    draw = random.Random(seed)
    return [float(draw.random() < share) for _ in range(n)]


@given(st.permutations(range(12)), st.sets(st.integers(0, 11), max_size=6))
def test_rows_are_paired_by_id_whatever_their_order_and_number(order, gone):
    values = {n: n % 5 / 4 for n in range(12)}
    a = run_of([values[n] for n in range(12)], ids=[f"r{n}" for n in range(12)])
    kept = [n for n in order if n not in gone]
    b = run_of([(values[n] + n % 3) / 3 for n in kept], ids=[f"r{n}" for n in kept])
    found = compare(a, b)
    left = [n for n in range(12) if n in kept]
    expected = paired([values[n] for n in left], [(values[n] + n % 3) / 3 for n in left])
    assert found["m"].paired == expected
    assert found.rows == len(left)
    assert found.only_a == tuple(f"r{n}" for n in sorted(gone))
    assert found.only_b == ()


def test_an_id_that_stands_twice_is_paired_in_order_and_warned_of():
    a = run_of([0.0, 1.0, 0.5], ids=["x", "x", "y"])
    b = run_of([1.0, 1.0, 0.5], ids=["x", "y", "x"])
    found = compare(a, b)
    assert found.rows == 3
    assert found["m"].paired.difference == pytest.approx((1.0 - 0.5 + 0.5) / 3)
    assert any("1 ids of A stand more than once" in w for w in found.warnings)


def test_rows_without_a_score_are_counted_and_named():
    a = run_of([1.0, "no answer", 0.0, "no answer", 1.0, "!lost"])
    b = run_of([1.0, 1.0, "!the judge is gone", "no answer", "!the judge is gone", 0.0])
    one = compare(a, b)["m"]
    assert one.paired.n == 1
    assert one.neither == 1
    assert [(u.run, str(u.status), u.reason, u.count, u.ids) for u in one.unpaired] == [
        ("B", "failed", "the judge is gone", 2, ("r2", "r4")),
        ("A", "unscorable", "no answer", 1, ("r1",)),
        ("A", "failed", "lost", 1, ("r5",)),
    ]


def test_without_a_pair_that_is_scored_there_is_nothing_to_compare():
    one = compare(run_of([1.0, "no"]), run_of(["no", 1.0]))["m"]
    assert (one.paired, one.p_adjusted, one.outcome) == (None, None, Outcome.NOTHING)


def test_equal_scores_are_equal():
    one = compare(run_of([1.0, 0.5]), run_of([1.0, 0.5]))["m"]
    assert one.outcome is Outcome.EQUAL
    assert one.words == "equal"


def test_p_values_are_corrected_over_all_metrics():
    a = {w: coins(80, 0.5, w) for w in WORDS}
    b = {w: coins(80, 0.5 + n / 20, w + "b") for n, w in enumerate(WORDS)}
    found = compare(run_of(a), run_of(b))
    alone = [paired(a[w], b[w]).p_value for w in WORDS]
    assert [one.p_adjusted for one in found.differences] == holm(alone)
    assert {one.tests for one in found.differences} == {len(WORDS)}


def test_a_large_difference_is_better_or_worse_and_a_small_one_cannot_be_told():
    low, high = [0.0] * 70 + [1.0] * 10, [1.0] * 60 + [0.0] * 10 + [1.0] * 10
    better, worse = compare(run_of(low), run_of(high)), compare(run_of(high), run_of(low))
    assert better["m"].words == "better"
    assert worse["m"].words == "worse"
    a = coins(60, 0.5, 1)
    b = [1 - v if n in (3, 4, 5, 30) else v for n, v in enumerate(a)]
    unclear = compare(run_of(a), run_of(b))["m"]
    assert unclear.outcome is Outcome.UNCLEAR
    assert unclear.words.startswith("cannot tell: n=60 cannot see less than ")


def test_more_rows_are_advised_where_they_would_show_what_was_seen():
    draw = random.Random(5)
    a = [draw.random() for _ in range(60)]
    b = [min(1.0, max(0.0, v + draw.gauss(0.04, 0.2))) for v in a]
    one = compare(run_of(a), run_of(b))["m"]
    assert one.outcome is Outcome.UNCLEAR
    assert one.more_rows > 0
    assert f"add {one.more_rows:,} rows" in one.words


def test_clusters_widen_the_interval():
    a = [n // 10 % 2 * 1.0 for n in range(300)]
    b = [1 - v if n // 10 % 7 == 0 else v for n, v in enumerate(a)]
    meta = [{"doc": f"d{n // 10}"} for n in range(300)]
    alone = compare(run_of(a, meta=meta), run_of(b, meta=meta))["m"].paired
    grouped = compare(run_of(a, meta=meta), run_of(b, meta=meta), cluster="doc")["m"].paired
    assert grouped.interval.high - grouped.interval.low > alone.interval.high - alone.interval.low
    expected = paired(a, b, clusters=[m["doc"] for m in meta])
    assert grouped == expected


def test_slices_are_compared_with_the_same_care():
    n = 120
    meta = [{"topic": ["sea", "land", "sea"][i % 3], "rare": i if i == 7 else None}
            for i in range(n)]  # fmt: skip
    a, b = coins(n, 0.4, 1), coins(n, 0.6, 2)
    found = compare(run_of(a, meta=meta), run_of(b, meta=meta), slices=["topic", "rare"])
    assert [(s.column, s.value, s.rows) for s in found.slices] == [
        ("topic", "sea", 80),
        ("topic", "land", 40),
        ("rare", "7", 1),
    ]
    inside = [i for i in range(n) if meta[i]["topic"] == "land"]
    assert found.slices[1].differences[0].paired == paired(
        [a[i] for i in inside], [b[i] for i in inside]
    )
    ps = [s.differences[0].paired.p_value for s in found.slices]
    assert [s.differences[0].p_adjusted for s in found.slices] == holm(ps)


def test_a_question_groups_rows_as_any_column_does():
    found = compare(
        run_of([0.0, 1.0, 1.0], question=["x", "x", "y"]),
        run_of([1.0, 1.0, 1.0], question=["x", "x", "y"]),
        slices=["question"],
    )
    assert [(s.value, s.rows) for s in found.slices] == [("x", 2), ("y", 1)]


def test_the_rows_that_changed_most_are_kept_each_way():
    a, b = run_of([1.0, 0.5, 0.0, 1.0, 0.2]), run_of([0.0, 0.6, 0.8, 1.0, 0.1])
    found = compare(a, b, changed=1)
    assert [(c.id, c.change) for c in found.changed] == [("r0", -1.0), ("r2", 0.8)]
    assert found.changed[1].a is a[2]
    assert found.changed[1].b is b[2]
    assert compare(a, b, changed=0).changed == ()


def test_what_ranks_rows_is_looked_at_first():
    info = {"ranking": ["faithfulness"]}
    cells = {"faithfulness": [1.0, 1.0], "exact_match": [0.0, 1.0]}
    other = {"faithfulness": [1.0, 0.5], "exact_match": [0.4, 1.0]}
    found = compare(run_of(cells, info=info), run_of(other, info=info))
    assert [c.id for c in found.changed] == ["r1", "r0"]


@pytest.mark.parametrize(
    ("one", "other", "says"),
    [
        ({"judge": "builtin"}, {"judge": "openai/m"}, "judges differ: builtin and openai/m"),
        (
            {"judge": "j", "info": {"judge": {"temperature": 0}}},
            {"judge": "j", "info": {"judge": {"temperature": 1}}},
            "the judge's temperature differs: 0 and 1",
        ),
        (
            {"judge": "j", "info": {"judge": {"prompts": {"support": "12", "form": "3"}}}},
            {"judge": "j", "info": {"judge": {"prompts": {"support": "45", "form": "3"}}}},
            "prompts differ: support",
        ),
        (
            {"judge": "j", "info": {"asking": {"joint": False}}},
            {"judge": "j", "info": {"asking": {"joint": True}}},
            "asking: joint differs: False and True",
        ),
        (
            {"info": {"metrics": {"m": "M(k=5)"}}},
            {"info": {"metrics": {"m": "M(k=9)"}}},
            "m is not the same metric: M(k=5) and M(k=9)",
        ),
        (
            {"info": {"versions": {"troth": "1"}}},
            {"info": {"versions": {"troth": "2"}}},
            "version of troth differs: 1 and 2",
        ),
        (
            {},
            {"question": ["other", "q of r1", "q of r2", "q of r3"]},
            "data: 1 of 4 rows have the same id and another question (r0)",
        ),
        (
            {"references": [["a"]] * 4},
            {"references": [["b"]] * 4},
            "data: the references of 4 of 4 rows differ (r0, r1, r2, …)",
        ),
        (
            {"contexts": [["a"]] * 4},
            {"contexts": [["a"]] * 3 + [["b"]]},
            "the contexts of 1 of 4 rows differ: retrieval is compared too (r3)",
        ),
        ({}, {}, "both runs hold the same answers: what differs is how they were judged"),
        ({}, {"ids": ["r0", "r1", "r2", "x"]}, "1 rows of A are not in B and are left out (r3)"),
    ],
)
def test_what_differs_besides_the_answers_is_warned_of(one, other, says):
    found = compare(run_of([1.0, 0.0, 1.0, 0.5], **one), run_of([1.0, 1.0, 1.0, 0.5], **other))
    assert says in found.warnings


def test_like_runs_are_warned_of_nothing():
    a = run_of([1.0, 0.0], answer=["x", "y"], judge="j", info={"judge": {"name": "j"}})
    b = run_of([1.0, 1.0], answer=["x", "z"], judge="j", info={"judge": {"name": "j"}})
    assert compare(a, b).warnings == ()


def test_many_rows_that_only_one_run_scored_are_warned_of():
    a, b = run_of([1.0] * 10, answer=["x"] * 10), run_of([1.0] * 8 + ["!gone"] * 2)
    assert (
        "m: 2 rows are scored in one run only; the difference is over the 8 that are scored in both"
        in compare(a, b).warnings
    )


def test_metrics_of_one_run_alone_are_named():
    a, b = run_of({"m": [1.0], "k": [1.0]}), run_of({"j": [0.0], "m": [0.0]})
    found = compare(a, b)
    assert [one.metric for one in found.differences] == ["m"]
    assert "in A only, and not compared: k" in found.warnings
    assert "in B only, and not compared: j" in found.warnings
    assert not [w for w in compare(a, b, metrics=["m"]).warnings if "only" in w]


def test_one_row_shows_nothing():
    one = compare(run_of([1.0]), run_of([0.0]))["m"]
    assert not one.paired.interval.trusted
    assert one.words == "cannot tell: n=1 cannot show anything"


def test_runs_that_cannot_be_compared_say_why():
    a = run_of([1.0])
    with pytest.raises(InputError, match=r"no row of A .* has the id of a row of B"):
        compare(a, run_of([1.0], ids=["x"]))
    with pytest.raises(UsageError, match="no metric in common: A has m; B has n"):
        compare(a, run_of([1.0], name="n"))
    with pytest.raises(UsageError, match="'k' is not a metric of both runs"):
        compare(a, a, metrics=["k"])
    with pytest.raises(UsageError, match=r"no row .* has a column 'topic'; they have id, question"):
        compare(a, a, slices=["topic"])
    with pytest.raises(KeyError):
        compare(a, a)["k"]


def test_clear_alone_but_not_among_many_is_said():
    one = replace(paired([0.0, 1.0, 1.0], [1.0, 1.0, 1.0]), p_value=0.03)
    difference = Difference("m", one, p_adjusted=0.3, tests=10)
    assert difference.words.startswith(
        "cannot tell: clear alone, not among 10 tests; n=3 cannot show"
    )
