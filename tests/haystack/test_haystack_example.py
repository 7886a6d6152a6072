"""The end-to-end example of docs/haystack_rag.md prints what the page shows."""

import re
from pathlib import Path

import pytest

pytest.importorskip("haystack", reason="haystack-ai is not installed")

PAGE = Path(__file__).parents[2] / "docs" / "haystack_rag.md"


def blocks(kind):
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)


def test_the_example_prints_what_its_page_shows(capsys):
    names = {"__name__": "example"}
    for code, shown in zip(blocks("python"), blocks("text"), strict=True):
        exec(compile(code, str(PAGE), "exec"), names)
        assert capsys.readouterr().out == shown
    assert len(names["evaluators"].graph.nodes) == 6
