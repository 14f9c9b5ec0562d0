"""The proof of equal inputs sees every planted fault, and no fault where there is none."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from evalparity.adapters.base import Sent
from evalparity.adapters.judge.proof import InputProofBuilder
from evalparity.adapters.judge.traffic import InputProof

CHUNKS = (
    "Returns are possible within 14 days.",
    "The merchant pays\nonce the defect is verified.",
    'Quotes " and \\ backslashes, braces {x}, {{ y }}, 100 %.',
    "退货需在七天内。🤖 \u2028 \x7f \x1b \x08 \x00 é",
)
ANSWER = "The merchant pays return shipping once the defect is verified."
WHOLE = InputProof()
FORMS = {
    "joined": Sent(field="retrieved_contexts", layout="Context:\n{text}\nAnswer:", join="\n\n"),
    "joined in JSON": Sent(field="retrieved_contexts", layout='"context": {text},', encoding="json", join="\n"),
    "JSON list": Sent(field="retrieved_contexts", layout='"contexts": {text}', encoding="json"),
    "Python list": Sent(field="retrieved_contexts", layout="Contexts: {text}\n", encoding="python_repr"),
    "one by one": Sent(field="retrieved_contexts", layout="<doc>{text}</doc>"),
}
PROMPTS = {
    "joined": lambda chunks: "Context:\n" + "\n\n".join(chunks) + "\nAnswer:",
    "joined in JSON": lambda chunks: '{"context": ' + json.dumps("\n".join(chunks), ensure_ascii=False) + ", ...",
    "JSON list": lambda chunks: json.dumps({"contexts": chunks}, ensure_ascii=False),
    "Python list": lambda chunks: f"Contexts: {list(chunks)}\n",
    "one by one": lambda chunks: "".join(f"<doc>{chunk}</doc>" for chunk in chunks),
}
CUT = (*CHUNKS[:-1], CHUNKS[-1][:-1])
DAMAGED = {
    "a dropped chunk": CHUNKS[:1] + CHUNKS[2:],
    "the last chunk dropped": CHUNKS[:-1],
    "a changed character": (CHUNKS[0].replace("14", "15"), *CHUNKS[1:]),
    "a cut-off chunk": CUT,
    "a lost newline": (CHUNKS[0], CHUNKS[1].replace("\n", " "), *CHUNKS[2:]),
    "a lost backslash": (*CHUNKS[:2], CHUNKS[2].replace("\\", ""), CHUNKS[3]),
    "a replaced control character": (*CHUNKS[:3], CHUNKS[3].replace("\x00", "\ufffd")),
    "nothing at all": (),
}


def proof(texts, sent, *messages, embedded=()):
    builder = InputProofBuilder(texts, sent)
    for message in messages:
        builder.see_messages([message])
    builder.see_embedded(embedded)
    return builder.proof()


@pytest.mark.parametrize("form", FORMS)
def test_whole_texts_are_found_in_every_form(form):
    assert proof({"retrieved_contexts": CHUNKS}, [FORMS[form]], "head " + PROMPTS[form](CHUNKS) + " tail") == WHOLE


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("damage", DAMAGED)
def test_every_planted_fault_is_seen(form, damage):
    found = proof({"retrieved_contexts": CHUNKS}, [FORMS[form]], PROMPTS[form](DAMAGED[damage]))
    assert found == InputProof(missing=("retrieved_contexts",))


@pytest.mark.parametrize("form", [form for form in FORMS if form != "one by one"])
def test_a_changed_order_is_seen(form):
    found = proof({"retrieved_contexts": CHUNKS}, [FORMS[form]], PROMPTS[form](CHUNKS[::-1]))
    assert found.missing == ("retrieved_contexts",)


@pytest.mark.parametrize("form", ["joined", "JSON list", "Python list"])
def test_a_surplus_chunk_is_seen(form):
    found = proof({"retrieved_contexts": CHUNKS}, [FORMS[form]], PROMPTS[form]((*CHUNKS, "smuggled in")))
    assert found.missing == ("retrieved_contexts",)


def test_a_truncated_answer_is_seen():
    sent = [Sent(field="output", layout="answer: {text}\n")]
    assert proof({"output": ANSWER}, sent, f"answer: {ANSWER}\n") == WHOLE
    assert proof({"output": ANSWER}, sent, f"answer: {ANSWER[:40]}\n").missing == ("output",)
    assert proof({"output": ANSWER[:40]}, sent, f"answer: {ANSWER}\n").missing == ("output",)


def test_a_text_split_over_two_messages_is_not_whole():
    sent = [Sent(field="output")]
    assert proof({"output": ANSWER}, sent, ANSWER[:20], ANSWER[20:]).missing == ("output",)


def test_every_declared_place_must_hold_the_text():
    sent = [Sent(field="output", layout="first: {text}."), Sent(field="output", layout="second: {text}.")]
    assert proof({"output": "x"}, sent, "first: x.", "second: x.") == WHOLE
    assert proof({"output": "x"}, sent, "first: x.", "second: y.") == InputProof(missing=("output",))


def test_layouts_may_hold_braces_of_their_own():
    sent = [Sent(field="output", layout='{"{n}": {text}}', encoding="json")]
    assert proof({"output": "{text}"}, sent, 'x {"{n}": "{text}"} y') == WHOLE


def test_json_may_be_written_in_any_way():
    class Prompt(BaseModel):
        contexts: list[str]

    sent = [FORMS["JSON list"]]
    compact = [Sent(field="retrieved_contexts", layout='"contexts":{text}', encoding="json")]
    texts = {"retrieved_contexts": CHUNKS}
    assert proof(texts, compact, Prompt(contexts=CHUNKS).model_dump_json()) == WHOLE
    assert proof(texts, sent, json.dumps({"contexts": CHUNKS}, indent=4)) == WHOLE
    assert proof(texts, sent, json.dumps({"contexts": CHUNKS}, ensure_ascii=True)) == WHOLE
    escaped = "".join(f"\\u{ord(char):04X}" for char in "Día/1")
    assert proof({"output": "Día/1"}, [Sent(field="output", encoding="json")], f'"{escaped}"') == WHOLE


def test_a_literal_escape_is_not_the_character_it_names():
    sent = [Sent(field="output", encoding="json")]
    assert proof({"output": "a\nb"}, sent, json.dumps("a\\nb")).missing == ("output",)
    assert proof({"output": "a\\nb"}, sent, json.dumps("a\nb")).missing == ("output",)
    assert proof({"output": "a\\u000ab"}, sent, json.dumps("a\nb")).missing == ("output",)


def test_known_rewriting_is_told_apart_from_loss():
    sent = [Sent(field="output", may_rewrite=str.isdigit), Sent(field="input", may_rewrite=str.isdigit)]
    assert proof({"output": "007", "input": "x"}, sent, "7") == InputProof(missing=("input",), rewritten=("output",))
    assert proof({"output": "007", "input": "x"}, sent, "007 x") == WHOLE
    strict = [*sent, Sent(field="output", layout="again {text}")]  # here nothing may be rewritten
    assert proof({"output": "007", "input": "x"}, strict, "x").missing == ("output",)


def test_embedded_texts_are_looked_for_among_embeddings_alone():
    sent = [Sent(field="input", embedded=True), Sent(field="output")]
    texts = {"input": "Who pays?", "output": ANSWER}
    assert proof(texts, sent, ANSWER, embedded=["Who pays?"]) == WHOLE
    assert proof(texts, sent, "Who pays?", embedded=[ANSWER]).missing == ("input", "output")


def test_a_declared_text_that_the_case_lacks_is_missing():
    assert proof({}, [Sent(field="reference")], "anything").missing == ("reference",)


@given(chunks=st.lists(st.text(max_size=20), max_size=4), form=st.sampled_from(sorted(FORMS)))
def test_any_text_is_found_in_its_own_form(chunks, form):
    assert proof({"retrieved_contexts": tuple(chunks)}, [FORMS[form]], PROMPTS[form](chunks)) == WHOLE


@given(text=st.text(max_size=20), other=st.text(max_size=20))
def test_no_other_text_is_taken_for_it(text, other):
    for encoding, write in (("json", json.dumps), ("python_repr", repr)):
        sent = [Sent(field="output", layout="<{text}>", encoding=encoding)]
        assert (proof({"output": text}, sent, f"<{write(other)}>") == WHOLE) == (text == other)
