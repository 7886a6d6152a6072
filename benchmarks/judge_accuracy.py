"""How well a judge's faithfulness agrees with people, beside two plain baselines.

    python benchmarks/judge_accuracy.py [--judge builtin] [--data-root data] [DATA ...]

DATA are folders with an examples.jsonl (or such files); without any, the eight sets under
--data-root. A row has question, contexts, answer, group and label (1 faithful, 0 not, null
undecided: left out). The score is `troth.evaluate(...)`, as a user calls it.

AUROC ranks by `Score.support`. Balanced accuracy cuts `Score.value` at a threshold fitted on half
of the groups and measured on the other half, over ten seeded splits. Intervals are 95% percentile
bootstraps over groups, as rows of a group share a context. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import troth

SETS = (
    "ragtruth_qa",
    "ragtruth_summary",
    "ragtruth_data2txt",
    "begin",
    "q2_wow",
    "wice",
    "summedits",
    "dialfact_small",
)
BASELINES = ("tokens in context", "novel content tokens")
WORD = re.compile(r"\w+")
_FUNCTION = """
a an the of and or to in on at for with by from is are was were be been being it its this that these
those as has have had do does did not no but if so than then they he she we you i his her their our
your my which who what when where how can will would could should may might about into over after
also
"""
FUNCTION_WORDS = frozenset(_FUNCTION.split())


@dataclass
class Measured:
    """One set: labels, groups as numbers, and the scores by name (support and value)."""

    name: str
    labels: np.ndarray
    groups: np.ndarray
    support: dict[str, np.ndarray]
    value: dict[str, np.ndarray]
    account: dict[str, int]
    seconds: float


def judged(path, judge, unscorable):
    """The judge's support and value per row of `path`, through the public interface."""
    started = time.perf_counter()
    run = troth.evaluate(str(path), metrics=["faithfulness"], judge=judge, progress=False)
    seconds = time.perf_counter() - started
    rows = [row for row in run if row.sample.meta["label"] is not None]
    scores = [row.scores["faithfulness"] for row in rows]
    account = {"total": len(rows), "scored": 0, "unscorable": 0, "failed": 0}
    for score in scores:
        account[str(score.status)] += 1
    filled = []
    for field in ("support", "value"):
        known = [getattr(score, field) for score in scores if score.value is not None]
        neutral = 1.0 if unscorable == "one" else float(np.median(known)) if known else 0.5
        filled.append(
            [neutral if score.value is None else getattr(score, field) for score in scores]
        )
    return rows, np.array(filled[0], float), np.array(filled[1], float), account, seconds


def baselines(sample):
    """Share of the answer's tokens that the contexts hold; minus the content tokens they lack."""
    known = set(WORD.findall(" ".join(sample.contexts).lower()))
    tokens = WORD.findall(sample.answer.lower())
    share = sum(token in known for token in tokens) / len(tokens) if tokens else 1.0
    return share, -float(sum(t not in known and t not in FUNCTION_WORDS for t in tokens))


def measure(name, path, judge, unscorable):
    """Judge one set and score it by the baselines too."""
    rows, support, value, account, seconds = judged(path, judge, unscorable)
    plain = np.array([baselines(row.sample) for row in rows])
    scores = dict(zip(BASELINES, plain.T, strict=True))
    keys = [str(row.sample.meta.get("group", row.sample.id)) for row in rows]
    return Measured(
        name,
        np.array([row.sample.meta["label"] for row in rows], int),
        np.unique(keys, return_inverse=True)[1],
        {"judge": support, **scores},
        {"judge": value, **scores},
        account,
        seconds,
    )


def curve(scores, labels, weights):
    """Sorted distinct scores, and the weight of good and bad rows at each."""
    cuts, place = np.unique(scores, return_inverse=True)
    good = np.bincount(place, weights * labels, len(cuts))
    return cuts, good, np.bincount(place, weights * (1 - labels), len(cuts))


def auroc(scores, labels, weights):
    """Chance that a good row ranks above a bad one, ties half; NaN where one kind is absent."""
    _, good, bad = curve(scores, labels, weights)
    if not good.sum() or not bad.sum():
        return float("nan")
    below = np.cumsum(bad) - bad
    return float((good * (below + bad / 2)).sum() / (good.sum() * bad.sum()))


def best_cut(scores, labels, weights):
    """The cut (good from here on) with the best balanced accuracy."""
    cuts, good, bad = curve(scores, labels, weights)
    if not good.sum() or not bad.sum():
        return float(cuts[0])
    kept = np.cumsum(good[::-1])[::-1] / good.sum()
    thrown = (np.cumsum(bad) - bad) / bad.sum()
    return float(cuts[np.argmax(kept + thrown)])


def balanced_accuracy(scores, labels, weights, halves):
    """Mean over the splits `halves` (rows × splits): cut from one half, measured on the other."""
    results = []
    for fit in halves.T:
        if not fit.any() or fit.all():
            continue
        cut = best_cut(scores[fit], labels[fit], weights[fit])
        called, true, weight = scores[~fit] >= cut, labels[~fit], weights[~fit]
        good, bad = (weight * true).sum(), (weight * (1 - true)).sum()
        if good and bad:
            kept = (weight * true * called).sum() / good
            results.append((kept + (weight * (1 - true) * ~called).sum() / bad) / 2)
    return float(np.mean(results)) if results else float("nan")


def statistics(data, options):
    """Each statistic at the sample (first) and at every bootstrap resample of the groups."""
    rng = np.random.default_rng(options.seed)
    count = data.groups.max() + 1
    halves = np.stack([rng.permutation(count) * 2 < count for _ in range(options.splits)], axis=1)[
        data.groups
    ]
    found = {f"{kind} {name}": [] for kind in ("auroc", "bacc") for name in data.support}
    for turn in range(options.resamples + 1):
        drawn = np.bincount(rng.integers(count, size=count), minlength=count)
        weights = (np.ones(count) if turn == 0 else drawn)[data.groups]
        for name in data.support:
            found[f"auroc {name}"].append(auroc(data.support[name], data.labels, weights))
            if turn <= options.resamples // 5:  # costs more, moves less
                found[f"bacc {name}"].append(
                    balanced_accuracy(data.value[name], data.labels, weights, halves)
                )
    return {name: np.array(values) for name, values in found.items()}


def differences(found):
    """Ours minus the better baseline (better on this set), for both statistics."""
    result = dict(found)
    for kind in ("auroc", "bacc"):
        better = max(BASELINES, key=lambda name: found[f"{kind} {name}"][0])
        result[f"{kind} better"] = found[f"{kind} {better}"]
        result[f"{kind} gain"] = found[f"{kind} judge"] - found[f"{kind} {better}"]
    return result


def interval(values):
    """The statistic with its 95% interval."""
    low, high = np.nanpercentile(values[1:], [2.5, 97.5]) if len(values) > 1 else (np.nan,) * 2
    return [round(float(x), 4) for x in (values[0], low, high)]


def line(name, found):
    def shown(key, sign=""):
        value, low, high = interval(found[key])
        return f"{value:{sign}.3f} [{low:{sign}.3f}, {high:{sign}.3f}]"

    plain = "  ".join(
        "/".join(f"{found[f'{kind} {name}'][0]:.3f}" for name in BASELINES)
        for kind in ("auroc", "bacc")
    )
    return (
        f"{name:18} {shown('auroc judge'):22} {shown('auroc gain', '+'):25} "
        f"{shown('bacc judge'):22} {shown('bacc gain', '+'):25} {plain}"
    )


def located(options):
    """(name, file) of every set that is there; says which are not."""
    wanted = [Path(d) for d in options.data] or [Path(options.data_root) / s for s in SETS]
    for path in wanted:
        file = path / "examples.jsonl" if path.is_dir() or not path.suffix else path
        name = file.parent.name if file.name == "examples.jsonl" else file.stem
        if file.exists():
            yield name, file
        else:
            print(f"skipped {name}: there is no {file}", file=sys.stderr)


def report(options):
    head = ("set", "AUROC", "over better baseline", "balanced accuracy", "over better baseline")
    print("{:18} {:22} {:25} {:22} {:25} ".format(*head) + "baselines' AUROC, accuracy")
    found, accounts = {}, {}
    for name, file in located(options):
        data = measure(name, file, options.judge, options.unscorable)
        found[name] = differences(statistics(data, options))
        accounts[name] = {**data.account, "seconds": round(data.seconds, 2)}
        print(line(name, found[name]), flush=True)
    if not found:
        print("no labelled data, nothing measured", file=sys.stderr)
        return
    keys = next(iter(found.values()))
    mean = {key: np.mean([f[key] for f in found.values()], axis=0) for key in keys}
    print(line(f"mean of {len(found)}", mean))
    where = "1.0" if options.unscorable == "one" else "the median of their set's scored rows"
    print(f"\nunscorable and failed rows stand at {where}:")
    for name, a in accounts.items():
        print(
            f"  {name:18} total {a['total']} = scored {a['scored']} + unscorable "
            f"{a['unscorable']} + failed {a['failed']}; {a['seconds']} s"
        )
    result = {name: {key: interval(v) for key, v in f.items()} for name, f in found.items()}
    result["mean"] = {key: interval(values) for key, values in mean.items()}
    print(json.dumps({"judge": options.judge, "sets": result, "accounts": accounts}))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="*", help="folders or .jsonl files; default: the eight sets")
    parser.add_argument("--judge", default="builtin")
    parser.add_argument("--data-root", default="data")
    parser.add_argument("--unscorable", choices=("middle", "one"), default="middle")
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    report(parser.parse_args())


if __name__ == "__main__":
    main()
