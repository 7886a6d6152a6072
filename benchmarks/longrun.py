"""Part 2 of judged.py: does a row of a long run cost more, and what does a second run cost?

`troth run` with a store on disk, 2 metrics, 20 ms a reply, 64 at once; a run of one row is what
starting up costs, and is taken off before rows are compared. The short runs stand before, between
and after the long ones, so that a busy machine does not make the difference.
"""

from __future__ import annotations

import sys

import harness

LATENCY = 0.02
CONCURRENCY = 64
METRICS = ("faithfulness", "answer_relevancy")
COLUMNS = ("run", "rows", "wall s", "CPU s", "peak MB", "requests", "wall ms/row", "CPU ms/row")


def measure(folder, *, quick=False):
    """Figures for the last line of judged.py."""
    short, long = (200, 2000) if quick else (1000, 10_000)
    runs: dict[str, list[dict]] = {}
    with harness.endpoint(LATENCY) as endpoint:
        for name in ("one row", "short", "long", "short", "long again", "short", "one row"):
            count = {"one row": 1, "short": short}.get(name, long)
            rows = harness.write_rows(folder / f"long{count}.jsonl", count, seed=count)
            turn = "" if name.startswith("long") else len(runs.get(name, ()))
            store = folder / f"{count}{turn}.db"
            runs.setdefault(name, []).append(once(rows, count, store, endpoint))
    lines = {name: {"run": name, **middle(several)} for name, several in runs.items()}
    start = lines["one row"]
    for line in lines.values():
        for unit in ("wall", "CPU"):
            net = line[f"{unit} s"] - start[f"{unit} s"]
            line[f"{unit} ms/row"] = 1000 * net / line["rows"] if line["rows"] > 1 else None
    print(*harness.table(lines.values(), COLUMNS), sep="\n")
    by_unit = {
        unit: harness.ratio(lines["long"][f"{unit} ms/row"], lines["short"][f"{unit} ms/row"])
        for unit in ("wall", "CPU")
    }
    return {
        "per_row_cost_10k_over_1k": max(by_unit.values()),
        "per_row_wall_10k_over_1k": by_unit["wall"],
        "per_row_cpu_10k_over_1k": by_unit["CPU"],
        "peak_rss_10k_over_1k": harness.ratio(lines["long"]["peak MB"], lines["short"]["peak MB"]),
        "rerun_requests": lines["long again"]["requests"],
        "rerun_cpu_ms_per_ask": round(lines["long again"]["CPU ms/row"] / len(METRICS), 3),
        "rerun_peak_mb": round(lines["long again"]["peak MB"], 1),
    }


def middle(runs):
    """The median of each figure."""
    return {key: harness.median([run[key] for run in runs]) for key in runs[0]}


def once(rows, count, store, endpoint):
    """One `troth run` in a process of its own."""
    before = endpoint.stats()["count"]
    options = {
        "--metrics": ",".join(METRICS),
        "--judge": f"{endpoint.url}#model",
        "--store": store,
        "--concurrency": CONCURRENCY,
    }
    process = harness.measured(
        [sys.executable, "-m", "troth", "run", rows, *(p for pair in options.items() for p in pair)]
    )
    if process.code:
        raise RuntimeError(f"exit code {process.code}: {process.output[-2000:]}")
    return {
        "rows": count,
        "wall s": process.wall,
        "CPU s": process.cpu,
        "peak MB": process.rss,
        "requests": endpoint.stats()["count"] - before,
    }
