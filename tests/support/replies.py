"""A judge that always answers well, whatever it is asked: the same few items for every prompt of the frameworks."""

from __future__ import annotations

import json

from support.judge_faults import Json

_ONE = '{{"statement": "{}.", "reason": "r", "{}": {}}}'

TWO_GOOD: tuple[tuple[str, str], ...] = (
    ("Is 7 greater than 3?", '{"verdict": "yes"}'),  # the pre-flight's
    ("StatementGeneratorOutput", '{"statements": ["First.", "Second."]}'),
    (
        "NLIStatementOutput",
        f'{{"statements": [{_ONE.format("First", "verdict", 1)}, {_ONE.format("Second", "verdict", 0)}]}}',
    ),
    (
        "ContextRecallOutput",
        f'{{"classifications": [{_ONE.format("First", "attributed", 1)}, {_ONE.format("Second", "attributed", 0)}]}}',
    ),
    ('with the "truths" key', '{"truths": ["A truth."]}'),
    ('with the "claims" key', '{"claims": ["First.", "Second."]}'),
    ('with the "statements" key', '{"statements": ["First.", "Second."]}'),
    ("with the 'verdicts' key", '{"verdicts": [{"verdict": "yes", "reason": "r"}, {"verdict": "no", "reason": "r"}]}'),
    (
        "The JSON will be a list of 'verdicts', with 2 mandatory fields",
        '{"verdicts": [{"statement": "First.", "verdict": "yes"}, {"statement": "Second.", "verdict": "no"}]}',
    ),
    ("return a JSON object with two fields", '{"reason": "r", "score": 4}'),
    ("with the 'reason' key", '{"reason": "r"}'),
    ("create one or more statements from each sentence", "First.\nSecond."),
    ("Natural language inference", "Final verdict for each statement in order: Yes. No."),
    ("classify if the sentence can be attributed", "1. First. So [Attributed]\n2. Second. So [Not Attributed]"),
    ("AnswerRelevanceOutput", '{"question": "What stands here?", "noncommittal": 0}'),
    ("ContextPrecisionOutput", '{"reason": "r", "verdict": 1}'),
    ("ContextRelevanceOutput", '{"rating": 1}'),
    (
        "ClassificationWithReason",
        '{"TP": [{"statement": "First.", "reason": "r"}], "FP": [{"statement": "Second.", "reason": "r"}], "FN": []}',
    ),
    ("ClaimDecompositionOutput", '{"claims": ["First.", "Second."]}'),
    ("RubricScoreOutput", '{"feedback": "r", "score": 4}'),
    ("Generate question for the given answer", "What stands here?"),
    ("not allowed to make any changes to sentences from given context", "Insufficient Information"),
    ("You are a precise factuality evaluator", '{"category": "C", "reason": "r"}'),
    ("grading output according to a user-specified rubric", '{"reason": "r", "pass": true, "score": 4}'),
)
"""A mark of each prompt of the frameworks, and a reply in the asked-for form."""


def reply_to(request: Json, replies: tuple[tuple[str, str], ...] = TWO_GOOD) -> str:
    """Return the reply to the prompt of a request."""
    text = json.dumps(request["messages"], ensure_ascii=False).replace('\\"', '"')
    return next(reply for mark, reply in replies if mark in text)


def asked_by(request: Json) -> str:
    """Return which framework wrote the prompt of a request; the judge is never told, so the form of it decides."""
    text = str(request["messages"][-1]["content"])
    if "complies with the following schema" in text:
        return "ragas"
    return "deepeval" if text.rstrip().endswith("JSON:") else "promptfoo"
