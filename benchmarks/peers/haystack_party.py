"""One measured run of one side: `haystack_party.py (theirs|ours) PART ...`.

`theirs` imports the evaluators from Haystack, `ours` from Troth; nothing else differs. The last
line is JSON: seconds and CPU seconds of the calls to `run`, and what shows that both did the same.
`theirs` runs in an environment of its own. Judged parts need OPENAI_API_KEY and OPENAI_BASE_URL.
"""

import argparse
import json
import math
import random
import time
from pathlib import Path

MODEL = "gpt-4o-mini"
POOL = 2000  # different documents: more would measure how slow memory is, for both sides


def evaluators(side):
    """The module that the evaluators come from."""
    if side == "ours":
        import troth.haystack as module
    else:
        import haystack.components.evaluators as module
    return module


def timed(call, **inputs):
    """What a call returns, its seconds and its CPU seconds."""
    started, cpu = time.perf_counter(), time.process_time()
    output = call(**inputs)
    return output, time.perf_counter() - started, time.process_time() - cpu


def fastest(repeats, call, **inputs):
    """What a call returns, and the least seconds and CPU seconds: other processes only add."""
    runs = [timed(call, **inputs) for _ in range(repeats)]
    return runs[-1][0], *(min(run[n] for run in runs) for n in (1, 2))


def llm(options):
    """Faithfulness, then context relevance, with the default generator."""
    module, inputs = evaluators(options.side), columns(options.rows)
    chosen = {"progress_bar": False, **width(options)}
    faithfulness = module.FaithfulnessEvaluator(**chosen)
    relevance = module.ContextRelevanceEvaluator(**chosen)
    ready(faithfulness, relevance)
    answers = {"predicted_answers": inputs.pop("responses")}
    first, *spent = timed(faithfulness.run, **inputs, **answers)
    second, *more = timed(relevance.run, **inputs)
    scores = [*first["individual_scores"], *second["individual_scores"]]
    seconds, cpu = (sum(both) for both in zip(spent, more, strict=True))
    scored = sum(score is not None and not math.isnan(score) for score in scores)
    return {
        "seconds": seconds,
        "cpu": cpu,
        "scores": scored,
        "faithfulness s": spent[0],
        "relevance s": more[0],
    }


def deepeval(options):
    """DeepEval's faithfulness."""
    if options.side == "ours":
        from troth.haystack import DeepEvalEvaluator, DeepEvalMetric

        chosen = {"progress_bar": False, **width(options)}
    else:
        from haystack_integrations.components.evaluators.deepeval import (
            DeepEvalEvaluator,
            DeepEvalMetric,
        )

        chosen = {}
    evaluator = DeepEvalEvaluator(DeepEvalMetric.FAITHFULNESS, {"model": MODEL}, **chosen)
    ready(evaluator)
    output, seconds, cpu = timed(evaluator.run, **columns(options.rows))
    scored = sum(result["score"] is not None for [result] in output["results"])
    return {"seconds": seconds, "cpu": cpu, "scores": scored}


def ready(*components):
    """What a pipeline does before it runs."""
    for component in components:
        if hasattr(component, "warm_up"):
            component.warm_up()


def width(options):
    return {"max_concurrency": options.concurrency} if options.concurrency else {}


def columns(path):
    """The rows of a file as DeepEvalEvaluator takes them."""
    rows = [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()]
    names = {"questions": "question", "contexts": "contexts", "responses": "answer"}
    return {name: [row[field] for row in rows] for name, field in names.items()}


def exact_match(options):
    """Pairs of short answers, of which half are equal (and never the same object)."""
    draw = random.Random(3)
    numbers = [draw.randrange(100_000) for _ in range(options.count)]
    truths = [f"It is {number} metres high." for number in numbers]
    answers = [f"It is {n + draw.randrange(2)} metres high." for n in numbers]
    if options.column:
        from troth.haystack import Column

        truths, answers = Column(truths), Column(answers)
    run = evaluators(options.side).AnswerExactMatchEvaluator().run
    pairs = {"ground_truth_answers": truths, "predicted_answers": answers}
    output, seconds, cpu = fastest(options.repeats, run, **pairs)
    return {"seconds": seconds, "cpu": cpu, "score": output["score"]}


def documents(options):
    """Ten documents are retrieved in each row, and one to four are relevant, with grades 1 to 3."""
    from haystack import Document

    draw = random.Random(5)
    texts = [f"Passage {n}: " + "words about the island " * 5 for n in range(POOL)]
    found = [Document(content=text) for text in texts]
    # Equal texts are different objects, as they are when they come from a store.
    texts = [text.encode().decode() for text in texts]
    graded = [[Document(content=text, score=grade) for grade in (1.0, 2.0, 3.0)] for text in texts]
    truths, retrieved = [], []
    for _ in range(options.count):
        near = draw.sample(range(POOL), 14)
        retrieved.append([found[n] for n in near[:10]])
        relevant = draw.sample(near, draw.randint(1, 4))
        truths.append([draw.choice(graded[n]) for n in relevant])
    module = evaluators(options.side)
    measured = {
        "recall": module.DocumentRecallEvaluator(mode="multi_hit"),
        "MRR": module.DocumentMRREvaluator(),
        "MAP": module.DocumentMAPEvaluator(),
        "NDCG": module.DocumentNDCGEvaluator(),
    }
    rows = {"ground_truth_documents": truths, "retrieved_documents": retrieved}
    said = {"seconds": 0.0, "cpu": 0.0}
    for name, evaluator in measured.items():
        output, seconds, cpu = fastest(options.repeats, evaluator.run, **rows)
        said |= {f"{name} CPU s": cpu, f"{name} score": output["score"]}
        said |= {"seconds": said["seconds"] + seconds, "cpu": said["cpu"] + cpu}
    return said


def sas(options):
    """Pairs in a file; the scores are written to another, for the difference between the sides."""
    from haystack.utils import ComponentDevice

    pairs = json.loads(Path(options.rows).read_text("utf-8"))
    answers, truths = ([pair[n] for pair in pairs] for n in (0, 1))
    kind = evaluators(options.side).SASEvaluator
    evaluator = kind(options.model, device=ComponentDevice.from_str("cpu"))
    ready(evaluator)
    evaluator.run(ground_truth_answers=truths[:32], predicted_answers=answers[:32])
    inputs = {"ground_truth_answers": truths, "predicted_answers": answers}
    output, seconds, cpu = timed(evaluator.run, **inputs)
    scores = [float(score) for score in output["individual_scores"]]
    Path(options.scores).write_text(json.dumps(scores), "utf-8")
    return {"seconds": seconds, "cpu": cpu, "scores": len(scores)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("side", choices=("theirs", "ours"))
    parts = parser.add_subparsers(required=True)
    for part in (llm, deepeval):
        judged = parts.add_parser(part.__name__)
        judged.add_argument("rows", help="a JSONL file")
        judged.add_argument("--concurrency", type=int)
        judged.set_defaults(part=part)
    for part in (exact_match, documents):
        counted = parts.add_parser(part.__name__)
        counted.add_argument("count", type=int)
        counted.add_argument("repeats", type=int)
        counted.add_argument("--column", action="store_true")
        counted.set_defaults(part=part)
    compared = parts.add_parser("sas")
    for name in ("rows", "model", "scores"):
        compared.add_argument(name)
    compared.set_defaults(part=sas)
    options = parser.parse_args()
    print("\n" + json.dumps(options.part(options)))


main()
