"""Which key goes to which server, and what is no server's address; every key here is planted."""

import pytest

from evalparity.adapters.judge.connect import connect
from evalparity.comparisons.studies.judge_options import JudgeOptions, resolve_judge
from evalparity.unified_schema.errors import UsageError

JUDGE, OPENAI, EMBEDDING = "planted-judge-key", "planted-openai-key", "planted-embedding-key"
ALL_KEYS = {"EVALPARITY_JUDGE_API_KEY": JUDGE, "OPENAI_API_KEY": OPENAI}
AT_OPENAI = "https://api.openai.com/v1"


def keys_sent(environment, **options):
    """Return the keys that the judge's and the embedder's server would get."""
    options = {"judge": "m", "embedding_model": "e"} | options
    upstreams = connect(resolve_judge(JudgeOptions(**options), environment), {})
    return tuple(getattr(upstream, "_key", None) for upstream in upstreams)


@pytest.mark.parametrize(
    ("embedding_url", "key"),
    [
        (None, JUDGE),
        ("https://judge.example/other/v1", JUDGE),
        ("https://JUDGE.example:443/v1/", JUDGE),
        ("http://judge.example/v1", None),
        ("http://judge.example:443/v1", None),
        ("https://judge.example:444/v1", None),
        ("https://judge.example.evil.example/v1", None),
        ("https://other.example/v1", None),
    ],
)
@pytest.mark.parametrize("by_file", [False, True], ids=["variable", "file"])
def test_the_judges_key_goes_to_the_judges_own_origin_alone(tmp_path, embedding_url, key, by_file):
    (tmp_path / "key").write_text(JUDGE)
    given = {"key_file": tmp_path / "key"} if by_file else {}
    environment = {"OPENAI_API_KEY": OPENAI} if by_file else ALL_KEYS
    sent = keys_sent(environment, url="https://judge.example/v1", embedding_url=embedding_url, **given)
    assert sent == (JUDGE, key)


@pytest.mark.parametrize("judge", ["lexical", "m"])
def test_another_embedding_server_gets_its_own_key_by_variable_or_file(tmp_path, judge):
    (tmp_path / "key").write_text("planted-file-key\n")
    options = {"judge": judge, "embedding_url": "https://other.example/v1"}
    options |= {"url": "https://judge.example/v1"} if judge == "m" else {}
    own = {"EVALPARITY_EMBEDDING_API_KEY": EMBEDDING}
    assert keys_sent(ALL_KEYS, **options)[1] is None
    assert keys_sent(ALL_KEYS | own, **options)[1] == EMBEDDING
    assert keys_sent(ALL_KEYS | own, embedding_key_file=tmp_path / "key", **options)[1] == "planted-file-key"


def test_a_key_named_for_embeddings_is_taken_on_the_judges_own_server_too():
    environment = ALL_KEYS | {"EVALPARITY_EMBEDDING_API_KEY": EMBEDDING}
    assert keys_sent(environment, url="https://judge.example/v1") == (JUDGE, EMBEDDING)


@pytest.mark.parametrize("url", ["http://api.openai.com/v1", "https://api.openai.com:8443/v1", "https://x.example/v1"])
def test_the_openai_key_goes_to_openai_alone(url):
    environment = {"OPENAI_API_KEY": OPENAI}
    assert keys_sent(environment, url=url) == (None, None)
    assert keys_sent(environment, url=AT_OPENAI, embedding_url=url) == (OPENAI, None)
    assert keys_sent(environment, url=url, embedding_url=AT_OPENAI) == (None, OPENAI)
    assert keys_sent(environment, judge="lexical", embedding_url=AT_OPENAI) == (None, OPENAI)
    assert keys_sent(environment) == (OPENAI, OPENAI)


def test_at_openai_the_judges_own_key_comes_first_and_serves_embeddings():
    assert keys_sent(ALL_KEYS) == (JUDGE, JUDGE)
    assert keys_sent(ALL_KEYS, url="https://judge.example/v1", embedding_url=AT_OPENAI) == (JUDGE, OPENAI)


def test_openai_without_a_key_is_a_users_mistake():
    with pytest.raises(UsageError, match=r"judge at api\.openai\.com needs a key.*EVALPARITY_JUDGE_API_KEY"):
        keys_sent({})
    with pytest.raises(UsageError, match=r"embedding model at api\.openai\.com.*--embedding-key-file"):
        keys_sent({"EVALPARITY_JUDGE_API_KEY": JUDGE}, url="https://judge.example/v1", embedding_url=AT_OPENAI)


@pytest.mark.parametrize("empty", ["", " ", "\n"])
def test_an_empty_variable_counts_as_unset(empty):
    environment = {"EVALPARITY_JUDGE_API_KEY": empty, "EVALPARITY_EMBEDDING_API_KEY": empty}
    assert keys_sent(environment | {"OPENAI_API_KEY": OPENAI}) == (OPENAI, OPENAI)
    assert keys_sent(environment, url="https://judge.example/v1") == (None, None)
    with pytest.raises(UsageError, match="needs a key"):
        keys_sent(environment | {"OPENAI_API_KEY": empty})


@pytest.mark.parametrize("around", ["{}\n", " {}\r\n", "{} "])
def test_white_space_around_a_key_is_no_part_of_it(tmp_path, around):
    (tmp_path / "key").write_bytes(b"\xef\xbb\xbf" + around.format(JUDGE).encode())  # as a Windows editor writes it
    assert keys_sent({"EVALPARITY_JUDGE_API_KEY": around.format(JUDGE)}, url="https://judge.example/v1")[0] == JUDGE
    assert keys_sent({}, url="https://judge.example/v1", key_file=tmp_path / "key")[0] == JUDGE


@pytest.mark.parametrize("text", ["planted one", "planted\r\nX-Header: y", "planted\x00", "plantéd"])
def test_what_is_no_key_is_refused_and_not_repeated(tmp_path, text):
    (tmp_path / "key").write_text(text)
    for environment, files, named in (
        ({"EVALPARITY_JUDGE_API_KEY": text}, {}, "EVALPARITY_JUDGE_API_KEY"),
        ({"EVALPARITY_EMBEDDING_API_KEY": text}, {}, "EVALPARITY_EMBEDDING_API_KEY"),
        ({}, {"key_file": tmp_path / "key"}, "--judge-key-file"),
        ({}, {"embedding_key_file": tmp_path / "key"}, "--embedding-key-file"),
    ):
        with pytest.raises(UsageError, match=named) as caught:
            keys_sent(environment, url="https://judge.example/v1", embedding_url="https://other.example/v1", **files)
        assert "plant" not in str(caught.value)


def test_a_key_file_that_is_named_must_hold_a_key(tmp_path):
    (tmp_path / "empty").write_text("\n")
    for path in (tmp_path / "empty", tmp_path / "absent", tmp_path):
        with pytest.raises(UsageError, match="--judge-key-file"):
            keys_sent(ALL_KEYS, url="https://judge.example/v1", key_file=path)


@pytest.mark.parametrize("option", ["url", "embedding_url"])
@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("localhost:9", "https://host/v1"),
        ("ftp://host/v1", "https://host/v1"),
        ("http://", "https://host/v1"),
        ("http://[1/v1", "https://host/v1"),
        ("http://host:99999/v1", "https://host/v1"),
        ("https://host/v1/chat/completions", "/chat/completions"),
        ("https://host/v1/completions/", "/completions"),
        ("https://host/v1/embeddings", "/embeddings"),
        ("https://host/openai?api-version=planted", "after `?`"),
        ("https://host/v1?", "after `?`"),
        ("https://host/v1#planted", "after `#`"),
        ("https://user:planted@host/v1", "user name or password"),
        ("https://planted@host/v1", "user name or password"),
        ("user:planted@host/v1", "https://host/v1"),
    ],
)
def test_an_address_that_is_none_names_its_option_and_keeps_secrets(option, address, said):
    names = {"url": "--judge-url", "embedding_url": "--embedding-url"}
    options = {"url": "https://judge.example/v1"} | {option: address}
    with pytest.raises(UsageError, match=names[option]) as caught:
        keys_sent({}, **options)
    assert said in str(caught.value)
    assert "planted" not in str(caught.value)


def test_slashes_and_white_space_at_the_end_of_an_address_do_not_count():
    settings = resolve_judge(JudgeOptions(judge="m", url=" https://judge.example/v1//\n"), {})
    assert settings.url == "https://judge.example/v1"


def test_time_and_limits_reach_the_settings():
    settings = resolve_judge(JudgeOptions(timeout=7.5, concurrency=3, max_output_tokens=9), {})
    assert (settings.request_timeout, settings.concurrency, settings.max_output_tokens) == (7.5, 3, 9)
    assert resolve_judge(JudgeOptions(), {}).request_timeout == 600


@pytest.mark.parametrize(
    ("variable", "options"),
    [
        ("EVALPARITY_JUDGE_API_KEY", {"url": AT_OPENAI}),
        ("EVALPARITY_EMBEDDING_API_KEY", {"url": "https://judge.example/v1", "embedding_url": AT_OPENAI}),
        ("OPENAI_API_KEY", {"url": AT_OPENAI}),
    ],
)
def test_a_key_of_another_provider_is_refused_before_anything_is_sent(variable, options):
    with pytest.raises(UsageError, match=r"is Anthropic's, and the server is OpenAI's: name the key") as caught:
        keys_sent({variable: "sk-ant-api03-planted"}, **options)
    assert "planted" not in str(caught.value)


def test_a_known_provider_is_never_shown_its_key_in_clear_text():
    with pytest.raises(UsageError, match=r"in clear text: write https://api\.groq\.com/openai/v1"):
        keys_sent({"EVALPARITY_JUDGE_API_KEY": "gsk_planted"}, url="http://api.groq.com/openai/v1")
