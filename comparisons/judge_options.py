"""From what the user typed to the one judge of a run; decides which key goes to which server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from yarl import URL

from evalparity.adapters.judge.addresses import base_url, same_origin
from evalparity.adapters.judge.settings import LEXICAL, JudgeSettings
from evalparity.unified_schema.errors import UsageError

_OPENAI = URL("https://api.openai.com/v1")
_OPENAI_VARIABLE = "OPENAI_API_KEY"
_OPENAI_EMBEDDINGS = "text-embedding-3-small"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOptions:
    """The judge as named on the command line; None is not named."""

    judge: str = LEXICAL
    url: str | None = None
    key_file: Path | None = None
    embedding_model: str | None = None
    embedding_url: str | None = None
    embedding_key_file: Path | None = None
    max_output_tokens: int = 4096
    concurrency: int = 16
    timeout: float = 600.0
    """Seconds until one request is given up."""


@dataclass(frozen=True, slots=True)
class _KeySource:
    """Where the key of one server is named: whose it is, the variable, the option of the file."""

    owner: str
    variable: str
    option: str


_JUDGE_KEY = _KeySource("judge", "EVALPARITY_JUDGE_API_KEY", "--judge-key-file")
_EMBEDDING_KEY = _KeySource("embedding model", "EVALPARITY_EMBEDDING_API_KEY", "--embedding-key-file")


def resolve_judge(options: JudgeOptions, environment: Mapping[str, str]) -> JudgeSettings:
    """Return the settings of the judge.

    The judge's key comes from the key file, else from EVALPARITY_JUDGE_API_KEY. It goes to the judge's own scheme,
    host and port alone; embeddings elsewhere have a key of their own, from their key file or
    EVALPARITY_EMBEDDING_API_KEY. Without these, https://api.openai.com, and it alone, gets OPENAI_API_KEY. Any other
    server without a key is called without one. A variable that is empty counts as unset.

    Raises:
        UsageError: options contradict each other, a URL is no base URL, or a key is missing, unreadable or none.
    """
    settings = JudgeSettings(
        max_output_tokens=options.max_output_tokens,
        concurrency=options.concurrency,
        request_timeout=options.timeout,
    )
    if options.judge == LEXICAL:
        if options.url is not None:
            raise UsageError("--judge-url needs --judge MODEL: the lexical judge is built in and has no URL.")
        return _with_embeddings(settings, options, None, environment)
    url = base_url(options.url, "--judge-url") if options.url else _OPENAI
    key = _named_key(_JUDGE_KEY, options.key_file, environment) or _openai_key(_JUDGE_KEY, url, environment)
    settings = replace(settings, model=options.judge, url=str(url), api_key=key)
    return _with_embeddings(settings, options, url, environment)


def _with_embeddings(
    settings: JudgeSettings, options: JudgeOptions, judge_url: URL | None, environment: Mapping[str, str]
) -> JudgeSettings:
    model = options.embedding_model or _default_embedding(judge_url)
    if model is None or model == LEXICAL:
        return replace(settings, embedding_model=model)
    url = base_url(options.embedding_url, "--embedding-url") if options.embedding_url else judge_url
    if url is None:
        raise UsageError(f"--embedding-model {model} needs --embedding-url when the judge is lexical.")
    key = _named_key(_EMBEDDING_KEY, options.embedding_key_file, environment)
    if key is None and judge_url is not None and same_origin(url, judge_url):
        key = settings.api_key
    key = key or _openai_key(_EMBEDDING_KEY, url, environment)
    return replace(settings, embedding_model=model, embedding_url=str(url), embedding_api_key=key)


def _default_embedding(judge_url: URL | None) -> str | None:
    """The lexical judge brings its own embeddings, OpenAI's host has a known model; elsewhere none is assumed."""
    if judge_url is None:
        return LEXICAL
    return _OPENAI_EMBEDDINGS if same_origin(judge_url, _OPENAI) else None


def _named_key(source: _KeySource, path: Path | None, environment: Mapping[str, str]) -> str | None:
    if path is None:
        return _from_variable(source.variable, environment)
    place = f"{source.option} {path}"
    try:
        key = path.read_text(encoding="utf-8-sig").strip()  # Windows editors may begin a file with a mark
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{place}: cannot be read ({type(error).__name__}).") from error
    if not key:
        raise UsageError(f"{place}: the file is empty; it must hold the key alone.")
    return _checked(key, place)


def _openai_key(source: _KeySource, url: URL, environment: Mapping[str, str]) -> str | None:
    """Return OpenAI's own variable for OpenAI's own server; None for any other."""
    if not same_origin(url, _OPENAI):
        return None
    key = _from_variable(_OPENAI_VARIABLE, environment)
    if key is None:
        raise UsageError(
            f"the {source.owner} at {url.host} needs a key: set {source.variable} or {_OPENAI_VARIABLE}, "
            f"or name a file with {source.option}."
        )
    return key


def _from_variable(name: str, environment: Mapping[str, str]) -> str | None:
    """Return the key in a variable; CI systems set variables of absent secrets to the empty text."""
    key = environment.get(name, "").strip()
    return _checked(key, name) if key else None


def _checked(key: str, place: str) -> str:
    """A bearer token is visible ASCII (RFC 6750, 2.1); anything else would break the request's header."""
    if not all("!" <= character <= "~" for character in key):
        raise UsageError(f"{place}: holds no key; a key has no spaces, line breaks or other than ASCII characters.")
    return key
