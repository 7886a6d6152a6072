"""What commands share: a console that hides no figure, and errors in one line."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

import click

from troth.errors import TrothError
from troth.text.plain import shorten

if TYPE_CHECKING:
    from rich.console import Console

NARROWEST, PIPE = 80, 110  # columns
LINE = 1000  # characters of an error


def console() -> Console:
    """Standard output. A narrow terminal may break lines, but hides no figure."""
    from rich.console import Console  # noqa: PLC0415

    made = Console(highlight=False)
    made.width = max(made.width, NARROWEST) if sys.stdout.isatty() else PIPE
    return made


def ready() -> None:
    """Make the streams fit for anything: what a terminal lacks a letter for is replaced."""
    if sys.stdout is None:
        click.echo("troth: standard output is closed", err=True)
        raise SystemExit(2)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


@contextmanager
def errors(interrupted: str = "interrupted") -> Iterator[None]:
    """One clear line and an exit code instead of a traceback: 2 for errors, 130 for Ctrl-C."""
    try:
        yield
        sys.stdout.flush()
    except TrothError as error:
        _end(2, shorten(str(error), LINE))
    except BrokenPipeError:  # the reader has seen enough
        _silence()
        raise SystemExit(0) from None
    except OSError as error:
        _silence()
        _end(2, f"the results cannot be written: {error.strerror}")
    except KeyboardInterrupt:
        _end(130, interrupted)


def _end(code: int, message: str) -> NoReturn:
    click.echo(f"troth: {message}", err=True)
    raise SystemExit(code) from None


def _silence() -> None:
    """Nothing more goes to standard output, so that closing it cannot fail again."""
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115
