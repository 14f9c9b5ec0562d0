"""Whose key it is, by its shape, and whose server, by its name: a key is never shown to another provider."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from yarl import URL

from evalparity.adapters.judge.addresses import is_loopback

_HOSTS: Mapping[str, str] = MappingProxyType(
    {
        "api.anthropic.com": "Anthropic",
        "api.deepseek.com": "DeepSeek",
        "api.groq.com": "Groq",
        "api.mistral.ai": "Mistral",
        "api.openai.com": "OpenAI",
        "api.perplexity.ai": "Perplexity",
        "api.together.xyz": "Together",
        "api.x.ai": "xAI",
        "generativelanguage.googleapis.com": "Google",
        "integrate.api.nvidia.com": "NVIDIA",
        "openrouter.ai": "OpenRouter",
        "router.huggingface.co": "Hugging Face",
    }
)
"""Hosts of providers that take no keys but their own, as their API documentation names them."""

_SHAPES: Mapping[str, str] = MappingProxyType(
    {
        "AIza": "Google",
        "gsk_": "Groq",
        "hf_": "Hugging Face",
        "nvapi-": "NVIDIA",
        "pplx-": "Perplexity",
        "sk-ant-": "Anthropic",
        "sk-or-": "OpenRouter",
        "sk-proj-": "OpenAI",
        "sk-svcacct-": "OpenAI",
        "xai-": "xAI",
    }
)
"""How keys of some providers begin. Plain `sk-` is used by several and says nothing."""


def misdirected(url: URL, key: str | None) -> str | None:
    """Return why this key may not be sent to a server, and what helps; None where nothing speaks against it.

    Args:
        url: base URL of the server.
        key: what would be sent along.
    """
    if key is None:
        return None
    owner, provider = _issuer(key), _HOSTS.get(url.host or "")
    if owner is not None and provider is not None and owner != provider:
        return f"the one that was named is {owner}'s, and the server is {provider}'s: name the key that belongs to it"
    if provider is not None and url.scheme == "http":
        return f"it would cross the network in clear text: write {url.with_scheme('https')}"
    return None


def in_clear_text(url: URL, key: str | None) -> bool:
    """Tell whether the key would leave this machine unencrypted."""
    return key is not None and url.scheme == "http" and not is_loopback(url.host)


def _issuer(key: str) -> str | None:
    return next((owner for shape, owner in _SHAPES.items() if key.startswith(shape)), None)
