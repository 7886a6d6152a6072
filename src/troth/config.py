"""`troth.toml`: what a project's commands take for granted. An option that is given wins.

metrics = ["faithfulness", "exact_match"]
judge = "openai/gpt-4o-mini"
cluster = "document"

[columns]
answer = "model_output"

[gate]
min = { faithfulness = 0.8 }
max_drop = { faithfulness = 0.02 }
baseline = "latest~1"
max_failed = 0.02
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from troth.errors import UsageError

NAME = "troth.toml"


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table `[gate]`: see `troth.gate.gate`. `baseline` is a run of the store."""

    min: dict[str, float] = {}
    max_drop: dict[str, float] = {}
    max_failed: float | None = None
    max_unscored: float | None = None
    baseline: str | None = None
    accept_small: bool = False


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A project's settings; what the file does not name is empty or `None`."""

    metrics: list[str] = []
    judge: str | None = None
    cluster: str | None = None
    columns: dict[str, str] = {}
    gate: Limits = Limits()


def load(folder: str | Path = ".") -> Config:
    """The settings in `troth.toml` of `folder`; empty ones where there is no such file.

    Raises `UsageError` where it cannot be read, is no TOML, or holds what no setting is.
    """
    path = Path(folder, NAME)
    try:
        text = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return Config()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    import tomllib  # noqa: PLC0415 - for projects that have the file

    try:
        return msgspec.convert(tomllib.loads(text.decode()), Config)
    except msgspec.ValidationError as error:
        tables = (("", Config), ("[gate] ", Limits))
        known = "; ".join(f"{at}{', '.join(cls.__struct_fields__)}" for at, cls in tables)
        raise UsageError(f"{path}: {error}; it may hold {known}") from None
    except ValueError as error:  # TOML's own, and bytes that are no UTF-8
        raise UsageError(f"{path} is not TOML: {error}") from None


def defaults(config: Config) -> dict[str, dict[str, Any]]:
    """Command -> parameter -> what it is where no option is given, for click's `default_map`."""
    gate = config.gate
    shared = {} if config.cluster is None else {"cluster": config.cluster}
    run: dict[str, Any] = dict(shared)
    if config.metrics:
        run["metrics"] = tuple(config.metrics)
    if config.judge is not None:
        run["judge"] = config.judge
    if config.columns:
        run["mapping"] = _pairs(config.columns)
    limits = {
        "minimum": _pairs(gate.min),
        "max_drop": _pairs(gate.max_drop),
        "max_failed": gate.max_failed,
        "max_unscored": gate.max_unscored,
        "baseline": gate.baseline,
        "accept_small": gate.accept_small or None,
    }
    given = {name: value for name, value in limits.items() if value is not None and value != ()}
    return {"run": run, "compare": dict(shared), "report": dict(shared), "gate": shared | given}


def _pairs(table: dict[str, Any]) -> tuple[str, ...]:
    return tuple(f"{name}={value}" for name, value in table.items())
