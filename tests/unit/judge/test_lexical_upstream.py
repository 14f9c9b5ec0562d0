"""The lexical judge as an upstream, through the real gateway."""

import asyncio
import json
from types import MappingProxyType

import pytest

from evalparity.adapters.base import PromptStep
from evalparity.adapters.judge.gateway import Gateway
from evalparity.adapters.judge.lexical_upstream import LexicalUpstream
from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.adapters.judge.usage import usage_of
from support.gateways import ask, open_cell


class WordCounter:
    """As much of a lexical judge as these steps need; the real one has tests of its own."""

    def split_claims(self, text):
        return text.split(". ")

    def embed(self, text):
        return [1.0, 0.0] if text else [0.0, 1.0]

    def count_tokens(self, text):
        return len(text.split())


def claims(text, judge):
    return json.dumps({"claims": judge.split_claims(text.split("Text: ", 1)[1])})


STEPS = MappingProxyType(
    {
        "deepeval": (PromptStep(name="Claims", answer=claims),),
        "promptfoo": (
            PromptStep(name="Short", opening="List", answer=lambda _text, _judge: "short"),
            PromptStep(name="Long", opening="List all", answer=lambda _text, _judge: "long"),
        ),
    }
)


def exchange(framework, *calls):
    """Send calls to a gateway on the lexical judge; returns the replies and the cell's calls."""

    async def go():
        upstream = LexicalUpstream(STEPS, WordCounter())
        async with Gateway(JudgeSettings(), upstream=upstream, embedder=upstream, steps=STEPS) as gateway:
            url = open_cell(gateway, framework=framework)
            replies = [await ask(url, **call) for call in calls]
            return replies, (await gateway.close_cell("cell")).calls

    return asyncio.run(go())


def told(step):
    return {"X-Evalparity-Step": step}


def test_a_told_step_is_answered_and_counted_by_the_judges_own_tokenizer():
    replies, calls = exchange("deepeval", {"text": "Text: One a. Two b", "headers": told("Claims")})
    assert json.loads(replies[0][1]["choices"][0]["message"]["content"]) == {"claims": ["One a", "Two b"]}
    usage = usage_of(calls)
    assert (calls[0].step, usage.input_tokens, usage.cached_tokens) == ("Claims", 5, 0)
    assert usage.output_tokens == replies[0][1]["usage"]["completion_tokens"] == len(calls[0].reply.split())


def test_a_hidden_step_is_found_by_its_longest_opening_in_the_last_user_message():
    messages = [
        {"role": "system", "content": "List"},
        {"role": "user", "content": "List"},
        {"role": "assistant", "content": "no"},
        {"role": "user", "content": [{"type": "text", "text": "List all"}, {"type": "text", "text": " of it"}]},
    ]
    _, calls = exchange("promptfoo", {"messages": messages}, {"text": "List one"})
    assert [(call.step, call.reply) for call in calls] == [("Long", "long"), ("Short", "short")]


@pytest.mark.parametrize(
    ("framework", "call", "named"),
    [
        ("deepeval", {"text": "Text: x", "headers": told("Verdicts")}, "step Verdicts"),
        ("promptfoo", {"text": "Describe " + "x" * 500}, 'begins "Describe xxx'),
        ("ragas", {"text": "List", "headers": told("Short")}, "step Short"),
        ("deepeval", {"text": "another form", "headers": told("Claims")}, "step Claims"),
    ],
)
def test_an_unknown_prompt_is_an_error_that_names_framework_metric_and_step(framework, call, named):
    replies, calls = exchange(framework, call)
    assert (replies[0][0], replies[0][1]["error"]["code"]) == (502, "unknown_step")
    assert calls[0].error_kind == "unknown_step"
    assert f"{framework}, metric faithfulness" in calls[0].error
    assert named in calls[0].error
    assert len(calls[0].error) < 400
    assert usage_of(calls).billed_calls == 0


def test_texts_are_embedded_by_the_judge():
    replies, calls = exchange("promptfoo", {"path": "embeddings", "input": ["a b", ""]})
    assert [item["embedding"] for item in replies[0][1]["data"]] == [[1.0, 0.0], [0.0, 1.0]]
    assert calls[0].input_tokens == 2
