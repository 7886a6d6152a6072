"""Judged metrics beside DeepEval and Haystack, against an endpoint on loopback, in one run.

    python benchmarks/judged.py [--peers-venv DIR] [--runs 3] [--quick] [--part 1|2]

Part 1: 100 rows x 5 metrics, 3 contexts of 100 words, 200 ms a reply; each run of each party is a
process of its own, and the parties take turns, so that a busy moment hits all of them.
Part 2 (longrun.py): 10,000 rows x 2 metrics at 20 ms through `troth run`, then the same again.
The peers live in an environment of their own, which is made with pip where there is none.
`--quick` gives the slow parties fewer rows and multiplies their seconds and requests up to the
full number; the table says which. The last line is JSON; `null` is what was not measured.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import harness
import longrun

METRICS = 5
IDEAL_AT = 64  # concurrency
PEERS = Path(__file__).with_name("peers")
QUIET = {
    "OPENAI_API_KEY": "none",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "DEEPEVAL_NO_INSPECT_PROMPT": "1",
    "DEEPEVAL_DISABLE_DOTENV": "1",
    # Its deadline for a whole run would end the slow set-up on a slow machine.
    "DEEPEVAL_PER_TASK_TIMEOUT_SECONDS_OVERRIDE": "3600",
    "HAYSTACK_TELEMETRY_ENABLED": "False",
}
COLUMNS = (
    "party", "rows", "seconds", "process s", "CPU s", "CPU ms/row", "CPU ms/request", "peak MB",
    "requests/row", "words/row", "in flight",
)  # fmt: skip


def parties(python, store):
    """name -> (command, rows are scaled with --quick, interpreter is the peers')."""
    troth = [sys.executable, PEERS / "run_troth.py", "{rows}", "{url}"]
    deepeval = [python, PEERS / "run_deepeval.py", "{rows}", "{url}"]
    return {
        "troth": ([*troth, "100"], False),
        f"troth, {IDEAL_AT} at once": ([*troth, str(IDEAL_AT)], False),
        "troth, with a store": ([*troth, "100", "--store", store], False),
        "troth, joint": ([*troth, "100", "--joint"], False),
        "deepeval, own aiohttp model": ([*deepeval, "aiohttp", "100"], False),
        "deepeval, own openai model": ([*deepeval, "openai", "100"], False),
        "deepeval, default": ([*deepeval, "default", "20"], True),
        "haystack, 2 metrics": ([python, PEERS / "run_haystack.py", "{rows}", "{url}"], True),
    }


def peers_python(folder):
    """The interpreter of the peers' environment, which is made if it is not there."""
    python = Path(folder) / "bin" / "python"
    if not python.exists():
        print(f"making the peers' environment in {folder}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run(
            [python, "-m", "pip", "install", "--quiet", "deepeval", "haystack-ai", "aiohttp"],
            check=True,
        )
    listed = subprocess.run(
        [python, "-m", "pip", "list", "--format", "json"], check=True, capture_output=True
    )
    versions = {p["name"]: p["version"] for p in json.loads(listed.stdout)}
    print({name: versions.get(name) for name in ("deepeval", "haystack-ai", "openai", "aiohttp")})
    return python


def once(command, rows_file, folder, latency):
    """One run of one party; `None` where it has no such mode."""
    with harness.endpoint(latency) as endpoint:
        filled = [str(p).format(rows=rows_file, url=endpoint.url) for p in command]
        env = {**QUIET, "OPENAI_BASE_URL": endpoint.url}
        process = harness.measured(filled, env=env, cwd=folder)
        said, stats = process.said(), endpoint.stats()
    if said["seconds"] is None:
        return None
    return {
        "seconds": said["seconds"],
        "call_cpu": said["cpu"],
        "scores": said["scores"],
        "process s": process.wall,
        "CPU s": process.cpu,
        "peak MB": process.rss,
        "requests": stats["count"],
        "words": stats["prompt_words"],
        "in flight": stats["in_flight_max"],
    }


def summed_up(name, runs, rows, full):
    """Medians of a party's runs as a line of the table; seconds and CPU scaled up to `full`."""
    line = {key: harness.median([run[key] for run in runs]) for key in runs[0]}
    scale = full / rows
    metrics = 2 if name.startswith("haystack") else METRICS
    if line["scores"] != rows * metrics:
        raise RuntimeError(f"{name}: {line['scores']} scores of {rows * metrics}")
    line["CPU ms/request"] = 1000 * line["CPU s"] / line["requests"]
    line["call CPU/request"] = line["call_cpu"] / line["requests"]
    line["CPU ms/row"] = 1000 * line["CPU s"] / rows
    line["requests/row"] = line["requests"] / rows
    line["words/row"] = line["words"] / rows
    for key in ("seconds", "process s", "CPU s", "requests"):
        line[key] *= scale
    return {"party": name, "rows": str(rows) + (f" (x{scale:g})" if scale > 1 else ""), **line}


def part_one(options, folder):
    """All parties in turn, `options.runs` times; lines by party."""
    python = peers_python(options.peers_venv)
    few = min(options.rows, 20) if options.quick else options.rows
    files = {n: harness.write_rows(folder / f"rows{n}.jsonl", n) for n in (few, options.rows)}
    runs: dict[str, list[dict]] = {}
    for turn in range(options.runs):
        chosen = parties(python, folder / f"store{turn}.db")
        for name, (command, slow) in chosen.items():
            count = few if slow else options.rows
            result = once(command, files[count], folder, options.latency)
            if result is not None:
                runs.setdefault(name, []).append(result)
                print(f"{name}: {result['seconds']:.2f} s, CPU {result['CPU s']:.2f} s", flush=True)
    return {
        name: summed_up(name, results, few if chosen[name][1] else options.rows, options.rows)
        for name, results in runs.items()
    }


def compared(lines, latency):
    """The figures of part 1 that the bars of docs/engine.md are about."""
    ours, joint = lines["troth"], lines.get("troth, joint", {})
    at, default = lines[f"troth, {IDEAL_AT} at once"], lines["deepeval, default"]
    own = [line for name, line in lines.items() if name.startswith("deepeval, own")]
    best = min(own, key=lambda line: line["seconds"])
    openai = lines["deepeval, own openai model"]
    ideal = at["requests"] * latency / IDEAL_AT + latency
    return {
        "requests_per_row": ours["requests/row"],
        "requests_per_row_joint": joint.get("requests/row"),
        "prompt_words_over_deepeval": harness.ratio(ours["words"], best["words"]),
        "prompt_words_over_deepeval_joint": harness.ratio(joint.get("words"), best["words"]),
        "wall_over_deepeval_best": harness.ratio(ours["seconds"], best["seconds"]),
        "wall_over_deepeval_openai": harness.ratio(ours["seconds"], openai["seconds"]),
        "wall_over_deepeval_default": harness.ratio(ours["seconds"], default["seconds"]),
        "wall_over_ideal": harness.ratio(at["seconds"], ideal),
        "cpu_per_request_over_deepeval_best": harness.ratio(
            ours["CPU ms/request"], best["CPU ms/request"]
        ),
        "cpu_per_request_over_deepeval_openai": harness.ratio(
            ours["CPU ms/request"], openai["CPU ms/request"]
        ),
        "cpu_per_row_over_deepeval_best": harness.ratio(ours["CPU s"], best["CPU s"]),
        "peak_rss_over_deepeval_best": harness.ratio(ours["peak MB"], best["peak MB"]),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peers-venv", default=str(Path(tempfile.gettempdir()) / "troth-peers"))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--rows", type=int, default=100, help="of part 1")
    parser.add_argument("--latency", type=float, default=0.2, help="seconds, of part 1")
    parser.add_argument("--quick", action="store_true", help="fewer rows for slow parties, and 2")
    parser.add_argument("--part", type=int, choices=(1, 2), help="only this one")
    options = parser.parse_args()
    result = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        if options.part != 2:
            lines = part_one(options, folder)
            print(*harness.table(lines.values(), COLUMNS), sep="\n")
            result |= compared(lines, options.latency)
        if options.part != 1:
            result |= longrun.measure(folder, quick=options.quick)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
