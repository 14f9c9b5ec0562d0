"""Which canonical metrics DeepEval 4.3.1 measures, and how: pure data, no framework import.

The texts around `{text}` are those of DeepEval's own prompts; call counts and conventions were seen in runs
of the real framework and are held by `tests/unit/deepeval_adapter`. In lean wiring metrics are asked for no reason,
which is one call less each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from types import MappingProxyType

from evalparity.adapters.base import Binding, CallCount, Sent, Unsupported, by_metric
from evalparity.adapters.deepeval_adapter.rubrics import RATINGS, TITLES, Rating
from evalparity.unified_schema.outcomes import Closeness

_FAITHFULNESS = Binding(
    metric="faithfulness",
    scorer="deepeval:faithfulness",
    native_name="FaithfulnessMetric",
    # No prompt of this metric holds the question, so `input` is not listed.
    sent=(
        Sent(field="output", layout="AI Output:\n{text}\n\nJSON:"),
        Sent(field="prompt_contexts", layout="Text:\n{text}\n\nJSON:", join="\n\n"),
    ),
    calls=CallCount(low=3, high=4),
    lean_calls=CallCount(low=2, high=3),
    closeness="similar",
    differs=(
        "Checks each claim against facts drawn from the contexts first, and lets a claim pass that they "
        "neither support nor deny (`borderline`)."
    ),
    item="claim",
    formula="share",
    empty_score=1.0,
    unclear_passes=True,
)

_FAITHFULNESS_STRICT = replace(
    _FAITHFULNESS,
    scorer="deepeval:faithfulness_strict",
    native_name="FaithfulnessMetric(penalize_ambiguous_claims=True)",
    derived_from=_FAITHFULNESS.scorer,
    differs=(
        "The same verdicts as deepeval:faithfulness at no call of its own, but a claim that the facts drawn from the "
        "contexts neither support nor deny (`borderline`) does not pass."
    ),
    unclear_passes=False,
)

_CONTEXTUAL_PRECISION = Binding(
    metric="context_precision",
    scorer="deepeval:contextual_precision",
    native_name="ContextualPrecisionMetric",
    sent=(
        Sent(field="input", layout="Input:\n{text}\n\nExpected output:"),
        Sent(field="reference", layout="Expected output:\n{text}\n\nRetrieval Context "),
        # Before it stands how many there are.
        Sent(field="retrieved_contexts", layout="):\n{text}\n\nJSON:", encoding="python_repr"),
    ),
    calls=CallCount(low=2, high=2),
    lean_calls=CallCount(low=1, high=1),
    closeness="same",
    differs="One reply judges all contexts together; one that was remotely useful counts.",
    item="context",
    formula="ranked",
)

_CONTEXTUAL_RECALL = Binding(
    metric="context_recall",
    scorer="deepeval:contextual_recall",
    native_name="ContextualRecallMetric",
    # DeepEval demands the question for this metric but no prompt holds it.
    sent=(
        Sent(field="reference", layout="Expected Output:\n{text}\n\nRetrieval Context:"),
        Sent(field="retrieved_contexts", layout="Retrieval Context:\n{text}\n\nJSON:", encoding="python_repr"),
    ),
    calls=CallCount(low=2, high=2),
    lean_calls=CallCount(low=1, high=1),
    closeness="similar",
    differs="The judge splits the reference into sentences itself and does not say which verdict is whose.",
    item="sentence",
    formula="share",
    empty_score=0.0,
)

_CONTEXTUAL_RELEVANCY = Binding(
    metric="context_relevancy",
    scorer="deepeval:contextual_relevancy",
    native_name="ContextualRelevancyMetric",
    sent=(
        Sent(field="input", layout="Input:\n{text}\n\nContext:"),
        Sent(field="retrieved_contexts", layout="Context:\n{text}\n\nJSON:", each=True),
    ),
    calls=CallCount(low=1, high=1, per_context=1),
    lean_calls=CallCount(low=0, high=0, per_context=1),
    closeness="similar",
    differs=(
        "The share of relevant statements among all that the judge finds in the contexts, one call per context: a "
        "context with many statements weighs more."
    ),
    item="statement",
    formula="share",
    empty_score=0.0,
)

_ANSWER_RELEVANCY = Binding(
    metric="answer_relevancy",
    scorer="deepeval:answer_relevancy",
    native_name="AnswerRelevancyMetric",
    sent=(
        # What follows the question differs between the two prompts that hold it.
        Sent(field="input", layout="Input:\n{text}\n\n"),
        Sent(field="output", layout="Text:\n{text}\n\nJSON:"),
    ),
    calls=CallCount(low=2, high=3),
    lean_calls=CallCount(low=1, high=2),
    closeness="similar",
    differs=(
        "The share of the output's statements that address the question; a statement that may only "
        "support the answer (`borderline`) passes."
    ),
    item="statement",
    formula="share",
    empty_score=1.0,
    unclear_passes=True,
)

_EXACT_MATCH = Binding(
    metric="exact_match",
    scorer="deepeval:exact_match",
    native_name="ExactMatchMetric",
    closeness="same",
    differs="As the canonical definition: white space at both ends is removed, case counts.",
)


def _rated(scorer: str, differs: str, closeness: Closeness = "similar") -> Binding:
    """Return the binding of one use of GEval, whose reply holds the rating and its reason."""
    rating = RATINGS[scorer]
    return Binding(
        metric=rating.metric,
        scorer=scorer,
        native_name="GEval",
        sent=_sent(rating),
        calls=CallCount(low=1, high=1),
        closeness=closeness,
        differs=differs,
        item="rating",
        formula="mean",
    )


def _sent(rating: Rating) -> tuple[Sent, ...]:
    """Return the fields under the headings of GEval's test case, each up to the next."""
    headings = (*(f"{TITLES[name]}:" for name in rating.fields), "\n\nParameters:")
    return tuple(
        Sent(
            field=name,
            layout=f"{heading}\n{{text}} \n\n{following}",
            encoding="python_repr" if name.endswith("_contexts") else "plain",
        )
        for name, (heading, following) in zip(rating.fields, pairwise(headings), strict=True)
    )


BINDINGS: Mapping[str, tuple[Binding, ...]] = by_metric(
    (
        _FAITHFULNESS,
        _FAITHFULNESS_STRICT,
        _ANSWER_RELEVANCY,
        _rated(
            "deepeval:answer_relevancy_rubric",
            "The judge rates the whole output from 1 to 5 by a rubric instead of judging statements one by one.",
        ),
        _CONTEXTUAL_PRECISION,
        _CONTEXTUAL_RECALL,
        _CONTEXTUAL_RELEVANCY,
        _rated(
            "deepeval:context_utilisation_rubric",
            "The judge rates all contexts together from 1 to 5 by a rubric, the order of the contexts left aside.",
        ),
        _rated(
            "deepeval:g_eval_answer_correctness",
            "The judge rates the whole output on GEval's own scale of 0 to 10, by fixed steps that hold the levels of "
            "the rubric.",
        ),
        _rated(
            "deepeval:answer_correctness_rubric",
            "The judge rates the whole output from 1 to 5 by a rubric, in the words that every framework gets.",
        ),
        _EXACT_MATCH,
    )
)
"""Scorers by canonical metric, the default first."""


def _none_of(reason: str) -> Unsupported:
    return Unsupported(kind="upstream", reason=reason)


UNSUPPORTED: Mapping[str, Unsupported] = MappingProxyType(
    {
        "answer_similarity": _none_of("DeepEval has no metric that compares embeddings."),
        "contains": _none_of(
            "DeepEval has no metric that looks for a text inside the output: PatternMatchMetric demands that the whole "
            "output matches a pattern."
        ),
        "rouge_l": _none_of(
            "DeepEval has no ROUGE metric, only a function outside its metrics (deepeval.scorer), which needs the "
            "package rouge-score that DeepEval does not bring."
        ),
        "bleu": _none_of(
            "DeepEval has no BLEU metric, only a function outside its metrics (deepeval.scorer), which needs the "
            "package nltk and its data that DeepEval does not bring."
        ),
        "levenshtein": _none_of("DeepEval has no metric of edit distance."),
    }
)
"""Why a canonical metric has no binding here."""
