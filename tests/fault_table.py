"""What a run makes of every fault: the table that tests/test_faults.py holds and docs/ shows.

`python -m tests.fault_table --write` writes docs/faults.md.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).parents[1] / "docs" / "faults.md"
ROWS = 20


class Ends(NamedTuple):
    """How a run of `ROWS` rows ends; `scored=None`: it stops. `most` calls, or no known limit."""

    scored: int | None
    least: int
    most: int | None

    def __str__(self) -> str:
        end = "the run stops"
        if self.scored is not None:
            failed = ROWS - self.scored
            end = f"{self.scored} scored" + (f", {failed} failed" if failed else "")
        calls = f"{self.least} or more" if self.most is None else f"{self.least} to {self.most}"
        return f"{end}; {self.least if self.least == self.most else calls} calls"


class Kind(NamedTuple):
    """Faults that end alike: on every call about one row, on all calls, on the first call only."""

    title: str
    text: str
    one: Ends
    all: Ends
    first: Ends
    waits: bool = False


READ = Kind(
    "Read through",
    "The reply carries the verdicts, clearly enough that nothing has to be guessed.",
    Ends(20, 20, 20),
    Ends(20, 20, 20),
    Ends(20, 20, 20),
)
LEARNED = Kind(
    "Learned",
    "The judge asks in another way, and remembers that.",
    Ends(20, 21, 21),
    Ends(20, 21, 21),
    Ends(20, 21, 21),
)
AGAIN = Kind(
    "Asked again",
    "The judge is told what was wrong; after three replies the row is failed, with the reason.",
    Ends(19, 22, 22),
    Ends(0, 60, 60),
    Ends(20, 21, 21),
)
WAITED = Kind(
    "Waited for",
    "The request is sent again until `retries_for` is spent, then the row is failed. How many "
    "calls that takes is a matter of time. Where the first ten asks all fail, the run is given up.",
    Ends(19, 21, None),
    Ends(None, 10, None),
    Ends(20, 21, None),
    waits=True,
)
FAILED = Kind(
    "Fails its row",
    "Asking again would bring the same; the row is failed at once. Where the first ten asks all "
    "fail, the run is given up.",
    Ends(19, 20, 20),
    Ends(None, 10, 36),
    Ends(19, 20, 20),
)
STOPS = Kind(
    "Stops the run",
    "No later call can succeed: `JudgeSetupError`, exit code 2. With a store, all replies that "
    "were paid for are kept, and the same command goes on from there.",
    Ends(None, 1, 20),
    Ends(None, 1, 16),
    Ends(None, 1, 16),
)
KINDS = (READ, LEARNED, AGAIN, WAITED, FAILED, STOPS)

# The fault as the endpoint of the tests names it, what it is, and how it ends.
FAULTS: tuple[tuple[str, str, Kind], ...] = (
    ("fenced", "the JSON stands in a Markdown fence", READ),
    ("prose", "words before and after the JSON", READ),
    ("prose_fenced", "words around a fence with the JSON", READ),
    ("think", "a `<think>` block that holds the opposite answer, then the answer", READ),
    ("trailing_commas", "a comma before every closing bracket", READ),
    ("top_level_list", "the list of verdicts without the object around it", READ),
    ("repeated", "the same answer twice", READ),
    ("no_schema", "400: `json_schema` is not supported", LEARNED),
    ("empty", "an empty text", AGAIN),
    ("null_content", "`content` is null", AGAIN),
    ("null_reply", "the text is `null`", AGAIN),
    ("empty_object", "`{}`", AGAIN),
    ("empty_list", "no verdict in the list", AGAIN),
    ("length", "cut off, and `finish_reason` says so", AGAIN),
    ("length:stop", "cut off, and nothing says so", AGAIN),
    ("malformed", "broken JSON", AGAIN),
    ("think_unclosed", "a `<think>` block that never ends, with an answer in it", AGAIN),
    ("missing_ids", "one id does not come back, however often it is asked about", AGAIN),
    ("doubled_ids", "an id comes back twice", AGAIN),
    ("extra_ids", "a verdict for an id that was not asked about", AGAIN),
    ("unknown_ids", "an id under another name", AGAIN),
    ("wrong_label:是", "the label is 是", AGAIN),
    ("wrong_label:nein", "the label is `nein`", AGAIN),
    ("wrong_label:Yes.", "the label is `Yes.`", AGAIN),
    ("nan", "the label is `NaN`", AGAIN),
    ("support:NaN", "a support of `NaN`", AGAIN),
    ('support:"0.9"', "a number as a string", AGAIN),
    ("support:1.5", "a number out of its range", AGAIN),
    ("contradicting", "two whole answers that disagree", AGAIN),
    ("refusal", "the model refuses", AGAIN),
    ("content_filter", "the content filter withheld the reply", AGAIN),
    ("huge:1", "1 MB without JSON", AGAIN),
    ("brackets", "200 kB of opening brackets", AGAIN),
    ("status:429", "429", WAITED),
    ("status:429:0.2", "429 with `Retry-After`", WAITED),
    ("status:500", "500", WAITED),
    ("status:503", "503", WAITED),
    ("error_in_200", "200 with an upstream error in it", WAITED),
    ("dropped", "the connection is dropped", WAITED),
    ("cut_body", "the connection is dropped in the midst of the response", WAITED),
    ("hang", "no response at all", WAITED),
    ("trickle", "the response trickles in too slowly", WAITED),
    ("status:429:60", "429 with a `Retry-After` beyond `retries_for`", FAILED),
    ("status:400", "400 that is not about the form of the request", FAILED),
    ("malformed_body", "the response is broken JSON", FAILED),
    ("html", "the response is a web page", FAILED),
    ("no_choices", "`choices` is empty", FAILED),
    ("huge", "a response of 5 MB", FAILED),
    ("status:401", "401: wrong key", STOPS),
    ("status:403", "403: this key may not", STOPS),
    ("status:404::model_not_found", "404: no such model", STOPS),
    ("status:429::insufficient_quota", "429: the quota is spent", STOPS),
    ("redirect", "a redirect", STOPS),
)

_HEAD = f"""\
# What happens when the endpoint fails

Every fault below was put to a run of {ROWS} rows by `faithfulness` through
[`OpenAIChat`](judges/openai.md): on every call about one row, on all calls, on the first call
only. The tests do so again on each change (`tests/test_faults.py`), and hold three things: no
fault touches another row, no run hangs, and no score is a number that the reply does not carry.

This page is written by `python -m tests.fault_table --write`. To try a client of your own against
the same faults: `python -m tests.endpoint --fault NAME:WHERE` (`--help` lists them).
"""


def page() -> str:
    """docs/faults.md."""
    parts = [_HEAD]
    for kind in KINDS:
        parts.append(f"## {kind.title}\n\n{kind.text}\n")
        ends = (("one row", kind.one), ("all calls", kind.all), ("the first call only", kind.first))
        lines = ["| it falls on | how the run ends |", "|---|---|"]
        lines += [f"| {where} | {end} |" for where, end in ends]
        parts.append("\n".join(lines) + "\n")
        lines = ["| fault | name |", "|---|---|"]
        lines += [f"| {text} | `{name}` |" for name, text, own in FAULTS if own is kind]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page(), "utf-8")
    else:
        sys.stdout.write(page())
