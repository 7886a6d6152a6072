"""What goes into a formula: checked numbers, gathered by cluster."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from troth.errors import UsageError

if TYPE_CHECKING:
    import numpy as np

    Floats = np.ndarray[Any, np.dtype[np.float64]]


ROUNDING = 1e-12


def checked(name: str, values: Sequence[float]) -> Floats:
    """`values` as an array of finite numbers; `UsageError` where they are none."""
    import numpy as np  # noqa: PLC0415 - loads on use

    try:
        numbers = np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{name} must be numbers, of scored rows only: {error}") from None
    if numbers.ndim != 1:
        raise UsageError(f"{name} must be one row of numbers, not {numbers.ndim} dimensions")
    if len(wrong := np.flatnonzero(~np.isfinite(numbers))):
        place = int(wrong[0])
        raise UsageError(f"{name} must be finite numbers; number {place + 1} is {numbers[place]}")
    return numbers


def confident(confidence: float, name: str = "confidence") -> None:
    """Raise `UsageError` unless it is a probability strictly between 0 and 1."""
    if not 0 < confidence < 1:
        raise UsageError(f"{name} must lie between 0 and 1, e.g. 0.95, not {confidence!r}")


def rounded(differences: Floats) -> Floats:
    """Differences of scores, of which those that are nothing but rounding are 0."""
    import numpy as np  # noqa: PLC0415

    return np.where(np.abs(differences) < ROUNDING, 0.0, differences)


def gathered(values: Floats, clusters: Sequence[Hashable] | None) -> tuple[Floats, Floats]:
    """The total and the size of each cluster; the values and ones without clusters."""
    import numpy as np  # noqa: PLC0415

    if clusters is None:
        return values, np.ones(len(values))
    if len(clusters) != len(values):
        raise UsageError(
            f"clusters must name the group of each value: {len(clusters)} for {len(values)} values"
        )
    known: dict[Hashable, int] = {}
    places = [
        known.setdefault(("", place) if group is None else (group,), len(known))
        for place, group in enumerate(clusters)
    ]
    totals = np.bincount(places, weights=values).astype(float)
    return totals, np.bincount(places).astype(float)
