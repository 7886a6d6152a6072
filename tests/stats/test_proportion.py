"""Intervals of proportions: against statsmodels, scipy, and their own promise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from troth.stats.proportion import blaker, wilson

CASES = [(x, n) for n in (1, 2, 5, 30, 100) for x in {0, 1, n // 3, n // 2, n - 1, n}]


@pytest.mark.parametrize(("x", "n"), CASES)
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
def test_wilson(x, n, confidence):
    expected = proportion_confint(x, n, 1 - confidence, method="wilson")
    assert wilson(x, n, confidence) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def acceptability(p, x, n):
    """Blaker's function from its definition, over all outcomes."""
    every = np.arange(n + 1)
    lower, upper = stats.binom.cdf(every, n, p), stats.binom.sf(every - 1, n, p)
    tails = np.minimum(lower, upper)
    return stats.binom.pmf(every, n, p)[tails <= tails[x] * (1 + 1e-12)].sum()


@pytest.mark.parametrize(
    ("x", "n"), [(0, 7), (1, 7), (3, 7), (1, 30), (15, 30), (22, 30), (97, 98)]
)
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_blaker_ends_where_its_definition_says(x, n, confidence):
    low, high = blaker(x, n, confidence)
    alpha = 1 - confidence
    grid = np.linspace(0, 1, 301)[1:-1]
    accepted = [p for p in grid if acceptability(p, x, n) >= alpha]
    assert low <= accepted[0] <= low + 1 / 300
    assert high - 1 / 300 <= accepted[-1] <= high
    if x > 0:
        assert acceptability(low * (1 - 1e-9), x, n) < alpha
        assert acceptability(low * (1 + 1e-9), x, n) >= alpha - 1e-7
    if x < n:
        assert acceptability(1 - (1 - high) * (1 - 1e-9), x, n) < alpha
        assert acceptability(1 - (1 - high) * (1 + 1e-9), x, n) >= alpha - 1e-7


@given(st.integers(1, 200), st.floats(0, 1), st.sampled_from([0.8, 0.95, 0.99]))
def test_blaker_lies_within_clopper_and_pearson_and_holds_the_share(n, at, confidence):
    x = round(at * n)
    low, high = blaker(x, n, confidence)
    outer = proportion_confint(x, n, 1 - confidence, method="beta")
    assert outer[0] - 1e-9 <= low <= x / n <= high <= outer[1] + 1e-9
    assert blaker(n - x, n, confidence) == pytest.approx((1 - high, 1 - low), abs=1e-9)


@pytest.mark.parametrize("n", [7, 30, 100])
def test_blaker_covers_what_it_says_whatever_the_truth(n):
    ends = [blaker(x, n) for x in range(n + 1)]
    for p in np.linspace(0.001, 0.999, 333):
        within = [x for x, (low, high) in enumerate(ends) if low <= p <= high]
        assert stats.binom.pmf(within, n, p).sum() >= 0.95 - 1e-9


@pytest.mark.parametrize(("p", "n"), [(p, n) for p in (0.02, 0.5, 0.98) for n in (30, 100, 1000)])
def test_blaker_is_at_most_a_tenth_wider_than_wilson(p, n):
    likely = [x for x in range(n + 1) if stats.binom.pmf(x, n, p) > 1e-6]
    chance = stats.binom.pmf(likely, n, p)
    exact, usual = (
        chance @ [high - low for low, high in (method(x, n) for x in likely)]
        for method in (blaker, wilson)
    )
    assert exact <= 1.1 * usual
