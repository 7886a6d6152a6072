"""The pictures of the report in the documentation: python -m tests.report.pictures

Needs the extra [browser] and a Chromium ($CHROMIUM, or `chromium` on the path).
"""

import json
import os
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import troth
from troth.cli.report import about
from troth.compare import compare
from troth.demo import METRICS, path
from troth.report.html import comparison_page, run_page

IMAGES = Path(__file__).parents[2] / "docs" / "images"
ARGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
ROW = "visits-03"


def made(folder):
    """The bundled example, and the same with most of its bad answers put right."""
    os.chdir(folder)
    shutil.copy(path(), "lighthouse.jsonl")
    before = troth.evaluate("lighthouse.jsonl", list(METRICS))
    rows = [json.loads(line) for line in Path("lighthouse.jsonl").read_text("utf-8").splitlines()]
    for number, row in enumerate(rows):
        if row["quality"] not in ("good", "refusal") and number % 6:
            row["answer"] = row["references"][-1]
        if number == 30:
            row["answer"] = "The tower was closed for good in 1951 after a fire."
    Path("lighthouse.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    after = troth.evaluate("lighthouse.jsonl", list(METRICS))
    Path("run.html").write_bytes(run_page(before, about(before)).encode())
    compared = compare(before, after, slices=["topic"])
    Path("compared.html").write_bytes(comparison_page(compared, about(before)).encode())


def main():
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        made(folder)
        executable = os.environ.get("CHROMIUM") or shutil.which("chromium")
        browser = driver.chromium.launch(executable_path=executable, args=ARGS)

        def shot(page, name, *, scheme="light", width=1280, height=1000, act=lambda page: None):
            context = browser.new_context(
                color_scheme=scheme, viewport={"width": width, "height": height}
            )
            opened = context.new_page()
            opened.goto(Path(folder, page).as_uri())
            opened.wait_for_selector(":root[data-ready] main")
            act(opened)
            opened.screenshot(path=IMAGES / name, animations="disabled")
            context.close()

        def row(page):
            line = page.locator(".row", has_text=ROW)
            line.locator("button").click()
            page.evaluate(
                "id => [...document.querySelectorAll('.opened')].at(-1).scrollIntoView()", ROW
            )
            page.mouse.wheel(0, -24)
            page.wait_for_timeout(200)
            page.locator(".inside .mark").first.hover()

        shot("run.html", "report-light.png", height=1060)
        shot("run.html", "report-row-dark.png", scheme="dark", height=820, act=row)
        shot("run.html", "report-narrow.png", width=400, height=900, act=row)
        shot("compared.html", "compare-light.png", height=1120)
        browser.close()


if __name__ == "__main__":
    main()
