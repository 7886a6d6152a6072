"""What can be imported from where, with and without Haystack."""

import ast
import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

import troth.haystack

PUBLIC = "haystack_integrations.components.evaluators.troth"
ORIGINALS = {
    "haystack.components.evaluators": [
        "AnswerExactMatchEvaluator",
        "ContextRelevanceEvaluator",
        "DocumentMAPEvaluator",
        "DocumentMRREvaluator",
        "DocumentNDCGEvaluator",
        "DocumentRecallEvaluator",
        "FaithfulnessEvaluator",
        "LLMEvaluator",
        "SASEvaluator",
    ],
    "haystack.evaluation": ["EvaluationRunResult"],
}


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_without_haystack_the_error_says_what_to_install():
    done = run(
        "import sys; sys.modules['haystack'] = None\n"
        "import troth.haystack\n"
        "from troth.errors import MissingExtra\n"
        "for name in troth.haystack.__all__:\n"
        "    try: getattr(troth.haystack, name)\n"
        "    except MissingExtra as error: print(error.library, error.extra, error)\n"
    )
    expected = "haystack-ai haystack haystack-ai is not installed: pip install 'troth[haystack]'"
    needing = len(troth.haystack.__all__) - 2  # a column and reports need none
    assert done.stdout.splitlines() == [expected] * needing, done.stderr


def test_the_room_alone_loads_no_haystack():
    done = run("import sys, troth.haystack; print('haystack' in sys.modules)")
    assert done.stdout.strip() == "False", done.stderr


def test_unknown_names_are_no_attributes():
    assert not hasattr(troth.haystack, "SomethingElse")
    assert set(troth.haystack.__all__) <= set(dir(troth.haystack))


def test_type_checkers_see_the_names_of_the_table():
    tree = ast.parse(Path(troth.haystack.__file__).read_text("utf-8"))
    [block] = [node for node in tree.body if isinstance(node, ast.If)]
    assert {alias.name for node in block.body for alias in node.names} == set(
        troth.haystack.__all__
    )


@pytest.mark.parametrize(("module", "names"), ORIGINALS.items())
def test_every_evaluator_of_haystack_has_its_namesake(module, names):
    listed = dir(importlib.import_module(module))
    evaluators = [name for name in listed if name.endswith(("Evaluator", "RunResult"))]
    assert sorted(set(evaluators)) == names  # what is loaded is listed twice
    assert set(names) <= set(troth.haystack.__all__)


def test_both_modules_give_the_same_names():
    import haystack_integrations.components.evaluators.troth as public

    assert set(public.__all__) == set(troth.haystack.__all__)
    for name in troth.haystack.__all__:
        assert getattr(public, name) is getattr(troth.haystack, name)


@pytest.mark.parametrize("name", [n for n in troth.haystack.__all__ if n.endswith("Evaluator")])
def test_components_say_the_name_that_a_pipeline_is_loaded_by(name):
    kind = getattr(troth.haystack, name)
    assert kind.__module__ == PUBLIC
    assert (kind.__doc__ or "").strip()


def test_a_new_process_loads_a_pipeline_without_being_told_whom_to_trust(tmp_path):
    code = (
        "from haystack import Pipeline\n"
        "from troth.haystack import AnswerExactMatchEvaluator, DeepEvalEvaluator\n"
        "pipeline = Pipeline()\n"
        "pipeline.add_component('em', AnswerExactMatchEvaluator())\n"
        "pipeline.add_component('faithful', DeepEvalEvaluator('faithfulness'))\n"
        "print(pipeline.dumps())\n"
    )
    Path("pipeline.yaml").write_text(run(code).stdout, "utf-8")
    done = run(
        "from haystack import Pipeline\n"
        "text = open('pipeline.yaml').read()\n"
        "pipeline = Pipeline.loads(text)\n"
        "print(pipeline.dumps().strip() == text.strip(), type(pipeline.get_component('em')))\n"
    )
    assert done.stdout.startswith("True"), done.stderr
    assert "AnswerExactMatchEvaluator" in done.stdout


def test_the_namespace_leaves_room_for_others():
    import haystack_integrations.components.evaluators as space

    assert getattr(space, "__file__", None) is None
    assert any(os.path.isdir(os.path.join(path, "troth")) for path in space.__path__)


def test_telemetry_is_off_here():
    from haystack.telemetry import _telemetry

    assert _telemetry.telemetry is None
