"""What a framework asks for is sent in a form that the server takes, and a schema is never lost."""

import asyncio
import json

import pytest

from evalparity.adapters.base import Sent
from evalparity.adapters.judge.structured import FORMS, IN_WORDS, fit_to_server
from support.gateways import ask, gateway_to, open_cell
from support.judge_server import JudgeServer

SCHEMA = {"type": "object", "properties": {"größe": {"type": "string"}}, "required": ["größe"]}
BY_SCHEMA = {"type": "json_schema", "json_schema": {"name": "n", "strict": True, "schema": SCHEMA}}
BY_OBJECT = {"type": "json_object"}
MESSAGES = [{"role": "system", "content": "s"}, {"role": "user", "content": "first"}, {"role": "user", "content": "q"}]
WORDS = IN_WORDS + json.dumps(SCHEMA, ensure_ascii=False)


def request(form, messages=MESSAGES):
    return {"messages": messages, **({"response_format": form} if form else {})}


@pytest.mark.parametrize("takes", [None, (), ("json_object",), ("json_schema",), FORMS])
@pytest.mark.parametrize("form", [None, {"type": "text"}, {"type": "grammar", "grammar": "x"}, "odd"])
def test_what_is_no_structured_output_is_sent_as_it_is(form, takes):
    assert fit_to_server(request(form), takes) == request(form)


@pytest.mark.parametrize(
    ("form", "takes"), [(BY_SCHEMA, None), (BY_OBJECT, None), (BY_SCHEMA, FORMS), (BY_OBJECT, FORMS)]
)
def test_what_the_server_takes_is_sent_as_it_is(form, takes):
    assert fit_to_server(request(form), takes) == request(form)


@pytest.mark.parametrize(("takes", "left"), [(("json_object",), BY_OBJECT), ((), None)])
def test_a_schema_that_is_not_taken_is_put_into_the_last_user_message(takes, left):
    before = json.dumps(MESSAGES)
    fitted = fit_to_server(request(BY_SCHEMA), takes)
    assert fitted == request(left, [*MESSAGES[:2], {"role": "user", "content": "q" + WORDS}])
    assert json.dumps(MESSAGES) == before


@pytest.mark.parametrize("takes", [(), ("json_schema",)])
def test_an_object_that_is_not_taken_is_left_to_the_words_of_the_prompt(takes):
    assert fit_to_server(request(BY_OBJECT), takes) == request(None)


def test_messages_in_parts_and_messages_without_a_user():
    parts = [{"role": "user", "content": [{"type": "text", "text": "q"}]}]
    assert fit_to_server(request(BY_SCHEMA, parts), ())["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "q"}, {"type": "text", "text": WORDS}]}
    ]
    lone = [{"role": "system", "content": "s"}]
    assert fit_to_server(request(BY_SCHEMA, lone), ())["messages"] == [
        *lone,
        {"role": "user", "content": WORDS.lstrip()},
    ]


def test_the_gateway_fits_every_call_notes_it_and_proves_the_inputs_all_the_same():
    sent = (Sent(field="input", layout="Question: {text}"), Sent(field="output"))

    async def go(server):
        async with gateway_to(server, structured_output=()) as gateway:
            texts = {"input": "whole", "output": "größe"}  # the output stands in the schema alone
            url = open_cell(gateway, texts=texts, sent=sent)
            await ask(url, "Question: whole", response_format=BY_SCHEMA)
            await ask(url, "Question: whole", response_format=BY_OBJECT)
            return await gateway.close_cell("cell")

    with JudgeServer() as server:
        traffic = asyncio.run(go(server))
    assert [one.body["messages"][0]["content"] for one in server.requests] == [
        "Question: whole" + WORDS,
        "Question: whole",
    ]
    assert all("response_format" not in one.body for one in server.requests)
    assert [call.asked["response_format"] for call in traffic.calls] == [BY_SCHEMA, BY_OBJECT]
    assert traffic.proof.missing == ("output",)
