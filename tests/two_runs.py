"""Runs that lie in memory, made of what a test wants to say about them."""

from troth.account import Row
from troth.run import Run
from troth.sample import Sample
from troth.score import Score


def scored(value):
    """A number is a score; a string is the reason why there is none, `!` first where it failed."""
    if isinstance(value, Score):
        return value
    if isinstance(value, str):
        return Score.failed(value[1:]) if value.startswith("!") else Score.unscorable(value)
    return Score(value, reason=f"it is {value}")


def run_of(cells, *, name="m", ids=None, meta=None, judge="none", info=None, **fields):
    """A run with one row per cell; `cells` may be a list, or lists by metric."""
    by_metric = cells if isinstance(cells, dict) else {name: cells}
    count = len(next(iter(by_metric.values())))
    ids = ids or [f"r{n}" for n in range(count)]
    rows = []
    for n in range(count):
        own = {field: values[n] for field, values in fields.items()}
        own.setdefault("question", f"q of {ids[n]}")
        sample = Sample(ids[n], meta=(meta or [{}] * count)[n], **own)
        rows.append(Row(sample, {m: scored(values[n]) for m, values in by_metric.items()}))
    return Run(tuple(rows), tuple(by_metric), judge, info or {}, id="run-" + judge)
