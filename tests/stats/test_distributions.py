"""Tails and quantiles agree with scipy."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from troth.stats.distributions import at_least, at_most, beta_cdf, root, t_cdf, t_quantile

shapes = st.floats(0.05, 2000)


@given(st.floats(0, 1), shapes, shapes)
def test_beta(x, a, b):
    assert beta_cdf(x, a, b) == pytest.approx(stats.beta.cdf(x, a, b), rel=1e-9, abs=1e-12)


@given(st.integers(1, 5000), st.floats(1e-6, 1 - 1e-6), st.floats(0, 1))
def test_binomial(n, p, at):
    k = round(at * n)
    assert at_most(k, n, p) == pytest.approx(stats.binom.cdf(k, n, p), rel=1e-9, abs=1e-12)
    assert at_least(k, n, p) == pytest.approx(stats.binom.sf(k - 1, n, p), rel=1e-9, abs=1e-12)


def test_a_far_tail_keeps_its_digits():
    assert at_least(60, 60, 0.1) == pytest.approx(1e-60, rel=1e-9)


@given(st.floats(-50, 50), st.floats(0.5, 1e5))
def test_student(t, df):
    assert t_cdf(t, df) == pytest.approx(stats.t.cdf(t, df), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("df", [1, 2, 3.5, 9, 29, 99, 9999])
@pytest.mark.parametrize("probability", [0.005, 0.025, 0.2, 0.5, 0.8, 0.975, 0.9995])
def test_quantiles_of_student(probability, df):
    expected = stats.t.ppf(probability, df)
    assert t_quantile(probability, df) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@given(st.floats(-0.999, 0.999), st.sampled_from([1, 3, 9]))
def test_a_root_is_found_to_the_last_digits(at, power):
    found = root(lambda x: (x - at) ** power, -1.0, 1.0)
    assert math.isclose(found, at, rel_tol=1e-9, abs_tol=1e-9 if power == 1 else 1e-2)


def test_without_a_root_the_nearest_end():
    assert root(lambda x: x + 5, 0.0, 1.0) == 0.0
    assert root(lambda x: x - 5, 0.0, 1.0) == 1.0
