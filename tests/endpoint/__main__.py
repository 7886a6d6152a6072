"""Serve from a process of its own: `python -m tests.endpoint --port 0 --fault status:429:1`.

The first line of the output is the base URL; `GET /stats` beside it gives the counters.
"""

from __future__ import annotations

import argparse
import contextlib

from tests.endpoint import FAULTS, Endpoint


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.endpoint", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each reply")
    parser.add_argument(
        "--fault",
        action="append",
        default=[],
        help=f"for the next request, may be repeated ('none' = no fault); {', '.join(FAULTS)}",
    )
    parser.add_argument("--refuse", action="append", default=[], help="json_schema, temperature")
    parser.add_argument("--key", help="the only key that is accepted")
    chosen = parser.parse_args()
    faults = [None if name == "none" else name for name in chosen.fault]
    with (
        contextlib.suppress(KeyboardInterrupt),
        Endpoint(
            latency=chosen.latency,
            faults=faults,
            refuses=chosen.refuse,
            key=chosen.key,
            port=chosen.port,
        ) as endpoint,
    ):
        print(endpoint.base_url, flush=True)  # noqa: T201 - how a parent learns the port
        endpoint.wait()


main()
