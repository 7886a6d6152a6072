"""A judge that labels by the item's id: `{"a1": "supported"}`; the rest gets the first label."""

from troth.engine.runner import run_rows
from troth.engine.sync import run_sync
from troth.judges.scripted import Scripted
from troth.sample import Sample
from troth.score import Verdict


def judged(metric, labels=None, supports=None, **fields):
    """The score of one row whose items are labelled by id, and the judge that was asked."""
    labels, supports = labels or {}, supports or {}

    def script(ask):
        verdicts = []
        for item in ask.items:
            label = labels.get(item.id, next(iter(ask.labels)))
            support = supports.get(item.id, ask.labels[label])
            verdicts.append(Verdict(item.id, label, support, f"because {item.id}"))
        return tuple(verdicts)

    judge = Scripted(script)
    [row] = run_sync(lambda: run_rows([Sample("row", **fields)], [metric], judge))
    return row.scores[metric.label], judge
