import pytest

from tests.metrics.judging import judged
from troth.metrics.contextual_relevancy import ContextualRelevancy
from troth.score import Status

ROW = {"question": "Who sings?", "contexts": ["Ana sings. It rains. It snows.", "", "Bo sings."]}


def test_sentences_are_pooled_and_each_context_is_kept():
    result, judge = judged(
        ContextualRelevancy(), {"c1.2": "irrelevant", "c1.3": "irrelevant"}, **ROW
    )
    assert result.value == pytest.approx(2 / 4)  # pooled: not the mean of 1/3 and 1
    assert result.details["per_context"] == [pytest.approx(1 / 3), None, 1.0]
    assert [i.id for i in judge.asks[0].items] == ["c1.1", "c1.2", "c1.3", "c3.1"]
    assert judge.asks[0].subject == "context"


@pytest.mark.parametrize("contexts", [[], [""], [" ", "\n"]])
def test_no_sentence_is_unscorable(contexts):
    result, judge = judged(ContextualRelevancy(), question="q", contexts=contexts)
    assert result.status is Status.UNSCORABLE
    assert judge.asks == []
