"""What a judge writes around its answer is taken out, and what only looks like it is left alone."""

import pytest

from evalparity.adapters.judge.reply_text import bare_reply
from evalparity.unified_schema.errors import JudgeError

ASKED = ("Judge the statements and reply in JSON.",)
JSON = '{"verdicts": [{"verdict": "yes"}]}'


@pytest.mark.parametrize(
    "written",
    [
        f"<think>hm</think>{JSON}",
        f"\n<think>\nIs {{'verdict': 'no'}} better?\n</think>\n\n{JSON}",
        f"<THINK>hm</THINK> {JSON}",
        f"<thinking>a</thinking>\n<thinking>b</thinking>\n{JSON}",
        f"<reasoning></reasoning>{JSON}",
        f"Well, first of all.\nThen {{this}}.\n</think>\n\n{JSON}",
        f"</think>\n{JSON}",
    ],
)
def test_reasoning_is_taken_out_and_told(written):
    reply = bare_reply(written, ASKED)
    assert (reply.text, reply.flags) == (JSON, ("reasoning_removed",))


@pytest.mark.parametrize("written", ["<think>and so on", "<think>a</think>", "<think>a</think> \n", "so\n</think>\n"])
def test_nothing_but_reasoning_is_no_reply(written):
    with pytest.raises(JudgeError, match=r"reasoning and no answer; switch .* --max-output-tokens") as caught:
        bare_reply(written, ASKED)
    assert caught.value.kind == "bad_reply"


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ('{"claims": ["He wrote\n</think>\nand left."]}', ASKED),
        ("He wrote <think>one</think> and left.", ASKED),
        ("He wrote </think> and left.", ASKED),
        ("First.\n</think>\nSecond.", ("The answer is: First.\n</think>\nSecond.",)),
        ("<thinker>a</thinker> b", ASKED),
        ("I think </thinking is hard>", ASKED),
    ],
)
def test_a_mark_inside_an_answer_is_part_of_it(written, asked):
    assert bare_reply(written, asked).text == written
    assert bare_reply(written, asked).flags == ()


@pytest.mark.parametrize(
    "written",
    [
        f"```json\n{JSON}\n```",
        f"```\n{JSON}\n```\n",
        f"\n~~~JSON\n{JSON}\n~~~",
        f"```json {JSON}```",
        f"````\n{JSON}\n````",
    ],
)
def test_a_fence_around_json_is_taken_off_and_told(written):
    reply = bare_reply(written, ASKED)
    assert (reply.text, reply.flags) == (JSON, ("fence_removed",))


@pytest.mark.parametrize(
    "written",
    [
        f"Here it is:\n```json\n{JSON}\n```",
        f"```json\n{JSON}\n```\nI hope this helps.",
        f"```json\n{JSON}\n```\n```json\n{JSON}\n```",
        "```python\nprint({})\n```",
        "```\nplain words\n```",
        f"```json\n{JSON}",
        JSON,
    ],
)
def test_what_is_not_one_fenced_json_stays_as_it_is(written):
    assert bare_reply(written, ASKED).text == written
    assert bare_reply(written, ASKED).flags == ()


def test_a_fence_inside_a_text_of_the_json_stays():
    inner = '{"claims": ["Write ```x``` here."]}'
    assert bare_reply(f"```json\n{inner}\n```", ASKED).text == inner


def test_reasoning_before_a_fence_is_two_removals():
    reply = bare_reply(f"<think>hm</think>\n```json\n{JSON}\n```", ASKED)
    assert (reply.text, reply.flags) == (JSON, ("reasoning_removed", "fence_removed"))


REFUSALS = (
    "I'm sorry, but I can't help with that.",
    "I’m really sorry, but I can’t assist with that request.",
    "Sorry, I cannot do that.",
    "I cannot comply with this.",
    "I am unable to assist.",
    "I'm not able to help with that. Please ask something else.",
    "Unfortunately, I won't engage with this content.",
    "As an AI language model, I cannot provide that.",
    "I apologize, but as an AI I can't evaluate this.",
    "I must decline.",
    "<think>Is this allowed? No.</think>I'm sorry, I can't help with that.",
    "**I'm sorry, but I can't assist with that.**",
)


@pytest.mark.parametrize("written", REFUSALS)
def test_a_refusal_in_plain_words_is_told_as_one(written):
    with pytest.raises(JudgeError, match=r"declined to answer \(\"") as caught:
        bare_reply(written, ASKED)
    assert caught.value.kind == "refusal"


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ('{"claims": ["I\'m sorry, but I can\'t help with that."]}', ASKED),
        ("I'm sorry, but I can't help with that. [Attributed]", ASKED),
        # The answer under test is a refusal, and the judge lists its sentences or writes a question for it.
        ("I'm sorry, but I can't help with that.", ("<Answer>\nI'm sorry, but I can't\n help with that.\n</Answer>",)),
        ("The assistant says: I can't help with that.", ASKED),
        ("Why can't I get help with that?", ASKED),
        ("I can't help but notice that both are true.", ASKED),
        ("I cannot find the date in the context.", ASKED),
        ("Sorry is what he said.", ASKED),
        ("Insufficient Information", ASKED),
        ("I'm sorry, but I can't help with that. " + "Here is why, at length. " * 30, ASKED),
    ],
)
def test_an_answer_about_a_refusal_is_an_answer(written, asked):
    assert bare_reply(written, asked).text == written


FLOODS = ("```json\n{", "</think>", "\n</think>", "sorry ", "{}```", "I'm sorry, but ")


@pytest.mark.parametrize("flood", FLOODS)
def test_a_flood_is_read_in_time(flood):
    assert bare_reply(f"x{flood * 200_000}", ASKED).text.endswith(flood)
    bare_reply(flood * 200_000 + JSON, ASKED)
