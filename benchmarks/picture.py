"""Draw docs/demo.svg: what `troth demo` prints, as it prints it.

python benchmarks/picture.py
"""

from __future__ import annotations

import io
import re
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme

import troth
from troth.demo import METRICS, path
from troth.report.terminal import show

PAPER = TerminalTheme(
    (250, 249, 246),
    (40, 40, 46),
    [
        (40, 40, 46), (190, 50, 50), (60, 130, 60), (170, 110, 0),
        (40, 90, 170), (140, 60, 140), (0, 120, 135), (110, 110, 110),
    ],
)  # fmt: skip


def main():
    run = troth.evaluate(path(), METRICS)
    console = Console(
        record=True, width=104, force_terminal=True, highlight=False, file=io.StringIO()
    )
    show(run, console, worst=3)
    svg = console.export_svg(title="$ troth demo", theme=PAPER)
    # No font from a server: the picture is whole in itself.
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    svg = svg.replace("Fira Code", "Menlo, Consolas, DejaVu Sans Mono")
    target = Path(__file__).parents[1] / "docs" / "demo.svg"
    target.write_text(svg, "utf-8")
    print(f"{target}: {len(svg) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
