"""Whose a key is, by its shape, and what crosses the network unencrypted."""

import pytest
from yarl import URL

from evalparity.adapters.judge.keys import in_clear_text, misdirected


@pytest.mark.parametrize(
    ("url", "key", "why"),
    [
        ("https://api.openai.com/v1", "sk-ant-api03-x", "is Anthropic's, and the server is OpenAI's"),
        ("https://api.openai.com/v1", "gsk_x", "Groq's"),
        ("https://api.groq.com/openai/v1", "sk-proj-x", "OpenAI's, and the server is Groq's"),
        ("https://generativelanguage.googleapis.com/v1beta/openai", "sk-or-v1-x", "OpenRouter's"),
        ("https://openrouter.ai/api/v1", "AIzaSyx", "Google's"),
        ("http://api.openai.com/v1", "sk-x", "in clear text: write https://api.openai.com/v1"),
        ("https://api.openai.com/v1", "sk-x", None),
        ("https://api.openai.com/v1", "sk-proj-x", None),
        ("https://litellm.example/v1", "sk-ant-x", None),
        ("http://localhost:11434/v1", "sk-ant-x", None),
        ("https://api.openai.com/v1", None, None),
    ],
)
def test_a_key_for_another_provider_is_known_by_its_shape(url, key, why):
    found = misdirected(URL(url), key)
    assert found is None if why is None else why in found
    assert key is None or key not in (found or "")


@pytest.mark.parametrize(
    ("url", "key", "clear"),
    [
        ("http://judge.lan/v1", "k", True),
        ("http://judge.lan/v1", None, False),
        ("https://judge.lan/v1", "k", False),
        ("http://localhost:8000/v1", "k", False),
        ("http://127.0.0.1:8000/v1", "k", False),
    ],
)
def test_a_key_that_leaves_this_machine_unencrypted(url, key, clear):
    assert in_clear_text(URL(url), key) is clear
