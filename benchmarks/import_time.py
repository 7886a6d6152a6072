"""What starting Troth costs: medians of fresh processes, beside bare Python.

    python benchmarks/import_time.py [--runs 21] [--check]

With --check the exit code is 1 where a bar of the design is missed. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from importlib.metadata import distribution, requires
from pathlib import Path

HEAVY = ("haystack", "pandas", "polars", "torch", "numpy", "arro3", "aiohttp", "rich")
CASES = {
    "python": ["-c", "pass"],
    "import": ["-c", "import troth"],
    "evaluate": ["-c", "import troth; troth.evaluate; troth.Faithfulness()"],
    "help": ["-m", "troth", "--help"],
}
BARS = {"import_ms": 50, "evaluate_ms": 300, "help_ms": 200, "core_mb": 160}


def once(arguments):
    started = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - started) * 1000


def medians(runs):
    """All cases in turn, so that a busy moment of the machine hits each of them."""
    times = {name: [] for name in CASES}
    for _ in range(runs):
        for name, arguments in CASES.items():
            times[name].append(once(arguments))
    return {name: statistics.median(values) for name, values in times.items()}


def loaded(code):
    report = f"{code}\nimport sys; print(*[m for m in {HEAVY!r} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", report], check=True, capture_output=True)
    return result.stdout.decode().split()


def core_megabytes():
    """Bytes of all files of Troth and its core dependencies, from their own records."""
    wanted, seen, total = ["troth"], set(), 0
    while wanted:
        name = wanted.pop().lower().replace("_", "-")
        if name in seen:
            continue
        seen.add(name)
        for requirement in requires(name) or []:
            text, _, marker = requirement.partition(";")
            if "extra" in marker or "python_version <" in marker or "win32" in marker:
                continue
            wanted.append("".join(c if c.isalnum() or c in "-_." else " " for c in text).split()[0])
        for file in distribution(name).files or []:
            path = Path(str(distribution(name).locate_file(file)))
            total += path.stat().st_size if path.is_file() else 0
    return total / 1e6, sorted(seen)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    ms = medians(options.runs)
    size, packages = core_megabytes()
    result = {
        "python_ms": round(ms["python"], 1),
        "import_ms": round(ms["import"] - ms["python"], 1),
        "evaluate_ms": round(ms["evaluate"] - ms["python"], 1),
        "help_ms": round(ms["help"], 1),
        "core_mb": round(size, 1),
        "loaded_by_import": loaded("import troth"),
        "loaded_by_evaluate": loaded("import troth; troth.evaluate; troth.Faithfulness()"),
    }
    print(f"core packages: {', '.join(packages)}")
    missed = [f"{name}: {result[name]} > {bar}" for name, bar in BARS.items() if result[name] > bar]
    missed += [f"{m} is loaded" for m in result["loaded_by_import"] + result["loaded_by_evaluate"]]
    for line in missed:
        print("missed:", line)
    print(json.dumps(result))
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
