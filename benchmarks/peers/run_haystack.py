"""One measured run of Haystack's two LLM evaluators: `run_haystack.py ROWS URL`.

The last line is JSON: seconds and CPU seconds of the calls, and how many scores came back.
Runs in an environment of its own, which holds haystack-ai; needs OPENAI_API_KEY.
"""

import json
import math
import sys
import time

from haystack.components.evaluators import ContextRelevanceEvaluator, FaithfulnessEvaluator
from haystack.components.generators.chat import OpenAIChatGenerator


def main():
    path, url = sys.argv[1:]
    with open(path, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    questions = [row["question"] for row in rows]
    contexts = [row["contexts"] for row in rows]
    answers = [row["answer"] for row in rows]

    def generator():
        form = {"response_format": {"type": "json_object"}}
        return OpenAIChatGenerator(model="gpt-4o-mini", api_base_url=url, generation_kwargs=form)

    faithfulness = FaithfulnessEvaluator(progress_bar=False, chat_generator=generator())
    relevance = ContextRelevanceEvaluator(progress_bar=False, chat_generator=generator())
    started, cpu = time.perf_counter(), time.process_time()
    first = faithfulness.run(questions=questions, contexts=contexts, predicted_answers=answers)
    second = relevance.run(questions=questions, contexts=contexts)
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    scores = first["individual_scores"] + second["individual_scores"]
    scored = sum(not math.isnan(score) for score in scores)
    print("\n" + json.dumps({"seconds": seconds, "cpu": cpu, "scores": scored}))


main()
