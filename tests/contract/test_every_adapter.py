"""Rules that hold for every adapter; a new one is covered by its line in the registry."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from evalparity.adapters.base import Adapter, Binding
from evalparity.adapters.registry import ADAPTERS, load_adapter
from evalparity.unified_schema.metrics import METRICS
from evalparity.unified_schema.outcomes import ERROR_KINDS
from support.cases import HOSTILE_TEXTS, case, hostile_case

BOUND = [(name, binding) for name in ADAPTERS for binding in load_adapter(name).scorers()]


@pytest.fixture(params=list(ADAPTERS))
def adapter(request: pytest.FixtureRequest) -> Adapter:
    return load_adapter(request.param)


@pytest.fixture(params=BOUND, ids=[binding.scorer for _, binding in BOUND])
def bound(request: pytest.FixtureRequest) -> tuple[Adapter, Binding]:
    name, binding = request.param
    return load_adapter(name), binding


def all_texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [text for part in value for text in all_texts(part)] if isinstance(value, list | tuple) else []


def test_the_registry_names_the_adapter_as_it_names_itself(adapter: Adapter) -> None:
    assert load_adapter(adapter.name) is adapter


def test_every_metric_is_either_bound_or_explained(adapter: Adapter) -> None:
    assert set(adapter.bindings) | set(adapter.unsupported) == set(METRICS)
    assert set(adapter.bindings).isdisjoint(adapter.unsupported)
    assert all(unsupported.reason for unsupported in adapter.unsupported.values())


def test_a_binding_says_what_it_is(bound: tuple[Adapter, Binding]) -> None:
    adapter, binding = bound
    assert binding in adapter.bindings[binding.metric]
    assert binding.scorer.startswith(f"{adapter.name}:")
    assert binding.native_name
    assert binding.differs.endswith(".")
    assert binding.scale.low < binding.scale.high
    assert binding.calls.low <= binding.calls.high
    assert binding.embedding_calls.low <= binding.embedding_calls.high
    assert (binding.item is None) == (binding.formula is None)
    assert binding.lean_calls is None or binding.lean_calls.high < binding.calls.high


def test_scorers_have_names_of_their_own(adapter: Adapter) -> None:
    names = [binding.scorer for binding in adapter.scorers()]
    assert len(names) == len(set(names))


def test_a_derived_scorer_reads_the_answer_of_one_that_asks(adapter: Adapter) -> None:
    scorers = {binding.scorer: binding for binding in adapter.scorers()}
    for binding in scorers.values():
        if binding.derived_from is not None:
            base = scorers[binding.derived_from]
            assert base.derived_from is None
            assert (binding.metric, binding.sent, binding.calls) == (base.metric, base.sent, base.calls)


def test_what_a_binding_sends_is_what_the_metric_needs(bound: tuple[Adapter, Binding]) -> None:
    _, binding = bound
    assert {sent.field for sent in binding.sent} <= set(METRICS[binding.metric].requires)
    if binding.asks_judge:
        assert binding.sent, "without a declared text nothing can be proved about equal inputs"
    for sent in binding.sent:
        assert "{text}" in sent.layout


@pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS.keys())
def test_translation_is_pure_and_loses_no_text(bound: tuple[Adapter, Binding], text: str) -> None:
    adapter, binding = bound
    hostile = hostile_case("x", text)
    translated = adapter.translate(hostile, binding)

    assert adapter.translate(hostile, binding) == translated
    assert json.loads(json.dumps(translated)) == translated
    texts = all_texts(translated)
    for field in METRICS[binding.metric].requires:
        wanted = hostile.context_texts(field) if field.endswith("_contexts") else (getattr(hostile, field),)
        sends = {sent.field for sent in binding.sent} or {"output", "reference"}
        if field in sends:
            assert all(one in texts for one in wanted), field


def test_translation_uses_the_contexts_that_the_metric_judges(bound: tuple[Adapter, Binding]) -> None:
    adapter, binding = bound
    split = case(
        retrieved_contexts=[{"id": "a", "text": "retrieved only"}, {"id": "b", "text": "in the prompt"}],
        prompt_contexts=["b"],
    )
    texts = all_texts(adapter.translate(split, binding))
    contexts = METRICS[binding.metric].contexts
    assert ("in the prompt" in texts) == (contexts is not None)
    assert ("retrieved only" in texts) == (contexts == "retrieved_contexts")


def test_blank_chunks_are_left_out(bound: tuple[Adapter, Binding]) -> None:
    adapter, binding = bound
    blank = case(retrieved_contexts=["first", "  \n ", "", "second"])
    texts = all_texts(adapter.translate(blank, binding))
    assert "" not in texts
    assert "  \n " not in texts


def test_the_version_is_known_without_importing_the_framework(adapter: Adapter) -> None:
    code = (
        "import sys\n"
        "from evalparity.adapters.registry import load_adapter\n"
        f"print(load_adapter({adapter.name!r}).installed_version())\n"
        "print(sorted({'ragas', 'deepeval', 'openai', 'instructor', 'pandas'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    version, imported = done.stdout.splitlines()
    assert version[0].isdigit()
    assert imported == "[]"


def test_the_requirement_is_pinned_and_the_hint_is_a_command(adapter: Adapter) -> None:
    assert "pip install" in adapter.install_hint
    if adapter.command is not None:
        assert "==" in adapter.requirement or "@" in adapter.requirement


def test_any_exception_has_a_known_kind(adapter: Adapter) -> None:
    if adapter.error_kind is None:
        assert adapter.command is None
        return
    for type_name, message in (("Exception", ""), ("ValueError", "x"), ("", "\x00"), ("TypeError", "a" * 10_000)):
        assert adapter.error_kind(type_name, message) in ERROR_KINDS


def test_steps_have_names_of_their_own(adapter: Adapter) -> None:
    names = [step.name for step in adapter.steps]
    assert len(names) == len(set(names))
    assert bool(names) == (adapter.command is not None)
