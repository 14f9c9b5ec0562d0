"""Reasoning models take other parameters than the rest."""

import pytest

from evalparity.adapters.judge.enforcement import enforce_chat
from evalparity.adapters.judge.settings import JudgeSettings

MESSAGES = [{"role": "user", "content": "x"}]


@pytest.mark.parametrize("model", ["o1", "o1-mini", "o3", "o4-mini", "gpt-5", "gpt-5.1-nano", "openai/o3", "a/b/gpt-5"])
def test_reasoning_models_get_no_temperature_and_their_own_limit(model):
    sent = enforce_chat({"messages": MESSAGES, "temperature": 0.3}, JudgeSettings(model=model, max_output_tokens=9))
    assert sent == {"messages": MESSAGES, "model": model, "max_completion_tokens": 9, "seed": 0}


@pytest.mark.parametrize("model", ["gpt-4o", "o1/llama", "olmo-3", "my-gpt-5-clone", "vendor/foo1", "o2"])
def test_other_models_get_temperature_and_max_tokens(model):
    sent = enforce_chat({"messages": MESSAGES}, JudgeSettings(model=model, temperature=0.5, seed=2), repeat=3)
    assert sent == {"messages": MESSAGES, "model": model, "max_tokens": 4096, "temperature": 0.5, "seed": 5}


def test_tools_are_kept():
    tools = [{"type": "function", "function": {"name": "f"}}]
    sent = enforce_chat({"messages": MESSAGES, "tools": tools, "tool_choice": "auto"}, JudgeSettings(model="m"))
    assert (sent["tools"], sent["tool_choice"]) == (tools, "auto")
