"""Where a model's folder is: a path, or the cache that hub downloads share, or fetched into it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from troth.errors import UsageError

SETTINGS = ("*.json", "*.txt")
ONNX = ("onnx/model.onnx", "onnx/model.onnx_data", "model.onnx", "model.onnx_data", *SETTINGS)
TORCH = ("*.safetensors", "*.model", *SETTINGS)
OLDER = ("*.bin", *TORCH)  # where a model has no weights of the newer kind
ON = ("1", "ON", "YES", "TRUE")

WITHOUT = (
    "model='builtin' (the metric semantic_similarity without a :MODEL), "
    "which needs no download and no extra"
)
INSTEAD = f"give the path of a folder that holds the model, or take {WITHOUT}"


def cache() -> Path:
    """Where hub downloads lie: `HF_HUB_CACHE`, else `hub` in `HF_HOME`, else the user's cache."""
    if given := os.environ.get("HF_HUB_CACHE"):
        return Path(given).expanduser()
    home = os.environ.get("HF_HOME")
    base = Path(home).expanduser() if home else Path.home() / ".cache" / "huggingface"
    return base / "hub"


def offline() -> bool:
    """Has the user said that nothing may be fetched?"""
    names = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
    return any(os.environ.get(name, "").upper() in ON for name in names)


def cached(name: str) -> Path | None:
    """The folder of a hub's model in the cache, its main revision; `None` where it is not there."""
    kept = cache() / f"models--{name.replace('/', '--')}"
    try:
        revision = (kept / "refs" / "main").read_text("utf-8").strip()
    except OSError:
        return None
    folder = kept / "snapshots" / revision
    return folder if revision and folder.is_dir() else None


def fetched(
    name: str, patterns: tuple[str, ...], token: str | None, enough: Callable[[Path], object]
) -> Path:
    """The folder of a hub's model with the files that match, fetched where the cache lacks them.

    Raises `UsageError`, which says what to do instead, where it cannot be had.
    """
    if (folder := cached(name)) is not None and enough(folder):
        return folder
    gap = "is not in" if folder is None else "lacks a file in"
    if offline():
        raise UsageError(
            f"the model {name!r} {gap} the cache {cache()}, and HF_HUB_OFFLINE forbids "
            f"to fetch it: unset that, or {INSTEAD}"
        )
    from huggingface_hub import snapshot_download  # noqa: PLC0415 - 200 ms that only this needs

    try:
        return Path(
            snapshot_download(
                name, allow_patterns=list(patterns), cache_dir=str(cache()), token=token
            )
        )
    except Exception as error:  # the library's, its HTTP client's and the system's errors
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise UsageError(
            f"the model {name!r} {gap} the cache {cache()} and could not be fetched "
            f"({type(error).__name__}: {first}): check the name, the network and, for a private "
            f"model, the token; or {INSTEAD}"
        ) from error
