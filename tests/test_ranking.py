"""Which documents count as found: by id, by content, by a piece of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import troth
from troth import ranking
from troth.errors import InputError, UsageError
from troth.metrics import names, parse
from troth.sample import Sample
from troth.score import Status

METRICS = ("average_precision", "hit_rate", "ndcg", "recall", "reciprocal_rank")
GOLD = "The lamp on the northern mole was lit for the first time on 9 October 1871, at dusk."


def values(row, *specs):
    run = troth.evaluate([row], metrics=list(specs))
    return [run.scores(spec)[0].value for spec in specs]


@pytest.mark.parametrize("spec", [*METRICS, "recall@5", "ndcg:overlap", "hit_rate:span@1"])
def test_labels_parse_back(spec):
    metric = parse(spec)
    assert metric.label == spec
    assert parse(metric.label) == metric
    assert hash(metric) == hash(parse(spec))


def test_k_and_granularity_stand_in_one_place():
    assert parse("faithfulness@answer").granularity == "answer"
    assert parse("recall@12").k == 12


@pytest.mark.parametrize(
    "spec", ["recall@0", "recall@-1", "recall@", "recall@x", "recall@1.5", "recall@²", "recall:x"]
)
def test_options_that_do_not_exist(spec):
    with pytest.raises(UsageError, match="recall"):
        parse(spec)
    with pytest.raises(UsageError, match="k must be"):
        troth.Recall(k=True)


def test_ids_go_before_contents_and_overlap_looks_at_contents():
    row = {
        "retrieved_ids": ["x"],
        "relevant_ids": ["a"],
        "contexts": [GOLD],
        "relevant_contexts": [GOLD],
    }
    assert values(row, "recall", "recall:span", "recall:overlap") == [0.0, 1.0, 1.0]
    del row["retrieved_ids"]
    assert values(row, "recall") == [1.0]
    assert values({**row, "contexts": [GOLD + " "]}, "recall") == [0.0]  # exact is exact


@pytest.mark.parametrize(
    ("row", "lacks"),
    [
        ({"retrieved_ids": ["a"]}, "relevant_ids"),
        ({"contexts": ["a"]}, "relevant_contexts"),
        ({"contexts": ["a"], "relevant_ids": ["a"], "retrieved_ids": None}, "retrieved_ids"),
    ],
)
def test_a_row_or_file_without_either_pair(row, lacks):
    score = troth.Recall().missing(Sample(**row))
    assert score == (lacks,)
    if None not in row.values():
        with pytest.raises(InputError) as caught:
            troth.evaluate([row], metrics="recall")
        assert caught.value.field == lacks
    with pytest.raises(InputError) as caught:
        troth.evaluate([row | {"contexts": ["a"]}], metrics="recall:span")
    assert caught.value.field == "relevant_contexts"


def test_by_default_they_run_where_their_columns_are():
    assert set(METRICS) <= set(names())
    run = troth.evaluate([{"retrieved_ids": ["a"], "relevant_ids": ["a"]}])
    assert run.metrics == METRICS
    assert [s.mean for s in run.summary().values()] == [1.0] * 5
    run = troth.evaluate([{"contexts": ["a"], "relevant_contexts": ["a"]}])
    assert run.metrics == METRICS
    run = troth.evaluate(
        [{"question": "q", "relevant_contexts": ["a"]}], app=lambda q: ("x", ["a"])
    )
    assert set(METRICS) < set(run.metrics)
    assert run.summary()["recall"].mean == 1.0


def test_the_reason_names_ranks_and_what_was_missed():
    score = troth.Recall(k=3).score(
        Sample(retrieved_ids=["x", "b", "a", "c"], relevant_ids=["a", "b", "c", "d"])
    )
    assert score.reason == (
        "2 of 4 relevant found among the first 3, at rank 2, 3; missed “c”, “d”"
    )


@pytest.mark.parametrize(
    ("one", "other", "overlap", "span"),
    [
        (GOLD, GOLD, True, True),
        ("was LIT for the first time", GOLD, True, True),
        (f"Harbour lights.\n\n{GOLD}\n\nNext chapter", GOLD, True, True),
        # half of it is of the next passage
        ("at dusk, on 9 October 1871. The keeper lived below.", GOLD, False, False),
        ("first time on 9 October 1871, at dusk. The keeper lived below.", GOLD, True, False),
        # the words of the language are no overlap
        ("It was on the last of the days at the mole that the lamp for the", GOLD, False, False),
        ("lamp", GOLD, True, True),
        ("amp", GOLD, False, False),  # whole tokens
        ("北京是中国的首都", "首都北京：北京是中国的首都，也是直辖市。", True, True),
        ("", GOLD, False, False),
        ("…", "…", False, False),
    ],
)
def test_pieces_of_a_text(one, other, overlap, span):
    for pair in ((one, other), (other, one)):
        assert ranking.overlap(*pair) is overlap
        assert ranking.span(*pair) is span


WORDS = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=12)


@given(WORDS, WORDS)
def test_runs_are_counted_as_by_hand(one, other):
    short, long = sorted((one, other), key=len)
    runs = {tuple(long[i : i + 3]) for i in range(len(long) - 2)}
    covered = {
        place
        for start in range(len(short) - 2)
        if tuple(short[start : start + 3]) in runs
        for place in range(start, start + 3)
    }
    if len(short) >= 3:
        assert ranking.overlap(" ".join(one), " ".join(other)) is (2 * len(covered) >= len(short))


def test_a_chunk_that_holds_two_relevant_texts_finds_both_and_nothing_exceeds_1():
    row = {
        "contexts": ["unrelated words stand here", "one two three four. five six seven eight."],
        "relevant_contexts": ["one two three four", "five six seven eight", "nine ten eleven"],
    }
    both = values({**row, "contexts": row["contexts"][1:]}, "recall:span@1", "ndcg:span@1")
    assert both == [2 / 3, 1.0]
    full = {
        **row,
        "contexts": row["contexts"][1:],
        "relevant_contexts": row["relevant_contexts"][:2],
    }
    specs = [f"{name}:span" for name in METRICS]
    assert values(full, *specs) == [1.0] * 5
    assert values(row, "average_precision:span")[0] == pytest.approx((1 / 2 + 2 / 2) / 3)
    # several chunks of one text count once
    twice = {
        "contexts": ["one two three", "two three four"],
        "relevant_contexts": ["one two three four"],
    }
    assert values(twice, "recall:span", "ndcg:span", "average_precision:span") == [1.0, 1.0, 1.0]


@given(
    st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=4).map(" ".join), max_size=5),
    st.lists(st.sampled_from("abcdef"), min_size=1, max_size=4, unique=True),
    st.sampled_from(["overlap", "span"]),
    st.none() | st.integers(1, 5),
)
def test_always_within_0_and_1(contexts, relevant, match, k):
    sample = Sample(contexts=contexts, relevant_contexts=relevant)
    for name in METRICS:
        metric = type(parse(name))(match=match, k=k)
        assert 0.0 <= metric.score(sample).value <= 1.0


def test_blank_texts_are_no_documents():
    sample = Sample(contexts=["", "a"], relevant_contexts=["", " "])
    assert troth.Recall().score(sample).status is Status.UNSCORABLE
    sample = Sample(contexts=["", "a"], relevant_contexts=["", "a"])
    assert troth.ReciprocalRank().score(sample).value == 0.5
