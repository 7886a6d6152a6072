"""What the response of a chat endpoint means: a reply, a passing fault, a refusal, or the end.

Endpoints agree on the shape of success and on little else, so that everything here is read
defensively; nothing in a body is trusted to have the type that it should have.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any

import msgspec

from troth.errors import JudgeSetupError, JudgeUnavailable
from troth.judges.base import Reply
from troth.judges.openai_settings import KeyRefused
from troth.judges.openai_tokens import completion, tokens
from troth.score import Usage

_FINAL_CODES = {
    "account_deactivated",
    "billing_hard_limit_reached",
    "billing_not_active",
    "insufficient_quota",
    "invalid_api_key",
    "model_not_found",
}
_FILTER_CODES = {"content_filter", "content_policy_violation"}
_HINTS = {
    402: "the account has no credit left",
    403: "this key may not use this model: check the key and model=",
    404: "check model= and base_url=",
    405: "check base_url=",
    429: "the account's quota is spent, and waiting does not bring it back",
}
_MOST = 2**53  # tokens; a count beyond that is none
_MOMENT = 0.1  # seconds; who asks for less than that to wait gets the judge's own pauses
_FORMAT = re.compile(r"response.?format|json.?(schema|object|mode)|structured.output|grammar", re.I)

_TOO_LARGE = re.compile(r"request too large|tokens must be reduced", re.I)


@dataclass(frozen=True, slots=True)
class Response:
    """What came over the wire."""

    status: int
    reason: str
    headers: Mapping[str, str]
    body: bytes


class Passing(Exception):
    """A fault that may be gone on the next try, `wait` seconds from now if the endpoint said so."""

    def __init__(
        self,
        text: str,
        wait: float | None = None,
        *,
        unreachable: bool = False,
        throttled: bool = False,
        overloaded: bool = False,
        silent: bool = False,
    ) -> None:
        super().__init__(text)
        self.wait = wait
        self.unreachable = unreachable  # no connection came about at all
        self.throttled = throttled  # too many calls; nothing is wrong with this one
        self.overloaded = throttled or overloaded  # fewer calls at once may help
        self.silent = silent  # no answer in time, which may have any cause


class Refused(Exception):
    """The endpoint does not take this request; `about`: which part of it, in its own words."""

    def __init__(self, text: str, about: str = "") -> None:
        super().__init__(text)
        self.temperature = "temperature" in about
        self.form = _FORMAT.search(about) is not None
        self.tokens = "logprob" in about
        self.limit = "max_tokens" in about and "context" not in about


@dataclass(frozen=True, slots=True)
class _Complaint:
    status: int
    text: str
    code: str = ""
    param: str = ""
    flagged: bool = False  # a moderator in front of the model took offence at this one text
    wait: float | None = None

    def __str__(self) -> str:
        return f"HTTP {self.status}: {self.text}" if self.text else f"HTTP {self.status}"


def read(response: Response, labels: Collection[str] = ()) -> tuple[Reply, bool]:
    """The reply that `response` carries, and whether it was cut off at the output limit.

    Of its log-probabilities those that may bear on `labels` are kept.
    Raises `Passing`, `Refused`, `JudgeSetupError` or `JudgeUnavailable` where there is no reply.
    """
    if not 200 <= response.status < 300:
        raise _fault(_complaint(response, _decoded(response.body)))
    found = completion(response.body)
    if found is None or not found.choices:
        raise _no_reply(response)
    choice = found.choices[0]
    content, problem = _content(choice.message, choice.finish_reason)
    said = tokens(choice.logprobs, labels) if labels else ()
    return Reply(content, _usage(found.usage), problem, said), choice.finish_reason == "length"


def _no_reply(response: Response) -> Exception:
    body = _decoded(response.body)
    if not isinstance(body, dict):
        text = f"the response is not JSON (check base_url=): {_start(response)}"
        return JudgeUnavailable(text)
    if body.get("error"):  # some gateways report upstream faults under status 200
        return _fault(_complaint(response, body))
    return JudgeUnavailable(f"the response holds no choices: {_start(response)}")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds to wait that a response asks for; `None` where it asks for none, or in vain."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        if not value:
            continue
        try:
            seconds = float(value) * unit
        except ValueError:
            try:
                when = parsedate_to_datetime(value)
                when = when if when.tzinfo else when.replace(tzinfo=UTC)  # it was -0000, or none
                seconds = when.timestamp() - time.time()
            except (ValueError, OverflowError):
                continue
        if math.isfinite(seconds):
            return seconds if seconds >= _MOMENT else 0.0
    return None


def _content(message: Any, reason: Any) -> tuple[str, str]:
    """What the model said, and what makes it useless, if anything."""
    message = message if isinstance(message, dict) else {}
    content = message.get("content")
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(part for part in parts if isinstance(part, str))
    text = content if isinstance(content, str) else ""
    if reason == "content_filter":
        return text, "the endpoint's content filter withheld the reply"
    if reason == "length":
        return text, "the reply was cut off at the model's output limit; be shorter"
    if message.get("refusal"):
        return text, f"the model refused: {_short(str(message['refusal']))}"
    return text, "" if text.strip() else "the reply was empty"


def _usage(usage: Any) -> Usage:
    usage = usage if isinstance(usage, dict) else {}
    counts = (usage.get("prompt_tokens"), usage.get("completion_tokens"))
    return Usage(1, *map(_count, counts))


def _count(number: Any) -> int:
    """A count of tokens; 0 for what can be none."""
    if type(number) is float and number.is_integer():
        number = int(number)
    return number if type(number) is int and 0 < number <= _MOST else 0


def _fault(complaint: _Complaint) -> Exception:
    status, code = complaint.status, complaint.code
    about = (complaint.param or complaint.text).lower()
    if status == 403 and "logprob" in about:  # how OpenAI refuses them for some models
        return Refused(str(complaint), about)
    # A single request may also be more than the quota of a minute ever holds.
    if code in _FILTER_CODES or complaint.flagged or _TOO_LARGE.search(complaint.text):
        return JudgeUnavailable(str(complaint))
    if code in _FINAL_CODES or status in (401, 402, 403, 404, 405) or 300 <= status < 400:
        kind = KeyRefused if status == 401 or code == "invalid_api_key" else JudgeSetupError
        hint = _HINTS.get(404 if code == "model_not_found" else status, "")
        return kind(f"{complaint}; {hint}" if hint else str(complaint))
    if status in (408, 425, 429) or status >= 500:
        throttled, overloaded = status == 429, status in (503, 529)
        return Passing(str(complaint), complaint.wait, throttled=throttled, overloaded=overloaded)
    if status in (400, 422):
        return Refused(str(complaint), about)
    return JudgeUnavailable(str(complaint))


def _complaint(response: Response, body: Any) -> _Complaint:
    if isinstance(body, list) and body:
        body = body[0]
    body = body if isinstance(body, dict) else {}
    error = body.get("error")
    error = error if isinstance(error, dict) else {**body, "message": error or body.get("message")}
    status, code = response.status, error.get("code")
    if status < 300:
        status = code if type(code) is int and 400 <= code < 600 else 502
    text = error.get("message") or error.get("detail") or _start(response) or response.reason
    if 300 <= status < 400:
        to = response.headers.get("location", "elsewhere")
        text = f"redirects to {to}; set base_url= to where the endpoint is"
    metadata = error.get("metadata")
    return _Complaint(
        status,
        _short(text if isinstance(text, str) else msgspec.json.encode(text).decode()),
        code if isinstance(code, str) else "",
        error["param"] if isinstance(error.get("param"), str) else "",
        isinstance(metadata, dict) and "flagged_input" in metadata,
        retry_after(response.headers),
    )


def _decoded(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None


def _start(response: Response) -> str:
    return _short(response.body[:300].decode("utf-8", "replace"))


def _short(text: str, limit: int = 300) -> str:
    text = " ".join(text.split())
    return text if len(text) <= limit else f"{text[:limit]}..."
