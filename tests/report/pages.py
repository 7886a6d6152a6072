"""Runs whose pages are tested: the bundled example, a hostile one, and two to compare."""

import json
from functools import cache

import troth
from troth.account import Row
from troth.compare import compare
from troth.demo import METRICS, path
from troth.run import Run
from troth.sample import Sample
from troth.score import Score, Verdict

RTL = "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd \u202e\u0645\u0631\u062d\u0628\u0627"
ATTACKS = (
    "<script>window.hacked = 1</script>",
    "</script><script>window.hacked = 2</script>",
    "<!--<script>window.hacked = 3",
    '"><img src=x onerror="window.hacked = 4">',
    "javascript:window.hacked=5",
    "<a href='javascript:window.hacked=6'>here</a>",
    "]]><svg/onload=window.hacked=7>",
    "@@SCRIPT@@",
    '=HYPERLINK("http://127.0.0.1/")',
    RTL,
    "zero\u200bwidth\u200djoined\ufeff",
    "\u0000\u0007\u2028\u2029",
    "W" * 3000,
    "天地玄黄" * 500,
    "a\u0301" * 2000,
)


def demo_rows():
    with open(path(), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@cache
def demo_run():
    return troth.evaluate(path(), list(METRICS))


@cache
def comparison():
    """The example against a version of itself with some answers changed."""
    rows = demo_rows()
    for number, row in enumerate(rows):
        if number % 4 == 0 and row["references"]:
            row["answer"] = row["references"][0]
        if number % 9 == 3:
            row["answer"] = "The tower was closed for good in 1951 after a fire."
    after = troth.evaluate(rows[:-1], list(METRICS))
    return compare(troth.evaluate(demo_rows(), list(METRICS)), after, slices=["topic"])


@cache
def hostile_run():
    """Every text, name, label and reason is an attack; one answer has a million characters."""
    rows = []
    for number, attack in enumerate(ATTACKS):
        verdicts = (
            Verdict("a1", "contradicted", 0.0, f"{attack} “{attack}”", ("c1",), attack),
            Verdict(attack, attack, 0.5, attack, (attack,), attack),
        )
        sample = Sample(
            f"{number} {attack}", attack, attack, (attack,), (attack, f"{attack} {attack}"),
            {attack: attack, "kind": attack[:20], "half": number % 2, "nested": {"a": [attack]}},
        )  # fmt: skip
        score = Score(0.25 * (number % 5), reason=attack, verdicts=verdicts, support=0.5)
        rows.append(Row(sample, {"faithfulness": score, ATTACKS[0]: Score.failed(attack)}))
    long = Sample("long", "q", "x" * 1_000_000, None, ("y" * 1_000_000,))
    rows.append(Row(long, {"faithfulness": Score(0.0), ATTACKS[0]: Score.unscorable(RTL)}))
    info = {"source": f"{ATTACKS[1]}.jsonl", "mapped": {ATTACKS[0]: ATTACKS[3]}}
    metrics = ("faithfulness", ATTACKS[0])
    return Run(tuple(rows), metrics, ATTACKS[3], info, skipped=ATTACKS, id=ATTACKS[1])
