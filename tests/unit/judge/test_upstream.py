"""Which server gets what: URLs, keys, proxies."""

import asyncio

import pytest
from yarl import URL

from evalparity.adapters.judge.addresses import is_loopback
from evalparity.adapters.judge.connect import connect
from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.adapters.judge.upstream import HttpUpstream, UpstreamRequest
from evalparity.unified_schema.errors import UsageError
from support.gateways import KEY
from support.judge_server import JudgeServer

REQUEST = UpstreamRequest(kind="chat", body={"model": "m", "messages": []}, framework="ragas", metric="x")


async def send(url):
    upstream = HttpUpstream(url)
    try:
        return await upstream.send(REQUEST)
    finally:
        await upstream.close()


@pytest.fixture
def clean_environment(monkeypatch):
    for name in ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


@pytest.mark.parametrize("url", ["api.example.com/v1", "ftp://host/v1", "http://", "", "http://[1/v1"])
def test_a_url_that_is_none_says_how_to_write_one(url):
    with pytest.raises(UsageError, match="https://host/v1"):
        HttpUpstream(url)


def test_a_password_in_a_url_is_refused_and_not_repeated():
    with pytest.raises(UsageError) as caught:
        HttpUpstream("https://user:hunter2@host/v1")
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(("host", "expected"), [("127.0.0.1", True), ("127.9.9.9", True), ("::1", True)])
def test_loopback_addresses(host, expected):
    assert is_loopback(host) is expected
    assert is_loopback("localhost")
    assert not any(map(is_loopback, ["10.0.0.1", "localhost.example.com", "127.0.0.1.example.com", "", None]))


@pytest.mark.parametrize(
    ("url", "environment", "proxied"),
    [
        ("http://judge.example/v1", {"http_proxy": "http://proxy.example:3128"}, True),
        ("http://judge.example/v1", {"http_proxy": "http://proxy.example:3128", "no_proxy": "judge.example"}, False),
        ("http://judge.example/v1", {"https_proxy": "http://proxy.example:3128"}, False),
        ("http://127.0.0.1:9/v1", {"http_proxy": "http://proxy.example:3128"}, False),
    ],
)
def test_a_proxy_serves_remote_hosts_only(url, environment, proxied, clean_environment):
    for name, value in environment.items():
        clean_environment.setenv(name, value)
    assert HttpUpstream(url)._proxy == (URL("http://proxy.example:3128") if proxied else None)


def test_a_proxy_in_the_environment_is_really_used(clean_environment):
    with JudgeServer() as proxy:
        clean_environment.setenv("http_proxy", proxy.url.removesuffix("/v1"))
        asyncio.run(send("http://judge.invalid/v1"))
        assert proxy.requests[0].headers["Host"] == "judge.invalid"


def test_netrc_adds_nothing(tmp_path, monkeypatch):
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login a password b\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    with JudgeServer() as server:
        asyncio.run(send(server.url))
        assert "Authorization" not in server.requests[0].headers


@pytest.mark.parametrize(
    ("more", "key"),
    [
        ({}, KEY),
        ({"embedding_api_key": "own"}, "own"),
        ({"embedding_url": "https://judge.example/v1"}, None),
        ({"embedding_url": "https://other.example/v1"}, None),
        ({"embedding_url": "https://other.example/v1", "embedding_api_key": "own"}, "own"),
    ],
)
def test_an_embedding_server_of_its_own_gets_its_own_key_alone(more, key):
    settings = JudgeSettings(model="m", url="https://judge.example/v1", embedding_model="e", api_key=KEY, **more)
    judge, embedder = connect(settings, {})
    assert judge._key == KEY
    assert embedder._key == key
    assert KEY not in repr(judge) + repr(settings) + str(settings)


def test_a_model_without_a_url_is_a_users_mistake():
    with pytest.raises(UsageError, match="--judge-url"):
        connect(JudgeSettings(model="m"), {})
    with pytest.raises(UsageError, match="--embedding-url"):
        connect(JudgeSettings(embedding_model="e"), {})


def test_the_built_in_judge_needs_nothing():
    judge, embedder = connect(JudgeSettings(), {})
    answer = asyncio.run(
        embedder.send(UpstreamRequest(kind="embedding", body={"input": ["a"]}, framework="", metric=""))
    )
    assert len(answer["data"]) == 1
    assert judge.where == embedder.where == "built in"
    assert connect(JudgeSettings(embedding_model=None), {})[1] is None
