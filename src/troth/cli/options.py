"""The options of `troth run` and `troth demo`, and what is made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])
STORE = ".troth/troth.db"

SHARED = (
    click.option(
        "--judge",
        metavar="NAME",
        default="builtin",
        help="builtin (default), openai/MODEL, http://HOST/v1#MODEL, gguf:PATH or scripted:FILE.",
    ),
    click.option("--json", "as_json", is_flag=True, help="One JSON document, no table."),
    click.option(
        "--worst",
        type=click.IntRange(0),
        default=5,
        show_default=True,
        help="How many of the lowest rows to show.",
    ),
    click.option("--worst-by", metavar="METRIC", help="The metric that says which are lowest."),
    click.option(
        "--store",
        metavar="PATH",
        default=STORE,
        show_default=True,
        help="Where the run and paid replies are kept.",
    ),
    click.option("--concurrency", type=click.IntRange(1), help="Judge calls at once."),
)
ROWS = (
    click.option(
        "--metrics",
        metavar="A,B",
        multiple=True,
        help="Names, as `troth metrics` lists them; by default all that the columns permit.",
    ),
    click.option(
        "--map",
        "mapping",
        metavar="FIELD=COLUMN",
        multiple=True,
        help="A column of another name, e.g. answer=model_output; id= numbers the rows.",
    ),
    click.option("--html", metavar="PATH", help="Write the report as one HTML file, too."),
    click.option(
        "--cluster",
        metavar="COLUMN",
        help="Rows alike in it (a document, a question) count as one piece in the intervals.",
    ),
    click.option("--skip-bad-rows", is_flag=True, help="Leave malformed rows out, and count them."),
)
ASKING = (
    click.option("--joint", is_flag=True, help="One call per row for all metrics."),
    click.option("--no-explain", is_flag=True, help="Ask for labels alone: cheaper, no reasons."),
    click.option(
        "--granularity",
        type=click.Choice(["sentence", "answer"]),
        help="Judge answers sentence by sentence (default), or by one yes/no each.",
    ),
    click.option("--language", metavar="CODE", help="Language of the prompts: en, zh or auto."),
    click.option(
        "--window", type=click.IntRange(1), help="Tokens a call may take; longer is split."
    ),
    click.option("--rpm", type=click.IntRange(1), help="Requests per minute at most."),
    click.option("--tpm", type=click.IntRange(1), help="Tokens per minute at most."),
)
MONEY = (
    click.option("--dry-run", is_flag=True, help="Count calls, tokens and cost; ask nothing."),
    click.option("--max-calls", type=click.IntRange(0), help="Make no further call after N."),
    click.option("--max-tokens", type=click.IntRange(0), help="... after N tokens."),
    click.option(
        "--max-cost", type=click.FloatRange(0), help="... after this much; needs --prices."
    ),
    click.option(
        "--prices",
        metavar="FILE",
        help='TOML: ["JUDGE"] with input = and output = per million tokens.',
    ),
)
JUDGE_OPTIONS = ("language", "window", "rpm", "tpm")


def options(*groups: tuple[Any, ...]) -> Callable[[Command], Command]:
    """A decorator that gives a command the options of all `groups`, in that order."""

    def decorate(command: Command) -> Command:
        for option in reversed([option for group in groups for option in group]):
            command = option(command)
        return command

    return decorate


def fields_by_column(pairs: tuple[str, ...]) -> dict[str, str]:
    """`--map answer=my_column` -> `{"answer": "my_column"}`."""
    mapping = {}
    for pair in pairs:
        field, equals, column = pair.partition("=")
        if not equals:
            raise click.UsageError(f"--map takes FIELD=COLUMN, not {pair!r}")
        if "=" in column.rpartition(",")[2] and "," in column:
            raise click.UsageError(f"--map takes one FIELD=COLUMN; repeat it for more: {pair!r}")
        if field.strip() in mapping:
            raise click.UsageError(f"--map names {field.strip()!r} twice")
        mapping[field.strip()] = column.strip()
    return mapping


def metric_names(parts: tuple[str, ...]) -> list[str] | None:
    """`--metrics a,b --metrics c` -> the names; `None` without the option."""
    if not parts:
        return None
    return [name.strip() for part in parts for name in part.split(",") if name.strip()]
