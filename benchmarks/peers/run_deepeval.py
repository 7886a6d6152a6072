"""One measured run of DeepEval: `run_deepeval.py ROWS URL (default|aiohttp|openai) CONCURRENCY`.

`default`: the OpenAI model class and settings that come with it. `aiohttp`, `openai`: its best
set-up, a model class of one's own over one shared client of that package, `CONCURRENCY` rows and
calls at once, no cache, no output.
The last line is JSON: seconds and CPU seconds of the call itself, and how many scores came back.
Runs in an environment of its own, which holds deepeval; needs OPENAI_BASE_URL and OPENAI_API_KEY.
"""

import json
import sys
import time

from deepeval import evaluate
from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig
from deepeval.metrics import (
    AnswerRelevancyMetric,
    ContextualPrecisionMetric,
    ContextualRecallMetric,
    ContextualRelevancyMetric,
    FaithfulnessMetric,
)
from deepeval.models import DeepEvalBaseLLM
from deepeval.test_case import LLMTestCase

METRICS = (
    FaithfulnessMetric,
    AnswerRelevancyMetric,
    ContextualPrecisionMetric,
    ContextualRecallMetric,
    ContextualRelevancyMetric,
)


class Shared(DeepEvalBaseLLM):
    """Structured output over one client: an aiohttp session, or the openai package's."""

    def __init__(self, url, client, concurrency):
        self.url = url
        self.client = client
        self.concurrency = concurrency
        self.opened = None
        self.formats = {}
        super().__init__("gpt-4o-mini")

    def load_model(self):
        return self

    def get_model_name(self):
        return "gpt-4o-mini"

    def generate(self, prompt, schema=None):
        raise NotImplementedError("the asynchronous way alone is measured")

    async def a_generate(self, prompt, schema=None):
        request = {
            "model": "gpt-4o-mini",
            "temperature": 0,
            "messages": [{"role": "user", "content": prompt}],
            "response_format": self.format(schema),
        }
        by_aiohttp = self.client == "aiohttp"
        content = await (self.by_aiohttp(request) if by_aiohttp else self.by_openai(request))
        return schema.model_validate_json(content)

    async def by_aiohttp(self, request):
        import aiohttp

        if self.opened is None:
            # Rows at once are not calls at once: a row asks for several metrics side by side.
            connector = aiohttp.TCPConnector(limit=self.concurrency)
            self.opened = aiohttp.ClientSession(connector=connector)
        async with self.opened.post(f"{self.url}/chat/completions", json=request) as response:
            reply = await response.json()
        return reply["choices"][0]["message"]["content"]

    async def by_openai(self, request):
        import openai

        if self.opened is None:
            self.opened = openai.AsyncOpenAI(base_url=self.url)
        reply = await self.opened.chat.completions.create(**request)
        return reply.choices[0].message.content

    def format(self, schema):
        if schema not in self.formats:
            json_schema = {"name": schema.__name__, "schema": schema.model_json_schema()}
            self.formats[schema] = {"type": "json_schema", "json_schema": json_schema}
        return self.formats[schema]


def cases(path):
    with open(path, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [
        LLMTestCase(
            input=row["question"],
            actual_output=row["answer"],
            expected_output=row["references"][0],
            retrieval_context=row["contexts"],
        )
        for row in rows
    ]


def main():
    path, url, setup, concurrency = sys.argv[1:]
    configs = {}
    model = None
    if setup != "default":
        model = Shared(url, setup, int(concurrency))
        configs = {
            "async_config": AsyncConfig(max_concurrent=int(concurrency)),
            "display_config": DisplayConfig(
                show_indicator=False, print_results=False, inspect_after_run=False
            ),
            "cache_config": CacheConfig(write_cache=False, use_cache=False),
        }
    rows = cases(path)
    metrics = [metric(model=model) for metric in METRICS]
    started, cpu = time.perf_counter(), time.process_time()
    results = evaluate(rows, metrics, **configs)
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    scored = sum(
        data.score is not None for result in results.test_results for data in result.metrics_data
    )
    print("\n" + json.dumps({"seconds": seconds, "cpu": cpu, "scores": scored}))


main()
