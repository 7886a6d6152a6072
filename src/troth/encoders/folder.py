"""A model's folder, as hubs ship it: what is in it, and what its configuration says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from troth.errors import UsageError

ONNX_FILES = ("onnx/model.onnx", "model.onnx")
WEIGHTS = ("*.safetensors", "pytorch_model*.bin", "0_Transformer/*.safetensors", "0_*/*.bin")
POOLINGS = ("mean", "cls", "max", "lasttoken")
PLAIN_MODULES = ("Transformer", "Pooling", "Normalize")
ACTIVATIONS = ("Sigmoid", "Identity")  # after either a sigmoid is taken, once: see CrossEncoder
OFFSET = ("roberta", "xlm-roberta", "camembert", "mpnet")  # whose positions start at 2
NO_LIMIT = 10**9  # a tokenizer that knows no longest text says something beyond this


class Unsupported(UsageError):
    """The model needs something that only the torch backend has."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How texts become numbers: what stands in the folder's configuration files."""

    pooling: str
    max_length: int
    lower: bool
    prompt: str
    pad_id: int
    pad_type_id: int


def read(path: Path) -> Any:
    """The JSON in `path`, `{}` where there is no such file; raises `UsageError` if it is broken."""
    try:
        return json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot be read as JSON: {error}") from None


def onnx_file(folder: Path) -> Path | None:
    """The folder's fp32 ONNX file, if it has one."""
    return next((folder / name for name in ONNX_FILES if (folder / name).is_file()), None)


def has_weights(folder: Path) -> bool:
    """Are there weights that torch can load?"""
    return any(next(folder.glob(pattern), None) for pattern in WEIGHTS)


def is_cross(folder: Path) -> bool:
    """Is it a cross-encoder? Raises `UsageError` for one that does not give one number per pair."""
    config = read(folder / "config.json")
    names = config.get("architectures") or ()
    if not any(str(name).endswith("ForSequenceClassification") for name in names):
        return False
    labels = len(config.get("id2label") or ()) or config.get("num_labels") or 2
    if labels != 1:
        raise UsageError(
            f"{folder}: a cross-encoder must give one number per pair, and this one has {labels} "
            "labels (it sorts texts into classes)"
        )
    activation = str(_activation(config) or "Sigmoid").rpartition(".")[2]
    if activation not in ACTIVATIONS:
        raise UsageError(
            f"{folder}: its activation is {activation}; known are {', '.join(ACTIVATIONS)}"
        )
    return True


def _activation(config: Mapping[str, Any]) -> Any:
    newer = config.get("sentence_transformers") or {}
    return newer.get("activation_fn") or config.get("sbert_ce_default_activation_function")


def settings(folder: Path) -> Settings:
    """What the ONNX backend needs to know; `Unsupported` where the model needs more than it has."""
    config = read(folder / "config.json")
    bert = read(folder / "sentence_bert_config.json")
    prompts = read(folder / "config_sentence_transformers.json")
    words = read(folder / "tokenizer_config.json")
    limits = [bert.get("max_seq_length"), words.get("model_max_length")]
    if positions := config.get("max_position_embeddings"):
        limits.append(positions - 2 * (config.get("model_type") in OFFSET))
    known = [int(n) for n in limits if n and n < NO_LIMIT]
    pad_id, pad_type_id = _padding(folder, config)
    prompt = (prompts.get("prompts") or {}).get(prompts.get("default_prompt_name") or "") or ""
    return Settings(
        pooling=_pooling(folder, bool(prompt)),
        max_length=min(known, default=512),
        lower=bool(bert.get("do_lower_case")),
        prompt=prompt,
        pad_id=pad_id,
        pad_type_id=pad_type_id,
    )


def _padding(folder: Path, config: Mapping[str, Any]) -> tuple[int, int]:
    given = read(folder / "tokenizer.json").get("padding") or {}
    return given.get("pad_id", config.get("pad_token_id") or 0), given.get("pad_type_id", 0)


def _pooling(folder: Path, prompted: bool) -> str:
    """How token vectors become a text's; the mean where the folder does not say."""
    modules = read(folder / "modules.json") or []
    kinds = [str(module.get("type", "")).rpartition(".")[2] for module in modules]
    if foreign := [kind for kind in kinds if kind not in PLAIN_MODULES]:
        raise Unsupported(f"{folder}: the onnx backend cannot do its {', '.join(foreign)}")
    if any(m.get("path") for m, kind in zip(modules, kinds, strict=True) if kind == "Transformer"):
        raise Unsupported(f"{folder}: the onnx backend needs the transformer at the top")
    found = [m for m, kind in zip(modules, kinds, strict=True) if kind == "Pooling"]
    if modules and len(found) != 1:
        raise Unsupported(f"{folder}: the onnx backend needs one pooling, not {len(found)}")
    config = read(folder / found[0]["path"] / "config.json") if found else {}
    if prompted and not config.get("include_prompt", True):
        raise Unsupported(f"{folder}: the onnx backend cannot leave a prompt out of the pooling")
    modes = config.get("pooling_mode") or [
        name.removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token")
        for name, chosen in config.items()
        if name.startswith("pooling_mode_") and chosen
    ]
    modes = [modes] if isinstance(modes, str) else list(modes) or ["mean"]
    if len(modes) != 1 or modes[0] not in POOLINGS:
        raise Unsupported(f"{folder}: the onnx backend knows no pooling {'+'.join(modes)}")
    return str(modes[0])
