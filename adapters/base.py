"""What an adapter is: a value that says what one framework can score, and how to ask it.

An adapter never scores by itself. It translates a case into the framework's inputs, names the command that
starts the framework in a process of its own, and reads back what that process answered. All that is known of a
framework (its prompts, scales, conventions and faults) stands in its adapter's folder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import JsonValue

from evalparity.adapters.judge.lexical import LexicalJudge
from evalparity.unified_schema.cases import EvalCase
from evalparity.unified_schema.outcomes import Closeness, Details

JsonObject = Mapping[str, JsonValue]
Encoding = Literal["plain", "json", "python_repr"]
Progress = Callable[[str], None]
"""Takes one line of progress for the user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """The framework's own scale of a score.

    Attributes:
        low: lowest raw value that means something.
        high: highest raw value.
        higher_is_better: direction.
        cosine: raw values below `low` are possible and count as `low` with the flag `below_range`.
    """

    low: float = 0.0
    high: float = 1.0
    higher_is_better: bool = True
    cosine: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """One text of the case that the framework sends to the judge, and the form in which it stands there.

    The gateway holds the calls of a cell against these: a text that is not found is reported, so that "the same
    inputs" is proved for each cell and not assumed.

    Attributes:
        field: canonical field: input, output, reference, prompt_contexts or retrieved_contexts.
        layout: the text around it in the prompt, with `{text}` where the encoded text stands; enough of it that
            a short text cannot be found by chance.
        encoding: how the text is written: `plain`, `json` (a JSON string with its quotes, non-ASCII kept) or
            `python_repr` (a Python list or string literal).
        join: what joins several contexts into one text before encoding; None: they are encoded as a list.
        may_rewrite: tells whether the framework is known to change such a text on its way.
        embedded: the text is sent to the embedding model instead of the chat model.
    """

    field: str
    layout: str = "{text}"
    encoding: Encoding = "plain"
    join: str | None = None
    may_rewrite: Callable[[str], bool] | None = None
    embedded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CallCount:
    """How many calls a cell makes: from `low` to `high`; equal where no reply can change it."""

    low: int
    high: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """How one framework measures one canonical metric.

    Attributes:
        metric: canonical metric.
        scorer: name of this scorer in reports, `framework:native_name_in_snake_case`.
        native_name: the framework's own name, as its documentation writes it.
        scale: the framework's scale.
        sent: the texts that reach the judge.
        calls: chat calls a cell makes in stock wiring.
        embedding_calls: embedding requests a cell makes.
        closeness: to the canonical definition.
        differs: one sentence on how it differs, for docs and reports.
        item: what is counted: claim, statement, sentence or question; None where nothing is counted.
        empty_score: what the framework answers when its judge finds no items; None where it has no answer.
        unclear_passes: whether an `unclear` item counts as `yes`; None where its judge cannot say unclear.
    """

    metric: str
    scorer: str
    native_name: str
    scale: Scale = Scale()
    sent: tuple[Sent, ...] = ()
    calls: CallCount = CallCount(low=0, high=0)
    embedding_calls: CallCount = CallCount(low=0, high=0)
    closeness: Closeness
    differs: str
    item: Literal["claim", "statement", "sentence", "question"] | None = None
    empty_score: float | None = None
    unclear_passes: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsupported:
    """Why a framework does not score a metric: `upstream` has none, `never` fits, or `not_yet` written here."""

    kind: Literal["upstream", "never", "not_yet"]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptStep:
    """One prompt of a framework, and how the lexical judge answers it in the asked-for form.

    Attributes:
        name: as the framework calls it (its schema or prompt name); stands in the ledger and in errors.
        answer: from the last user message of the call to the reply text.
        opening: how the prompt begins; only for frameworks that do not tell which step a call is.
    """

    name: str
    answer: Callable[[str, LexicalJudge], str]
    opening: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeReply:
    """One answered chat call of a cell, as an adapter may read it."""

    step: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a framework's answer means, before it is normalised.

    Either `raw` is a number to normalise, or `kind` says why there is none to accept. `raw` is kept in both
    cases when the framework gave one.

    Attributes:
        raw: the framework's number on its own scale; None when it gave none.
        kind: an error kind when the number must not be used.
        reason: the framework's explanation, or what went wrong and what to do.
        flags: names out of `evalparity.unified_schema.outcomes.FLAGS`.
        details: the steps behind the score.
    """

    raw: float | None = None
    kind: str | None = None
    reason: str | None = None
    flags: tuple[str, ...] = ()
    details: Details = field(default_factory=Details)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerCommand:
    """How to start a framework's process, which speaks JSON lines on standard input and output.

    Attributes:
        argv: program and arguments.
        env: variables beyond the scrubbed environment that every worker gets.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """One framework, as evalparity sees it.

    Attributes:
        name: as on the command line.
        requirement: the pinned package, `ragas==0.4.3`.
        install_hint: the command that installs it.
        bindings: by canonical metric.
        unsupported: by canonical metric, why there is no binding.
        steps: the prompts of its bindings.
        installed_version: the version that would run, or None when absent; never raises, imports no framework.
        translate: from a case and a binding to the inputs of the framework's process; pure, no input or output.
        read: from the process's answer and the judge's replies to a reading; pure.
        command: how to start the process, given a private folder; None: `read` scores the inputs itself.
        error_kind: from the name and message of an exception that the framework raised, while every call was
            answered, to a name out of `ERROR_KINDS`; pure.
        install: fetch what a Python package cannot bring (Promptfoo's Node package); does nothing when present.
        pending: what `install` has still to do, as in "fetched on first use (about 200 MB)"; None when nothing.
    """

    name: str
    requirement: str
    install_hint: str
    bindings: Mapping[str, Binding]
    unsupported: Mapping[str, Unsupported]
    installed_version: Callable[[], str | None]
    translate: Callable[[EvalCase, Binding], JsonObject]
    read: Callable[[Binding, JsonObject, Sequence[JudgeReply]], Reading]
    command: Callable[[Path], WorkerCommand] | None = None
    error_kind: Callable[[str, str], str] | None = None
    install: Callable[[Progress], None] | None = None
    pending: Callable[[], str | None] | None = None
    steps: tuple[PromptStep, ...] = ()
