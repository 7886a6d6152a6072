"""A run, or two of them, as one HTML file that needs nothing else: no network, no server."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from troth.compare import Comparison
from troth.report.html.comparison import comparison_document
from troth.report.html.data import run_document
from troth.report.html.page import page
from troth.run import Run

__all__ = ["comparison_page", "run_page"]


def run_page(run: Run, about: Mapping[str, str] | None = None, cluster: str | None = None) -> str:
    """The page of one run.

    about: what each metric says, by its label. cluster: a column whose equal values mark rows that
    belong together, for the intervals; `UsageError` where no row has it.
    """
    with _uncollected():
        return page(run_document(run, about, cluster))


def comparison_page(comparison: Comparison, about: Mapping[str, str] | None = None) -> str:
    """The page of two runs side by side; `about` as for one."""
    return page(comparison_document(comparison, about))


@contextmanager
def _uncollected() -> Iterator[None]:
    """Rows make no cycles: looking for some among thousands of them takes as long as the page."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
