"""For pytest: `assert_scores`, as a fixture or imported from here.

pytest loads this module in every session of an environment that has Troth, so it imports nothing
of it until a test asks for scores.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from troth.run import Run

WORST = 3  # rows that a failing test shows


def assert_scores(
    run_or_rows: Any,
    minimum: Mapping[str, float] | None = None,
    *,
    baseline: Run | None = None,
    max_drop: Mapping[str, float] | None = None,
    max_failed: float | None = None,
    max_unscored: float | None = None,
    cluster: str | None = None,
    confidence: float = 0.95,
    accept_small: bool = False,
    **evaluating: Any,
) -> Run:
    """Fail the test unless the scores are shown to be good enough; give the run back.

    run_or_rows: a `Run`, or whatever `troth.evaluate` takes; it is then evaluated on the metrics
        that are named in `minimum` and `max_drop`. Further options (`judge`, `app`, `store`, ...)
        go to `troth.evaluate`.
    minimum: metric -> what the *lower bound* of its mean's confidence interval must reach.
    The other options are those of `troth.gate.gate`. Without any limit those of `troth.toml` in
    the working directory count, except its baseline and drops, which name a run of a store.

    Raises `AssertionError` with every check and the worst rows, `UsageError` and `InputError` as
    `troth.gate.gate` and `troth.evaluate` do.
    """
    __tracebackhide__ = True
    from troth.gate import Result, gate  # noqa: PLC0415 - see the module's docstring
    from troth.report.checks import check_lines, low_lines  # noqa: PLC0415
    from troth.run import Run  # noqa: PLC0415

    options: dict[str, Any] = {
        "max_failed": max_failed,
        "max_unscored": max_unscored,
        "cluster": cluster,
        "accept_small": accept_small,
    }
    if not minimum and not max_drop and max_failed is None and max_unscored is None:
        minimum, options = _configured(options)
    if isinstance(run_or_rows, Run):
        if evaluating:
            raise TypeError(f"a run is evaluated already: {', '.join(evaluating)} say nothing")
        run = run_or_rows
    else:
        from troth.api import evaluate  # noqa: PLC0415

        named = list(dict.fromkeys([*(minimum or {}), *(max_drop or {})]))
        evaluating.setdefault("metrics", named or None)
        run = evaluate(run_or_rows, **evaluating)
    found = gate(
        run, minimum, baseline=baseline, max_drop=max_drop, confidence=confidence, **options
    )
    if found.result is not Result.PASSED:
        lines = [*check_lines(found), *low_lines(found, WORST)]
        raise AssertionError("\n".join([f"scores: {found.result}", *lines]))
    return run


def _configured(options: dict[str, Any]) -> tuple[dict[str, float], dict[str, Any]]:
    from troth.config import load  # noqa: PLC0415

    config = load()
    return config.gate.min, {
        "max_failed": config.gate.max_failed,
        "max_unscored": config.gate.max_unscored,
        "cluster": options["cluster"] or config.cluster,
        "accept_small": options["accept_small"] or config.gate.accept_small,
    }


@pytest.fixture(name="assert_scores", scope="session")
def _assert_scores() -> Callable[..., Run]:
    """`troth.pytest_plugin.assert_scores`."""
    return assert_scores
