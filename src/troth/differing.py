"""What, besides the answers, differs between two runs, so that nobody takes it for progress."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from troth.pairing import Pairs, named
from troth.run import Run
from troth.text.plain import shorten

SHOWN = 60  # characters of a setting
FEW = 0.05  # share of pairs that may be scored in one run only


def warnings_of(a: Run, b: Run, pairs: Pairs, metrics: Sequence[str]) -> Iterator[str]:
    """One line for each thing that a reader must know before trusting a difference."""
    yield from _rows(a, b, pairs)
    yield from _data(pairs)
    yield from _judges(a, b)
    yield from _settings(a, b, metrics)
    for metric in metrics:
        both = len(pairs.scored(metric))
        one = sum(
            isinstance(x, float) != isinstance(y, float) for _, x, y in pairs.unscored(metric)
        )
        if one > FEW * (both + one):
            yield (
                f"{metric}: {one} rows are scored in one run only; the difference is over the "
                f"{both} that are scored in both"
            )


def _rows(a: Run, b: Run, pairs: Pairs) -> Iterator[str]:
    for name, other, ids in (("A", "B", pairs.only_a), ("B", "A", pairs.only_b)):
        if ids:
            yield f"{len(ids)} rows of {name} are not in {other} and are left out ({named(ids)})"
    for name, side in (("A", pairs.a), ("B", pairs.b)):
        if side.doubled:
            yield f"{side.doubled} ids of {name} stand more than once; their rows pair up in order"
    for name, run in (("A", a), ("B", b)):
        if run.skipped:
            yield f"{len(run.skipped)} bad rows of {name} were skipped"


def _data(pairs: Pairs) -> Iterator[str]:
    differing = pairs.differing()
    of = f"of {len(pairs)} rows"
    if ids := differing["question"]:
        yield f"data: {len(ids)} {of} have the same id and another question ({named(ids)})"
    if ids := differing["references"]:
        yield f"data: the references of {len(ids)} {of} differ ({named(ids)})"
    if ids := differing["contexts"]:
        yield f"the contexts of {len(ids)} {of} differ: retrieval is compared too ({named(ids)})"
    if not any(differing.values()):
        yield "both runs hold the same answers: what differs is how they were judged"


def _judges(a: Run, b: Run) -> Iterator[str]:
    if "none" in (a.judge, b.judge):  # that run has no judged metric
        return
    if a.judge != b.judge:
        yield f"judges differ: {shorten(a.judge, SHOWN)} and {shorten(b.judge, SHOWN)}"
    one, other = _dict(a.info.get("judge")), _dict(b.info.get("judge"))
    if prompts := _keys(_dict(one.pop("prompts", None)), _dict(other.pop("prompts", None))):
        yield f"prompts differ: {', '.join(prompts)}"
    if a.judge == b.judge:
        yield from _each("the judge's", one, other)
    yield from _each("asking:", _dict(a.info.get("asking")), _dict(b.info.get("asking")))


def _settings(a: Run, b: Run, metrics: Sequence[str]) -> Iterator[str]:
    of_a, of_b = _dict(a.info.get("metrics")), _dict(b.info.get("metrics"))
    for metric in metrics:
        if of_a.get(metric) != of_b.get(metric):
            yield f"{metric} is not the same metric: {of_a.get(metric)} and {of_b.get(metric)}"
    yield from _each("encoder", _dict(a.info.get("encoders")), _dict(b.info.get("encoders")))
    yield from _each("version of", _dict(a.info.get("versions")), _dict(b.info.get("versions")))


def _each(what: str, a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[str]:
    for key in _keys(a, b):
        x, y = (shorten(str(side.get(key)), SHOWN) for side in (a, b))
        yield f"{what} {key} differs: {x} and {y}"


def _keys(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[str]:
    return [key for key in {**a, **b} if a.get(key) != b.get(key)]


def _dict(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}
