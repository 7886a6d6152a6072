"""A model in a GGUF file, run on this machine by llama.cpp, as a judge."""

from __future__ import annotations

import asyncio
import hashlib
import importlib
import os
import secrets
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from troth.asks import Ask
from troth.errors import JudgeSetupError, JudgeUnavailable, MissingExtra, UsageError
from troth.judges.base import Judge, Reply
from troth.judges.gguf_reply import Said, explained
from troth.judges.gguf_schema import longest, narrowed, words
from troth.judges.openai_body import merged
from troth.prompts.render import hashes, render

CONTEXT = 8192  # tokens; llama.cpp lowers it to what the model was trained for
BATCH = 512  # prompt tokens between two looks at whether the reply is still wanted
WORD = 16  # tokens that suffice for one word
ALTERNATIVES = 20  # log-probabilities of a token
TEMPERATURE, SEED = 0.0, 0

T = TypeVar("T")


class _File(NamedTuple):
    size: int
    sha256: str


class Gguf(Judge):
    """Asks the model in the GGUF file `path`, with greedy decoding; needs `troth[local]`.

    `context` is how many tokens a prompt and its reply may have together: at least 1, at most what
    the model was trained for, which it is lowered to. `threads` is how many cores compute
    (default: half of those there are). `language` is that of the prompts.

    The grammar of the reply is enforced token by token: every reply that ends is a verdict for
    each id that was asked. Equal asks get equal replies, whatever was asked in between.
    The model is loaded by `start` (or the first ask) and freed by `close`.
    Raises `UsageError` for settings that no model can have; opens no file.
    """

    concurrency = 1

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        context: int = CONTEXT,
        threads: int | None = None,
        language: str = "en",
    ) -> None:
        self.path = Path(path).expanduser()
        self.context = context
        self.threads = max(1, _cores() // 2) if threads is None else threads
        self.language = language
        if not self.path.name:
            raise UsageError("a local judge is named gguf:PATH, with the path of a GGUF file")
        if self.context < 1 or self.threads < 1:
            raise UsageError(
                f"context and threads must be at least 1; got {context!r} and {self.threads!r}"
            )
        self.name = f"gguf:{self.path.name}"
        self.window = context
        self._library: Any = None
        self._server: Any = None  # touched by the worker alone
        self._loaded: _File | None = None
        # One thread, so that the event loop never waits and no two replies are made at once.
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="troth-gguf")

    def __repr__(self) -> str:
        return f"Gguf({str(self.path)!r}, context={self.context}, threads={self.threads})"

    def identity(self) -> Mapping[str, Any]:
        """Name, the file's size and SHA-256, parameters, and the hash of every prompt."""
        file = self._file()
        return {
            "name": self.name,
            "bytes": file.size,
            "sha256": file.sha256,
            "xllamacpp": getattr(self._library, "__version__", None),
            "context": self.context,
            "threads": self.threads,
            "temperature": TEMPERATURE,
            "seed": SEED,
            "language": self.language,
            "prompts": hashes(self.language),
        }

    def key(self, ask: Ask, problem: str | None = None) -> str:
        """SHA-256 over the file's hash and all that is sent: parameters, messages, schema.

        `context` and `threads` are no part of it: they do not change what is said.
        Raises `JudgeSetupError` where the file cannot be read.
        """
        sent = msgspec.json.encode((self._file().sha256, self._request(ask, problem)))
        return hashlib.sha256(sent).hexdigest()

    def sent(self, ask: Ask) -> str:
        """The text of all messages."""
        return "\n".join(m["content"] for m in render(ask, self.language).messages)

    async def start(self) -> None:
        """Load the model.

        Raises `MissingExtra` without xllamacpp, and `JudgeSetupError` where the file is not there
        or no model that llama.cpp can run.
        """
        await self._in_worker(self._load)

    async def close(self) -> None:
        """Free the model. A later ask loads it again."""
        await self._in_worker(self._free)

    async def reply(self, ask: Ask, problem: str | None = None) -> Reply:
        """The model's reply to `ask`, as text that still has to be decoded.

        Raises `JudgeUnavailable` where prompt and reply do not fit into the context (nothing is
        cut off unsaid), and the errors of `start`.
        """
        request = self._request(ask, problem)
        unwanted = threading.Event()
        try:
            return await self._in_worker(lambda: self._complete(ask, request, unwanted))
        finally:
            unwanted.set()  # when cancelled, the worker stops at the next token

    async def _in_worker(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._worker, work)

    def _request(self, ask: Ask, problem: str | None) -> dict[str, Any]:
        """All that decides what is said, except for the file."""
        prompt = render(ask, self.language, problem)
        request: dict[str, Any] = {
            "messages": merged(prompt.messages),
            "temperature": TEMPERATURE,
            "seed": SEED,
            # With a cached prefix the same prompt is computed in other batches, rounds otherwise,
            # and is answered otherwise: a reply would depend on what was asked before it.
            "cache_prompt": False,
            "logprobs": True,
            "top_logprobs": ALTERNATIVES,
            "reasoning_format": "none",
            "chat_template_kwargs": {"enable_thinking": False},
        }
        if prompt.schema is None:
            return request | {"grammar": words(ask), "max_tokens": WORD}
        schema = narrowed(prompt.schema, ask)
        return request | {"schema": schema, "max_tokens": longest(schema)}

    def _complete(self, ask: Ask, request: dict[str, Any], unwanted: threading.Event) -> Reply:
        self._load()
        sent = dict(request)
        if (schema := sent.pop("schema", None)) is not None:
            sent["grammar"] = self._library.json_schema_to_grammar(schema)
        said = Said(unwanted)
        sent |= {"stream": True, "stream_options": {"include_usage": True}, "return_progress": True}
        try:
            self._server.handle_chat_completions(sent, said.hear)
        except (RuntimeError, ValueError) as error:
            raise JudgeUnavailable(f"{self.name}: {error}") from None
        if said.error:
            raise JudgeUnavailable(f"{self.name}: {explained(said.error)}")
        if said.cut and said.usage.output_tokens < request["max_tokens"]:
            raise JudgeUnavailable(
                f"{self.name}: the prompt has {said.usage.input_tokens} tokens, and the context "
                f"leaves only {said.usage.output_tokens} for the reply: use a larger context= if "
                "the model has one, or shorter texts"
            )
        return said.reply(ask)

    def _load(self) -> None:
        if self._server is not None:
            return
        self._library = _library()
        self._loaded = _file(self.path)
        try:
            self._server = self._library.Server(self._parameters())
        except RuntimeError:
            raise JudgeSetupError(
                f"{self.path}: llama.cpp cannot load this model: the file is damaged, its "
                "architecture is unknown, or memory does not suffice (try a smaller context=)"
            ) from None

    def _parameters(self) -> Any:
        parameters = self._library.CommonParams()
        parameters.model.path = str(self.path)
        parameters.n_ctx = self.context
        parameters.n_batch = BATCH
        parameters.n_parallel = 1
        parameters.cpuparams.n_threads = self.threads
        parameters.cpuparams_batch.n_threads = self.threads
        parameters.cache_ram_mib = 0
        parameters.n_ctx_checkpoints = 0
        parameters.verbosity = -1
        # llama.cpp opens a port on the loopback interface that nobody here uses: lock it.
        parameters.api_keys = [secrets.token_hex(32)]
        parameters.ui = False
        parameters.endpoint_slots = False
        parameters.n_threads_http = 1
        return parameters

    def _free(self) -> None:
        self._server = None  # its destructor ends the threads of llama.cpp and frees the memory

    def _file(self) -> _File:
        return self._loaded or _file(self.path)


def _library() -> Any:
    try:
        return importlib.import_module("xllamacpp")
    except ImportError:
        raise MissingExtra("xllamacpp", "local") from None


def _file(path: Path) -> _File:
    """Size and hash of the model's file; `JudgeSetupError` where there is no such file."""
    try:
        state = path.stat()
        return _hashed(path, state.st_size, state.st_mtime_ns)
    except OSError as error:
        raise JudgeSetupError(f"{path}: the model cannot be read: {error.strerror}") from None


@lru_cache
def _hashed(path: Path, size: int, _changed: int) -> _File:
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise JudgeSetupError(f"{path}: this is not a GGUF file (it does not begin with GGUF)")
        file.seek(0)
        return _File(size, hashlib.file_digest(file, "sha256").hexdigest())


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
