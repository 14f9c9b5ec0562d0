"""How Ragas 0.4.3 measures the canonical metrics: data only, verified against the real framework."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from evalparity.adapters.base import Binding, CallCount, Scale, Sent, Unsupported, by_metric

# A Ragas prompt ends in `input: ` and the fields as JSON, indented by four
# (ragas/prompt/metrics/base_prompt.py).
# Each layout takes in the neighbouring key, so that a short text cannot stand for another field.
_JOIN = "\n"

_ONE_TO_FIVE = Scale(low=1, high=5)


def _field(field: str, key: str, *, after: str | None, join: str | None = _JOIN, each: bool = False) -> Sent:
    """Return where a text stands in a prompt: under a key, before another one, or last."""
    end = f',\n    "{after}": ' if after else "\n"
    layout = f'\n    "{key}": {{text}}{end}'
    return Sent(field=field, layout=layout, encoding="json", join=None if each else join, each=each)


_FAITHFULNESS = Binding(
    metric="faithfulness",
    scorer="ragas:faithfulness",
    native_name="Faithfulness",
    sent=(
        _field("input", "question", after="answer"),
        _field("output", "answer", after=None),
        _field("prompt_contexts", "context", after="statements"),
    ),
    calls=CallCount(low=1, high=2),
    closeness="same",
    differs=(
        "It divides by the number of verdicts that came back, has no verdict for an ambiguous claim, and gives "
        "no score when the judge finds no claim."
    ),
    item="claim",
    formula="share",
)

_ANSWER_RELEVANCY = Binding(
    metric="answer_relevancy",
    scorer="ragas:answer_relevancy",
    native_name="AnswerRelevancy",
    scale=Scale(cosine=True),
    sent=(Sent(field="input", embedded=True), _field("output", "response", after=None)),
    calls=CallCount(low=3, high=3),
    embedding_calls=CallCount(low=0, high=2),
    closeness="same",
    differs=(
        "It is the mean cosine between the input and three questions that the judge makes from the output, 0 "
        "when the judge calls the output noncommittal all three times; the judge never sees the input."
    ),
    item="question",
    formula="mean",
    empty_score=0.0,
)

_ANSWER_RELEVANCY_RUBRIC = Binding(
    metric="answer_relevancy",
    scorer="ragas:answer_relevancy_rubric",
    native_name="DomainSpecificRubrics",
    scale=_ONE_TO_FIVE,
    sent=(_field("input", "user_input", after="response"), _field("output", "response", after=None)),
    calls=CallCount(low=1, high=1),
    closeness="similar",
    differs="The judge rates the whole output at once, from 1 to 5, by a rubric that all frameworks share.",
    item="rating",
    formula="mean",
)

_CONTEXT_PRECISION = Binding(
    metric="context_precision",
    scorer="ragas:context_precision",
    native_name="ContextPrecisionWithReference",
    sent=(
        _field("input", "question", after="context"),
        _field("retrieved_contexts", "context", after="answer", each=True),
        _field("reference", "answer", after=None),
    ),
    calls=CallCount(low=0, high=0, per_context=1),
    closeness="same",
    differs="Each context is judged in a call of its own, which does not show the others; no context useful is 0.",
    item="context",
    formula="ranked",
)

_CONTEXT_RECALL = Binding(
    metric="context_recall",
    scorer="ragas:context_recall",
    native_name="ContextRecall",
    sent=(
        _field("input", "question", after="context"),
        _field("retrieved_contexts", "context", after="answer"),
        _field("reference", "answer", after=None),
    ),
    calls=CallCount(low=1, high=1),
    closeness="same",
    differs=(
        "One call both splits the reference and judges its statements, so the judge decides what is counted; "
        "there is no verdict for an ambiguous statement."
    ),
    item="statement",
    formula="share",
)

_CONTEXT_RELEVANCY = Binding(
    metric="context_relevancy",
    scorer="ragas:context_relevance",
    native_name="ContextRelevance",
    sent=(
        _field("input", "user_input", after="context"),
        _field("retrieved_contexts", "context", after=None),
    ),
    # None at all when the contexts, joined, stand in the input: Ragas answers 0 by itself.
    calls=CallCount(low=0, high=2),
    closeness="similar",
    differs=(
        "Two prompts rate all contexts together as 0, 1 or 2, and the mean of both counts; one relevant passage "
        "among many is enough for a 2."
    ),
    item="rating",
    formula="mean",
    empty_score=0.0,
)

_CONTEXT_UTILISATION = Binding(
    metric="context_utilisation",
    scorer="ragas:context_utilization",
    native_name="ContextUtilization",
    sent=(
        _field("input", "question", after="context"),
        _field("retrieved_contexts", "context", after="answer", each=True),
        _field("output", "answer", after=None),
    ),
    calls=CallCount(low=0, high=0, per_context=1),
    closeness="similar",
    differs=(
        "It asks of each context whether it was useful for the output and ranks: contexts that were not used cost "
        "nothing when they stand behind those that were."
    ),
    item="context",
    formula="ranked",
)

_CONTEXT_UTILISATION_RUBRIC = Binding(
    metric="context_utilisation",
    scorer="ragas:context_utilisation_rubric",
    native_name="DomainSpecificRubrics",
    scale=_ONE_TO_FIVE,
    sent=(
        _field("input", "user_input", after="response"),
        _field("output", "response", after="retrieved_contexts"),
        _field("retrieved_contexts", "retrieved_contexts", after=None, join=None),
    ),
    calls=CallCount(low=1, high=1),
    closeness="similar",
    differs="The judge rates from 1 to 5, by a rubric that all frameworks share, how many of the contexts are used.",
    item="rating",
    formula="mean",
)

_ANSWER_CORRECTNESS = Binding(
    metric="answer_correctness",
    scorer="ragas:answer_correctness",
    native_name="AnswerCorrectness",
    # A quarter of it is a cosine.
    scale=Scale(cosine=True),
    sent=(
        _field("input", "question", after="answer"),
        _field("output", "answer", after=None),
        _field("reference", "answer", after=None),
        Sent(field="output", embedded=True),
        Sent(field="reference", embedded=True),
    ),
    calls=CallCount(low=2, high=3),
    embedding_calls=CallCount(low=2, high=2),
    closeness="similar",
    differs=(
        "Three quarters are the F1 of the statements of output and reference, a quarter is the cosine of both texts, "
        "which is high for any two texts on one subject."
    ),
    item="statement",
    formula="own",
)

_FACTUAL_CORRECTNESS = Binding(
    metric="answer_correctness",
    scorer="ragas:factual_correctness",
    native_name="FactualCorrectness",
    sent=(
        _field("output", "response", after="atomicity"),
        _field("reference", "response", after="atomicity"),
    ),
    calls=CallCount(low=2, high=4),
    closeness="similar",
    differs=(
        "It is an F1 rounded to two decimals whose recall takes the claims of the output for hits, so that it is not "
        "the share of the reference's claims; the question is not sent."
    ),
    item="claim",
    formula="own",
    empty_score=0.0,
)

_ANSWER_CORRECTNESS_RUBRIC = Binding(
    metric="answer_correctness",
    scorer="ragas:answer_correctness_rubric",
    native_name="DomainSpecificRubrics",
    scale=_ONE_TO_FIVE,
    sent=(
        _field("input", "user_input", after="response"),
        _field("output", "response", after="reference"),
        _field("reference", "reference", after=None),
    ),
    calls=CallCount(low=1, high=1),
    closeness="similar",
    differs="The judge rates the output against the reference, from 1 to 5, by a rubric that all frameworks share.",
    item="rating",
    formula="mean",
)

_ANSWER_SIMILARITY = Binding(
    metric="answer_similarity",
    scorer="ragas:semantic_similarity",
    native_name="SemanticSimilarity",
    scale=Scale(cosine=True),
    sent=(Sent(field="output", embedded=True), Sent(field="reference", embedded=True)),
    embedding_calls=CallCount(low=2, high=2),
    closeness="same",
    differs="It is the canonical definition itself.",
)

_EXACT_MATCH = Binding(
    metric="exact_match",
    scorer="ragas:exact_match",
    native_name="ExactMatch",
    closeness="similar",
    differs="White space at the ends counts.",
)

_CONTAINS = Binding(
    metric="contains",
    scorer="ragas:string_presence",
    native_name="StringPresence",
    closeness="similar",
    differs="White space at the ends of the reference counts.",
)

_ROUGE_L = Binding(
    metric="rouge_l",
    scorer="ragas:rouge_score",
    native_name="RougeScore",
    closeness="similar",
    differs="Words are stemmed as English ones and are made of the letters a to z and digits alone, also in Chinese.",
)

_BLEU = Binding(
    metric="bleu",
    scorer="ragas:bleu_score",
    native_name="BleuScore",
    closeness="proxy",
    differs=(
        "Only the output's first sentence is compared, with every sentence of the reference as an alternative; a "
        "sentence of fewer than four words scores 0, and so does Chinese text."
    ),
)

_LEVENSHTEIN = Binding(
    metric="levenshtein",
    scorer="ragas:non_llm_string_similarity",
    native_name="NonLLMStringSimilarity",
    closeness="same",
    differs="It is the canonical definition itself.",
)

BINDINGS: Mapping[str, tuple[Binding, ...]] = by_metric(
    (
        _FAITHFULNESS,
        _ANSWER_RELEVANCY,
        _ANSWER_RELEVANCY_RUBRIC,
        _CONTEXT_PRECISION,
        _CONTEXT_RECALL,
        _CONTEXT_RELEVANCY,
        _CONTEXT_UTILISATION,
        _CONTEXT_UTILISATION_RUBRIC,
        _ANSWER_CORRECTNESS,
        _FACTUAL_CORRECTNESS,
        _ANSWER_CORRECTNESS_RUBRIC,
        _ANSWER_SIMILARITY,
        _EXACT_MATCH,
        _CONTAINS,
        _ROUGE_L,
        _BLEU,
        _LEVENSHTEIN,
    )
)
"""Scorers by canonical metric, the default first."""

UNSUPPORTED: Mapping[str, Unsupported] = MappingProxyType({})
"""Why there is no binding, by canonical metric."""
