"""One measured run of Troth: `run_troth.py ROWS URL CONCURRENCY [--joint] [--store PATH]`.

The last line is JSON: seconds and CPU seconds of the call itself, and how many scores came back;
null where this version has no `joint`.
"""

import argparse
import inspect
import json
import time

import troth

METRICS = [
    "faithfulness",
    "answer_relevancy",
    "contextual_precision",
    "contextual_recall",
    "contextual_relevancy",
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rows")
    parser.add_argument("url")
    parser.add_argument("concurrency", type=int)
    parser.add_argument("--joint", action="store_true")
    parser.add_argument("--store")
    options = parser.parse_args()
    more = {"joint": True} if options.joint else {}
    if not more.keys() <= inspect.signature(troth.evaluate).parameters.keys():
        print(json.dumps({"seconds": None}))
        return
    started, cpu = time.perf_counter(), time.process_time()
    run = troth.evaluate(
        options.rows,
        METRICS,
        judge=f"{options.url}#model",
        concurrency=options.concurrency,
        store=options.store,
        progress=False,
        **more,
    )
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    scored = sum(summary.scored for summary in run.summary().values())
    print(json.dumps({"seconds": seconds, "cpu": cpu, "scores": scored}))


main()
