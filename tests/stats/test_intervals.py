"""Intervals of means: formulas against scipy, the right method for the values, and edges."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import optimize, stats

from troth.errors import UsageError
from troth.stats.bootstrap import bootstrap_t
from troth.stats.intervals import mean_interval
from troth.stats.paired import paired
from troth.stats.proportion import blaker

SCORES = np.random.default_rng(7).beta(5, 0.5, 40)
scores = st.lists(st.integers(0, 20).map(lambda k: k / 20), min_size=1, max_size=40)


def ends(found):
    return found.low, found.high


def tail(m, totals, sizes, weights):
    """P(weighted ratio <= m) by the saddlepoint formula, in scipy's hands."""
    terms = totals - m * sizes
    edges = 1 / terms.min(), 1 / terms.max()
    gap = (edges[1] - edges[0]) * 1e-13

    def slope(s):
        return np.sum(weights * terms / (1 - s * terms))

    s = optimize.brentq(slope, edges[0] + gap, edges[1] - gap, xtol=1e-16, rtol=1e-14)
    cumulant = -np.sum(weights * np.log(1 - s * terms))
    w = np.sign(s) * np.sqrt(-2 * cumulant)
    u = s * np.sqrt(np.sum(weights * (terms / (1 - s * terms)) ** 2))
    return stats.norm.cdf(w + np.log(u / w) / w)


def test_the_bayesian_bootstrap_is_its_formula():
    totals = np.append(SCORES, [0, 1])
    weights = np.append(np.ones(40), [1 / 3, 1 / 3])
    for confidence in (0.8, 0.95, 0.99):
        found = mean_interval(SCORES, confidence=confidence)
        assert found.method == "bayesian-bootstrap"
        for end, probability in zip(
            ends(found), ((1 - confidence) / 2, (1 + confidence) / 2), strict=True
        ):
            assert tail(end, totals, np.ones(42), weights) == pytest.approx(probability, abs=1e-9)


def test_so_it_is_for_clusters():
    groups = np.arange(40) // np.array([2, 5] * 20)
    known = list(dict.fromkeys(groups))
    totals = np.array([SCORES[groups == g].sum() for g in known])
    sizes = np.array([(groups == g).sum() for g in known], dtype=float)
    typical = (sizes**2).sum() / sizes.sum()
    found = mean_interval(SCORES, clusters=list(groups))
    assert (found.method, found.n) == ("cluster-bayesian-bootstrap", len(known))
    weights = np.append(np.ones(len(known)), [1 / 3, 1 / 3])
    for end, probability in zip(ends(found), (0.025, 0.975), strict=True):
        reached = tail(
            end, np.append(totals, [0, typical]), np.append(sizes, [typical] * 2), weights
        )
        assert reached == pytest.approx(probability, abs=1e-9)


def test_the_formula_is_what_resampling_gives():
    rng = np.random.default_rng(1)
    weights = np.append(np.ones(40), [1 / 3, 1 / 3])
    drawn = rng.dirichlet(weights, 200_000) @ np.append(SCORES, [0, 1])
    found = mean_interval(SCORES)
    width = found.high - found.low
    assert ends(found) == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=0.02 * width)


@given(scores)
def test_an_interval_holds_its_mean_and_is_mirrored(values):
    found = mean_interval(values)
    assert 0 <= found.low <= math.fsum(values) / len(values) + 1e-12
    assert math.fsum(values) / len(values) - 1e-12 <= found.high <= 1
    other = mean_interval([1 - value for value in values])
    assert ends(other) == pytest.approx((1 - found.high, 1 - found.low), abs=1e-9)
    wider = mean_interval(values, confidence=0.99)
    assert wider.low <= found.low + 1e-9
    assert found.high <= wider.high + 1e-9


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.integers(1, 5))
@example([3.4e-165], 1)
@example([5e-324, 0.5], 1)
@example([1 - 1e-16, 1.0], 2)
def test_any_numbers_have_an_interval(values, size):
    for clusters in (None, [place // size for place in range(len(values))]):
        found = mean_interval(values, clusters=clusters)
        middle = math.fsum(values) / len(values)
        assert -1e-9 <= found.low - 1e-12 <= middle <= found.high + 1e-12 <= 1 + 1e-9
    both = paired(values, values[::-1], clusters=clusters)
    assert -1 <= both.interval.low <= 0 <= both.interval.high <= 1
    assert 0 < both.p_value <= 1


@given(scores, st.randoms())
def test_the_order_of_the_rows_says_nothing(values, random):
    shuffled = list(values)
    random.shuffle(shuffled)
    assert ends(mean_interval(shuffled)) == pytest.approx(ends(mean_interval(values)), abs=1e-9)


def test_yes_and_no_get_the_exact_interval():
    found = mean_interval([1] * 27 + [0] * 3)
    assert (found.method, found.n, found.trusted, found.note) == ("blaker", 30, True, "")
    assert ends(found) == pytest.approx(blaker(27, 30), abs=1e-12)
    assert ends(mean_interval([True] * 30)) == pytest.approx(blaker(30, 30), abs=1e-12)
    assert ends(mean_interval([3] * 27 + [1] * 3, bounds=(1, 3))) == pytest.approx(
        [1 + 2 * end for end in blaker(27, 30)]
    )


def test_all_rows_alike_are_not_certainty():
    assert mean_interval([1.0] * 30).low == pytest.approx(0.8938, abs=1e-3)
    found = mean_interval([0.5] * 30)
    assert 0.4 < found.low < 0.49
    assert found.high == pytest.approx(1 - found.low)


def test_no_rows_have_no_interval():
    assert mean_interval([]) is None
    assert mean_interval([], clusters=[]) is None


def test_few_rows_are_said_to_be_few():
    found = mean_interval([0.5, 0.7])
    assert not found.trusted
    assert found.note == "only 2 rows: too few to trust the interval"
    assert mean_interval([0.5]).note.startswith("only 1 row:")
    assert mean_interval([0.5] * 30, clusters=[1, 2, 3] * 10).note.startswith("only 3 clusters:")
    assert mean_interval([5, 7] * 10, bounds=None).note.startswith("only 20 rows")
    one_large = mean_interval([0.5] * 211, clusters=[*range(11), *["large"] * 200])
    assert one_large.note == "most rows are in a few of the 12 clusters, as if there were 1.1"
    assert mean_interval([7.0] * 50).note.startswith("all values are the same")


def test_rows_of_one_cluster_say_less_than_as_many_others():
    values = [1.0, 1.0, 1.0, 1.0, 0.0] * 20
    alone = mean_interval(values)
    sorted_into = mean_interval(sorted(values), clusters=[place // 5 for place in range(100)])
    assert sorted_into.n == 20
    assert sorted_into.high - sorted_into.low > 1.7 * (alone.high - alone.low)
    assert mean_interval(values, clusters=[None] * 100) == alone
    assert mean_interval(values, clusters=range(100)) == alone


def test_without_a_range_the_studentised_bootstrap():
    values = np.random.default_rng(3).lognormal(0, 1, 60)
    found = mean_interval(values)  # beyond 1: so there is no such range
    assert (found.method, found.trusted) == ("bootstrap-t", True)
    assert found == mean_interval(values, bounds=None)
    assert ends(found) != ends(mean_interval(values, seed=1))
    assert ends(found) == pytest.approx(ends(mean_interval(values, seed=1)), rel=0.03)
    clustered = mean_interval(values, clusters=[place // 3 for place in range(60)])
    assert (clustered.method, clustered.n) == ("cluster-bootstrap-t", 20)


@pytest.mark.parametrize("sizes", [np.ones(25), np.arange(25) % 4 + 1.0])
def test_the_studentised_bootstrap_is_its_formula(sizes):
    totals = np.random.default_rng(5).lognormal(0, 1, 25) * sizes
    drawn = np.random.default_rng(9).integers(0, 25, (500, 25))

    def error(t, s):
        rest = t - t.sum() / s.sum() * s
        return np.sqrt(25 / 24 * (rest**2).sum()) / s.sum()

    mean = totals.sum() / sizes.sum()
    ts = [(totals[i].sum() / sizes[i].sum() - mean) / error(totals[i], sizes[i]) for i in drawn]
    low, high = np.quantile(ts, [0.025, 0.975], method="inverted_cdf")
    expected = mean - high * error(totals, sizes), mean - low * error(totals, sizes)
    assert bootstrap_t(totals, sizes, resamples=500, seed=9) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("values", [[2.0], [2.0, 5.0], [0.0, 0.0, 9.0], [0.0] * 40 + [1e6]])
def test_the_studentised_bootstrap_stays_finite(values):
    found = mean_interval(values, bounds=None)
    assert all(map(math.isfinite, ends(found)))
    assert found.low <= np.mean(values) <= found.high


def test_what_cannot_be_answered_is_refused():
    with pytest.raises(UsageError, match="values must be finite numbers; number 2 is inf"):
        mean_interval([1, math.inf])
    with pytest.raises(UsageError, match="confidence must lie between 0 and 1"):
        mean_interval([1], confidence=95)
    with pytest.raises(UsageError, match="the group of each value: 1 for 2 values"):
        mean_interval([1, 0], clusters=["a"])
    with pytest.raises(UsageError, match="one row of numbers, not 2 dimensions"):
        mean_interval([[1, 0]])
