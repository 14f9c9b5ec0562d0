"""Which prompt of which framework a text is, and a well-formed answer to it by the lexical judge.

Frameworks that run on their own tell nobody which step a call is, so a prompt is known by words that no other has.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from evalparity.adapters.base import PromptStep
from evalparity.adapters.judge.lexical.judge import LEXICAL_JUDGE
from evalparity.adapters.registry import load_adapter

_PHRASES = {
    "ragas": {
        # Its older metrics, which `evaluate` runs, call the same two schemas by other names.
        '"title": "StatementGeneratorOutput"': "StatementGeneratorOutput",
        '"title": "NLIStatementOutput"': "NLIStatementOutput",
        '"title": "ContextRecallOutput"': "ContextRecallOutput",
        '"title": "ContextRecallClassifications"': "ContextRecallOutput",
        '"title": "AnswerRelevanceOutput"': "AnswerRelevanceOutput",
        '"title": "ResponseRelevanceOutput"': "AnswerRelevanceOutput",
    },
    "deepeval": {
        "Based on the given text, please generate a comprehensive list of FACTUAL": "FaithfulnessMetric.Truths",
        "Based on the given text, please extract a comprehensive list of FACTUAL": "FaithfulnessMetric.Claims",
        "Based on the given claims, which is a list of strings": "FaithfulnessMetric.Verdicts",
        "Below is a list of Contradictions.": "FaithfulnessMetric.FaithfulnessScoreReason",
        "Given the text, breakdown and generate a list of statements": "AnswerRelevancyMetric.Statements",
        "For the provided list of statements, determine whether": "AnswerRelevancyMetric.Verdicts",
        "Given the answer relevancy score,": "AnswerRelevancyMetric.AnswerRelevancyScoreReason",
        "For EACH sentence in the given expected output": "ContextualRecallMetric.Verdicts",
        "Given the original expected output,": "ContextualRecallMetric.ContextualRecallScoreReason",
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A prompt of a framework."""

    framework: str
    step: PromptStep


def _known_phrases() -> list[tuple[str, Known]]:
    found: list[tuple[str, Known]] = []
    for framework, phrases in _PHRASES.items():
        steps = {step.name: step for step in load_adapter(framework).steps}
        found += [(phrase, Known(framework=framework, step=steps[name])) for phrase, name in phrases.items()]
    # Promptfoo's own prompts are known by how they open.
    openings = [step for step in load_adapter("promptfoo").steps if step.opening]
    return found + [(str(step.opening), Known(framework="promptfoo", step=step)) for step in openings]


_KNOWN = _known_phrases()


@lru_cache(maxsize=16384)
def answer(prompt: str) -> tuple[str, str] | None:
    """Return whose prompt it is and the lexical judge's answer; None for an unknown prompt.

    Answers are kept, so that the judge costs the less the later a run comes: the first run has it hardest.
    """
    known = next((known for phrase, known in _KNOWN if phrase in prompt), None)
    return None if known is None else (known.framework, known.step.answer(prompt, LEXICAL_JUDGE))
