"""The house's own rules: arrows point down, no cycles, small rooms, a page and a test each."""

import ast
import graphlib
import inspect
import re
from pathlib import Path

import pytest

import troth
from troth.metrics import metric_class, names
from troth.sample import COLUMNS

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src" / "troth"

# What each room may import, besides itself. docs/design.md draws the same picture.
NOUNS = {"errors", "score", "sample"}
ALLOWED = {
    "errors": set(),
    "score": set(),
    "sample": set(),
    "text": {"errors"},
    "encoders": {"errors", "text"},
    "asks": {"score"},
    "metric": NOUNS | {"asks"},
    "similarity": {"asks", "score"},
    "verdicts": NOUNS | {"asks", "text"},
    "ranking": {"text"},
    "retrieval": NOUNS | {"metric", "ranking", "verdicts"},
    "account": NOUNS,
    "run": NOUNS | {"account"},
    "reading": NOUNS,
    "stats": {"errors"},
    "prompts": NOUNS | {"asks", "text"},
    "demo": set(),
    "metrics": NOUNS | {"asks", "metric", "ranking", "retrieval", "similarity", "verdicts", "text"},
    "judges": NOUNS | {"asks", "prompts", "text"},
    "engine": NOUNS
    | {"account", "asks", "encoders", "judges", "metric", "prompts", "similarity", "text"},
    "store": NOUNS | {"account", "run", "judges", "metric"},
    "config": {"errors"},
    "pairing": NOUNS | {"run"},
    "differing": {"pairing", "run", "text"},
    "compare": NOUNS | {"account", "differing", "pairing", "run", "stats"},
    "gate": NOUNS | {"account", "compare", "pairing", "run", "stats"},
    "report": NOUNS | {"account", "compare", "gate", "pairing", "run", "stats", "text"},
}
BELOW = set(ALLOWED)
ALLOWED |= {
    "plan": BELOW,
    "api": BELOW | {"plan"},
    "pytest_plugin": BELOW | {"api"},
    "haystack": BELOW | {"api", "plan"},
    "cli": BELOW | {"api", "plan"},
    "__main__": {"cli"},
    "__init__": BELOW | {"api", "plan"},
}


def module_name(path):
    parts = path.relative_to(SRC.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def modules():
    return {module_name(p): p for p in sorted(SRC.rglob("*.py"))}


def imports(path, known):
    """All modules of the project that a module imports, deferred and type-only ones included."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {m if m in known else node.module for m in inner}
    return {m for m in found if m.split(".")[0] == "troth"}


def room(module):
    return module.split(".")[1] if "." in module else "__init__"


def test_arrows_point_down():
    known = modules()
    for name, path in known.items():
        for target in imports(path, known):
            if room(target) != room(name):
                assert room(target) in ALLOWED[room(name)], f"{name} imports {target}"


def test_no_import_cycle():
    known = modules()
    graph = {name: imports(path, known) - {name} for name, path in known.items()}
    graphlib.TopologicalSorter(graph).prepare()  # raises CycleError


def test_a_cycle_and_an_upward_import_would_be_seen(tmp_path):
    sneaky = tmp_path / "sneaky.py"
    sneaky.write_text("def f():\n    from troth import metrics\n    import troth.cli.main\n")
    assert imports(sneaky, modules()) == {"troth.metrics", "troth.cli.main"}
    with pytest.raises(graphlib.CycleError):
        graphlib.TopologicalSorter({"a": {"b"}, "b": {"a"}}).prepare()


@pytest.mark.parametrize("path", modules().values(), ids=list(modules()))
def test_files_and_functions_stay_small(path):
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= 300
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            doc = len((ast.get_docstring(node) or "").splitlines())
            signature = node.body[0].lineno - node.lineno
            length = node.end_lineno - node.lineno + 1 - doc - signature
            assert length <= 40, f"{path.name}:{node.name} has {length} lines"


@pytest.mark.parametrize("name", names())
def test_every_metric_has_its_test_and_page_and_says_what_it_must(name):
    assert (ROOT / "tests" / "metrics" / f"test_{name}.py").is_file()
    page = (ROOT / "docs" / "metrics" / f"{name}.md").read_text("utf-8")
    doc = inspect.getdoc(metric_class(name)) or ""
    for said in (page, doc):
        assert re.search(r"\b(0|1)\.0\b|\[0, 1\]", said), "its range"
        assert "higher is better" in said.lower(), "its direction"
        assert "unscorable" in said.lower(), "what an empty input gives"
        assert "https://" in said, "its source"
    assert metric_class(name).name == name
    groups = [metric_class(name).needs, *metric_class(name).either]
    assert {field for group in groups for field in group} <= set(COLUMNS)
    assert any(groups)


def test_public_names_and_the_catalogue_agree_with_what_type_checkers_see():
    tree = ast.parse((SRC / "__init__.py").read_text("utf-8"))
    [block] = [n for n in tree.body if isinstance(n, ast.If)]
    typed = {alias.name for node in block.body for alias in node.names}
    assert typed == set(troth._NAMES) | {metric_class(name).__name__ for name in names()}
    assert typed <= set(dir(troth))
    for name in typed:
        assert getattr(troth, name).__name__ == name
