"""Which requests a fault falls on: `NAME:WHERE`, for a command line and for tables of faults."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tests.endpoint.faults import fault

WHERE = "first, all, N (the Nth request), every-N, with=TEXT (requests that hold TEXT)"


class Plan:
    """A function from the bodies of requests, in order of arrival, to the faults they meet.

    A spec is `NAME:WHERE`, where NAME may carry arguments: `status:429:1:every-10`. The first
    spec that fits decides. Raises `ValueError` for a spec that can never fit.
    """

    def __init__(self, specs: Iterable[str]) -> None:
        self._rules: list[tuple[str, Callable[[int, str], bool]]] = []
        for spec in specs:
            name, _, where = spec.rpartition(":")
            fault(name or spec)  # an unknown one is told now
            self._rules.append((name, _where(where, spec)))
        self._count = 0

    def __call__(self, body: Mapping[str, Any]) -> str | None:
        self._count += 1
        text = json.dumps(body, ensure_ascii=False)
        return next((name for name, fits in self._rules if fits(self._count, text)), None)


def _where(where: str, spec: str) -> Callable[[int, str], bool]:
    if where == "all":
        return lambda count, text: True
    number = "1" if where == "first" else where.removeprefix("every-")
    if number.isdecimal() and int(number) > 0:
        n = int(number)
        if where.startswith("every-"):
            return lambda count, text: count % n == 0
        return lambda count, text: count == n
    if where.startswith("with="):
        wanted = where.removeprefix("with=")
        return lambda count, text: wanted in text
    raise ValueError(f"{spec!r} must be NAME:WHERE, and WHERE one of {WHERE}")
