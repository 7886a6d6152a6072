"""Fit the built-in judge's weights; prints what belongs into troth/judges/builtin/weights.py.

    python benchmarks/fit_builtin.py [--data-root data] [--leave-one-out]

One vector for all sets, fitted so that within each set the faithful answers' `Score.support` ranks
above the unfaithful ones' (logistic loss on pairs, every set weighing the same). Penalties and
threshold are not fitted. --leave-one-out fits without each set in turn and shows how the ranking
carries over to it. WiCE permits evaluation only: it is never fitted on.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from judge_accuracy import SETS, auroc
from scipy.optimize import minimize

from troth.asks import Item
from troth.judges.builtin.claims import claims_nothing
from troth.judges.builtin.evidence import Sentence, evidence
from troth.judges.builtin.features import Features, find
from troth.judges.builtin.weights import BIAS, WEIGHTS, penalties
from troth.text.sentences import sentences

FITTED = tuple(name for name in SETS if name != "wice")
PAIRS = 3000
RIDGE = 5e-4


def load(path):
    """Labels, and per sentence its row, features and penalty; answers without a claim left out."""
    labels, rows, features, factors = [], [], [], []
    for text in path.read_text("utf-8").splitlines():
        row = json.loads(text)
        known = evidence(tuple(Item(f"c{n}", c) for n, c in enumerate(row["contexts"], 1)))
        claims = [Sentence.of(s) for s in sentences(row["answer"])]
        found = [find(claim, known) for claim in claims if not claims_nothing(claim)]
        if row["label"] is None or not found:
            continue
        rows += [len(labels)] * len(found)
        labels.append(row["label"])
        features += [f.features for f in found]
        factors += [float(np.prod([*penalties(f).values()])) for f in found]
    return np.array(labels), np.array(rows), np.array(features), np.array(factors)


def supports(parameters, data):
    """`Score.support` of every row, from its sentences' supports as faithfulness does it."""
    labels, rows, features, factors = data
    p = factors / (1 + np.exp(-(parameters[0] + features @ parameters[1:])))
    count = np.bincount(rows, minlength=len(labels))
    joint = np.exp(np.bincount(rows, np.log(np.maximum(p, 0.01)), len(labels)) / np.sqrt(count))
    return joint


def fit(sets):
    """Bias and weights for these sets."""
    rng = np.random.default_rng(0)
    pairs = [[rng.choice(np.flatnonzero(d[0] == y), PAIRS) for y in (1, 0)] for d in sets]

    def loss(parameters):
        total = RIDGE * float(parameters @ parameters)
        for data, (good, bad) in zip(sets, pairs, strict=True):
            p = np.clip(supports(parameters, data), 1e-6, 1 - 1e-6)
            logit = np.log(p / (1 - p))
            total += np.logaddexp(0, logit[bad] - logit[good]).mean() / len(sets)
        return total

    start = np.array([2.0] + [0.0] * len(Features._fields))
    return minimize(loss, start, method="L-BFGS-B").x


def show(title, data, vector_of):
    values = {name: auroc(supports(vector_of(name), d), d[0], 1.0) for name, d in data.items()}
    shown = "  ".join(f"{name} {value:.3f}" for name, value in values.items())
    print(f"{title:14} {np.mean([*values.values()]):.3f}   {shown}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-root", default="data")
    parser.add_argument("--leave-one-out", action="store_true")
    options = parser.parse_args()
    files = {name: Path(options.data_root) / name / "examples.jsonl" for name in SETS}
    absent = [name for name, file in files.items() if not file.exists()]
    if absent:
        print(f"nothing fitted: {options.data_root} lacks {', '.join(absent)}")
        return
    data = {name: load(file) for name, file in files.items()}
    vector = fit([data[name] for name in FITTED])
    print(f"BIAS = {vector[0]:.2f}")
    pairs = zip(Features._fields, vector[1:], strict=True)
    print("WEIGHTS =", ", ".join(f"{name}={weight:.2f}" for name, weight in pairs))
    show("fitted", data, lambda _: vector)
    show("as shipped", data, lambda _: np.array([BIAS, *WEIGHTS]))
    if options.leave_one_out:
        others = {s: fit([data[n] for n in FITTED if n != s]) for s in FITTED}
        show("leave-one-out", data, lambda name: others.get(name, vector))


if __name__ == "__main__":
    main()
