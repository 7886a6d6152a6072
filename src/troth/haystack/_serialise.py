"""Components as basic types and back, for `to_dict`, `from_dict` and a pipeline's YAML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from enum import Enum
from inspect import signature
from pathlib import Path
from typing import Any, TypeVar

from haystack import default_from_dict, default_to_dict
from haystack.core.errors import SerializationError
from haystack.core.serialization import component_to_dict
from haystack.utils import Secret, deserialize_chatgenerator_inplace

from troth.judges.base import Judge

PUBLIC = "haystack_integrations.components.evaluators.troth"
T = TypeVar("T")


class Fixed:
    """Base of the components: their parameters are those that they were made with.

    They were checked then, and what follows from them was made. A parameter that is set later is an
    `AttributeError`, so that none is silently without effect.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if name in vars(self) and name in signature(type(self).__init__).parameters:
            made = type(self).__name__
            raise AttributeError(f"{made}.{name} cannot be changed: make another {made} with it")
        object.__setattr__(self, name, value)


def serialised(component: Any, **parameters: Any) -> dict[str, Any]:
    """What `to_dict` returns: the constructor's `parameters` as basic types.

    Enums become their values, paths strings, tuples lists; a `Secret` and a ChatGenerator are
    serialised as Haystack does it. Raises `SerializationError`, with the parameter's name, for what
    cannot be written down (a `Judge` that is not named by a string).
    """
    source = type(component).__name__
    plain = {name: _plain(source, name, value) for name, value in parameters.items()}
    return default_to_dict(component, **plain)


def _plain(source: str, name: str, value: Any) -> Any:
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, Mapping):
        return {str(k): _plain(source, f"{name}[{k!r}]", v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(source, f"{name}[{i}]", v) for i, v in enumerate(value)]
    if isinstance(value, Secret):
        return value.to_dict()
    if isinstance(value, Path):
        return str(value)
    if value is None or isinstance(value, (str, int, float)):
        return value
    return _component_or_error(source, name, value)


def _component_or_error(source: str, name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, Judge) and hasattr(value, "run"):
        return component_to_dict(value, name)
    hint = ": name the judge by a string" if isinstance(value, Judge) else ""
    raise SerializationError(
        f"{source}: {name} holds a {type(value).__name__}, which cannot be serialised{hint}"
    )


def revived(
    cls: type[T], data: Mapping[str, Any], generators: Iterable[str] = ("chat_generator",)
) -> T:
    """What `from_dict` returns; `data`, as `serialised` made it, is not changed.

    `generators` names the parameters that hold a ChatGenerator or `None`. Secrets are found at any
    depth. Raises `DeserializationError` for another class's data.
    """
    parameters = deepcopy(dict(data.get("init_parameters") or {}))
    for name in generators:
        if parameters.get(name) is not None:
            deserialize_chatgenerator_inplace(parameters, key=name)
    parameters = {name: _with_secrets(value) for name, value in parameters.items()}
    return default_from_dict(cls, {**data, "init_parameters": parameters})


def _with_secrets(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if value.get("type") == "env_var" and "env_vars" in value:
        return Secret.from_dict(value)
    return {name: _with_secrets(part) for name, part in value.items()}
