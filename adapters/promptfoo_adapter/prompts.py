"""Promptfoo's prompts, as far as the lexical judge must know them: where the fields stand, what form is asked for.

Promptfoo puts the fields between fixed texts. Its worked examples hold the same markers, so a field is looked for
behind the last words of the examples only.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from evalparity.adapters.base import PromptStep
from evalparity.adapters.judge.lexical import LexicalJudge
from evalparity.adapters.promptfoo_adapter.bindings import CONTEXT_JOIN
from evalparity.adapters.promptfoo_adapter.extraction import NOTHING_FOUND
from evalparity.adapters.promptfoo_adapter.graders import category, rating
from evalparity.adapters.promptfoo_adapter.sections import between, one_line, split

FINAL_VERDICTS = "Final verdict for each statement in order:"
"""Behind these words Promptfoo reads the verdicts, one between every two full stops."""

NO_STATEMENTS = "\ufeff"
"""A line that Promptfoo's trim() empties, so that it finds no statement; an empty reply would be a failed call."""

_ATTRIBUTION_MARK = re.compile(r"\[(\s*(?:not\s+)?attributed\s*)\]", re.IGNORECASE)
_VERDICT_MARK = re.compile(r"\b(verdict[^:\n]*|explanation\s*):", re.IGNORECASE)


def _question(prompt: str, judge: LexicalJudge) -> str:
    answer = between(prompt, after=" launched from?\n\nAnswer:", before="\nQuestion:")
    return judge.question_for(answer)


def _relevant_sentences(prompt: str, judge: LexicalJudge) -> str:
    body = between(prompt, after=" sentences from given context.\n\nquery: ", before="\ncandidate sentences:\n")
    question, _, context = split(body.partition("\ncontext: "))
    sentences = [sentence for passage in _premises(context) for sentence in judge.split_sentences(passage)]
    relevant = [one_line(s) for s in sentences if judge.judge_relevance(s, question).label == "yes"]
    return "\n".join(relevant) or NOTHING_FOUND


def _attributions(prompt: str, judge: LexicalJudge) -> str:
    body = between(prompt, after=" So [Not Attributed]\n\ncontext:", before="\nclassification:\n")
    # The last marker: passages of several lines hold it more often than reference answers do.
    context, _, reference = split(body.rpartition("\nanswer:"))
    premises = _premises(context)
    sentences = judge.split_sentences(reference) or [reference]
    return "\n".join(
        f"{number}. {_attribution(sentence, premises, judge)}" for number, sentence in enumerate(sentences, 1)
    )


def _attribution(sentence: str, premises: list[str], judge: LexicalJudge) -> str:
    judgement = judge.judge_claim(sentence, premises)
    mark = "[Attributed]" if judgement.label == "supported" else "[Not Attributed]"
    said = _ATTRIBUTION_MARK.sub(r"(\1)", f"{one_line(sentence)} {one_line(judgement.reason)}")
    return f"{said} So {mark}"


def _statements(prompt: str, judge: LexicalJudge) -> str:
    body = between(prompt, after=" were from different countries.\nquestion:", before="\nstatements:\n")
    _, _, answer = split(body.partition("\nanswer: "))
    return "\n".join(filter(None, map(one_line, judge.split_claims(answer)))) or NO_STATEMENTS


def _verdicts(prompt: str, judge: LexicalJudge) -> str:
    body = between(prompt, after=f"{FINAL_VERDICTS} No. No. Yes. No. Yes.\ncontext:\n", before="\nAnswer:\n")
    context, _, listed = split(body.rpartition("\nstatements:\n"))
    premises = _premises(context)
    judgements = [judge.judge_claim(statement, premises) for statement in listed.split("\n")]
    words = ["Yes." if judgement.label == "supported" else "No." for judgement in judgements]
    # The statement is not repeated: its text might hold the marks that Promptfoo looks for.
    lines = [
        f"{number}. Explanation: {_explanation(judgement.reason)} Verdict: {word}"
        for number, (judgement, word) in enumerate(zip(judgements, words, strict=True), 1)
    ]
    return "\n".join([*lines, f"{FINAL_VERDICTS} {' '.join(words)}"])


def _premises(context: str) -> list[str]:
    return [passage for passage in context.split(CONTEXT_JOIN) if passage.strip()]


def _explanation(reason: str) -> str:
    return _VERDICT_MARK.sub(r"\1 -", one_line(reason))


def _step(name: str, opening: str, answer: Callable[[str, LexicalJudge], str]) -> PromptStep:
    return PromptStep(name=name, opening=opening, answer=answer)


STEPS: tuple[PromptStep, ...] = (
    _step("answer-relevance", "Generate question for the given answer.\nAnswer:", _question),
    _step("context-relevance", "Please extract relevant sentences from the provided context", _relevant_sentences),
    _step("factuality", "I need you to compare these answers:\n\n<question>\n", category),
    _step("llm-rubric", "<Output>\n", rating),
    _step("context-recall", "Given a context, and an answer, analyze each sentence in the answer", _attributions),
    _step("context-faithfulness-longform", "Given a question and answer, create one or more statements", _statements),
    _step("context-faithfulness-nli", "Prompt: Natural language inference\nConsider the given context", _verdicts),
)
"""Every prompt of the bound metrics, under the label that Promptfoo gives the call."""
