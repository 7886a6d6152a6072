"""Interrupting `troth run` while it asks; benchmarks/crash.py uses it too."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections import Counter

from troth.report.document import canonical
from troth.store import Store

METRICS = "faithfulness,answer_relevancy"


def write_rows(path, count, seed=0):
    """`count` rows, each with an answer of its own, so that no two asks are equal."""
    draw = random.Random(seed)
    with path.open("w", encoding="utf-8") as file:
        for n in range(count):
            facts = [f"Tower {n} has {draw.randint(2, 999)} {part}." for part in ("steps", "doors")]
            row = {
                "question": f"What is known of tower {n}?",
                "contexts": [" ".join(facts), "The sea is near."],
                "answer": " ".join(facts[: draw.randint(1, 2)]),
            }
            file.write(json.dumps(row) + "\n")
    return path


def command(rows, store, url, concurrency):
    """The command line that is run, killed, and run again."""
    return [
        *(sys.executable, "-m", "troth", "run", str(rows), "--metrics", METRICS, "--store"),
        *(str(store), "--judge", f"{url}#model", "--concurrency", str(concurrency)),
    ]


def started(arguments, **options):
    """The process, with all that it prints kept for `communicate`."""
    pipe = subprocess.PIPE
    return subprocess.Popen(arguments, stdout=pipe, stderr=pipe, text=True, **options)


def interrupted(arguments, endpoint, how, *, after, delay):
    """Start the command and send it the signal `how`; its exit code and what it said.

    The signal comes `delay` seconds after the endpoint has seen `after` more requests; a process
    that is done before is left to end by itself.
    """
    target = endpoint.count + after
    with started(arguments) as process:
        while process.poll() is None and endpoint.count < target:
            time.sleep(0.002)
        time.sleep(delay)
        process.send_signal(how)
        _, said = process.communicate(timeout=60)
    return process.returncode, said


def finished(arguments, **options):
    """Run the command to its end; its exit code and what it said on standard error."""
    with started(arguments, **options) as process:
        _, said = process.communicate(timeout=300)
    return process.returncode, said


def exported(store):
    """What every finished run in a store says, the newest first, in canonical form."""
    with Store(store) as opened:
        return [b"".join(canonical(opened.load(entry.id))) for entry in opened.runs()]


def repeated(endpoint):
    """How many requests came that had come before, byte for byte."""
    bodies = Counter(json.dumps(record.body, sort_keys=True) for record in endpoint.requests)
    return sum(bodies.values()) - len(bodies)
