"""The `metric_params` of `DeepEvalEvaluator`: what may stand in them, and what each means."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from haystack.utils import Secret

from troth.errors import JudgeSetupError, UsageError
from troth.haystack._inputs import shown

_JUDGE = ("model", "base_url", "api_key")
_SHAPE = ("threshold", "include_reason", "strict_mode")


@dataclass(frozen=True)
class Params:
    """`metric_params`, checked: for the judge, for the metric, and for what is shown of a score."""

    judge: Mapping[str, Any]
    options: Mapping[str, Any]
    threshold: float | None = None
    include_reason: bool = True
    strict_mode: bool = False

    def counted(self, value: float | None) -> float | None:
        """What a score counts as: in strict mode all or nothing."""
        return float(value >= 1.0) if self.strict_mode and value is not None else value


def read(metric: str, params: Mapping[str, Any] | None, options: Sequence[str]) -> Params:
    """`params` of `metric`, which takes `options`; `UsageError` for what cannot be."""
    if params is not None and not isinstance(params, Mapping):
        raise UsageError(f"metric_params must be a dict or None, not {shown(params)}")
    given = dict(params or {})
    known = (*_JUDGE, *_SHAPE, *options)
    if unknown := [name for name in given if name not in known]:
        raise UsageError(
            f"metric_params of {metric} cannot hold {', '.join(map(repr, unknown))}; "
            f"known are {', '.join(known)}"
        )
    for name in ("include_reason", "strict_mode", *options):
        if not isinstance(given.get(name, True), bool):
            raise UsageError(f"{name} must be True or False, not {shown(given[name])}")
    judge = {name: given[name] for name in _JUDGE if given.get(name) is not None}
    if "api_key" in judge:
        judge["api_key"] = _key(judge["api_key"])
    strict = given.get("strict_mode", False)
    threshold = _threshold(given.get("threshold"))
    return Params(
        judge,
        {name: given[name] for name in options if name in given},
        1.0 if strict else threshold,
        given.get("include_reason", True),
        strict,
    )


def _threshold(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise UsageError(f"threshold must be a number in [0, 1], not {shown(value)}")
    return float(value)


def _key(secret: Any) -> Callable[[], str]:
    if not isinstance(secret, Secret):
        raise UsageError(  # the value is not repeated: it may be the key itself
            "api_key must be a Secret (haystack.utils.Secret.from_env_var('NAME')), "
            f"not {type(secret).__name__}"
        )

    return partial(_resolved, secret)  # not a closure, which could not be pickled


def _resolved(secret: Secret) -> str:
    try:
        key = secret.resolve_value()
    except ValueError:
        key = None
    if not key:
        names = " or ".join(secret.to_dict()["env_vars"])
        raise JudgeSetupError(f"it needs a key: set {names}, which api_key names")
    return str(key)
