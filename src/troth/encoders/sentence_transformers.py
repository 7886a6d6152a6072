"""Encoders run by sentence-transformers and torch: every model that the library knows."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from troth.encoders.base import BiEncoder, Encoder, Pair, readable
from troth.encoders.cross import CrossEncoder
from troth.encoders.folder import is_cross


class _Torch(Encoder):
    """What both kinds share: the model is loaded once, whoever asks first, and used by turns."""

    def __init__(self, name: str, folder: Path, batch_size: int, device: str | None) -> None:
        self.name = name
        self._folder = str(folder)
        self._batch_size = batch_size
        self._device = device
        self._lock = threading.RLock()
        self._model: Any = None

    def start(self) -> None:
        """See `Encoder`."""
        self.model()

    def model(self) -> Any:
        """The loaded model."""
        with self._lock:
            if self._model is None:
                self._model = self._load()
            return self._model

    def _load(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must load its model")

    def close(self) -> None:
        """See `Encoder`."""
        self._model = None

    def identity(self) -> Mapping[str, Any]:
        """See `Encoder`."""
        return {"name": self.name, "backend": "torch", "folder": self._folder}


class TorchBiEncoder(_Torch, BiEncoder):
    """A bi-encoder: pooling, prompts and what else belongs to it are the library's."""

    def _load(self) -> Any:
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415

        return SentenceTransformer(self._folder, device=self._device)

    def vectors(self, texts: Sequence[str]) -> list[Any]:
        """See `BiEncoder`."""
        with self._lock:
            found = self.model().encode(
                list(texts), batch_size=self._batch_size, show_progress_bar=False
            )
        return list(found.astype("float64"))

    def key(self, text: str) -> str:
        """See `BiEncoder`."""
        return readable(text)

    def comparable(self, key: str) -> bool:
        """See `BiEncoder`: to a transformer an empty text is one too."""
        return True


class TorchCrossEncoder(_Torch, CrossEncoder):
    """A cross-encoder: one logit per pair, before the library's own activation."""

    def _load(self) -> Any:
        from sentence_transformers import CrossEncoder as Library  # noqa: PLC0415

        return Library(self._folder, device=self._device)

    def logits(self, pairs: Sequence[Pair]) -> list[float]:
        """See `CrossEncoder`."""
        from torch.nn import Identity  # noqa: PLC0415

        with self._lock:
            found = self.model().predict(
                list(pairs),
                batch_size=self._batch_size,
                show_progress_bar=False,
                activation_fn=Identity(),
            )
        return [float(logit) for logit in found.reshape(len(pairs))]


def torch_encoder(name: str, folder: Path, batch_size: int, device: str | None) -> Encoder:
    """The encoder of the right kind for the model in `folder`."""
    kind = TorchCrossEncoder if is_cross(folder) else TorchBiEncoder
    return kind(name, folder, batch_size, device)
