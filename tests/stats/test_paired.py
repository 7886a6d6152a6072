"""Paired comparison against scipy and statsmodels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

from troth.errors import UsageError
from troth.stats.paired import holm, paired
from troth.stats.permutation import mcnemar_mid_p, sign_flips
from troth.stats.power import detectable, rows_needed


def pair(better, worse, equal):
    """0/1 scores of two systems that differ so often."""
    return [0.0] * better + [1.0] * (worse + equal), [1.0] * better + [0.0] * worse + [1.0] * equal


@given(st.integers(0, 400), st.integers(0, 400))
def test_mid_p_is_mcnemars_less_half_of_what_was_seen(better, worse):
    n = better + worse
    if better == worse:
        expected = 1.0
    else:
        exact = mcnemar([[0, better], [worse, 0]], exact=True).pvalue
        expected = exact - stats.binom.pmf(better, n, 0.5)
    assert mcnemar_mid_p(better, worse) == pytest.approx(min(1.0, expected), rel=1e-9, abs=1e-300)


@given(st.lists(st.floats(-1, 1).map(lambda x: round(x, 3)), min_size=2, max_size=8))
def test_few_differences_are_flipped_in_all_ways(differences):
    expected = stats.permutation_test(
        (np.array(differences), np.zeros(len(differences))),
        lambda x, y, axis: np.sum(x - y, axis=axis),
        permutation_type="samples",
        n_resamples=np.inf,
        vectorized=True,
    ).pvalue
    assert sign_flips(np.array(differences)) == pytest.approx(expected, abs=1e-9)


def test_many_differences_are_flipped_at_random():
    differences = np.random.default_rng(3).normal(0.2, 1, 60)
    expected = stats.ttest_1samp(differences, 0).pvalue
    assert sign_flips(differences) == pytest.approx(expected, abs=0.01)
    assert sign_flips(differences) == sign_flips(differences)
    assert sign_flips(differences, seed=1) != sign_flips(differences)
    assert sign_flips(np.full(100, 0.5)) == pytest.approx(1 / 10_001)


@pytest.mark.parametrize("count", [1, 2, 5, 40])
@pytest.mark.parametrize("digits", [1, 3, 17])  # with and without ties
def test_holm(count, digits):
    p_values = [round(p, digits) for p in np.random.default_rng(count).random(count) ** 3]
    expected = multipletests(p_values, method="holm")[1]
    assert holm(p_values) == pytest.approx(list(expected), abs=1e-9)


def test_holm_of_nothing():
    assert holm([]) == []


def test_the_figures_of_a_comparison():
    rng = np.random.default_rng(5)
    a, b = rng.random(40), rng.random(40)
    found = paired(a, b)
    assert (found.n, found.test) == (40, "permutation")
    assert found.mean_a == pytest.approx(a.mean(), abs=1e-12)
    assert found.difference == pytest.approx((b - a).mean(), abs=1e-12)
    assert found.interval.low < found.difference < found.interval.high
    assert found.effect_size == pytest.approx((b - a).mean() / (b - a).std(ddof=1), rel=1e-9)
    assert (found.better, found.worse) == (int((b > a).sum()), int((b < a).sum()))
    assert found.better + found.worse + found.equal == found.n
    other = paired(b, a)
    assert other.difference == pytest.approx(-found.difference)
    assert (other.interval.low, other.interval.high) == pytest.approx(
        (-found.interval.high, -found.interval.low), abs=1e-9
    )


def test_yes_and_no_are_tested_by_mcnemar():
    found = paired(*pair(9, 2, 80))
    assert (found.test, found.better, found.worse, found.equal) == ("mcnemar-midp", 9, 2, 80)
    assert found.p_value == mcnemar_mid_p(9, 2)


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 100))
def test_the_interval_and_mcnemar_agree(better, worse, equal):
    found = paired(*pair(better, worse, equal))
    if found is not None and abs(found.p_value - 0.05) > 0.003:
        excluded = found.interval.low > 0 or found.interval.high < 0
        assert excluded == (found.p_value < 0.05)


def test_a_p_value_is_never_less_than_what_the_interval_says():
    rng = np.random.default_rng(8)
    seen = set()
    for _ in range(60):
        a = rng.beta(5, 0.5, 30)
        found = paired(a, a + rng.choice([0.06, -0.5], 30, p=[0.9, 0.1]) * rng.random(30))
        excluded = found.interval.low > 0 or found.interval.high < 0
        seen.add((excluded, found.p_value < 0.05))
    assert seen <= {(True, True), (True, False), (False, False)}
    assert len(seen) > 1


def test_rows_that_do_not_differ():
    found = paired([0.2, 0.7] * 20, [0.2, 0.7] * 20)
    assert (found.difference, found.p_value, found.effect_size, found.equal) == (0, 1.0, 0.0, 40)
    assert found.interval.low < -0.02 < 0.02 < found.interval.high


def test_rounding_is_no_difference():
    found = paired([0.1 + 0.2] * 20, [0.3] * 20)
    assert (found.equal, found.p_value) == (20, 1.0)


def test_a_constant_difference_has_no_effect_size():
    assert paired([0.2, 0.4], [0.4, 0.6]).effect_size is None
    assert paired([0.0], [1.0]).effect_size is None
    assert paired([0.0] * 20, [1.0] * 20).effect_size is None


def test_clusters_count_as_one():
    rng = np.random.default_rng(2)
    groups = np.repeat(np.arange(25), 8)
    a = rng.random(200)
    b = np.clip(a + rng.normal(0, 0.1, 25)[groups], 0, 1)
    rows, clusters = paired(a, b), paired(a, b, clusters=list(groups))
    assert (rows.interval.n, clusters.interval.n) == (200, 25)
    assert clusters.interval.method == "cluster-bayesian-bootstrap"
    assert clusters.p_value > rows.p_value
    assert clusters.detectable > 1.5 * rows.detectable
    totals = np.array([(b - a)[groups == g].sum() for g in range(25)])
    assert clusters.p_value == pytest.approx(sign_flips(totals), abs=0.02)
    assert clusters.p_value >= sign_flips(totals)


def test_no_rows_and_rows_that_do_not_match():
    assert paired([], []) is None
    with pytest.raises(UsageError, match="3 are not 2; match them by id"):
        paired([1, 0, 1], [1, 0])
    with pytest.raises(UsageError, match="number 2 is nan"):
        paired([1, float("nan")], [1, 0])
    with pytest.raises(UsageError, match="of scored rows only"):
        paired([1, None, "x"], [1, 0, 0])


@pytest.mark.parametrize("n", [10, 30, 200])
def test_detectable_is_the_classic_formula(n):
    rng = np.random.default_rng(n)
    a, b = rng.random(n), rng.random(n)
    spread = (b - a).std(ddof=1)
    quantiles = stats.t.ppf(0.975, n - 1) + stats.t.ppf(0.8, n - 1)
    assert detectable(a, b) == pytest.approx(quantiles * spread / np.sqrt(n), rel=1e-9)
    exact = TTestPower().solve_power(nobs=n, alpha=0.05, power=0.8) * spread
    assert detectable(a, b) == pytest.approx(exact, rel=0.01)


def test_detectable_with_clusters_of_one_row_is_the_same():
    rng = np.random.default_rng(1)
    a, b = rng.random(50), rng.random(50)
    assert detectable(a, b, clusters=range(50)) == pytest.approx(detectable(a, b), rel=1e-9)


def test_where_nothing_differs_enough_rows_must_change_for_the_test_to_notice():
    found = detectable([1.0] * 100, [1.0] * 100)
    assert stats.binom.sf(4, 100, found) == pytest.approx(0.8, rel=1e-9)
    assert mcnemar_mid_p(5, 0) < 0.05 < mcnemar_mid_p(4, 0)
    assert detectable([1.0] * 4, [1.0] * 4) is None
    assert detectable([], []) is None


@pytest.mark.parametrize("difference", [0.3, 0.05, 0.01])
def test_as_many_rows_as_needed_and_not_one_fewer(difference):
    rng = np.random.default_rng(4)
    a, b = rng.random(60), rng.random(60)
    needed = rows_needed(a, b, difference)
    spread = (b - a).std(ddof=1)

    def found(n):
        return spread * (stats.t.ppf(0.975, n - 1) + stats.t.ppf(0.8, n - 1)) / np.sqrt(n)

    assert found(needed) <= difference < found(needed - 1)
    assert rows_needed(a, b, difference, power=0.95) > needed


def test_more_rows_are_needed_in_clusters():
    rng = np.random.default_rng(2)
    groups = np.repeat(np.arange(25), 8)
    a = rng.random(200)
    b = a + rng.normal(0, 0.1, 25)[groups]
    assert rows_needed(a, b, 0.02, clusters=list(groups)) > 3 * rows_needed(a, b, 0.02)


def test_what_cannot_be_answered_is_refused():
    with pytest.raises(UsageError, match="above 0"):
        rows_needed([0, 1], [1, 0], 0.0)
    with pytest.raises(UsageError, match="no rows to learn from"):
        rows_needed([], [], 0.1)
    with pytest.raises(UsageError, match="power must lie between 0 and 1"):
        rows_needed([0, 1], [1, 0], 0.1, power=1.0)


def test_power_is_what_it_says():
    """A difference that is called detectable is found in about 80 of 100 tries."""
    rng = np.random.default_rng(6)
    n, tries, found = 150, 400, 0
    a, b = (rng.random(n) < 0.7).astype(float), (rng.random(n) < 0.7).astype(float)
    share = detectable(a, b)
    for _ in range(tries):
        x = (rng.random(n) < 0.7 - share / 2).astype(float)
        y = (rng.random(n) < 0.7 + share / 2).astype(float)
        found += mcnemar_mid_p(int((y > x).sum()), int((y < x).sum())) < 0.05
    assert 0.72 <= found / tries <= 0.88
