"""Rankings with their relevant documents, at random, and what trec_eval says of them."""

import pytrec_eval
from hypothesis import strategies as st

IDS = [f"d{n}" for n in range(12)]


@st.composite
def rankings(draw):
    """The ids retrieved, best first, each once; id -> grade, at least one of them above 0."""
    retrieved = draw(st.lists(st.sampled_from(IDS), unique=True, max_size=10))
    grades = draw(st.dictionaries(st.sampled_from(IDS), st.integers(-1, 3), max_size=8))
    grades[draw(st.sampled_from(IDS))] = draw(st.integers(1, 3))
    return retrieved, grades


def trec_eval(measure, retrieved, grades, k=None):
    """The value of trec_eval's `measure`, of its form with a cut-off where there is a `k`."""
    name = measure if k is None else f"{measure}.{k}"
    evaluator = pytrec_eval.RelevanceEvaluator({"q": dict(grades)}, {name})
    run = {document: float(-rank) for rank, document in enumerate(retrieved)}
    run = run or {"nothing relevant": 0.0}  # an empty run is left out, and counts as 0
    [value] = evaluator.evaluate({"q": run})["q"].values()
    return value
