"""`troth gate`: may this version go out?"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from troth.cli.compare import stored, write
from troth.cli.options import STORE
from troth.cli.output import errors
from troth.errors import UsageError

if TYPE_CHECKING:
    from troth.gate import Gate

LIMIT = "METRIC=VALUE"


@click.command()
@click.argument("run", default="latest")
@click.option(
    "--min",
    "minimum",
    metavar=LIMIT,
    multiple=True,
    help="The lower bound of the metric's mean must reach it.",
)
@click.option("--baseline", metavar="RUN", help="The run that --max-drop compares with.")
@click.option(
    "--max-drop",
    metavar=LIMIT,
    multiple=True,
    help="Not worse than the baseline by more, by the lower bound of the paired difference.",
)
@click.option(
    "--max-failed", type=click.FloatRange(0, 1), help="Share of failed rows, per metric, at most."
)
@click.option("--max-unscored", type=click.FloatRange(0, 1), help="... of failed and unscorable.")
@click.option("--cluster", metavar="COLUMN", help="Rows of equal value belong together.")
@click.option(
    "--accept-small", is_flag=True, help="Let bounds pass that rest on too few rows to be trusted."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document, no lines.")
@click.option("--markdown", is_flag=True, help="Markdown, for a pull request.")
@click.option("--junit", metavar="PATH", help="Write JUnit XML as well.")
@click.option("--store", metavar="PATH", default=STORE, show_default=True)
def gate(run: str, minimum: tuple[str, ...], max_drop: tuple[str, ...], **given: Any) -> None:
    """Check RUN against limits. Those that are not given come from troth.toml.

    RUN is a run of the store: an id, the beginning of one, or `latest` (the default).
    Exit code: 0 passed; 1 not passed; 2 bad input or usage, or not one score to check.
    """
    with errors():
        code = _gate(run, limits("--min", minimum), limits("--max-drop", max_drop), **given)
    raise SystemExit(code)


def _gate(
    run: str,
    minimum: dict[str, float],
    max_drop: dict[str, float],
    *,
    baseline: str | None,
    store: str,
    as_json: bool,
    markdown: bool,
    junit: str | None,
    **limits: Any,
) -> int:
    from troth.gate import EXIT_CODES  # noqa: PLC0415 - each command loads what it needs
    from troth.gate import gate as checked  # noqa: PLC0415
    from troth.report.checks import workflow_commands  # noqa: PLC0415

    if as_json and markdown:
        raise UsageError("--json and --markdown both write to standard output: choose one")
    [candidate, *old] = stored(store, run, *([] if baseline is None else [baseline]))
    found = checked(
        candidate, minimum, baseline=old[0] if old else None, max_drop=max_drop, **limits
    )
    if junit is not None:
        from troth.report.junit import gate_junit  # noqa: PLC0415

        write(junit, "".join(gate_junit(found)))
    _show(found, as_json, markdown)
    if os.environ.get("GITHUB_ACTIONS") == "true":
        for line in workflow_commands(found):  # GitHub reads them from either stream
            click.echo(line, err=True)
    return EXIT_CODES[found.result]


def _show(found: Gate, as_json: bool, markdown: bool) -> None:
    from troth.report.checks import check_lines, gate_json  # noqa: PLC0415

    if as_json:
        sys.stdout.buffer.write(gate_json(found))
    elif markdown:
        from troth.report.markdown import gate_markdown  # noqa: PLC0415

        click.echo(gate_markdown(found), nl=False)
    else:
        for line in check_lines(found):
            click.echo(line)
        click.echo(f"gate: {found.result} (run {found.run.id}, {len(found.run)} rows)")


def limits(option: str, pairs: tuple[str, ...]) -> dict[str, float]:
    """`("faithfulness=0.8",)` -> `{"faithfulness": 0.8}`."""
    found: dict[str, float] = {}
    for pair in pairs:
        metric, equals, text = (part.strip() for part in pair.rpartition("="))
        try:
            value = float(text)
        except ValueError:
            equals = ""
        if not equals or not metric:
            raise UsageError(f"{option} takes {LIMIT}, such as faithfulness=0.8, not {pair!r}")
        if metric in found:
            raise UsageError(f"{option} names {metric!r} twice")
        found[metric] = value
    return found
