"""What the long measurements share: rows, the endpoint in its own process, measured processes."""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SYLLABLES = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]
PER_SENTENCE = 14  # words


def write_rows(path, count, seed=1):
    """`count` rows of invented words: 3 contexts of 100 words, 4 sentences of answer."""
    draw = random.Random(seed)
    words = ["".join(draw.choices(SYLLABLES, k=draw.randint(2, 4))) for _ in range(3000)]

    def text(length):
        chosen = draw.choices(words, k=length)
        starts = range(0, length, PER_SENTENCE)
        return " ".join(
            " ".join(chosen[at : at + PER_SENTENCE]).capitalize() + "." for at in starts
        )

    with open(path, "w", encoding="utf-8") as file:
        for _ in range(count):
            row = {
                "question": text(12)[:-1] + "?",
                "answer": text(4 * PER_SENTENCE),
                "references": [text(2 * PER_SENTENCE)],
                "contexts": [text(100) for _ in range(3)],
            }
            file.write(json.dumps(row) + "\n")
    return path


@dataclass
class Server:
    """An endpoint in a process of its own."""

    url: str

    def stats(self):
        """Its counters: `count`, `in_flight_max`, `prompt_words`, `repeated`."""
        with urllib.request.urlopen(self.url.removesuffix("/v1") + "/stats") as response:
            return json.load(response)


@contextmanager
def endpoint(latency):
    """`benchmarks.peers.endpoint`, fresh, with all its counters at 0."""
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.peers.endpoint", "--latency", str(latency)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Server(process.stdout.readline().strip())
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


@dataclass
class Measured:
    """What one process took, from its start to its end: seconds, CPU seconds, peak RSS in MB."""

    wall: float
    cpu: float
    rss: float
    code: int
    output: str

    def said(self):
        """The JSON object that it printed, among whatever else."""
        if self.code:
            raise RuntimeError(f"exit code {self.code}: {self.output[-2000:]}")
        lines = [line for line in self.output.splitlines() if line.startswith('{"seconds"')]
        if not lines:
            raise RuntimeError(f"no result in the output: {self.output[-2000:]}")
        return json.loads(lines[-1])


def measured(command, *, env=None, cwd=None):
    """Run `command` to its end; what it prints is kept, its rusage read."""
    with tempfile.TemporaryFile() as out:
        started = time.perf_counter()
        process = subprocess.Popen(
            [str(part) for part in command],
            stdout=out,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            cwd=cwd,
            env={**os.environ, **(env or {})},
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - started
        out.seek(0)
        output = out.read().decode("utf-8", "replace")
    # Linux counts kilobytes, macOS bytes.
    rss = usage.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
    return Measured(wall, usage.ru_utime + usage.ru_stime, rss, process.returncode, output)


def median(values):
    """The median, or `None` of nothing."""
    return statistics.median(values) if values else None


def ratio(a, b, digits=3):
    """`a / b`, or `None` where either was not measured."""
    return round(a / b, digits) if a is not None and b else None


def table(rows, headings):
    """Lines of a Markdown table; numbers are rounded for reading."""
    yield "| " + " | ".join(headings) + " |"
    yield "|" + "---|" * len(headings)
    for row in rows:
        yield "| " + " | ".join(_cell(row.get(name)) for name in headings) + " |"


def _cell(value):
    if isinstance(value, float):
        return f"{value:.4g}"
    return "–" if value is None else f"{value:,}" if isinstance(value, int) else str(value)
