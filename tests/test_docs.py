"""The documentation runs: its Python examples, its commands' options, its links."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from troth.cli import main

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("README*.md"), *(ROOT / "docs").rglob("*.md")])
FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = [
    (
        page,
        [
            body
            for kind, info, body in FENCE.findall(page.read_text("utf-8"))
            if kind == "python" and "no-run" not in info
        ],
    )
    for page in PAGES
]


@pytest.mark.parametrize(
    ("page", "blocks"),
    [e for e in EXAMPLES if e[1]],
    ids=lambda v: v.stem if isinstance(v, Path) else "",
)
def test_python_examples_run_one_after_the_other(page, blocks):
    if any("troth.haystack" in block for block in blocks):
        pytest.importorskip("haystack", reason="haystack-ai is not installed")
    Path("answers.csv").write_text("question,reply,gold_answers\nWho?,Ana,Ana\n", "utf-8")
    names = {"__name__": "example"}
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_commands_and_options_exist(page):
    for kind, _, body in FENCE.findall(page.read_text("utf-8")):
        if kind != "console":
            continue
        for words, rest in re.findall(r"\btroth ((?:cache )?\w+)((?:[^\n]|\n +)*)", body):
            command = words.split()
            result = CliRunner().invoke(main, [*command, "--help"])
            assert result.exit_code == 0, f"{page.name}: troth {command}"
            for option in re.findall(r"--[a-z-]+", rest):
                assert option in result.output, f"{page.name}: troth {command} {option}"


def test_both_readmes_name_the_same_commands():
    english, chinese = (
        (ROOT / name).read_text("utf-8") for name in ("README.md", "README.zh-CN.md")
    )
    commands = [
        [body for kind, _, body in FENCE.findall(text) if kind == "console"]
        for text in (english, chinese)
    ]
    assert commands[0] == commands[1]
