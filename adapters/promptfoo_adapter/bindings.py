"""What Promptfoo 0.123.1 scores, read in its source and checked against what it sends (tests)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import NoReturn

from evalparity.adapters.base import Binding, CallCount, Scale, Sent, Unsupported, by_metric
from evalparity.adapters.promptfoo_adapter.rubrics import LAYOUTS, SCORERS

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


_ONE_CALL = CallCount(low=1, high=1)


def _rubric(metric: str) -> Binding:
    """Return the rating by the rubric of a metric, in the words that every framework's judge gets."""
    scorer = f"{FRAMEWORK}:{metric}_rubric"
    rubric = SCORERS[scorer]
    return Binding(
        metric=metric,
        scorer=scorer,
        native_name="llm-rubric",
        scale=Scale(low=rubric.low, high=rubric.high),
        sent=tuple(
            Sent(
                field=field,
                layout=LAYOUTS[field],
                each=field.endswith("_contexts"),
                may_rewrite=is_reserialised if field == "output" else None,
            )
            for field in rubric.fields
        ),
        calls=_ONE_CALL,
        closeness="similar",
        differs=(
            f"The judge rates the output as a whole on evalparity's scale of {rubric.low} to {rubric.high}; Promptfoo "
            "takes the number as it is."
        ),
        item="rating",
        formula="mean",
    )


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
        calls=_ONE_CALL,
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
    Binding(
        metric="context_relevancy",
        scorer="promptfoo:context_relevance",
        native_name="context-relevance",
        sent=(
            Sent(field="input", layout="\nquery: {text}\ncontext: "),
            Sent(field="retrieved_contexts", layout="\ncontext: {text}\ncandidate sentences:\n", join=CONTEXT_JOIN),
        ),
        calls=_ONE_CALL,
        closeness="similar",
        differs=(
            "The judge copies out the sentences that answering takes; their number, one per line of its reply, is "
            "divided by the number of contexts, so two sentences of one context count like two contexts."
        ),
        item="sentence",
        formula="own",
        empty_score=0.0,
    ),
    _rubric("context_utilisation"),
    Binding(
        metric="answer_correctness",
        scorer="promptfoo:factuality",
        native_name="factuality",
        sent=(
            Sent(field="input", layout="\n<question>\n{text}\n</question>\n"),
            Sent(field="reference", layout="\n<expert_answer>\n{text}\n</expert_answer>\n"),
            Sent(
                field="output",
                layout="\n<submitted_answer>\n{text}\n</submitted_answer>\n",
                may_rewrite=is_reserialised,
            ),
        ),
        calls=_ONE_CALL,
        closeness="similar",
        differs=(
            "The judge names one of five categories; only a disagreement scores 0, and an output that says less or "
            "more than the reference without contradicting it scores 1 like one that says the same."
        ),
        item="rating",
        formula="own",  # a weight for each category, no number that the judge gave
    ),
    _rubric("answer_correctness"),
    _rubric("answer_relevancy"),
    Binding(
        metric="answer_similarity",
        scorer="promptfoo:similar",
        native_name="similar",
        scale=Scale(cosine=True),
        sent=(Sent(field="output", embedded=True), Sent(field="reference", embedded=True)),
        embedding_calls=CallCount(low=2, high=2),
        closeness="same",
        differs="It is the canonical definition itself.",
    ),
    Binding(
        metric="exact_match",
        scorer="promptfoo:equals",
        native_name="equals",
        closeness="similar",
        differs="White space at both ends counts: an output that ends with a line feed does not equal its reference.",
    ),
    Binding(
        metric="contains",
        scorer="promptfoo:contains",
        native_name="contains",
        closeness="similar",
        differs="White space at both ends of the reference counts: it must stand in the output as well.",
    ),
    Binding(
        metric="bleu",
        scorer="promptfoo:bleu",
        native_name="bleu",
        closeness="similar",
        differs=(
            "Words are what stands between white space, in lower case with their punctuation, so a Chinese text is one "
            "word; orders that the output is too short for are left out, and an order without a match counts 0.0000001."
        ),
    ),
)

BINDINGS: Mapping[str, tuple[Binding, ...]] = by_metric(_BINDINGS)
"""Scorers by canonical metric, the default first."""

UNSUPPORTED: Mapping[str, Unsupported] = MappingProxyType(
    {
        "context_precision": Unsupported(
            kind="upstream", reason="Promptfoo has no metric that looks at the order of the contexts."
        ),
        "rouge_l": Unsupported(
            kind="upstream", reason="Promptfoo's only ROUGE, `rouge-n`, is ROUGE-1: single words, in any order."
        ),
        "levenshtein": Unsupported(
            kind="upstream",
            reason="Promptfoo's `levenshtein` passes or fails on a number of edits and gives no similarity.",
        ),
    }
)
"""Why the other metrics have no binding."""
