"""Any Haystack ChatGenerator as a judge: what is sent, what is read, and what is left alone."""

import asyncio
import json
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from itertools import pairwise
from types import SimpleNamespace

import pytest
from haystack import component
from haystack.components.generators.chat import MockChatGenerator, OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.utils import Secret

import troth
from tests.endpoint import Endpoint
from troth.asks import Item, Relevance
from troth.engine.sync import run_sync
from troth.errors import JudgeSetupError, JudgeUnavailable, UsageError
from troth.judges.chat_generator import ChatGeneratorJudge, close_async
from troth.judges.loops import Threads
from troth.judges.names import resolve
from troth.metrics.rubric import Rubric


class Stop(BaseException):
    """As a test's or a server's own, to end everything."""


ASK = Relevance(items=(Item("a1", "Paris."),), question="Which city?")
GOOD = json.dumps({"verdicts": [{"id": "a1", "label": "relevant", "reason": "it answers"}]})
KEY = "sk-very-secret-0123456789"


def rows(n=1):
    return [{"id": str(i), "question": f"Which {i}?", "answer": f"Paris {i}."} for i in range(n)]


def relevancy(generator, n=1, **options):
    run = troth.evaluate(rows(n), ["answer_relevancy"], judge=generator, **options)
    return run.scores("answer_relevancy")


def openai(endpoint, **settings):
    given = {"api_key": Secret.from_token(KEY), "max_retries": 0, **settings}
    return OpenAIChatGenerator(api_base_url=endpoint.base_url, **given)


def saying(text, **meta):
    async def say(exchange):
        return exchange.say(text, **meta)

    return lambda body: say


@component
class Sync:
    """Says `text` after `seconds`, in the thread that calls it; `result` replaces all it returns"""

    def __init__(self, text=GOOD, seconds=0.0, **meta):
        self.text, self.seconds, self.meta = text, seconds, meta
        self.threads, self.loops, self.closed, self.warm = [], [], 0, 0

    def warm_up(self):
        self.warm += 1

    def close(self):
        self.closed += 1

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage]):
        self.messages = messages
        self.threads.append(threading.current_thread().name)
        time.sleep(self.seconds)
        return self.said()

    def said(self):
        return {"replies": [ChatMessage.from_assistant(self.text, meta=dict(self.meta))]}


@component
class Both(Sync):
    """Says the same on an event loop, too."""

    async def warm_up_async(self):
        self.warm += 1

    async def close_async(self):
        self.closed += 1

    @component.output_types(replies=list[ChatMessage])
    async def run_async(self, messages: list[ChatMessage]):
        self.loops.append(asyncio.get_running_loop())
        await asyncio.sleep(self.seconds)
        return self.said()


class Returning:
    """A generator that is no component and returns, or raises, what it is told to."""

    def __init__(self, result):
        self.result = result

    def run(self, messages):
        if isinstance(self.result, BaseException):
            raise self.result
        return self.result


async def asked(judge):
    try:
        return await judge.reply(ASK)
    finally:
        await judge.close()


def reply(result):
    return run_sync(lambda: asked(ChatGeneratorJudge(Returning(result))))


def one(**fields):
    return {"replies": [SimpleNamespace(**{"text": GOOD, "meta": {}, **fields})]}


class TestWhatIsSent:
    def test_the_prompt_as_messages(self):
        generator = Sync()
        [score] = relevancy(generator)
        assert score.value == 1.0
        system, user = generator.messages
        assert (system.role, user.role) == ("system", "user")
        assert "JSON" in system.text  # what OpenAI's JSON mode insists on
        assert '"question":"Which 0?"' in user.text

    def test_a_bad_reply_is_told_what_was_wrong_and_roles_go_on_alternating(self):
        seen = []

        def said(messages):
            seen.append(messages)
            return GOOD if len(seen) > 1 else '{"verdicts": 7}'

        [score] = relevancy(MockChatGenerator(response_fn=said))
        assert (score.value, score.usage.calls) == (1.0, 2)
        assert [m.role.value for m in seen[1]] == ["system", "user"]
        assert "wrong shape" in seen[1][1].text
        assert seen[1][1].text.startswith(seen[0][1].text)

    def test_through_openai_s_own_library(self):
        with Endpoint(faults=saying(GOOD), key=KEY) as endpoint:
            json_mode = {"response_format": {"type": "json_object"}, "seed": 42}
            scores = relevancy(openai(endpoint, generation_kwargs=json_mode), 3)
        assert [score.value for score in scores] == [1.0] * 3
        assert {json.dumps(r.body["response_format"]) for r in endpoint.requests} == {
            '{"type": "json_object"}'
        }
        assert all(s.usage.input_tokens and s.usage.output_tokens for s in scores)

    def test_the_language_of_the_prompts(self):
        generator = Sync()
        judge = ChatGeneratorJudge(generator, language="zh")
        run_sync(lambda: asked(judge))
        assert "用户消息" in generator.messages[0].text


class TestWhatIsRead:
    @pytest.mark.parametrize(
        "result",
        [
            None,
            {},
            {"replies": []},
            {"replies": None},
            [],
            one(text=None),
            one(text=" "),
            one(text=7),
            {"replies": [None]},
        ],
    )
    def test_no_text_is_a_problem_and_never_an_exception(self, result):
        assert reply(result).problem
        [score] = relevancy(Returning(result))
        assert score.status == "failed"
        assert score.usage.calls == 3

    @pytest.mark.parametrize(
        ("reason", "said"),
        [
            ("length", "cut off"),
            ("MAX_TOKENS", "cut off"),
            ("content_filter", "withheld"),
            ("SAFETY", "withheld"),
            ("tool_calls", "tool"),
            ("error", "not whole"),
        ],
    )
    def test_reasons_for_ending_that_make_it_useless(self, reason, said):
        assert said in reply(one(meta={"finish_reason": reason})).problem

    @pytest.mark.parametrize("reason", [None, "", "stop", "end_turn", "STOP", "whatever", 3])
    def test_other_reasons_do_not(self, reason):
        assert not reply(one(meta={"finish_reason": reason})).problem

    @pytest.mark.parametrize(
        ("usage", "tokens"),
        [
            ({"prompt_tokens": 5, "completion_tokens": 2}, (5, 2)),
            ({"input_tokens": 5, "output_tokens": 2}, (5, 2)),
            ({"prompt_tokens": "5", "completion_tokens": -1}, (0, 0)),
            (None, (0, 0)),
            ("many", (0, 0)),
        ],
    )
    def test_usage_where_it_is_there(self, usage, tokens):
        found = reply(one(meta={"usage": usage})).usage
        assert (found.calls, found.input_tokens, found.output_tokens) == (1, *tokens)

    def test_a_reply_that_is_plain_text_and_metadata_that_is_none(self):
        assert reply({"replies": [GOOD]}).content == GOOD
        assert reply(one(meta=None)).content == GOOD

    @pytest.mark.parametrize("text", [f"```json\n{GOOD}\n```", f"<think>Hm.</think>{GOOD}"])
    def test_fences_and_thoughts_are_read_through(self, text):
        assert relevancy(Sync(text))[0].value == 1.0

    @pytest.mark.parametrize("fault", ["null_content", "no_choices", "refusal", "content_filter"])
    def test_what_an_endpoint_gives_instead(self, fault):
        with Endpoint(faults=lambda body: fault) as endpoint:
            [score] = relevancy(openai(endpoint))
        assert score.status == "failed"


class TestFaults:
    def test_what_it_raises_fails_its_row_alone(self):
        def said(messages):
            if "Which 3?" in messages[-1].text:
                raise RuntimeError("the model is on holiday")
            return GOOD

        scores = relevancy(MockChatGenerator(response_fn=said), 6)
        assert [s.value for s in scores] == [1.0, 1.0, 1.0, None, 1.0, 1.0]
        assert "on holiday" in scores[3].reason
        assert "MockChatGenerator" in scores[3].reason

    @pytest.mark.parametrize("error", [StopIteration(), KeyError("x"), SystemError("x")])
    def test_any_exception_is_unavailable(self, error):
        with pytest.raises(JudgeUnavailable):
            reply(error)

    @pytest.mark.parametrize("error", [Stop("now"), GeneratorExit("now"), SystemExit("now")])
    @pytest.mark.parametrize("more", [[], [Rubric("Is it short?")]])
    def test_what_is_no_exception_ends_the_run_as_itself(self, error, more):
        metrics = ["answer_relevancy", *more]
        with pytest.raises(type(error), match="now"):
            troth.evaluate(rows(3), metrics, judge=Returning(error))

    def test_a_missing_key_names_its_variable_and_is_looked_for_late(self):
        generator = OpenAIChatGenerator()
        judge = ChatGeneratorJudge(generator)
        assert judge.key(ASK)
        with pytest.raises(JudgeSetupError, match="OPENAI_API_KEY"):
            troth.evaluate(rows(), ["answer_relevancy"], judge=judge)

    @pytest.mark.parametrize("fault", ["echoed_key:401", "status:404"])
    def test_what_no_row_could_survive_ends_the_run_and_shows_no_key(self, fault):
        with Endpoint(faults=lambda body: fault) as endpoint, pytest.raises(JudgeSetupError) as e:
            relevancy(openai(endpoint), 30)
        assert KEY not in str(e.value)
        assert e.value.__cause__ is None
        assert e.value.__suppress_context__
        assert endpoint.count <= 16

    def test_an_endpoint_that_always_fails_is_given_up(self):
        with Endpoint(faults=lambda body: "status:500") as endpoint:
            with pytest.raises(JudgeSetupError, match="given up"):
                relevancy(openai(endpoint), 100)
            assert endpoint.count < 40

    @pytest.mark.parametrize("wrong", [object(), MockChatGenerator, "no such judge", 7, None])
    def test_what_is_no_generator(self, wrong):
        with pytest.raises(UsageError):
            resolve(wrong)
        with pytest.raises(UsageError, match="ChatGenerator"):
            ChatGeneratorJudge(wrong)

    @pytest.mark.parametrize("wrong", [0, -1, True, 1.5, "2"])
    def test_a_concurrency_that_cannot_be(self, wrong):
        with pytest.raises(UsageError, match="concurrency"):
            ChatGeneratorJudge(Sync(), concurrency=wrong)


class TestLoopsAndThreads:
    def test_sync_code_never_touches_the_asynchronous_side(self):
        generator = Both()
        relevancy(generator, 3)
        assert len(generator.threads) == 3
        assert not generator.loops

    def test_async_code_awaits_it_on_its_own_loop(self):
        generator = Both()

        async def main():
            run = await troth.aevaluate(rows(3), ["answer_relevancy"], judge=generator)
            return run.scores("answer_relevancy")[0].value, asyncio.get_running_loop()

        value, loop = asyncio.run(main())
        assert value == 1.0
        assert generator.loops == [loop] * 3
        assert not generator.threads

    def test_on_a_second_loop_its_sync_side_answers(self):
        generator = Both()
        for _ in range(2):
            asyncio.run(troth.aevaluate(rows(2), ["answer_relevancy"], judge=generator))
        assert (len(generator.loops), len(generator.threads)) == (2, 2)

    def test_the_real_one_on_many_loops_and_threads_in_turn_and_at_once(self):
        values, lock = [], threading.Lock()
        with Endpoint(faults=saying(GOOD), latency=0.02) as endpoint:
            generator = openai(endpoint)

            def work(k):
                if k % 2:
                    found = relevancy(generator, 4)
                else:
                    run = asyncio.run(
                        troth.aevaluate(rows(4), ["answer_relevancy"], judge=generator)
                    )
                    found = run.scores("answer_relevancy")
                with lock:
                    values.extend(score.value for score in found)

            for k in range(4):
                work(k)
            threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert values == [1.0] * 32

    @pytest.mark.parametrize("kind", [Sync, Both])
    def test_calls_are_made_together(self, kind):
        for call in (
            lambda g: relevancy(g, 10),
            lambda g: asyncio.run(troth.aevaluate(rows(10), ["answer_relevancy"], judge=g)),
        ):
            generator = kind(seconds=0.2)
            started = time.perf_counter()
            call(generator)
            assert time.perf_counter() - started < 1.5  # one after the other: 2 s

    def test_no_more_at_once_than_told(self):
        spans = []

        def said(messages):
            started = time.perf_counter()
            time.sleep(0.02)
            spans.append((started, time.perf_counter()))
            return GOOD

        relevancy(ChatGeneratorJudge(MockChatGenerator(response_fn=said), concurrency=1), 5)
        assert all(one[1] <= two[0] for one, two in pairwise(sorted(spans)))

    def test_it_is_warmed_up_and_never_closed_and_no_thread_is_left(self):
        before = set(threading.enumerate())
        generator = Both()
        relevancy(generator, 3)
        asyncio.run(troth.aevaluate(rows(), ["answer_relevancy"], judge=generator))
        assert generator.warm == 2
        assert generator.closed == 0
        deadline = time.monotonic() + 5
        while set(threading.enumerate()) - before:
            assert time.monotonic() < deadline
            time.sleep(0.01)

    def test_a_call_that_hangs_does_not_keep_the_process_from_ending(self):
        code = (
            "import threading, troth\n"
            "class Hanging:\n"
            "    def run(self, messages):\n"
            "        print('asked', flush=True)\n"
            "        threading.Event().wait()\n"
            "rows = [{'question': 'Which?', 'answer': 'Paris.'}]\n"
            "troth.evaluate(rows, ['answer_relevancy'], judge=Hanging())"
        )
        with subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as process:
            assert process.stdout.readline().strip() == b"asked"
            process.send_signal(signal.SIGINT)
            try:
                assert process.wait(10)
            finally:
                process.kill()

    def test_threads_are_used_again_and_are_no_more_than_told(self):
        async def main():
            threads, names, gate = Threads(3, "few"), [], threading.Barrier(3)

            def work(n):
                names.append(threading.current_thread().name)
                gate.wait(5)
                return n

            found = await asyncio.gather(*(threads.run(partial(work, n)) for n in range(9)))
            threads.close()
            return found, set(names)

        assert asyncio.run(main()) == (list(range(9)), {"few_0", "few_1", "few_2"})

    def test_a_call_that_is_cancelled_before_its_turn_is_not_made(self):
        async def main():
            threads, made, go = Threads(1, "one"), [], threading.Event()
            first = asyncio.ensure_future(threads.run(partial(go.wait, 5)))
            second = asyncio.ensure_future(threads.run(partial(made.append, 2)))
            await asyncio.sleep(0.02)
            second.cancel()
            await asyncio.sleep(0)
            go.set()
            await first
            await threads.run(partial(made.append, 3))
            threads.close()
            return made

        assert asyncio.run(main()) == [3]


class TestClosingOnALoop:
    def test_on_the_loop_that_opened_it_and_the_next_loop_opens_its_own(self):
        generator = Both()

        async def main():
            await troth.aevaluate(rows(), ["answer_relevancy"], judge=generator)
            await close_async(generator)

        asyncio.run(main())
        asyncio.run(main())
        assert (generator.closed, len(generator.loops), len(generator.threads)) == (2, 2, 0)

    @pytest.mark.parametrize("loops", [1, 2, 3])
    def test_the_real_one_after_the_loop_that_opened_it_has_ended(self, loops):
        with Endpoint(faults=saying(GOOD)) as endpoint:
            generator = openai(endpoint)
            for _ in range(loops):
                asyncio.run(troth.aevaluate(rows(2), ["answer_relevancy"], judge=generator))
            asyncio.run(close_async(generator))
            for score in relevancy(generator):
                assert score.value == 1.0
            run = asyncio.run(troth.aevaluate(rows(2), ["answer_relevancy"], judge=generator))
            assert [score.value for score in run.scores("answer_relevancy")] == [1.0] * 2

    def test_what_another_loop_uses_is_left_to_it(self):
        generator = Both()

        async def main():
            await troth.aevaluate(rows(), ["answer_relevancy"], judge=generator)
            await asyncio.to_thread(asyncio.run, close_async(generator))
            assert not generator.closed
            await close_async(generator)

        asyncio.run(main())
        assert generator.closed == 1


class TestTheJournal:
    def test_replies_are_not_paid_for_twice(self, tmp_path):
        generator = Sync()
        first = relevancy(generator, 3, store=tmp_path / "s.db")
        second = relevancy(generator, 3, store=tmp_path / "s.db")
        assert len(generator.threads) == 3
        assert [s.value for s in first] == [s.value for s in second]
        assert [s.usage.calls for s in second] == [0] * 3

    def test_the_key_is_made_of_what_is_said_and_to_whom(self, monkeypatch):
        def key(ask=ASK, problem=None, **settings):
            return ChatGeneratorJudge(OpenAIChatGenerator(**settings)).key(ask, problem)

        plain = key()
        assert plain == key() == key(api_key=Secret.from_env_var("ANOTHER_KEY"))
        others = [
            key(model="gpt-4o"),
            key(generation_kwargs={"seed": 1}),
            key(api_base_url="http://127.0.0.1:9/v1"),
            key(problem="it was late"),
            key(Relevance(items=ASK.items, question="Which river?")),
        ]
        monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:8/v1")
        others.append(key())
        assert len({plain, *others}) == 1 + len(others)

    def test_settings_that_change_between_runs_change_the_key(self, monkeypatch):
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        generator = OpenAIChatGenerator()
        judge = ChatGeneratorJudge(generator)
        before = judge.key(ASK)
        generator.generation_kwargs["seed"] = 2
        asyncio.run(started(judge))
        assert judge.key(ASK) != before

    @pytest.mark.parametrize(
        "generator",
        [
            OpenAIChatGenerator(api_key=Secret.from_token(KEY)),
            MockChatGenerator(response_fn=lambda messages: GOOD),
        ],
    )
    def test_what_cannot_be_serialised_has_none(self, generator, tmp_path):
        assert ChatGeneratorJudge(generator).key(ASK) is None
        if isinstance(generator, MockChatGenerator):
            for _ in range(2):
                [score] = relevancy(generator, store=tmp_path / "s.db")
                assert (score.value, score.usage.calls) == (1.0, 1)

    def test_the_identity_is_plain_and_holds_no_secret(self):
        settings = {"seed": 1, "extra_headers": {"X-Token": KEY}, "callback": print}
        judge = ChatGeneratorJudge(
            OpenAIChatGenerator(api_key=Secret.from_token(KEY), generation_kwargs=settings)
        )
        written = json.dumps(judge.identity())
        assert KEY not in written + repr(judge) + judge.name
        assert judge.identity()["generation_kwargs"]["seed"] == 1
        assert judge.name == "haystack:OpenAIChatGenerator/gpt-5-mini"


async def started(judge):
    try:
        await judge.start()
    finally:
        await judge.close()


def test_haystack_is_not_imported_before_it_is_needed():
    code = (
        "import sys, troth.judges.chat_generator, troth.judges.names;"
        "print(sorted(m for m in sys.modules if m.partition('.')[0] in ('haystack', 'openai')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
