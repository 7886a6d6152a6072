"""The component for semantic answer similarity."""

from __future__ import annotations

import asyncio
from typing import Any

from haystack import component
from haystack.utils import ComponentDevice, Secret

from troth.encoders.base import Encoder
from troth.encoders.names import check, compared, load
from troth.errors import UsageError
from troth.haystack._answers import NO_TRUTH, Truths, expect, given, output
from troth.haystack._component import flag, span
from troth.haystack._inputs import shown
from troth.haystack._serialise import PUBLIC, Fixed, revived, serialised
from troth.judges.loops import Lock

_NAME = "SASEvaluator"
_MODEL = "sentence-transformers/paraphrase-multilingual-mpnet-base-v2"
_TOKEN = Secret.from_env_var(["HF_API_TOKEN", "HF_TOKEN"], strict=False)


@component
class SASEvaluator(Fixed):
    """How alike in meaning predicted answers and ground truths are, to an encoder.

    The face of Haystack's component of this name over `troth.encoders`.

    - `model`: a hub's name, looked for in the local cache first; the folder of a model, or an
      `.onnx` file in it; or `"builtin"`, a table that needs neither download nor extra.
    - `batch_size`: how many texts (pairs, for a cross-encoder) are encoded at a time.
    - `device`: where torch computes; any but the CPU needs the torch backend.
    - `token`: for private models of a hub.
    - `backend`: `"onnx"` (extra `[sas]`), `"torch"` (extra `[torch]`) or `"auto"`: ONNX where the
      model has such a file and the library is there.
    - `multiple_references`: `ground_truth_answers` is a list of lists, several truths per row, of
      which the most similar one counts.

    Nothing is looked for before `warm_up` or the first run. Raises `UsageError` for other values.
    """

    __module__ = PUBLIC

    def __init__(
        self,
        model: str = _MODEL,
        batch_size: int = 32,
        device: ComponentDevice | None = None,
        token: Secret | None = _TOKEN,
        *,
        backend: str = "auto",
        multiple_references: bool = False,
    ) -> None:
        check(model, backend, batch_size)
        if device is not None and not isinstance(device, ComponentDevice):
            raise UsageError(f"{_NAME}: device must be a ComponentDevice, not {shown(device)}")
        if token is not None and not isinstance(token, Secret):
            raise UsageError(f"{_NAME}: token must be a Secret, not a {type(token).__name__}")
        self.model = model
        self.batch_size = batch_size
        self.device = device
        self.token = token
        self.backend = backend
        self.multiple_references = flag(_NAME, "multiple_references", multiple_references)
        expect(self, several=multiple_references)
        self._encoder: Encoder | None = None
        self._lock = Lock()

    def __getstate__(self) -> dict[str, Any]:
        """A copy, pickled or not, loads its model when it is needed."""
        return vars(self) | {"_encoder": None}

    def warm_up(self) -> None:
        """Load the model; does nothing the second time.

        Raises `UsageError` (a `ValueError`) for a model that is not there and cannot be fetched,
        and `MissingExtra` where the backend's library is not installed; both say what to do.
        """
        self._warm()

    def _warm(self) -> Encoder:
        with self._lock:
            if self._encoder is None:
                self._encoder = load(
                    self.model,
                    backend=self.backend,
                    batch_size=self.batch_size,
                    device=None if self.device is None else self.device.to_torch_str(),
                    token=None if self.token is None else self.token.resolve_value(),
                )
            return self._encoder

    @component.output_types(score=float, individual_scores=list[float])
    def run(self, ground_truth_answers: Truths, predicted_answers: list[str]) -> dict[str, Any]:
        """Score row by row; warms up where that was not done.

        Returns `individual_scores`, plain floats: cosines in [-1, 1] from bi-encoders, numbers in
        [0, 1] from cross-encoders; and `score`, their mean. A row's score depends on that row
        alone. A row has the score `None`, and is not in the mean, where the built-in table knows no
        word of a text, and with `multiple_references` where there is no truth; the mean is `None`
        where no row has a score; a warning names such rows.
        Raises `InputError` (a `ValueError`) for empty lists, lists of different lengths, and
        anything that is no list of strings, `None` among them; and what `warm_up` raises.
        """
        several = self.multiple_references
        truths, answers = given(_NAME, ground_truth_answers, predicted_answers, several=several)
        encoder = self._warm()
        with span(_NAME, {"troth.encoder": encoder.name, "troth.total": len(answers)}):
            groups = truths if several else [(truth,) for truth in truths]
            pairs = [
                (answer, truth)
                for answer, group in zip(answers, groups, strict=True)
                for truth in group
            ]
            found = iter(compared(encoder, pairs))
            scores = [_best([next(found) for _ in group]) for group in groups]
            unknown = f"the encoder {encoder.name} knows no word of one of its texts"
            return output(_NAME, scores, [unknown if group else NO_TRUTH for group in groups])

    @component.output_types(score=float, individual_scores=list[float])
    async def run_async(
        self, ground_truth_answers: Truths, predicted_answers: list[str]
    ) -> dict[str, Any]:
        """`run`, in a thread."""
        return await asyncio.to_thread(self.run, ground_truth_answers, predicted_answers)

    def close(self) -> None:
        """Release the model; the component may be used again."""
        with self._lock:
            encoder, self._encoder = self._encoder, None
        if encoder is not None:
            encoder.close()

    def to_dict(self) -> dict[str, Any]:
        """The component as basic types."""
        return serialised(
            self,
            model=self.model,
            batch_size=self.batch_size,
            device=None if self.device is None else self.device.to_dict(),
            token=self.token,
            backend=self.backend,
            multiple_references=self.multiple_references,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> SASEvaluator:
        """The component that `to_dict` wrote down."""
        return revived(cls, data)


def _best(values: list[float | None]) -> float | None:
    """The highest of the values that are there."""
    return max((value for value in values if value is not None), default=None)
