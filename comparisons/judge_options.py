"""From what the user typed to the one judge of a run; refuses what would send a key to the wrong host."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from evalparity.adapters.judge.settings import LEXICAL, JudgeSettings
from evalparity.unified_schema.errors import UsageError

OPENAI_URL = "https://api.openai.com/v1"
KEY_VARIABLE = "EVALPARITY_JUDGE_API_KEY"

_OPENAI_HOST = "api.openai.com"
_OPENAI_EMBEDDINGS = "text-embedding-3-small"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOptions:
    """The judge as named on the command line; None is not named."""

    judge: str = LEXICAL
    url: str | None = None
    key_file: Path | None = None
    embedding_model: str | None = None
    embedding_url: str | None = None
    max_output_tokens: int = 4096
    concurrency: int = 16


def resolve_judge(options: JudgeOptions, environment: Mapping[str, str]) -> JudgeSettings:
    """Return the settings of the judge.

    The key comes from the key file, else from EVALPARITY_JUDGE_API_KEY, else, for api.openai.com alone, from
    OPENAI_API_KEY. A server on another host that needs no key is called without one.

    Raises:
        UsageError: options contradict each other, an URL is no base URL, or a key file cannot be read.
    """
    settings = JudgeSettings(max_output_tokens=options.max_output_tokens, concurrency=options.concurrency)
    if options.judge == LEXICAL:
        _refuse_url(options.url)
    else:
        url = _base_url(options.url or OPENAI_URL, "--judge-url")
        settings = replace(settings, model=options.judge, url=url, api_key=_key(options, url, environment))
    return _with_embeddings(settings, options, environment)


def _refuse_url(url: str | None) -> None:
    if url is not None:
        raise UsageError("--judge-url needs --judge MODEL: the lexical judge is built in and has no URL.")


def _with_embeddings(settings: JudgeSettings, options: JudgeOptions, environment: Mapping[str, str]) -> JudgeSettings:
    model = options.embedding_model or _default_embedding(settings.url)
    if model is None or model == LEXICAL:
        return replace(settings, embedding_model=model)
    url = _base_url(options.embedding_url, "--embedding-url") if options.embedding_url else settings.url
    if url is None:
        raise UsageError(f"--embedding-model {model} needs --embedding-url when the judge is lexical.")
    same_host = settings.url is not None and urlsplit(url).netloc == urlsplit(settings.url).netloc
    key = settings.api_key if same_host else _key(options, url, environment)
    return replace(settings, embedding_model=model, embedding_url=url, embedding_api_key=key)


def _default_embedding(judge_url: str | None) -> str | None:
    """The lexical judge brings its own embeddings, OpenAI's host has a known model; elsewhere none is assumed."""
    if judge_url is None:
        return LEXICAL
    return _OPENAI_EMBEDDINGS if urlsplit(judge_url).hostname == _OPENAI_HOST else None


def _base_url(url: str, option: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise UsageError(f"{option} {url!r} is no URL: give the base URL, such as https://host/v1.")
    for ending in ("/chat/completions", "/embeddings"):
        if parts.path.rstrip("/").endswith(ending):
            raise UsageError(f"{option} {url!r} ends in {ending}: leave that off, the base URL ends in /v1.")
    if parts.username or parts.password:
        raise UsageError(f"{option} holds a user name or password: give the key by {KEY_VARIABLE} instead.")
    return url.rstrip("/")


def _key(options: JudgeOptions, url: str, environment: Mapping[str, str]) -> str | None:
    key = _key_from_file(options.key_file) or environment.get(KEY_VARIABLE)
    if key is None and url.startswith("https://") and urlsplit(url).hostname == _OPENAI_HOST:
        key = environment.get("OPENAI_API_KEY")
        if key is None:
            raise UsageError(
                f"the judge at {_OPENAI_HOST} needs a key: set {KEY_VARIABLE}, or name a file with --judge-key-file."
            )
    return key


def _key_from_file(path: Path | None) -> str | None:
    if path is None:
        return None
    try:
        key = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--judge-key-file {path}: cannot be read ({error.__class__.__name__}).") from error
    if not key or any(character.isspace() for character in key):
        raise UsageError(f"--judge-key-file {path}: holds no key; it must hold the key alone, on one line.")
    return key
