"""From what servers answer to what frameworks get."""

import base64
import struct

import pytest

from evalparity.adapters.judge.replies import Tokens, chat_reply, embedding_reply, read_tokens, written_text
from evalparity.unified_schema.errors import JudgeError


def answer(message, finish_reason="stop", **more):
    return {"id": "1", "model": "m", "choices": [{"message": message, "finish_reason": finish_reason}]} | more


def test_reasoning_and_other_extras_are_dropped():
    reply = chat_reply(
        answer(
            {"role": "assistant", "content": "yes", "reasoning_content": "hm", "reasoning": "hm", "audio": {}},
            usage={"prompt_tokens": 1},
            provider="x",
        ),
        (),
    )
    assert (reply.text, reply.flags) == ("yes", ("reasoning_removed",))
    assert reply.body == {
        "id": "1",
        "model": "m",
        "usage": {"prompt_tokens": 1},
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "yes"}}],
    }


def test_content_in_parts_is_joined_without_thoughts():
    parts = [{"type": "thinking", "text": "hm"}, {"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    reply = chat_reply(answer({"content": parts}), ())
    assert (reply.text, reply.flags) == ("ab", ("reasoning_removed",))


def test_a_reply_by_tool_call_is_a_reply():
    calls = [{"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}]
    reply = chat_reply(answer({"content": None, "tool_calls": calls}, "tool_calls"), ())
    assert reply.text == '{"a": 1}'
    assert reply.body["choices"][0]["message"]["tool_calls"] == calls


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"choices": None},
        {"choices": []},
        {"choices": "x"},
        {"choices": [None]},
        {"choices": [{}]},
        {"choices": [{"message": "x"}]},
        answer({"content": ""}),
        answer({"content": " \n"}),
        answer({"content": 5}),
        answer({"content": None}),
    ],
)
def test_what_is_no_reply_is_an_error(broken):
    with pytest.raises(JudgeError) as caught:
        chat_reply(broken, ())
    assert caught.value.kind == "bad_reply"
    assert not written_text(broken) or not written_text(broken).strip()


def test_the_framework_gets_the_bare_reply_and_the_ledger_the_written_one():
    written = '<think>hm</think>\n```json\n{"a": 1}\n```'
    reply = chat_reply(answer({"content": written, "reasoning": "hm"}), ("asked",))
    assert reply.body["choices"][0]["message"]["content"] == reply.text == '{"a": 1}'
    assert reply.flags == ("reasoning_removed", "fence_removed")
    assert written_text(answer({"content": written})) == written


@pytest.mark.parametrize("message", [{"content": None, "reasoning_content": "hm"}, {"content": "<think>hm"}])
def test_nothing_but_reasoning_is_no_reply(message):
    with pytest.raises(JudgeError, match="reasoning and no answer") as caught:
        chat_reply(answer(message), ())
    assert caught.value.kind == "bad_reply"


def test_tokens_are_read_or_unknown():
    usage = {
        "prompt_tokens": 5,
        "completion_tokens": 2,
        "prompt_tokens_details": {"cached_tokens": 3},
        "completion_tokens_details": {"reasoning_tokens": 1},
    }
    assert read_tokens({"usage": usage}) == Tokens(input_tokens=5, cached_tokens=3, reasoning_tokens=1, output_tokens=2)
    too_many = {"cached_tokens": 6, "reasoning_tokens": 3}  # a part that is more than the whole
    contradicting = usage | {"prompt_tokens_details": too_many, "completion_tokens_details": too_many}
    assert read_tokens({"usage": contradicting}) == Tokens(input_tokens=5, output_tokens=2)
    for useless in ({}, {"usage": None}, {"usage": {"prompt_tokens": "5", "completion_tokens": True}}, {"usage": [1]}):
        assert read_tokens(useless) == Tokens()
    for count, read in ((2**63 - 1, 2**63 - 1), (2**63, None), (10**30, None), (-1, None), (0, 0), (1.0, None)):
        assert read_tokens({"usage": {"prompt_tokens": count}}).input_tokens == read


def test_embeddings_are_put_in_order_and_read_from_both_forms():
    packed = base64.b64encode(struct.pack("<2f", 0.5, -1.0)).decode()
    data = [{"index": 1, "embedding": packed}, {"index": 0, "embedding": [1, 0.25]}]
    plain = embedding_reply({"data": data}, texts=2, as_base64=False)
    assert [item["embedding"] for item in plain["data"]] == [[1.0, 0.25], [0.5, -1.0]]
    assert embedding_reply({"data": data}, texts=2, as_base64=True)["data"][1]["embedding"] == packed


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        [{"index": 0, "embedding": []}],
        [{"embedding": [1e39]}],
        [{"embedding": "???"}],
        [{"embedding": [True]}],
    ],
)
def test_useless_embeddings_are_an_error(data):
    with pytest.raises(JudgeError) as caught:
        embedding_reply({"data": data}, texts=1, as_base64=False)
    assert caught.value.kind == "bad_reply"


def test_vectors_of_different_lengths_are_an_error():
    with pytest.raises(JudgeError, match="different lengths"):
        embedding_reply({"data": [{"embedding": [1]}, {"embedding": [1, 2]}]}, texts=2, as_base64=False)
