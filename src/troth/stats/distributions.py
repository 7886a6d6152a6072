"""Tails and quantiles that the standard library lacks: beta, binomial, Student's t."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

STEPS = 200  # a root is found to the last bits long before
TERMS = 100_000
TINY = 1e-300
EPSILON = 2e-16
Triple = tuple[float, float, float]


def normal_quantile(probability: float) -> float:
    """The standard normal quantile of a probability in (0, 1)."""
    return NormalDist().inv_cdf(probability)


def beta_cdf(x: float, a: float, b: float) -> float:
    """P(B <= x) for B ~ Beta(a, b), in [0, 1]: the regularised incomplete beta function.

    Lentz's evaluation of its continued fraction: https://dlmf.nist.gov/8.17.22
    """
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # the fraction converges fast on the other side
        return 1 - beta_cdf(1 - x, b, a)
    power = a * math.log(x) + b * math.log1p(-x)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + power) / a
    return min(1.0, front * _fraction(x, a, b))


def _fraction(x: float, a: float, b: float) -> float:
    c, d = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _away_from_zero(1 + term * d)
            c = _away_from_zero(1 + term / c)
            value *= c * d
        if abs(c * d - 1) < EPSILON:
            break
    return value


def _away_from_zero(value: float) -> float:
    return value if abs(value) > TINY else TINY


def at_most(k: int, n: int, p: float) -> float:
    """P(X <= k) for X ~ Binomial(n, p)."""
    if k < 0 or k >= n:
        return float(k >= n)
    return beta_cdf(1 - p, n - k, k + 1)


def at_least(k: int, n: int, p: float) -> float:
    """P(X >= k) for X ~ Binomial(n, p), exact in the far tail too."""
    if k <= 0 or k > n:
        return float(k <= 0)
    return beta_cdf(p, k, n - k + 1)


def t_cdf(t: float, df: float) -> float:
    """P(T <= t) for Student's t with `df` degrees of freedom."""
    if t * t < df:  # here the middle keeps more digits than the tail
        return 0.5 + math.copysign(beta_cdf(t * t / (df + t * t), 0.5, df / 2), t) / 2
    tail = beta_cdf(df / (df + t * t), df / 2, 0.5) / 2
    return 1 - tail if t > 0 else tail


def t_quantile(probability: float, df: float) -> float:
    """The quantile of Student's t with `df` > 0 degrees of freedom, of a probability in (0, 1)."""
    if probability < 0.5:
        return -t_quantile(1 - probability, df)
    high = 1.0
    while t_cdf(high, df) < probability and high < 1e12:
        high *= 2
    return root(lambda t: t_cdf(t, df) - probability, 0.0, high)


def root(rising: Callable[[float], float], low: float, high: float) -> float:
    """Where a rising function passes zero between `low` and `high`, to the last bits.

    Where it has no zero there: the end that is nearest to one. Chandrupatla's method, a bisection
    that takes larger steps where it may: https://doi.org/10.1016/S0965-9978(96)00051-8
    """
    a, b = high, low
    fa, fb = rising(a), rising(b)
    if fa <= 0 or fb >= 0:
        return high if fa <= 0 else low
    c, fc, part = b, fb, 0.5
    for _ in range(STEPS):
        x = a + part * (b - a)
        fx = rising(x)
        if (fx > 0) == (fa > 0):
            c, fc = a, fa
        else:
            c, b, fc, fb = b, a, fb, fa
        a, fa = x, fx
        best = a if abs(fa) < abs(fb) else b
        least = (abs(best) * EPSILON + TINY) / abs(b - a)
        if least > 0.5 or fa == 0:
            return best
        part = min(1 - least, max(least, _step((a, b, c), (fa, fb, fc))))
    return best


def _step(at: Triple, of: Triple) -> float:
    """How far from `a` to `b`: by inverse quadratic interpolation where that is safe, else half."""
    (a, b, c), (fa, fb, fc) = at, of
    xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
    if phi**2 < xi and (1 - phi) ** 2 < 1 - xi:
        near = fa / (fb - fa) * fc / (fb - fc)
        return near + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
    return 0.5
