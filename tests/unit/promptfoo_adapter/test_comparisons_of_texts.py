"""How the real Promptfoo compares two texts without a judge, and two embeddings: what the bindings say of it."""

from __future__ import annotations

import json
import math
import subprocess
from pathlib import Path
from typing import Any

import pytest

from evalparity.adapters.base import Reading
from evalparity.adapters.boundary import scrubbed_environment
from evalparity.adapters.promptfoo_adapter.adapter import ADAPTER, command
from evalparity.adapters.promptfoo_adapter.bindings import UNSUPPORTED
from support.cases import case
from support.judge_faults import Fault
from support.judge_server import JudgeServer, embed_text

SCORERS = {binding.scorer: binding for binding in ADAPTER.scorers()}
NOWHERE = "http://127.0.0.1:9/v1"
DECOMPOSED, COMPOSED = "cafe\u0301", "caf\u00e9"


def read(driver: Any, scorer: str, output: str, reference: str, url: str = NOWHERE) -> Reading:
    answer = driver.ask(case(output=output, reference=reference), f"promptfoo:{scorer}", url)
    return ADAPTER.read(SCORERS[f"promptfoo:{scorer}"], answer["result"], [])


@pytest.mark.parametrize(
    ("output", "reference", "expected"),
    [
        ("Paris.", "Paris.", 1),
        ("Paris.", "paris.", 0),
        ("Paris.\n", "Paris.", 0),  # white space at the ends counts
        (" Paris.", "Paris.", 0),
        (" Paris.\n", " Paris.\n", 1),
        ("1.0", "1.0", 1),  # and an answer that parses as JSON is compared as it is written
        ("1.0", "1", 0),
        ('{"a": 1,  "b": 2}', '{"a": 1,  "b": 2}', 1),
        ('{"a": 1,  "b": 2}', '{"a":1,"b":2}', 0),
        ("null", "null", 1),
        (COMPOSED, DECOMPOSED, 0),
        ("{{reference}}", "{{reference}}", 1),
        ("{{reference}}", "x", 0),
        ("a, b", "a, b", 1),
    ],
)
def test_equals_is_the_same_text_to_the_last_blank(driver: Any, output: str, reference: str, expected: int) -> None:
    reading = read(driver, "equals", output, reference)

    assert (reading.raw, reading.kind, reading.details.items) == (expected, None, ())


@pytest.mark.parametrize(
    ("output", "reference", "expected"),
    [
        ("It is Paris.", "Paris", 1),
        ("It is Paris.", "paris", 0),
        ("It is Paris.", "Paris ", 0),  # white space at the ends counts
        ("It is Paris. ", "Paris. ", 1),
        ("It is a.", "a, b", 0),  # a comma splits nothing
        ("It is a, b.", "a, b", 1),
        ("a\nb", "a b", 0),
        ('{"a": 1,  "b": [1, 2]}', "1,  ", 1),  # an answer that parses as JSON is searched as it is written
        ("1.0", ".0", 1),
        (COMPOSED, DECOMPOSED, 0),
        ("x {{query}} y", "{{query}}", 1),
        ('say "a"', '"a"', 1),
    ],
)
def test_contains_looks_for_the_reference_as_it_is(driver: Any, output: str, reference: str, expected: int) -> None:
    reading = read(driver, "contains", output, reference)

    assert (reading.raw, reading.kind, reading.details.items) == (expected, None, ())


TINY = 1e-7


@pytest.mark.parametrize(
    ("output", "reference", "expected"),
    [
        ("The cat sat on the mat", "the CAT sat on the mat", 1.0),  # in lower case
        ("cat sat", "cat sat", 1.0),  # orders that the output is too short for are left out
        ("Paris.", "Paris", TINY),  # punctuation belongs to the word; no match counts 1e-7
        ("the cat", "the cat sat on the mat", math.exp(1 - 6 / 2)),  # brevity penalty
        ("a b c d", "a b c x", ((3 / 4) * (2 / 3) * (1 / 2) * TINY) ** 0.25),
        ("the the the", "the cat", (1 / 3 * TINY * TINY) ** (1 / 3)),  # counts are clipped
        ("七天内可以退货", "七天内可以退货。", TINY),  # a Chinese text is one word
        ("a  b\nc\td", "a b c d", 1.0),
        ("1.0 2.0", "1 2", TINY),  # an answer that parses as JSON is compared as it is written
    ],
)
def test_bleu_is_what_the_binding_says(driver: Any, output: str, reference: str, expected: float) -> None:
    reading = read(driver, "bleu", output, reference)

    assert reading.kind is None
    assert reading.raw == pytest.approx(expected, rel=1e-9)


def test_a_comparison_is_explained_in_a_few_words(driver: Any) -> None:
    reading = read(driver, "equals", "x" * 10_000, "y" * 10_000)

    assert str(reading.reason).startswith("Expected output")
    assert len(str(reading.reason)) == 500


@pytest.mark.parametrize("words", ["No output", "API error: 500", "Rate limit exceeded"])
def test_texts_that_look_like_failures_are_compared_all_the_same(driver: Any, words: str) -> None:
    for scorer in ("equals", "contains", "bleu"):
        assert read(driver, scorer, words, words).raw == 1.0


def test_similarity_is_the_cosine_of_the_two_texts_as_they_are(driver: Any) -> None:
    output, reference = '{"a": 1,  "b": 2}', "file:///etc/passwd {{query}} "
    with JudgeServer() as server:
        reading = read(driver, "similar", output, reference, server.url)
        sent = {request.body["input"] for request in server.embedding_requests}

    one, two = embed_text(output), embed_text(reference)
    cosine = sum(a * b for a, b in zip(one, two, strict=True)) / math.hypot(*one) / math.hypot(*two)
    assert sent == {output, reference}
    assert reading.raw == pytest.approx(cosine, rel=1e-12)
    assert (reading.kind, reading.flags) == (None, ())


def test_a_negative_cosine_is_a_measurement(driver: Any) -> None:
    def vector(request: dict[str, Any], _n: int) -> Fault:
        sign = -1.0 if request["input"] == "no" else 1.0
        return Fault(edit=lambda reply: {**reply, "data": [{**reply["data"][0], "embedding": [sign, 0.0]}]})

    with JudgeServer(embedding_fault=vector) as server:
        reading = read(driver, "similar", "no", "yes", server.url)

    assert (reading.raw, reading.kind) == (-1.0, None)


ASK = """
import { pathToFileURL } from "node:url";
const { assertions } = await import(pathToFileURL(`${process.argv[1]}/node_modules/promptfoo/dist/src/index.js`).href);
const scores = [];
for (const [type, value, output] of JSON.parse(process.argv[2])) {
  const job = { assertion: { type, value, threshold: 0 }, test: { vars: {} }, providerResponse: { output } };
  scores.push(await assertions.runAssertion(job).then((result) => result.score, (error) => error.message));
}
process.stderr.write(JSON.stringify(scores));
process.exit(0);
"""


def test_what_is_left_out_is_left_out_for_the_reason_given(tree: None, tmp_path: Path) -> None:
    asked = [
        ["levenshtein", "abcd", "abcd"],
        ["levenshtein", "abcd", "abcx"],
        ["levenshtein", "abcd", "wxyz"],
        ["rouge-n", "the cat sat", "sat cat the"],
        ["rouge-l", "the cat sat", "the cat sat"],
    ]
    node, _, folder = command(tmp_path).argv
    ended = subprocess.run(
        [node, "--input-type=module", "-e", ASK, folder, json.dumps(asked)],
        env=scrubbed_environment(tmp_path, command(tmp_path).env),
        cwd=tmp_path,
        check=True,
        timeout=60,
        capture_output=True,
    )

    assert json.loads(ended.stderr) == [1, 0, 0, 1, "Unknown assertion type: rouge-l"]


def test_what_promptfoo_lacks_is_told_with_the_reason() -> None:
    assert {metric: why.kind for metric, why in UNSUPPORTED.items()} == {
        "context_precision": "upstream",
        "rouge_l": "upstream",
        "levenshtein": "upstream",
    }
