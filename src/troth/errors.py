"""Everything that Troth raises on purpose.

    TrothError
    ├── InputError            rows, files or columns are not what a metric needs   (exit code 2)
    ├── UsageError            an unknown metric, judge, option or normalisation    (exit code 2)
    ├── MissingExtra          an optional library is not installed                 (exit code 2)
    ├── StoreError            the run store cannot be read or written              (exit code 2)
    └── JudgeError            a judge could not answer
        ├── JudgeSetupError   it never will: no key, wrong key, unknown model; ends the run
        ├── BudgetSpent       the run may spend no more: the row fails, as all later ones do
        ├── JudgeUnavailable  transport: the endpoint failed, after its retries; the row fails
        ├── BadReply          it answered, but not what was asked; asked again, then the row fails
        └── RowFailed         a row failed where the caller had asked for an error then

Branch on the class and its fields, never on the message.
"""

from __future__ import annotations

from typing import Any


class TrothError(Exception):
    """Root of the tree: `except TrothError` catches all that is raised on purpose."""


class InputError(TrothError, ValueError):
    """Input that cannot be evaluated, with the place where it stands.

    The message reads `source, row 7, field 'contexts': what was wrong`. `row` counts from 1;
    for JSONL it is the line of the file.
    """

    def __init__(
        self,
        problem: str,
        *,
        source: str | None = None,
        row: int | None = None,
        field: str | None = None,
    ) -> None:
        self.problem = problem
        self.source = source
        self.row = row
        self.field = field
        super().__init__(self._message())

    def _message(self) -> str:
        place = [
            *([self.source] if self.source else []),
            *([f"row {self.row}"] if self.row is not None else []),
            *([f"field {self.field!r}"] if self.field else []),
        ]
        return f"{', '.join(place)}: {self.problem}" if place else self.problem


class UsageError(TrothError, ValueError):
    """A name or option that does not exist; the message lists what does."""


class MissingExtra(TrothError, ImportError):
    """An optional library is absent; the message gives the command that installs it."""

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[str, str | None]]:
        return type(self), (self.library, self.extra)

    def __init__(self, library: str, extra: str | None = None) -> None:
        self.library = library
        self.extra = extra
        wanted = f"'troth[{extra}]'" if extra else library
        super().__init__(f"{library} is not installed: pip install {wanted}")


class StoreError(TrothError):
    """The run store cannot be used; nothing that was written before is touched."""


class JudgeError(TrothError):
    """A judge could not answer an ask."""


class JudgeSetupError(JudgeError):
    """No later call can succeed (no key, wrong key, unknown model): the run stops at once."""


class JudgeUnavailable(JudgeError):
    """The endpoint did not answer within its retries: the row fails, the others go on.

    `usage` is what this ask had cost by then (a `troth.score.Usage`); `None` where nobody counted.
    """

    def __init__(self, *args: object, usage: Any = None) -> None:
        self.usage = usage
        super().__init__(*args)


class BudgetSpent(JudgeError):
    """The run's own limit on calls, tokens or cost is reached: this ask was not made."""


class BadReply(JudgeError):
    """A reply that does not answer what was asked; `problem` is told to the judge once more."""

    def __init__(self, problem: str, reply: str = "") -> None:
        self.problem = problem
        self.reply = reply
        super().__init__(problem)


class RowFailed(JudgeError, ValueError):
    """A row could not be scored, and the component was told to raise then.

    `row` counts from 1; `reason` is that of the row's score.
    """

    def __init__(self, source: str, row: int, reason: str) -> None:
        self.source, self.row, self.reason = source, row, reason
        super().__init__(
            f"{source}, row {row}: {reason}. "
            "With raise_on_failure=False the other rows are scored and this one has no score"
        )

    def __reduce__(self) -> tuple[type[RowFailed], tuple[str, int, str]]:
        return type(self), (self.source, self.row, self.reason)
