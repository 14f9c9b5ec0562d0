"""What an adapter is: a value that says what one framework can score, and how to ask it.

An adapter never scores by itself. It translates a case into the framework's inputs, names the command that
starts the framework in a process of its own, and reads back what that process answered. All that is known of a
framework (its prompts, scales, conventions and faults) stands in its adapter's folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from pydantic import JsonValue

from evalparity.adapters.exchange import FrameworkFiles
from evalparity.adapters.judge.lexical import LexicalJudge
from evalparity.unified_schema.cases import EvalCase
from evalparity.unified_schema.outcomes import Closeness, Details, ItemKind

JsonObject = Mapping[str, JsonValue]
Encoding = Literal["plain", "json", "python_repr"]
Formula = Literal["share", "mean", "ranked", "own"]
Wiring = Literal["stock", "lean"]
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
        each: every context stands in a text of its own, each with the layout around it, instead of in one list.
    """

    field: str
    layout: str = "{text}"
    encoding: Encoding = "plain"
    join: str | None = None
    may_rewrite: Callable[[str], bool] | None = None
    embedded: bool = False
    each: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CallCount:
    """How many calls a cell makes: from `low` to `high`; equal where no reply can change it.

    Attributes:
        low: fewest calls, those for contexts left out.
        high: most calls, those for contexts left out.
        per_context: so many more for each context that is judged.
    """

    low: int
    high: int
    per_context: int = 0

    @property
    def none(self) -> bool:
        """Return whether no cell makes any such call."""
        return self.high == 0 and self.per_context == 0

    def of(self, contexts: int) -> CallCount:
        """Return the calls of a cell with so many contexts, blank ones left out."""
        more = self.per_context * contexts
        return CallCount(low=self.low + more, high=self.high + more)


NO_CALLS = CallCount(low=0, high=0)


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
        lean_calls: chat calls in lean wiring; None: the same.
        embedding_calls: embedding requests a cell makes.
        closeness: to the canonical definition.
        differs: one sentence on how it differs, for docs and reports.
        item: what the judge looks at one by one; None where no steps are visible.
        formula: how the score follows from the items: the `share` of passing ones, the `mean` of their numbers,
            passing ones `ranked` (the mean of precision@k over the ranks k of passing items), or a formula of its
            `own`; None where there are no items.
        empty_score: what the framework answers when its judge finds no items; None where it has no answer.
        unclear_passes: whether an `unclear` item counts as `yes`; None where its judge cannot say unclear.
        derived_from: the scorer whose answer this one reads in another way, at no call of its own where both run;
            None: it asks by itself.
    """

    metric: str
    scorer: str
    native_name: str
    scale: Scale = Scale()
    sent: tuple[Sent, ...] = ()
    calls: CallCount = NO_CALLS
    lean_calls: CallCount | None = None
    embedding_calls: CallCount = NO_CALLS
    closeness: Closeness
    differs: str
    item: ItemKind | None = None
    formula: Formula | None = None
    empty_score: float | None = None
    unclear_passes: bool | None = None
    derived_from: str | None = None

    @property
    def asks_judge(self) -> bool:
        """Return whether a cell makes any chat or embedding call."""
        return not (self.calls.none and self.embedding_calls.none)

    @property
    def asked_scorer(self) -> str:
        """Return the scorer that the framework's process is asked for."""
        return self.derived_from or self.scorer

    def calls_in(self, wiring: Wiring) -> CallCount:
        """Return the chat calls of a cell in this wiring."""
        return self.calls if wiring == "stock" or self.lean_calls is None else self.lean_calls


def by_metric(bindings: Iterable[Binding]) -> Mapping[str, tuple[Binding, ...]]:
    """Return the bindings of an adapter by canonical metric, in the order given: the first is the default."""
    table: dict[str, list[Binding]] = {}
    for binding in bindings:
        table.setdefault(binding.metric, []).append(binding)
    return MappingProxyType({metric: tuple(own) for metric, own in table.items()})


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
        bindings: by canonical metric, its scorers; the first is the default.
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
        files: the framework's own files: which become suites or scores, and which a suite can be written to.
    """

    name: str
    requirement: str
    install_hint: str
    bindings: Mapping[str, tuple[Binding, ...]]
    unsupported: Mapping[str, Unsupported]
    installed_version: Callable[[], str | None]
    translate: Callable[[EvalCase, Binding], JsonObject]
    read: Callable[[Binding, JsonObject, Sequence[JudgeReply]], Reading]
    command: Callable[[Path], WorkerCommand] | None = None
    error_kind: Callable[[str, str], str] | None = None
    install: Callable[[Progress], None] | None = None
    pending: Callable[[], str | None] | None = None
    steps: tuple[PromptStep, ...] = ()
    files: FrameworkFiles = field(default_factory=FrameworkFiles)

    def binding(self, metric: str) -> Binding:
        """Return the default scorer of a canonical metric.

        Raises:
            KeyError: the framework does not measure it.
        """
        return self.bindings[metric][0]

    def why_not(self, metric: str) -> Unsupported:
        """Return why the framework does not score a metric; a metric that the adapter does not know is `not_yet`."""
        unknown = Unsupported(kind="not_yet", reason=f"the adapter of {self.name} does not know this metric.")
        return self.unsupported.get(metric, unknown)

    def scorers(self) -> tuple[Binding, ...]:
        """Return all bindings, in the order of the table."""
        return tuple(binding for own in self.bindings.values() for binding in own)
