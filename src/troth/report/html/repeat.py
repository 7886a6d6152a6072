"""What somebody needs to make the same run again, as a page lists it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from troth.report.html.texts import fit
from troth.run import Run

FILES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")
# In the order in which they are read; whatever else a run knows comes behind.
NAMES = {
    "source": "Data",
    "data_sha256": "SHA-256 of the data",
    "mapped": "Columns",
    "metrics": "Metrics",
    "judge": "Judge",
    "asking": "Asking",
    "encoders": "Encoders",
    "price": "Price per million tokens",
    "versions": "Versions",
}
UNTOLD = {"ranking", "unused"}  # the page shows these elsewhere, or not at all


def repeat(run: Run) -> dict[str, Any]:
    """The command, where the rows came from a file, and every known fact as name and text."""
    facts = [["Run", run.id]] if run.id else []
    known = [*NAMES, *sorted(set(run.info) - set(NAMES) - UNTOLD)]
    for key in known:
        if lines := list(_lines(run.info.get(key))):
            facts.append([NAMES.get(key, key.replace("_", " ").capitalize()), "\n".join(lines)])
    return {"command": _command(run), "facts": [[fit(k), fit(v)] for k, v in facts]}


def _command(run: Run) -> str:
    source = str(run.info.get("source", ""))
    if not source.lower().endswith(FILES):
        return ""
    words = ["troth", "run", source, "--metrics", ",".join(run.metrics)]
    words += ["--judge", run.judge] if run.judge not in ("none", "builtin") else []
    for field, column in run.info.get("mapped", {}).items():
        words += ["--map", f"{field}={column}"] if field != column else []
    asking = run.info.get("asking") or {}
    words += ["--joint"] if asking.get("joint") else []
    words += ["--no-explain"] if asking.get("explain") is False else []
    return fit(" ".join(map(shlex.quote, words)))


def _lines(value: Any) -> Iterator[str]:
    """A value as lines of text: a mapping has one for each of its entries."""
    if value is None or value in ("", {}, []):
        return
    if isinstance(value, Mapping):
        for key, inner in value.items():
            told = ", ".join(_lines(inner))
            yield f"{key}: {told}" if told else str(key)
    elif isinstance(value, (list, tuple)):
        yield ", ".join(map(str, value))
    else:
        yield str(value)
