"""How the lexical judge answers Promptfoo's graders that ask for JSON: factuality, and llm-rubric by our rubrics."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from evalparity.adapters.judge.lexical import LexicalJudge
from evalparity.adapters.judge.lexical.ratings import correctness, on_scale, relevance, supported_share, utilisation
from evalparity.adapters.promptfoo_adapter.rubrics import LAYOUTS, SCORERS, criteria, middle
from evalparity.adapters.promptfoo_adapter.sections import between, split
from evalparity.unified_schema.rubrics import Rubric

_CLOSING = (
    "\n</submitted_answer>\n\nPlease analyze the factual relationship between these answers according to the "
    "categories you've been given."
)


def category(prompt: str, judge: LexicalJudge) -> str:
    """Return the category of factuality: A output says less than the reference, B more, C the same, D otherwise."""
    body = between(prompt, after="\n<question>\n", before=_CLOSING)
    answers, _, output = split(body.rpartition("\n</expert_answer>\n\n<submitted_answer>\n"))
    _, _, reference = split(answers.partition("\n</question>\n\n<expert_answer>\n"))
    ours, theirs = supported_share(judge, output, [reference]), supported_share(judge, reference, [output])
    letter = _CATEGORIES.get((ours == 1, theirs == 1), "D")
    said = f"{ours:.0%} of the submission's claims stand in the expert answer, {theirs:.0%} the other way round"
    return json.dumps({"category": letter, "reason": said})


_CATEGORIES: Mapping[tuple[bool, bool], str] = MappingProxyType(
    {(True, True): "C", (True, False): "A", (False, True): "B"}
)
"""By whether the reference supports all of the output, and the output all of the reference."""


def rating(prompt: str, judge: LexicalJudge) -> str:
    """Return the number that a rubric of ours asks for, with its verdict and reason."""
    for rubric in SCORERS.values():
        _, head, rest = prompt.partition(f"\n</Output>\n<Rubric>\n{criteria(rubric)}")
        if head:
            return _rate(rubric, prompt.removesuffix(head + rest).removeprefix("<Output>\n"), rest, judge)
    raise ValueError("the prompt holds no rubric of evalparity's as Promptfoo 0.123.1 writes it")


def _rate(rubric: Rubric, output: str, rest: str, judge: LexicalJudge) -> str:
    against = between(rest, after=_opening("input"), before="\n</Rubric>")
    share = _RATERS[rubric.metric](judge, output, against)
    number = on_scale(share, rubric.low, rubric.high)
    said = f"by its words, {share:.0%} of the best"
    return json.dumps({"reason": said, "pass": number >= middle(rubric), "score": number})


def _relevance(judge: LexicalJudge, output: str, against: str) -> float:
    return relevance(judge, output, against.removesuffix(_ending("input")))


def _correctness(judge: LexicalJudge, output: str, against: str) -> float:
    _, _, reference = split(against.partition(_ending("input") + _opening("reference")))
    return correctness(judge, output, reference.removesuffix(_ending("reference")))


def _utilisation(judge: LexicalJudge, output: str, against: str) -> float:
    name = "retrieved_contexts"
    _, _, listed = split(against.partition(_ending("input") + _opening(name)))
    contexts: Sequence[str] = listed.removesuffix(_ending(name)).split(_ending(name) + _opening(name))
    return utilisation(judge, output, contexts)


_RATERS: Mapping[str, Callable[[LexicalJudge, str, str], float]] = MappingProxyType(
    {"answer_relevancy": _relevance, "answer_correctness": _correctness, "context_utilisation": _utilisation}
)


def _opening(field: str) -> str:
    return LAYOUTS[field].partition("{text}")[0]


def _ending(field: str) -> str:
    return LAYOUTS[field].partition("{text}")[2]
