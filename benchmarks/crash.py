"""Kill a long run again and again: does it end as if nothing had happened, and what was paid twice?

    python benchmarks/crash.py [--kills 20] [--interrupts 5] [--rows 300] [--seed 1]

`troth run` over 300 rows x 2 metrics against an endpoint on loopback; each interruption comes after
a random number of requests and a random moment more, so that it falls anywhere: while starting,
asking, writing. The exit code is 1 if the result is not that of an undisturbed run, byte for byte,
or more was paid twice than was in flight. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.crashing import command, exported, finished, interrupted, repeated, write_rows
from tests.endpoint import Endpoint

CONCURRENCY = 8
LATENCY = 0.05  # seconds
MOMENT = 0.08  # seconds: an interruption comes up to so much after the request it waits for
ASKS = 2  # per row


def disturbed(arguments, endpoint, options):
    """Interrupt the command in random order; how often each signal hit it before its end."""
    draw = random.Random(options.seed)
    planned = [signal.SIGKILL] * options.kills + [signal.SIGINT] * options.interrupts
    draw.shuffle(planned)
    # On average the interruptions together leave a good part of the run to the last process.
    most = int(1.2 * ASKS * options.rows / len(planned))
    hits = {signal.SIGKILL: 0, signal.SIGINT: 0}
    for how in planned:
        after, delay = draw.randint(0, most), draw.uniform(0, MOMENT)
        if after == 0:
            delay = draw.uniform(0, 1)  # while it is starting
        code, _ = interrupted(arguments, endpoint, how, after=after, delay=delay)
        hits[how] += code in (-how, 128 + how)
        name = signal.Signals(how).name
        print(f"{name} after {after} requests: exit code {code}, {endpoint.count} asked so far")
    return hits


def undisturbed(rows, store):
    """What a run over the same rows says when nobody interrupts it."""
    with Endpoint() as endpoint:
        code, said = finished(command(rows, store, endpoint.base_url, CONCURRENCY))
    if code:
        raise RuntimeError(said)
    [export] = exported(store)
    return export


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--interrupts", type=int, default=5)
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as temporary, Endpoint(latency=LATENCY) as endpoint:
        folder = Path(temporary)
        rows = write_rows(folder / "rows.jsonl", options.rows, options.seed)
        arguments = command(rows, folder / "disturbed.db", endpoint.base_url, CONCURRENCY)
        hits = disturbed(arguments, endpoint, options)
        code, said = finished(arguments)
        if code:
            raise RuntimeError(said)
        exports = exported(folder / "disturbed.db")
        expected = undisturbed(rows, folder / "whole.db")
        result = {
            "kills": hits[signal.SIGKILL],
            "interrupts": hits[signal.SIGINT],
            "identical": all(export == expected for export in exports),
            "requests": endpoint.count,
            "needed": ASKS * options.rows,
            "repeated": repeated(endpoint),
            # At a Ctrl-C a freed place may be taken once more before all is over.
            "allowed": CONCURRENCY * (hits[signal.SIGKILL] + hits[signal.SIGINT]),
            "unanswered": sum(record.status is None for record in endpoint.requests),
            "seconds": round(time.perf_counter() - started, 1),
        }
    print(json.dumps(result))
    good = result["identical"] and result["repeated"] <= result["allowed"]
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
