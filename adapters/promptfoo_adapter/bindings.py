"""What Promptfoo 0.123.1 scores, read in its source and checked against what it sends (tests)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import NoReturn

from evalparity.adapters.base import Binding, CallCount, Scale, Sent, Unsupported, by_metric

FRAMEWORK = "promptfoo"
CONTEXT_JOIN = "\n\n"
"""How Promptfoo joins a list of contexts."""


def is_reserialised(text: str) -> bool:
    """Return whether Promptfoo may write an answer differently because it parses as JSON: `1.0` becomes `1`.

    It passes every answer through JavaScript's `JSON.parse` before it puts it into a prompt.
    """
    try:
        json.loads(text, parse_int=float, parse_constant=_refuse)  # int() would refuse 4,301 digits
    except ValueError:
        return False
    except RecursionError:
        return True
    return True


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON, though Python takes it")


_BINDINGS = (
    Binding(
        metric="faithfulness",
        scorer="promptfoo:context_faithfulness",
        native_name="context-faithfulness",
        sent=(
            Sent(field="input", layout="\nquestion:{text}\nanswer: "),
            Sent(field="output", layout="\nanswer: {text}\nstatements:\n", may_rewrite=is_reserialised),
            Sent(field="prompt_contexts", layout="\ncontext:\n{text}\nstatements:\n", join=CONTEXT_JOIN),
        ),
        calls=CallCount(low=1, high=2),  # one when the judge's first reply holds no statement
        closeness="same",
        differs="Every line of the judge's reply is a statement, and the verdicts are read from one closing line.",
        item="statement",
        formula="share",
    ),
    Binding(
        metric="context_recall",
        scorer="promptfoo:context_recall",
        native_name="context-recall",
        sent=(
            Sent(field="retrieved_contexts", layout="\ncontext:{text}\nanswer:", join=CONTEXT_JOIN),
            Sent(field="reference", layout="\nanswer:{text}\nclassification:\n"),
        ),
        calls=CallCount(low=1, high=1),
        closeness="similar",
        differs="Sentences count instead of statements, as the judge lists them; the question is not sent.",
        item="sentence",
        formula="share",
    ),
    Binding(
        metric="answer_relevancy",
        scorer="promptfoo:answer_relevance",
        native_name="answer-relevance",
        scale=Scale(cosine=True),
        sent=(
            Sent(field="input", embedded=True),
            Sent(field="output", layout="\nAnswer:{text}\nQuestion:", may_rewrite=is_reserialised),
        ),
        calls=CallCount(low=3, high=3),
        embedding_calls=CallCount(low=4, high=4),
        closeness="same",
        differs="Three questions are generated from one identical prompt; evasive answers get no special treatment.",
        item="question",
        formula="mean",
    ),
)

BINDINGS: Mapping[str, tuple[Binding, ...]] = by_metric(_BINDINGS)
"""Scorers by canonical metric, the default first."""

_NOT_YET = Unsupported(kind="not_yet", reason="evalparity does not bind it yet.")

UNSUPPORTED: Mapping[str, Unsupported] = MappingProxyType(
    {
        "context_precision": _NOT_YET,
        "context_relevancy": _NOT_YET,
        "context_utilisation": _NOT_YET,
        "answer_correctness": _NOT_YET,
        "answer_similarity": _NOT_YET,
        "contains": _NOT_YET,
        "rouge_l": _NOT_YET,
        "bleu": _NOT_YET,
        "levenshtein": _NOT_YET,
        "exact_match": Unsupported(
            kind="not_yet", reason="Promptfoo's `equals` compares strings; it is not bound here yet."
        ),
    }
)
"""Why the other metrics have no binding."""
