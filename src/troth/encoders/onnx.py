"""Encoders in ONNX files, run by onnxruntime: no torch."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from troth.encoders.base import BiEncoder, Encoder, Pair, readable
from troth.encoders.cross import CrossEncoder
from troth.encoders.folder import Settings, is_cross, settings
from troth.errors import UsageError

Batch = tuple[list[int], Any, Any]  # places of its texts, the file's output, the attention mask

# What marks a file whose activations are quantised by the largest value of the whole batch.
DYNAMIC = b"DynamicQuantizeLinear"
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


class Network:
    """A tokenizer and an ONNX file, from texts or pairs to the file's output, batch by batch.

    Texts are sorted by their tokens, so that little is padding; a padded token is masked, and what
    stands beside a text changes its numbers by rounding only. Where an int8 file quantises
    activations batch by batch that would not hold: there each text goes by itself.
    """

    def __init__(self, name: str, folder: Path, file: Path, batch_size: int) -> None:
        import onnxruntime  # noqa: PLC0415 - 60 ms that only this backend needs
        from tokenizers import Tokenizer  # noqa: PLC0415

        words = folder / "tokenizer.json"
        if not words.is_file():
            raise UsageError(f"{folder}: the onnx backend needs a tokenizer.json, and has none")
        self.name = name
        self.settings: Settings = settings(folder)
        self._tokenizer = Tokenizer.from_file(str(words))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(self.settings.max_length)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            str(file), options, providers=["CPUExecutionProvider"]
        )
        self._inputs = [wanted.name for wanted in self._session.get_inputs()]
        if foreign := set(self._inputs) - set(INPUTS):
            raise UsageError(f"{file}: wants {', '.join(sorted(foreign))}, which no text has")
        content = file.read_bytes()
        self.digest = sha256(content).hexdigest()
        self._batch_size = 1 if DYNAMIC in content else batch_size
        outputs = [(out.name, len(out.shape)) for out in self._session.get_outputs()]
        self.output, self.rank = next(
            (out for out in outputs if out[0] in ("sentence_embedding", "logits")), outputs[0]
        )

    def __call__(self, texts: Sequence[str] | Sequence[Pair]) -> Iterator[Batch]:
        """The file's output, batch by batch, the texts with the fewest tokens first."""
        import numpy as np  # noqa: PLC0415

        encoded = self._tokenizer.encode_batch(list(texts))
        order = sorted(range(len(encoded)), key=lambda place: len(encoded[place]))
        for first in range(0, len(order), self._batch_size):
            places = order[first : first + self._batch_size]
            rows = [encoded[place] for place in places]
            length = len(rows[-1])
            fed = {
                "input_ids": np.full((len(rows), length), self.settings.pad_id, np.int64),
                "attention_mask": np.zeros((len(rows), length), np.int64),
                "token_type_ids": np.full((len(rows), length), self.settings.pad_type_id, np.int64),
            }
            for line, row in enumerate(rows):
                fed["input_ids"][line, : len(row)] = row.ids
                fed["attention_mask"][line, : len(row)] = row.attention_mask
                fed["token_type_ids"][line, : len(row)] = row.type_ids
            [output] = self._session.run([self.output], {name: fed[name] for name in self._inputs})
            yield places, output, fed["attention_mask"]


class _Onnx(Encoder):
    """What both kinds share: the network is opened once, whoever asks first."""

    def __init__(self, name: str, folder: Path, file: Path, batch_size: int) -> None:
        self.name = name
        self._where = (name, folder, file, batch_size)
        self._lock = threading.Lock()
        self._network: Network | None = None

    def start(self) -> None:
        """See `Encoder`; raises `UsageError` for a model that this backend cannot run."""
        self.network()

    def network(self) -> Network:
        """The open network."""
        with self._lock:
            if self._network is None:
                self._network = Network(*self._where)
            return self._network

    def close(self) -> None:
        """See `Encoder`."""
        self._network = None

    def identity(self) -> Mapping[str, Any]:
        """See `Encoder`."""
        return {"name": self.name, "backend": "onnx", "sha256": self.network().digest}


class OnnxBiEncoder(_Onnx, BiEncoder):
    """A bi-encoder: token vectors, pooled as the model's configuration says."""

    def vectors(self, texts: Sequence[str]) -> list[Any]:
        """See `BiEncoder`."""
        network = self.network()
        said = network.settings
        shown = [said.prompt + (text.lower() if said.lower else text) for text in texts]
        found: list[Any] = [None] * len(shown)
        for places, output, mask in network(shown):
            pooled = output if network.rank == 2 else _pooled(said.pooling, output, mask)
            for place, vector in zip(places, pooled.astype("float64"), strict=True):
                found[place] = vector
        return found

    def key(self, text: str) -> str:
        """See `BiEncoder`."""
        return readable(text)

    def comparable(self, key: str) -> bool:
        """See `BiEncoder`: to a transformer an empty text is one too."""
        return True


class OnnxCrossEncoder(_Onnx, CrossEncoder):
    """A cross-encoder: one logit per pair."""

    def logits(self, pairs: Sequence[Pair]) -> list[float]:
        """See `CrossEncoder`."""
        found = [0.0] * len(pairs)
        for places, output, _ in self.network()(pairs):
            for place, logit in zip(places, output.reshape(len(places)).tolist(), strict=True):
                found[place] = logit
        return found


def onnx_encoder(name: str, folder: Path, file: Path, batch_size: int) -> Encoder:
    """The encoder of the right kind for `file`, whose configuration lies in `folder`."""
    kind = OnnxCrossEncoder if is_cross(folder) else OnnxBiEncoder
    return kind(name, folder, file, batch_size)


def _pooled(pooling: str, output: Any, mask: Any) -> Any:
    """Token vectors (texts × tokens × size) -> one vector per text."""
    import numpy as np  # noqa: PLC0415

    if pooling == "cls":
        return output[:, 0]
    if pooling == "lasttoken":
        return output[np.arange(len(output)), mask.sum(axis=1) - 1]
    if pooling == "max":
        return np.where(mask[:, :, None] > 0, output, -np.inf).max(axis=1)
    counted = mask[:, :, None].astype(output.dtype)
    return (output * counted).sum(axis=1) / counted.sum(axis=1)
