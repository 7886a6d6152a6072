"""`troth run`, `troth demo`, `troth metrics`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from troth.errors import TrothError, UsageError
from troth.sample import FIELDS
from troth.text.plain import shorten

if TYPE_CHECKING:
    from rich.console import Console

    from troth.run import Run

STORE = ".troth/troth.db"
NARROWEST, PIPE = 80, 110  # columns
LINE = 1000  # characters of an error
UNUSED = 8  # columns that are named as unused
BASELINE = (
    "judge builtin: an offline baseline that compares words, numbers and names "
    "(docs/judges/builtin.md says how well). For a language model: --judge openai/gpt-4o-mini"
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="troth")
def main() -> None:
    """Evaluate question answering and RAG. Every score accounts for itself.

    `troth demo` shows what a report looks like; `troth run FILE` evaluates your own.
    """
    if sys.stdout is None:
        click.echo("troth: standard output is closed", err=True)
        raise SystemExit(2)
    for stream in (sys.stdout, sys.stderr):  # a terminal that lacks a letter still gets the rest
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _shared(command: Any) -> Any:
    """The options that `run` and `demo` have in common."""
    for option in reversed(
        (
            click.option(
                "--judge",
                metavar="NAME",
                default="builtin",
                help="builtin (default), openai/MODEL, http://HOST:PORT/v1#MODEL or scripted:FILE.",
            ),
            click.option("--json", "as_json", is_flag=True, help="One JSON document, no table."),
            click.option(
                "--worst",
                type=click.IntRange(0),
                default=5,
                show_default=True,
                help="How many of the lowest rows to show.",
            ),
            click.option(
                "--store",
                metavar="PATH",
                default=STORE,
                show_default=True,
                help="Where the run and paid replies are kept.",
            ),
            click.option(
                "--worst-by", metavar="METRIC", help="The metric that says which rows are lowest."
            ),
            click.option("--concurrency", type=click.IntRange(1), help="Judge calls at once."),
        )
    ):
        command = option(command)
    return command


@main.command()
@click.argument("file", type=click.Path())
@click.option(
    "--metrics",
    metavar="A,B",
    multiple=True,
    help="Names, as `troth metrics` lists them; by default all that the columns permit.",
)
@click.option(
    "--map",
    "mapping",
    metavar="FIELD=COLUMN",
    multiple=True,
    help="A column of another name, e.g. answer=model_output; id= numbers the rows.",
)
@click.option("--skip-bad-rows", is_flag=True, help="Leave malformed rows out, and count them.")
@_shared
def run(file: str, metrics: tuple[str, ...], mapping: tuple[str, ...], **options: Any) -> None:
    """Evaluate the rows of FILE (JSONL, JSON, CSV, TSV or Parquet).

    Exit code: 0 done; 1 a metric has failed rows and no scored one; 2 bad input or usage.
    """
    with _errors():
        names = [name.strip() for part in metrics for name in part.split(",") if name.strip()]
        _evaluate(file, names if metrics else None, mapping=_mapping(mapping), **options)


@main.command()
@_shared
def demo(**options: Any) -> None:
    """Evaluate the bundled example: 48 answers of a RAG system about an invented island."""
    from troth.demo import METRICS, path  # noqa: PLC0415 - each command loads what it needs

    with _errors():
        _evaluate(path(), list(METRICS), **options)


@main.command()
def metrics() -> None:
    """List the metrics: what each needs and says."""
    from rich.table import Table  # noqa: PLC0415

    from troth.metrics import metric_class, names  # noqa: PLC0415

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("metric", "needs", "judge", "what it says"):
        table.add_column(column)
    for name in names():
        cls = metric_class(name)
        forms = [name, *(f"{name}:{choice}" for choice in cls.choices[1:])]
        summary = (sys.modules[cls.__module__].__doc__ or "").split("\n")[0]
        what = summary.partition(": ")[2]
        table.add_row("\n".join(forms), ", ".join(cls.needs), "yes" if cls.judged else "", what)
    _console().print(table)


def _evaluate(
    file: str,
    names: list[str] | None,
    *,
    judge: str,
    as_json: bool,
    worst: int,
    worst_by: str | None,
    store: str,
    concurrency: int | None,
    mapping: dict[str, str] | None = None,
    skip_bad_rows: bool = False,
) -> None:
    from troth.api import evaluate  # noqa: PLC0415 - `--help` must not wait for it

    if worst_by is not None and names is not None and worst_by not in names:
        raise UsageError(f"--worst-by {worst_by}: it is not among --metrics {','.join(names)}")
    result = evaluate(
        file,
        names,
        judge,
        mapping=mapping,
        skip_bad_rows=skip_bad_rows,
        store=store,
        concurrency=concurrency,
    )
    for line in _notes(result, asked_for_all=names is None):
        click.echo(line, err=True)
    if as_json:
        from troth.report.document import to_json  # noqa: PLC0415

        sys.stdout.buffer.writelines(to_json(result))
    else:
        from troth.report.terminal import show  # noqa: PLC0415

        show(result, _console(), worst, worst_by)
        click.echo(f"\nRun {result.id} is kept in {store}")
    if any(s.failed and not s.scored for s in result.summary().values()):
        raise SystemExit(1)


def _notes(result: Run, *, asked_for_all: bool) -> Iterator[str]:
    """What was taken for what, and who judged: on standard error, never among the results."""
    from troth.metrics import metric_class, names  # noqa: PLC0415

    renamed = {f: c for f, c in result.info["mapped"].items() if f != c}
    if renamed:
        yield "columns: " + ", ".join(f"{field} ← {column}" for field, column in renamed.items())
    if result.judge == "builtin":
        yield BASELINE
    if asked_for_all and (absent := [f for f in FIELDS if f not in result.info["mapped"]]):
        out = [n for n in names() if set(metric_class(n).needs) & set(absent)]
        unused = ", ".join(result.info["unused"][:UNUSED])
        yield (
            f"no column for {' and '.join(absent)}, so left out: {', '.join(out)}"
            + (f" (unused columns: {unused}; --map {absent[0]}=COLUMN)" if unused else "")
        )


def _mapping(pairs: tuple[str, ...]) -> dict[str, str]:
    mapping = {}
    for pair in pairs:
        field, equals, column = pair.partition("=")
        if not equals:
            raise click.UsageError(f"--map takes FIELD=COLUMN, not {pair!r}")
        if field.strip() in mapping:
            raise click.UsageError(f"--map names {field.strip()!r} twice")
        mapping[field.strip()] = column.strip()
    return mapping


def _console() -> Console:
    from rich.console import Console  # noqa: PLC0415

    console = Console(highlight=False)
    # A pipe has no width of its own, and a narrow terminal may break lines, but hides no figure.
    console.width = max(console.width, NARROWEST) if sys.stdout.isatty() else PIPE
    return console


@contextmanager
def _errors() -> Iterator[None]:
    """One clear line and exit code 2 instead of a traceback."""
    try:
        yield
        sys.stdout.flush()
    except TrothError as error:
        click.echo(f"troth: {shorten(str(error), LINE)}", err=True)
        raise SystemExit(2) from None
    except BrokenPipeError:  # the reader has seen enough
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - what is left goes nowhere
        raise SystemExit(0) from None
    except OSError as error:
        click.echo(f"troth: the results cannot be written: {error.strerror}", err=True)
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - it must not fail again at exit
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        click.echo("troth: interrupted; replies already paid for are kept", err=True)
        raise SystemExit(130) from None
