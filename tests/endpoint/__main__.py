"""Serve from a process of its own: `python -m tests.endpoint --latency-ms 200 --fault nan:first`.

The first line of the output is the base URL; `GET /stats` beside it gives the counters.
"""

from __future__ import annotations

import argparse
import contextlib

from tests.endpoint import FAULTS, Endpoint, Plan
from tests.endpoint.plan import WHERE


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.endpoint", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--latency-ms", type=float, default=0.0, help="before each reply")
    parser.add_argument("--rate", type=float, help="requests a second; beyond that comes 429")
    parser.add_argument("--retry-after", action="store_true", help="say so in those 429s")
    parser.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="NAME:WHERE",
        help=f"may be repeated. NAME: {', '.join(sorted(FAULTS))}. WHERE: {WHERE}",
    )
    parser.add_argument("--refuse", action="append", default=[], help="json_schema, temperature")
    parser.add_argument("--key", help="the only key that is accepted")
    chosen = parser.parse_args()
    try:
        plan = Plan(chosen.fault)
    except ValueError as problem:
        parser.error(str(problem))
    with (
        contextlib.suppress(KeyboardInterrupt),
        Endpoint(
            latency=chosen.latency_ms / 1000,
            rate=chosen.rate,
            retry_after=chosen.retry_after,
            faults=plan,
            refuses=chosen.refuse,
            key=chosen.key,
            port=chosen.port,
        ) as endpoint,
    ):
        print(endpoint.base_url, flush=True)  # noqa: T201 - how a parent learns the port
        endpoint.wait()


main()
