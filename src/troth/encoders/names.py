"""Encoders by their names: the built-in table, a folder, an ONNX file or a hub's model."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from troth.encoders.base import Encoder, Pair
from troth.encoders.folder import Unsupported, has_weights, is_cross, onnx_file, settings
from troth.encoders.hub import INSTEAD, OLDER, ONNX, SETTINGS, TORCH, WITHOUT, cached, fetched
from troth.errors import MissingExtra, UsageError

BUILTIN = "builtin"
AUTO, ONNX_BACKEND, TORCH_BACKEND = "auto", "onnx", "torch"
BACKENDS = (AUTO, ONNX_BACKEND, TORCH_BACKEND)
EXTRAS = {ONNX_BACKEND: ("onnxruntime", "sas"), TORCH_BACKEND: ("sentence-transformers", "torch")}
LIBRARIES = {
    ONNX_BACKEND: ("onnxruntime", "tokenizers"),
    TORCH_BACKEND: ("sentence_transformers",),
}
HUB_NAME = re.compile(r"\w[\w.-]*(?:/\w[\w.-]*)?")


class NoBackend(MissingExtra):
    """No library is installed that runs models on `device`; the message names all that would do."""

    def __init__(self, backend: str, device: str | None = None) -> None:
        super().__init__(*EXTRAS[TORCH_BACKEND if backend == TORCH_BACKEND else ONNX_BACKEND])
        self.backend, self.device = backend, device

    def __reduce__(self) -> tuple[type[NoBackend], tuple[str, str | None]]:
        return type(self), (self.backend, self.device)

    def __str__(self) -> str:
        also = ", or 'troth[torch]'" * (self.backend == AUTO)
        where = f", which alone runs on the device {self.device!r}" if self.device else ""
        return f"{MissingExtra.__str__(self)}{also}{where}; or take {WITHOUT}"


def load(
    model: str,
    *,
    backend: str = AUTO,
    batch_size: int = 32,
    device: str | None = None,
    token: str | None = None,
) -> Encoder:
    """The encoder called `model`, loaded and ready.

    model: `"builtin"`; the folder of a model, or an `.onnx` file in it (an int8 one, say); or a
        hub's name (`"sentence-transformers/all-MiniLM-L6-v2"`), also with such a file behind it.
        A hub's model is looked for in the local cache first.
    backend: `"onnx"`, `"torch"`, or `"auto"`: ONNX where the model has such a file and the library
        is installed, else torch. On a `device` other than the CPU that is always torch.
    batch_size: how many texts are encoded at a time, at least 1.
    token: for private models of a hub.

    Raises `UsageError` for what is no model or cannot be fetched (the message says what to do),
    `MissingExtra` where a library is not installed.
    """
    check(model, backend, batch_size)
    if model == BUILTIN:
        from troth.encoders.static import Static  # noqa: PLC0415 - its table, for those who use it

        found: Encoder = Static()
    else:
        _check_place(model)
        found = _loaded(model, _order(backend, device), batch_size, device, token)
    found.start()
    return found


def check(model: object, backend: object = AUTO, batch_size: object = 32) -> None:
    """Raise `UsageError` for what cannot be, without looking for the model."""
    if not isinstance(model, str) or not model.strip():
        raise UsageError(f"model must be a name or a path, not {model!r}; for instance {BUILTIN!r}")
    if backend not in BACKENDS:
        raise UsageError(f"backend must be one of {', '.join(BACKENDS)}, not {backend!r}")
    if isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size < 1:
        raise UsageError(f"batch_size must be a number of at least 1, not {batch_size!r}")


def _check_place(model: str) -> None:
    """Raise `UsageError` for a path at which nothing is, before any library is looked for."""
    is_file = model.endswith(".onnx")
    name = "/".join(model.split("/")[:2]) if is_file else model
    if not HUB_NAME.fullmatch(name) and not Path(model).expanduser().exists():
        raise UsageError(f"there is no {'file' if is_file else 'folder'} {model!r}: {INSTEAD}")


def compared(encoder: Encoder, pairs: Sequence[Pair]) -> list[float | None]:
    """The similarities of `pairs`; those that rest on blank texts are settled here.

    Where the encoder cannot compare: two blank texts are 1.0, a blank one and another 0.0 (as in
    token F1). `None` is left where a text holds words, none of which the encoder knows.
    """
    found = encoder.similarities(pairs)
    return [
        _blank(*pair) if value is None else value for pair, value in zip(pairs, found, strict=True)
    ]


def _blank(first: str, second: str) -> float | None:
    blank = (not first.strip(), not second.strip())
    if not any(blank):
        return None
    return float(all(blank))


def _order(backend: str, device: str | None) -> list[str]:
    """The backends to try, each of which is installed."""
    on_cpu = device in (None, "cpu")
    if backend == ONNX_BACKEND and not on_cpu:
        raise UsageError(f"the onnx backend runs on the CPU; for {device!r} say backend='torch'")
    wanted = [backend] if backend != AUTO else [ONNX_BACKEND] * on_cpu + [TORCH_BACKEND]
    there = [b for b in wanted if all(find_spec(library) for library in LIBRARIES[b])]
    if not there:
        asked = backend if on_cpu else TORCH_BACKEND
        raise NoBackend(asked, None if on_cpu else device)
    return there


def _loaded(
    model: str, backends: list[str], batch_size: int, device: str | None, token: str | None
) -> Encoder:
    if model.endswith(".onnx"):
        return _from_file(model, backends, batch_size, token)
    problems: list[str] = []
    for backend, folder in _places(model, backends, token):
        try:
            found = _of_folder(model, folder, backend, batch_size, device)
        except Unsupported as problem:
            problems.append(str(problem))
            continue
        if found is not None:
            return found
    if problems:
        raise UsageError(f"{problems[0]}; backend='torch' may, with pip install 'troth[torch]'")
    raise UsageError(f"{model!r} has no file for {' or '.join(backends)}: {INSTEAD}")


def _places(model: str, backends: list[str], token: str | None) -> Iterator[tuple[str, Path]]:
    """Backends and where each may find the model; what is there before what must be fetched."""
    local = Path(model).expanduser()
    if local.is_dir():
        yield from ((backend, local) for backend in backends)
        return
    if not HUB_NAME.fullmatch(model):  # a file
        raise UsageError(f"{model!r} is no folder: {INSTEAD}")
    if (kept := cached(model)) is not None:
        yield from ((backend, kept) for backend in backends)
    for backend in backends:
        yield backend, _fetched(model, backend, token)


def _fetched(model: str, backend: str, token: str | None) -> Path:
    if backend == ONNX_BACKEND:
        return fetched(model, ONNX, token, onnx_file)
    folder = fetched(model, TORCH, token, has_weights)
    return folder if has_weights(folder) else fetched(model, OLDER, token, has_weights)


def _of_folder(
    model: str, folder: Path, backend: str, batch_size: int, device: str | None
) -> Encoder | None:
    """The encoder in `folder`, `None` where the backend has no file there."""
    if backend == ONNX_BACKEND:
        if (file := onnx_file(folder)) is None:
            return None
        if not is_cross(folder):
            settings(folder)
        from troth.encoders.onnx import onnx_encoder  # noqa: PLC0415

        return onnx_encoder(model, folder, file, batch_size)
    if not has_weights(folder):
        return None
    from troth.encoders.sentence_transformers import torch_encoder  # noqa: PLC0415

    return torch_encoder(model, folder, batch_size, device)


def _from_file(model: str, backends: list[str], batch_size: int, token: str | None) -> Encoder:
    """An ONNX file that is named itself; its configuration lies beside it or one folder up."""
    if ONNX_BACKEND not in backends:
        raise UsageError(f"{model}: an .onnx file needs the onnx backend")
    file = Path(model).expanduser()
    if not file.is_file():
        name, inner = "/".join(model.split("/")[:2]), "/".join(model.split("/")[2:])
        if not inner or not HUB_NAME.fullmatch(name):
            raise UsageError(f"there is no file {model!r}: {INSTEAD}")
        folder = fetched(name, (inner, *SETTINGS), token, lambda f: (f / inner).is_file())
        file = folder / inner
        if not file.is_file():
            raise UsageError(f"the model {name!r} has no file {inner!r}: {INSTEAD}")
    folder = next((f for f in file.parents[:2] if (f / "config.json").is_file()), file.parent)
    from troth.encoders.onnx import onnx_encoder  # noqa: PLC0415

    return onnx_encoder(model, folder, file, batch_size)
