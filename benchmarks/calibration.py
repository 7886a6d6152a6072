"""Do intervals cover what they say, do tests cry wolf, and what do they cost?

Run by benchmarks/statistics.py. Draws scores whose true mean is known, and counts: every figure in
docs/statistics.md comes from here. --quick draws 300 times, to see that it runs. The last line is
JSON.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

import numpy as np

from troth.stats.intervals import mean_interval, weighted_difference
from troth.stats.numbers import gathered, rounded
from troth.stats.paired import paired
from troth.stats.permutation import mcnemar_mid_p, sign_flips
from troth.stats.power import detectable
from troth.stats.proportion import blaker, wilson

SEED = 20261130
SIZES = (30, 100, 1000)
FLIPS = 1999  # of a permutation test here; 10,000 in use


def rare(p, a, b):
    """Ones, but for a share of Beta(a, b)."""
    return (lambda g, s: np.where(g.random(s) < p, g.beta(a, b, s), 1.0), 1 - p * (1 - a / (a + b)))


SKEWED = {
    "Beta(5, 0.5)": (lambda g, s: g.beta(5, 0.5, s), 5 / 5.5),
    "Beta(0.1, 2)": (lambda g, s: g.beta(0.1, 2, s), 0.1 / 2.1),
    "Beta(2, 20)": (lambda g, s: g.beta(2, 20, s), 2 / 22),
    "ones, 10% uniform": rare(0.1, 1, 1),
    "ones, 2% Beta(1, 3)": rare(0.02, 1, 3),
    "5 claims, 95% each": (lambda g, s: g.binomial(5, 0.95, s) / 5, 0.95),
}


def covers(found, truth):
    return found.low <= truth <= found.high


def bernoulli(repetitions):
    """Coverage and width: simulated and exact, since there are only n + 1 outcomes."""
    print("\n0/1 scores        n  coverage  exact  width / Wilson's")
    worst, widest = 1.0, 0.0
    for n in SIZES:
        known = cache(lambda x, n=n: mean_interval([1.0] * x + [0.0] * (n - x)))
        for p in (0.02, 0.5, 0.98):
            drawn = np.random.default_rng(SEED).binomial(n, p, repetitions)
            coverage = float(np.mean([covers(known(int(x)), p) for x in drawn]))
            usual = [wilson(int(x), n) for x in drawn]
            width = np.mean([known(int(x)).high - known(int(x)).low for x in drawn])
            ratio = float(width / np.mean([high - low for low, high in usual]))
            print(f"p = {p:<8} {n:>6}  {coverage:8.4f}  {exact(p, n):.4f}  {ratio:.3f}")
            worst, widest = min(worst, coverage), max(widest, ratio)
    return {"bernoulli_coverage_min": worst, "bernoulli_width_max": widest}


def exact(p, n):
    """The coverage of Blaker's interval, summed over all outcomes that matter."""
    middle, reach = n * p, 8 * math.sqrt(n * p * (1 - p)) + 8
    total = 0.0
    for x in range(max(0, int(middle - reach)), min(n, int(middle + reach)) + 1):
        low, high = blaker(x, n)
        if low <= p <= high:
            ways = math.lgamma(n + 1) - math.lgamma(x + 1) - math.lgamma(n - x + 1)
            total += math.exp(ways + x * math.log(p) + (n - x) * math.log1p(-p))
    return total


def skewed(repetitions):
    """Coverage over bounded scores of all shapes; those of the t interval beside it."""
    print("\nscores in [0, 1]         n  coverage  too high  too low  of t  width / t's")
    worst = 1.0
    for name, (draw, truth) in SKEWED.items():
        for n in SIZES:
            generator = np.random.default_rng(SEED)
            values = draw(generator, (repetitions, n))
            found = [mean_interval(row) for row in values]
            high = np.mean([i.low > truth for i in found])
            low = np.mean([i.high < truth for i in found])
            half = 1.96 * values.std(axis=1, ddof=1) / math.sqrt(n) * (1 + 1.2 / n)
            classic = float((abs(values.mean(axis=1) - truth) <= half).mean())
            width = np.mean([i.high - i.low for i in found]) / (2 * half.mean())
            coverage = float(1 - high - low)
            print(
                f"{name:<20} {n:>6}  {coverage:8.4f}  {high:8.4f}  {low:7.4f}  {classic:.2f}"
                f"  {width:.2f}"
            )
            worst = min(worst, coverage)
    return {"skewed_coverage_min": worst}


CLUSTERED = [  # mean, correlation within a cluster, sizes, 0/1 or continuous
    (0.5, 0.3, "5 each", True),
    (0.95, 0.1, "1 to 20", True),
    (0.95, 0.6, "1 to 20", True),
    (0.8, 0.3, "3 or 40", True),
    (0.9, 0.3, "1 to 20", False),
]


def clusters_of(generator, count, shape):
    mean, within, sizes, binary = shape
    size = {
        "5 each": lambda: np.full(count, 5),
        "1 to 20": lambda: np.minimum(20, generator.geometric(0.2, count)),
        "3 or 40": lambda: np.where(generator.random(count) < 0.1, 40, 3),
    }[sizes]()
    spread = 1 / within - 1
    centres = generator.beta(mean * spread, (1 - mean) * spread, count)
    groups = np.repeat(np.arange(count), size)
    at = centres[groups]
    if binary:
        return (generator.random(len(at)) < at).astype(float), groups
    noise = generator.beta(np.maximum(4 * at, 1e-9), np.maximum(4 * (1 - at), 1e-9))
    return np.where(np.isfinite(noise), noise, at), groups


def clustered(repetitions):
    print("\nclustered scores                        clusters  coverage  ignoring clusters")
    worst = 1.0
    for shape in CLUSTERED:
        for count in (20, 50):
            generator = np.random.default_rng(SEED)
            right, naive = 0, 0
            for _ in range(repetitions):
                values, groups = clusters_of(generator, count, shape)
                right += covers(mean_interval(values, clusters=groups.tolist()), shape[0])
                error = values.std() / math.sqrt(len(values))
                naive += abs(values.mean() - shape[0]) <= 1.96 * error
            mean, within, sizes, binary = shape
            what = f"mean {mean}, ICC {within}, {sizes}, {'0/1' if binary else 'continuous'}"
            print(f"{what:<40} {count:>7}  {right / repetitions:8.4f}  {naive / repetitions:.2f}")
            worst = min(worst, right / repetitions)
    return {"clustered_coverage_min": worst}


def p_values(a, b, seed, groups=None):
    """As `paired` finds it, with fewer sign flips; and without the interval's say."""
    totals, sizes = gathered(rounded(b - a), groups)
    if groups is None and set(a) | set(b) <= {0.0, 1.0}:
        return (mcnemar_mid_p(int((b > a).sum()), int((b < a).sum())),) * 2
    flipped = sign_flips(totals, flips=FLIPS, seed=seed)
    return max(flipped, weighted_difference(totals, sizes).p_value(0.0)), flipped


def yes_no(share):
    def draw(g, n):
        a = (g.random(n) < 0.8).astype(float)
        redrawn = g.random(n) < share
        flip = g.random(n) < 0.5  # of those, A and B differ, either way as likely
        return np.where(redrawn, flip, a), np.where(redrawn, ~flip, a)

    return draw


def noisy(g, n):
    truth = g.beta(5, 1, n)
    return [np.clip(truth + g.normal(0, 0.1, n), 0, 1) for _ in "ab"]


def now_and_then(g, n):
    a = g.beta(5, 0.5, n)
    return a, np.where(g.random(n) < 0.2, g.beta(5, 0.5, n), a)


def rarely_much_worse(g, n):
    return np.full(n, 0.5), np.where(g.random(n) < 0.05, 0.0, 0.5 + 0.5 * 0.05 / 0.95)


NULLS = {  # two systems that are equally good, how often their scores differ, the fewest rows
    "0/1, 3% differ": (yes_no(0.03), 0.03, 10),
    "0/1, 10% differ": (yes_no(0.1), 0.1, 10),
    "0/1, 40% differ": (yes_no(0.4), 0.4, 10),
    "continuous": (noisy, 1.0, 10),
    "skewed, 20% differ": (now_and_then, 0.2, 10),
    # Not the same distribution in both: fewer than 30 rows are marked as too few.
    "one never varies": (lambda g, n: (np.full(n, 5 / 5.5), g.beta(5, 0.5, n)), 1.0, 30),
    "rarely much worse": (rarely_much_worse, 1.0, 100),
}


def false_alarms(repetitions):
    print("\nequal systems            n  p < 0.05  by sign flips alone  differing rows expected")
    highest, lowest = 0.0, 1.0
    for name, (draw, share, fewest) in NULLS.items():
        for n in (size for size in (10, *SIZES) if size >= fewest):
            generator = np.random.default_rng(SEED)
            found = [p_values(*draw(generator, n), seed) for seed in range(repetitions)]
            alarms, flipped = (float(share) for share in np.mean(np.array(found) < 0.05, axis=0))
            print(f"{name:<20} {n:>6}  {alarms:8.4f}  {flipped:.4f}  {share * n:.0f}")
            highest = max(highest, alarms)
            lowest = min(lowest, alarms) if share * n >= 30 else lowest
    for count in (20, 50):
        generator = np.random.default_rng(SEED)
        alarms = 0
        for k in range(repetitions):
            a, groups = clusters_of(generator, count, CLUSTERED[4])
            effect = generator.normal(0, 0.1, count)[groups]
            b = a + effect + generator.normal(0, 0.05, len(a))
            alarms += p_values(a, b, k, groups.tolist())[0] < 0.05
        print(f"{f'{count} clusters':<20} {'':>6}  {alarms / repetitions:8.4f}")
        highest, lowest = max(highest, alarms / repetitions), min(lowest, alarms / repetitions)
    return {"false_alarm_max": highest, "false_alarm_min_30": lowest}


def power(repetitions):
    """Is a difference that is called detectable found in 80 of 100 tries?"""
    print("\ndetectable            n  difference  found")
    found = []
    for n in (50, 200):
        generator = np.random.default_rng(SEED)
        a, b = yes_no(0.3)(generator, 20 * n)
        known = detectable(a[:n], b[:n])
        spread = float(np.std(b - a))
        share = known / 2  # so many more rows change for the better, and fewer for the worse
        change = generator.random((repetitions, n))
        up = (change < spread**2 / 2 + share).sum(axis=1)
        down = (change > 1 - spread**2 / 2 + share).sum(axis=1)
        hits = np.mean(
            [mcnemar_mid_p(int(x), int(y)) < 0.05 for x, y in zip(up, down, strict=True)]
        )
        print(f"0/1, 30% differ  {n:>6}  {known:10.3f}  {hits:.3f}")
        found.append(float(hits))
    return {"power_of_80": found}


def costs():
    generator = np.random.default_rng(SEED)
    values, other = generator.beta(5, 0.5, (2, 10_000))
    jobs = {
        "bootstrap_10k_s": lambda: mean_interval(values, bounds=None),
        "bounded_10k_s": lambda: mean_interval(values),
        "paired_10k_s": lambda: paired(values, other),
    }
    return {name: min(timed(job) for _ in range(3)) for name, job in jobs.items()}


def timed(job):
    started = time.perf_counter()
    job()
    return round(time.perf_counter() - started, 3)


def report_10k():
    """Seconds of `troth report --html` over 10,000 rows; `None` where it cannot be run."""
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder, "rows.jsonl")
        with rows.open("w") as file:
            for n in range(10_000):
                words = [f"word{(n * k) % 97}" for k in range(1, 40)]
                row = {
                    "question": f"question {n}?",
                    "answer": " ".join(words),
                    "reference": " ".join(words[: 1 + n % 39]),
                    "contexts": [" ".join(words[k : k + 20]) for k in range(5)],
                }
                file.write(json.dumps(row) + "\n")
        troth = [sys.executable, "-m", "troth"]
        asked = ["run", str(rows), "--metrics", "exact_match,token_f1", "--json"]
        subprocess.run([*troth, *asked], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        command = [*troth, "report", "--html", "page.html"]
        started = time.perf_counter()
        done = subprocess.run(command, cwd=folder, check=False, capture_output=True)
        seconds = time.perf_counter() - started
        return round(seconds, 2) if done.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--repetitions", type=int, default=5000)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    repetitions = 300 if options.quick else options.repetitions
    found = {"repetitions": repetitions}
    for part in (bernoulli, skewed, clustered, false_alarms, power):
        found |= part(repetitions)
        sys.stdout.flush()
    found |= costs() | {"report_10k_s": report_10k()}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
