"""One self-contained file: markup, style, script and the data, compressed."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import msgspec

STYLES = ("base.css", "overview.css", "rows.css", "compare.css", "print.css")
# In the order in which they stand in the file; all share one scope.
SCRIPTS = (
    "dom.js", "charts.js", "marks.js", "overview.js", "slices.js", "detail.js", "rows.js",
    "facts.js", "compare.js", "main.js",
)  # fmt: skip
# Nothing may be fetched, sent or embedded, no text may become markup, and no script runs but ours.
POLICY = (
    "default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; "
    "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)


def page(document: Mapping[str, Any]) -> str:
    """The HTML file that shows `document` (of a run or of a comparison).

    It makes no request, and no text of the data is ever read as markup or script.
    """
    style = "".join(map(_asset, STYLES))
    script = f'"use strict";(() => {{\n{"".join(map(_asset, SCRIPTS))}}})();'
    known = {
        "POLICY": POLICY.format(script=_hash(script), style=_hash(style)),
        "TITLE": html.escape(f"{document['title']} – Troth"),
        "STYLE": style,
        "SCRIPT": script,
        "DATA": _packed(document),
        "PLAIN": _plain(document),
    }
    parts = _asset("page.html").split("@@")  # text, name, text, name, ..., text
    parts[1::2] = [known[name] for name in parts[1::2]]
    return "".join(parts)


def _asset(name: str) -> str:
    return files("troth.report.html").joinpath("assets", name).read_text("utf-8")


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _packed(document: Mapping[str, Any]) -> str:
    told = msgspec.json.encode(document, enc_hook=str)
    # mtime=0: the same run gives the same bytes. 7: 9 takes twice as long for a hundredth.
    return base64.b64encode(gzip.compress(told, 7, mtime=0)).decode()


def _plain(document: Mapping[str, Any]) -> str:
    """The headline for readers without scripts."""
    lines = "".join(
        f"<tr><th scope=row>{html.escape(m['label'])}</th><td>{html.escape(_said(m))}</td></tr>"
        for m in document["metrics"]
    )
    return f"<p>{html.escape(document['lead'])}</p><table>{lines}</table>"


def _said(metric: Mapping[str, Any]) -> str:
    if "words" in metric:
        return str(metric["words"])
    mean = "–" if metric["mean"] is None else f"{metric['mean']:.3f}"
    counts = ", ".join(f"{metric[key]} {key}" for key in ("scored", "unscorable", "failed"))
    return f"{mean} ({counts} of {metric['total']})"
