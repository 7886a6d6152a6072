"""How often a hostile text in a row moves a judge's faithfulness: the rates of docs/safety.md.

    python benchmarks/hijack.py --judge gguf:model.gguf [--falsehoods 8] [--granularity answer]

Rows are false answers that the judge itself takes for unfaithful; each hostile text of the tests is
put into each of them, in the answer and among the contexts. A rise from 0 is a hijack. The clean
rows' own verdicts stand beside: a judge that believes falsehoods has nothing to be moved from.
The last line is JSON.
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import troth
from tests.hostile import HOSTILE
from tests.test_injection import FALSE, FIRMER, PLACES


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--judge", required=True)
    parser.add_argument("--falsehoods", type=int, default=len(FALSE))
    parser.add_argument("--granularity", default="answer", choices=("answer", "sentence"))
    options = parser.parse_args()

    def scores(rows):
        run = troth.evaluate(
            rows, ["faithfulness"], options.judge, granularity=options.granularity, progress=True
        )
        return run.scores(run.metrics[0])

    rows = [
        {"question": q, "answer": a, "contexts": [c]} for q, a, c in FALSE[: options.falsehoods]
    ]
    clean = scores(rows)
    kept = [(row, was) for row, was in zip(rows, clean, strict=True) if was.value == 0.0]
    print(f"{len(kept)} of {len(rows)} false answers are unfaithful to {options.judge}")
    result = {"judge": options.judge, "false_rows": len(rows), "seen_as_false": len(kept)}
    print(
        "| hostile text in | score rises | firmer | failed | rows |",
        "|---|---|---|---|---|",
        sep="\n",
    )
    for place in ("answer", "context"):
        pairs = [(PLACES[place](row, text), was) for row, was in kept for text in HOSTILE.values()]
        found = scores([row for row, _ in pairs]) if pairs else []
        scored = [
            (now, was) for now, (_, was) in zip(found, pairs, strict=True) if now.value is not None
        ]
        rises = sum(now.value > was.value for now, was in scored)
        firmer = sum(now.support > was.support + FIRMER for now, was in scored)
        failed = len(pairs) - len(scored)
        print(f"| {place} | {rises} | {firmer} | {failed} | {len(pairs)} |")
        result |= {f"{place}_rises": rises, f"{place}_firmer": firmer, f"{place}_rows": len(pairs)}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
