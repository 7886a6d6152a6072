"""`troth run`, `troth demo`, `troth metrics`, `troth cache`."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from troth.cli.cache import cache
from troth.cli.compare import compare
from troth.cli.gate import gate
from troth.cli.options import (
    ASKING,
    JUDGE_OPTIONS,
    MONEY,
    ROWS,
    SHARED,
    fields_by_column,
    metric_names,
    options,
)
from troth.cli.output import console, errors, ready
from troth.cli.report import report, write_page
from troth.cli.runs import export, runs, show
from troth.config import defaults, load
from troth.errors import UsageError
from troth.sample import FIELDS

if TYPE_CHECKING:
    from troth.run import Run

UNUSED = 8  # columns that are named as unused
BASELINE = (
    "judge builtin: an offline baseline that compares words, numbers and names "
    "(docs/judges/builtin.md says how well). For a language model: --judge openai/gpt-4o-mini"
)
SAFE = "interrupted; replies already paid for are kept, and the same command goes on from there"


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="troth")
@click.pass_context
def main(context: click.Context) -> None:
    """Evaluate question answering and RAG. Every score accounts for itself.

    `troth demo` shows what a report looks like; `troth run FILE` evaluates your own.
    """
    ready()
    with errors():
        context.default_map = defaults(load())


main.add_command(cache)
main.add_command(runs)
main.add_command(show)
main.add_command(export)
main.add_command(compare)
main.add_command(gate)
main.add_command(report)


@main.command()
@click.argument("file", type=click.Path())
@options(ROWS, SHARED, ASKING, MONEY)
def run(file: str, metrics: tuple[str, ...], mapping: tuple[str, ...], **given: Any) -> None:
    """Evaluate the rows of FILE (JSONL, JSON, CSV, TSV or Parquet).

    Exit code: 0 done; 1 a metric has failed rows and no scored one; 2 bad input or usage; 130
    interrupted.
    """
    with errors(SAFE):
        _run(file, metric_names(metrics), mapping=fields_by_column(mapping), **given)


@main.command()
@options(SHARED)
def demo(**given: Any) -> None:
    """Evaluate the bundled example: 48 answers of a RAG system about an invented island."""
    from troth.demo import METRICS, path  # noqa: PLC0415 - each command loads what it needs

    with errors(SAFE):
        _run(path(), list(METRICS), html="", **given)


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
        forms += [f"{name}:{cls.choice.upper()}"] if cls.choice and not cls.choices else []
        forms += [f"{name}@answer"] if hasattr(cls, "granularity") else []
        forms += [f"{name}@k"] if cls.ranked else []
        needs = [*cls.needs, *[" or ".join(" + ".join(g) for g in cls.either)] * bool(cls.either)]
        summary = (sys.modules[cls.__module__].__doc__ or "").split("\n")[0]
        what = summary.partition(": ")[2]
        table.add_row("\n".join(forms), ", ".join(needs), "yes" if cls.judged else "", what)
    console().print(table)


def _run(
    file: str,
    names: list[str] | None,
    *,
    worst: int,
    worst_by: str | None,
    as_json: bool,
    dry_run: bool = False,
    cluster: str | None = None,
    html: str | None = None,
    **given: Any,
) -> None:
    from troth.api import estimate, evaluate  # noqa: PLC0415 - not for `--help`

    if worst_by is not None and names is not None and worst_by not in names:
        raise UsageError(f"--worst-by {worst_by}: it is not among --metrics {','.join(names)}")
    if cluster is not None:
        _check_cluster(file, cluster, given)
    asking = _asking(given)
    gc.freeze()  # what was imported stays: the collector need not look at it again and again
    gc.set_threshold(20_000, 20, 20)  # rows come and go without cycles: look seldom
    if dry_run:
        _show_estimates(estimate(file, names, **asking), as_json)
        return
    result = evaluate(file, names, **asking)
    for line in _notes(result, asked_for_all=names is None):
        click.echo(line, err=True)
    if as_json:
        from troth.report.document import to_json  # noqa: PLC0415

        sys.stdout.buffer.writelines(to_json(result, cluster))
    else:
        from troth.report.terminal import show  # noqa: PLC0415

        show(result, console(), worst, worst_by, cluster)
        click.echo(f"\nRun {result.id} is kept in {asking['store']}")
    if html is not None:  # empty: beside the store
        page = write_page(result, html, asking["store"], cluster)
        click.echo(f"HTML report: {page}", err=as_json)
    if any(s.failed and not s.scored for s in result.summary().values()):
        raise SystemExit(1)


def _check_cluster(file: str, cluster: str, given: Mapping[str, Any]) -> None:
    """Find out before anything is paid for, not at the end."""
    from troth.pairing import OWN  # noqa: PLC0415
    from troth.reading import scan  # noqa: PLC0415

    scanned = scan(file, mapping=given["mapping"], skip_bad=given["skip_bad_rows"])
    taken = set(scanned.mapped.values())
    known = [name for name in OWN if name in scanned.fields]
    known += [column for column in scanned.columns if column not in taken]
    if cluster not in known:
        raise UsageError(f"--cluster {cluster}: there is no such column; choose {', '.join(known)}")


def _asking(given: dict[str, Any]) -> dict[str, Any]:
    """What `troth.evaluate` takes, from what was typed."""
    from troth.engine.budget import Budget  # noqa: PLC0415
    from troth.judges.names import resolve  # noqa: PLC0415

    settings = {name: given.pop(name, None) for name in (*JUDGE_OPTIONS, "concurrency")}
    limits = {name: given.pop(name, None) for name in ("max_calls", "max_tokens", "max_cost")}
    judge = resolve(given.pop("judge"), **{k: v for k, v in settings.items() if v is not None})
    explain = not given.pop("no_explain", False)
    return given | {"judge": judge, "explain": explain, "budget": Budget(**limits)}


def _notes(result: Run, *, asked_for_all: bool) -> Iterator[str]:
    """What was taken for what, and who judged: on standard error, never among the results."""
    from troth.metrics import metric_class, names  # noqa: PLC0415

    renamed = {f: c for f, c in result.info["mapped"].items() if f != c}
    if renamed:
        yield "columns: " + ", ".join(f"{field} ← {column}" for field, column in renamed.items())
    if result.judge == "builtin":
        yield BASELINE
    if asked_for_all and (absent := [f for f in FIELDS if f not in result.info["mapped"]]):
        classes = [metric_class(name) for name in names()]
        out = [c.name for c in classes if set(c.needs) & set(absent) and not c.asked_only]
        unused = ", ".join(result.info["unused"][:UNUSED])
        yield (
            f"no column for {' and '.join(absent)}, so left out: {', '.join(out)}"
            + (f" (unused columns: {unused}; --map {absent[0]}=COLUMN)" if unused else "")
        )


def _show_estimates(found: Any, as_json: bool) -> None:
    from troth.report.estimates import estimates_json, show_estimates  # noqa: PLC0415

    if as_json:
        sys.stdout.buffer.write(estimates_json(found))
    else:
        show_estimates(found, console())
