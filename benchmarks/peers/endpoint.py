"""The loopback endpoint of the measurements: it answers every party's prompts, and counts.

    python -m benchmarks.peers.endpoint --latency 0.2

Run from the root of the repository. The first line of the output is the base URL; `GET /stats`
beside it gives requests, prompt words, the most requests in flight, and repeated bodies.
Requests with a system message are Troth's and are answered by their JSON schema; all others are
DeepEval's (by schema) or Haystack's (by the keys that the prompt asks for). The replies are as
long as the texts that they are about: a statement is a sentence of the text.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import re
from collections import Counter

from tests.endpoint import Endpoint

SECTION = re.compile(
    r"\n(?:Claims|Statements|Expected Output|Context|AI Output|Text):\n"
    r"(?P<text>(?:(?!\n(?:Claims|Statements|Expected Output|Context|AI Output|Text):\n).)*?)"
    r"\n\n(?:Retrieval Context|JSON)",
    re.DOTALL,
)
DOCUMENTS = re.compile(r"\((\d+) documents?\):")
SENTENCE = re.compile(r"\w[^.!?]*[.!?]")
ANSWER = re.compile(r'"predicted_answers": "(.*?)"(?:,|})')
REASON = "It is stated word for word in the text that was retrieved."


class PeersEndpoint(Endpoint):
    """An `Endpoint` that every party of the measurement may be pointed at."""

    def __init__(self, latency: float, port: int = 0) -> None:
        super().__init__(latency=latency, port=port, faults=chosen)

    def stats(self):
        """The counters, with the words that were sent and the requests that were sent before."""
        bodies = Counter(digest(record.body) for record in self.requests)
        return super().stats() | {
            "prompt_words": sum(len(text(record.body).split()) for record in self.requests),
            "repeated": sum(bodies.values()) - len(bodies),
        }


def digest(body):
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def text(body):
    """All that a request says, from whichever form of message."""
    parts = []
    for message in body["messages"]:
        content = message["content"]
        parts += [content] if isinstance(content, str) else [p.get("text", "") for p in content]
    return "\n".join(parts)


def chosen(body):
    """`None`, the endpoint's own right answer, for Troth; a function that answers for others."""
    if body["messages"][0]["role"] == "system":
        return None

    async def peer(exchange):
        return exchange.say(json.dumps(reply(text(body), body.get("response_format") or {})))

    return peer


def reply(prompt, form):
    if form.get("type") != "json_schema":
        return haystack(prompt)
    schema = form["json_schema"]["schema"]
    [name] = schema["properties"]
    if name == "reason":
        return {"reason": REASON}
    if name != "verdicts":
        return {name: sentences(prompt)}
    fields = schema["properties"]["verdicts"]["items"]
    if "$ref" in fields:
        fields = schema["$defs"][fields["$ref"].rpartition("/")[2]]
    if (documents := DOCUMENTS.search(prompt)) is not None:
        judged = ["a context"] * int(documents[1])
    else:
        judged = sentences(prompt)
    values = {"verdict": "yes", "reason": REASON}
    return {
        "verdicts": [
            {field: values.get(field, sentence) for field in fields["properties"]}
            for sentence in judged
        ]
    }


def sentences(prompt):
    """The sentences of the text that a prompt is about: the section that it ends with."""
    sections = SECTION.findall(prompt)
    if not sections:
        raise ValueError(f"no text to judge is found in: {prompt[-300:]}")
    return SENTENCE.findall(sections[-1])


def haystack(prompt):
    if '"statement_scores"' not in prompt:
        return {"relevant_statements": [REASON] * 4}
    statements = SENTENCE.findall(ANSWER.findall(prompt)[-1])
    return {"statements": statements, "statement_scores": [1] * len(statements)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each reply")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    options = parser.parse_args()
    with (
        contextlib.suppress(KeyboardInterrupt),
        PeersEndpoint(options.latency, options.port) as endpoint,
    ):
        print(endpoint.base_url, flush=True)
        endpoint.wait()


if __name__ == "__main__":
    main()
