"""Haystack's evaluators and Troth's, the same inputs through both in one run.

    python benchmarks/haystack_side_by_side.py [--peers-venv DIR] [--sas-venv DIR] [--quick]

Each run of each side is a process of its own, and the sides take turns, so that a busy moment hits
both; figures are medians over them (exact match and document metrics: of the fastest of several
repeats within each). Judged parts ask an endpoint on loopback that takes 200 ms a reply, with
the defaults of either side. The peers live in an environment of their own, which is made with pip
where there is none. SAS needs torch, sentence-transformers and a model, which are not installed
here: `bash .ci/torch DIR` makes an environment that has them, and `--sas-venv DIR` names it.

Ratios are theirs over ours: more than 1 says that ours takes less. Wall time for what waits
(judged parts) or computes on several cores (SAS), CPU time of one core for the others. `--quick`:
fewer rows and pairs; the peers' judged rows are scaled up, and the table says so.
The last line is JSON; `null` is what was not measured, and a line before it says why.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import harness
import haystack_sas
from judged import QUIET

SCRIPT = Path(__file__).with_name("peers") / "haystack_party.py"
LATENCY, FEW = 0.2, 20
WIDE = 64  # replies awaited at once; the default is 16
WIDE_NAME = f"ours, {WIDE} at once"
PEERS = ("haystack-ai", "deepeval-haystack")
METRICS = ("recall", "MRR", "MAP", "NDCG")
COLUMNS = (
    "part", "side", "rows", "seconds", "CPU s", "process s", "process CPU s", "peak MB", "requests",
)  # fmt: skip
BARS = {
    "llm_evaluator_speedup": 10,
    "deepeval_wall_speedup": 10,
    "deepeval_cpu_speedup": 10,
    "sas_speedup": 2.5,
    "sas_max_delta": 1e-4,  # at most; all others at least
    "em_speedup": 0.5,
    "document_metrics_speedup": 1,
}


class Bench:
    """Runs sides in turn and keeps the lines of the table."""

    def __init__(self, options, folder, python):
        self.options, self.folder, self.python = options, folder, python
        self.lines = []

    def interpreter(self, side):
        """Whose Python a side runs in."""
        return self.python if side == "theirs" else sys.executable

    def once(self, side, part, *arguments, python=None, latency=None):
        """One process of one side."""
        serving = contextlib.nullcontext() if latency is None else harness.endpoint(latency)
        with serving as endpoint:
            env = QUIET | ({} if endpoint is None else {"OPENAI_BASE_URL": endpoint.url})
            command = [python or self.interpreter(side), SCRIPT, side, part, *arguments]
            process = harness.measured(command, env=env, cwd=self.folder)
            said = process.said()
            requests = None if endpoint is None else endpoint.stats()["count"]
        beside = {"process s": process.wall, "process CPU s": process.cpu, "peak MB": process.rss}
        return said | beside | ({} if requests is None else {"requests": requests})

    def turns(self, part, rows, sides):
        """Medians by name. `sides`: name -> a function that runs it once."""
        runs = {name: [] for name in sides}
        for _ in range(self.options.runs):
            for name, run in sides.items():
                runs[name].append(said := run())
                took = f"{said['seconds']:.3f} s, CPU {said['cpu']:.3f} s"
                print(f"{part}, {name}: {took}", flush=True)
        found = {
            name: {key: harness.median([run[key] for run in several]) for key in several[0]}
            for name, several in runs.items()
        }
        for name, line in found.items():
            line["CPU s"] = line["cpu"]
            self.lines.append({"part": part, "side": name, "rows": str(rows), **line})
        return found


def judged(bench, part, scores_per_row):
    """The figures of the LLM evaluators, or of DeepEvalEvaluator: lines by side, scaled."""
    full = bench.options.rows
    few = min(full, FEW) if bench.options.quick else full
    files = {n: harness.write_rows(bench.folder / f"rows{n}.jsonl", n) for n in (few, full)}

    def run(side, count, *more):
        said = bench.once(side, part, files[count], *more, latency=LATENCY)
        if said["scores"] != count * scores_per_row:
            raise RuntimeError(f"{part}, {side}: {said['scores']} scores for {count} rows")
        return said

    found = bench.turns(
        part,
        full,
        {
            "theirs": lambda: run("theirs", few),
            "ours": lambda: run("ours", full),
            WIDE_NAME: lambda: run("ours", full, "--concurrency", WIDE),
        },
    )
    if few < full:
        scaled(found["theirs"], full / few)
        bench.lines[-len(found)] |= found["theirs"] | {"rows": f"{few} (x{full / few:g})"}
    return found


def scaled(line, times):
    """Multiply what grows with the rows; starting up, which is paid once, is left as it is."""
    for kind, call in (("process s", "seconds"), ("process CPU s", "CPU s")):
        line[kind] += line[call] * (times - 1)
    for key in ("seconds", "CPU s", "requests", "faithfulness s", "relevance s"):
        if key in line:
            line[key] *= times


def ratios(found, ours="ours", **keys):
    """name -> theirs over ours, by the key of the line that it is about."""
    return {
        name: harness.ratio(found["theirs"][key], found[ours][key]) for name, key in keys.items()
    }


def llm(bench):
    found = judged(bench, "llm", 2)
    return ratios(
        found,
        llm_evaluator_speedup="seconds",
        llm_faithfulness_speedup="faithfulness s",
        llm_context_relevance_speedup="relevance s",
        llm_evaluator_cpu_speedup="CPU s",
    ) | ratios(found, WIDE_NAME, llm_evaluator_speedup_wide="seconds")


def deepeval(bench):
    found = judged(bench, "deepeval", 1)
    return ratios(
        found,
        deepeval_wall_speedup="seconds",
        deepeval_cpu_speedup="CPU s",
        deepeval_process_wall_speedup="process s",
        deepeval_process_cpu_speedup="process CPU s",
    ) | ratios(found, WIDE_NAME, deepeval_wall_speedup_wide="seconds")


def exact_match(bench):
    count = 100_000 if bench.options.quick else 1_000_000

    def run(side, *more):
        return lambda: bench.once(side, "exact_match", count, 5, *more)

    sides = {
        "theirs": run("theirs"),
        "ours": run("ours"),
        "ours, Column": run("ours", "--column"),
    }
    found = bench.turns("exact_match", count, sides)
    same(found, "score")
    column = ratios(found, "ours, Column", em_speedup_column="CPU s")
    return ratios(found, em_speedup="CPU s") | column


def documents(bench):
    count = 10_000 if bench.options.quick else 100_000
    sides = {
        side: lambda side=side: bench.once(side, "documents", count, 5)
        for side in ("theirs", "ours")
    }
    found = bench.turns("documents", count, sides)
    for name in METRICS:
        same(found, f"{name} score")
    keys = {f"document_{name.lower()}_speedup": f"{name} CPU s" for name in METRICS}
    each = ratios(found, **keys)
    # None may be slower: the figure is that of the slowest.
    total = ratios(found, document_total_speedup="CPU s")
    return {"document_metrics_speedup": min(each.values())} | total | each


def same(found, key):
    """Raise where the sides did not find the same score."""
    scores = {name: line[key] for name, line in found.items()}
    if max(scores.values()) - min(scores.values()) > 1e-9:
        raise RuntimeError(f"the sides disagree: {key} {scores}")


PARTS = {
    "llm": llm,
    "deepeval": deepeval,
    "sas": haystack_sas.measure,
    "exact_match": exact_match,
    "documents": documents,
}


def peers_python(folder):
    """The interpreter of the peers' environment, which is made if it is not there."""
    python = Path(folder).absolute() / "bin" / "python"
    if not python.exists():
        print(f"making the peers' environment in {folder}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PEERS], check=True)
    code = (
        "import importlib.metadata as m, sys;"
        "print(*(f'{name} {m.version(name)}' for name in sys.argv[1:]), flush=True)"
    )
    subprocess.run([python, "-c", code, *PEERS, "deepeval", "openai"], check=True)
    return python


def missed(figures):
    """Lines about the bars that were not reached."""
    for name, bar in BARS.items():
        value = figures.get(name)
        at_most = name == "sas_max_delta"
        if value is not None and (value > bar if at_most else value < bar):
            limit = f"{'<=' if at_most else '>='} {bar:g}"
            yield f"MISSED: {name} is {value:.4g}, and should be {limit}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    temporary = Path(tempfile.gettempdir())
    parser.add_argument("--peers-venv", default=str(temporary / "troth-haystack-peers"))
    parser.add_argument("--sas-venv", help="torch and a model; default: the peers'")
    parser.add_argument("--sas-model", help="a folder; default: MiniLM from its package")
    parser.add_argument("--data", type=Path, default=harness.ROOT.parent / "shared" / "data")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--rows", type=int, default=100, help="of the judged parts")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--part", action="append", choices=PARTS, help="these only")
    options = parser.parse_args()
    figures = dict.fromkeys(BARS)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, Path(folder), peers_python(options.peers_venv))
        for part in options.part or PARTS:
            figures |= PARTS[part](bench)
    print(*harness.table(bench.lines, COLUMNS), sep="\n")
    for line in missed(figures):
        print(line)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
