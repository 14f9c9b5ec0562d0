"""From what the user named to the judges of a run; decides which key goes to which server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from yarl import URL

from evalparity.adapters.judge.addresses import base_url, same_origin
from evalparity.adapters.judge.keys import misdirected
from evalparity.adapters.judge.settings import LEXICAL, JudgeSettings
from evalparity.unified_schema.errors import UsageError

_OPENAI = URL("https://api.openai.com/v1")
_OPENAI_VARIABLE = "OPENAI_API_KEY"
_OPENAI_EMBEDDINGS = "text-embedding-3-small"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOptions:
    """One judge as it was named on the command line, in the environment or in a study; None is not named."""

    label: str | None = None
    """What reports call it; None: its model."""
    judge: str = LEXICAL
    url: str | None = None
    key_file: Path | None = None
    embedding_model: str | None = None
    embedding_url: str | None = None
    embedding_key_file: Path | None = None
    temperature: float = 0.0
    seed: int = 0
    max_output_tokens: int = 4096
    concurrency: int = 16
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    timeout: float = 600.0
    """Seconds until one request is given up."""
    places: Mapping[str, str] = field(default_factory=dict)
    """By option, where in a study its value stands; options that are not in it were named elsewhere."""

    def place(self, option: str) -> str:
        """Return where the value of an option was named, for messages."""
        return self.places.get(option, option)


@dataclass(frozen=True, slots=True)
class _KeySource:
    """Where the key of one server is named: whose it is, the variable, the options, the variable of the server."""

    owner: str
    variable: str
    option: str
    server: tuple[str, str]
    """Options that name the server."""
    url_variable: str


_JUDGE_KEY = _KeySource(
    "judge",
    "EVALPARITY_JUDGE_API_KEY",
    "--judge-key-file",
    ("--judge", "--judge-url"),
    "EVALPARITY_JUDGE_URL",
)
_EMBEDDING_KEY = _KeySource(
    "embedding model",
    "EVALPARITY_EMBEDDING_API_KEY",
    "--embedding-key-file",
    ("--embedding-model", "--embedding-url"),
    "EVALPARITY_EMBEDDING_URL",
)


def resolve_judges(
    options: Sequence[JudgeOptions], environment: Mapping[str, str], *, with_keys: bool = True
) -> tuple[JudgeSettings, ...]:
    """Return the settings of all judges of a run.

    EVALPARITY_JUDGE_API_KEY goes to the servers of judges without a key file, provided that these are one server.

    Args:
        options: the judges, one or more.
        environment: variables.
        with_keys: False: no key is looked for, since nothing will be sent.

    Raises:
        UsageError: as `resolve_judge`; or the judges would not share one embedding model, or one key would go to
            several servers.
    """
    if with_keys:
        _refuse_one_key_for_many(options, environment)
    judges = tuple(resolve_judge(one, environment, with_keys=with_keys) for one in options)
    embeddings = {(judge.embedding_model, judge.embedding_url) for judge in judges}
    if len(embeddings) > 1:
        shown = ", ".join(f"{judge.name}: {_embedding_of(judge)}" for judge in judges)
        raise UsageError(
            f"the judges would have different embedding models ({shown}), and scores that rest on embeddings would "
            "differ for that reason: name one model, and its URL, under `embeddings`."
        )
    return judges


def _embedding_of(judge: JudgeSettings) -> str:
    if judge.embedding_model is None:
        return "none"
    return judge.embedding_model + (f" at {judge.embedding_url}" if judge.embedding_url else "")


def _refuse_one_key_for_many(options: Sequence[JudgeOptions], environment: Mapping[str, str]) -> None:
    if not environment.get(_JUDGE_KEY.variable, "").strip():
        return
    servers = {_judge_url(one).origin(): one for one in options if one.judge != LEXICAL and one.key_file is None}
    if len(servers) > 1:
        shown = " and ".join(str(origin) for origin in servers)
        raise UsageError(
            f"{_JUDGE_KEY.variable} holds one key and the judges stand on several servers ({shown}), not all of which "
            "may see it: name a key_file for each judge that needs a key, and unset the variable."
        )


def resolve_judge(options: JudgeOptions, environment: Mapping[str, str], *, with_keys: bool = True) -> JudgeSettings:
    """Return the settings of the judge.

    The judge's key comes from the key file, else from EVALPARITY_JUDGE_API_KEY. It goes to the judge's own scheme,
    host and port alone; embeddings elsewhere have a key of their own, from their key file or
    EVALPARITY_EMBEDDING_API_KEY. Without these, https://api.openai.com, and it alone, gets OPENAI_API_KEY. Any other
    server without a key is called without one. A variable that is empty counts as unset. A variable's key goes to no
    server that a study names while the environment names another one, and no key to a provider whose it is not by its
    shape.

    Args:
        options: what was named.
        environment: variables.
        with_keys: False: no key is looked for, since nothing will be sent.

    Raises:
        UsageError: options contradict each other, a URL is no base URL, or a key is missing, unreadable or none.
    """
    settings = JudgeSettings(
        label=options.label,
        temperature=options.temperature,
        seed=options.seed,
        max_output_tokens=options.max_output_tokens,
        concurrency=options.concurrency,
        requests_per_minute=options.requests_per_minute,
        tokens_per_minute=options.tokens_per_minute,
        request_timeout=options.timeout,
    )
    if options.judge == LEXICAL:
        if options.url is not None:
            raise UsageError("--judge-url needs --judge MODEL: the lexical judge is built in and has no URL.")
        return _with_embeddings(settings, options, None, environment, with_keys=with_keys)
    url = _judge_url(options)
    key = _key(_JUDGE_KEY, options, url, environment) if with_keys else None
    settings = replace(settings, model=options.judge, url=str(url), api_key=key)
    return _with_embeddings(settings, options, url, environment, with_keys=with_keys)


def _judge_url(options: JudgeOptions) -> URL:
    return base_url(options.url, options.place("--judge-url")) if options.url else _OPENAI


def _with_embeddings(
    settings: JudgeSettings,
    options: JudgeOptions,
    judge_url: URL | None,
    environment: Mapping[str, str],
    *,
    with_keys: bool,
) -> JudgeSettings:
    model = options.embedding_model or _default_embedding(judge_url)
    if model is None or model == LEXICAL:
        return replace(settings, embedding_model=model)
    place = options.place("--embedding-url")
    url = base_url(options.embedding_url, place) if options.embedding_url else judge_url
    if url is None:
        named = options.place("--embedding-model")
        raise UsageError(f"{named} {model} needs --embedding-url when the judge is lexical.")
    key = _embedding_key(settings, options, (url, judge_url), environment) if with_keys else None
    return replace(settings, embedding_model=model, embedding_url=str(url), embedding_api_key=key)


def _embedding_key(
    settings: JudgeSettings, options: JudgeOptions, urls: tuple[URL, URL | None], environment: Mapping[str, str]
) -> str | None:
    url, judge_url = urls
    key = _named_key(_EMBEDDING_KEY, options, url, environment)
    if key is None and judge_url is not None and same_origin(url, judge_url):
        key = settings.api_key
    return _for_this_server(_EMBEDDING_KEY, url, key or _openai_key(_EMBEDDING_KEY, url, environment))


def _default_embedding(judge_url: URL | None) -> str | None:
    """The lexical judge brings its own embeddings, OpenAI's host has a known model; elsewhere none is assumed."""
    if judge_url is None:
        return LEXICAL
    return _OPENAI_EMBEDDINGS if same_origin(judge_url, _OPENAI) else None


def _key(source: _KeySource, options: JudgeOptions, url: URL, environment: Mapping[str, str]) -> str | None:
    key = _named_key(source, options, url, environment) or _openai_key(source, url, environment)
    return _for_this_server(source, url, key)


def _for_this_server(source: _KeySource, url: URL, key: str | None) -> str | None:
    reason = misdirected(url, key)
    if reason is not None:
        raise UsageError(f"the {source.owner} at {url.host} gets no key: {reason}.")
    return key


def _named_key(source: _KeySource, options: JudgeOptions, url: URL, environment: Mapping[str, str]) -> str | None:
    path = {_JUDGE_KEY: options.key_file, _EMBEDDING_KEY: options.embedding_key_file}[source]
    if path is None:
        key = _from_variable(source.variable, environment)
        if key is not None:
            _refuse_a_key_for_elsewhere(source, options, url, environment)
        return key
    place = f"{options.place(source.option)} {path}"
    try:
        key = path.read_text(encoding="utf-8-sig").strip()  # Windows editors may begin a file with a mark
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{place}: cannot be read ({type(error).__name__}).") from error
    if not key:
        raise UsageError(f"{place}: the file is empty; it must hold the key alone.")
    return _checked(key, place)


def _refuse_a_key_for_elsewhere(
    source: _KeySource, options: JudgeOptions, url: URL, environment: Mapping[str, str]
) -> None:
    """A study may come from anyone: it must not draw a key to another server than the user's own variables name."""
    named = environment.get(source.url_variable, "").strip()
    if not named or not any(option in options.places for option in source.server):
        return
    if not same_origin(base_url(named, source.url_variable), url):
        raise UsageError(
            f"{source.variable} belongs to the server in {source.url_variable}, and the study names {url.origin()}: "
            f"unset {source.url_variable}, or name a key_file in the study."
        )


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
