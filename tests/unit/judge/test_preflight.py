"""A judge that cannot be used is found before a run, with what helps; one that can costs two questions."""

import asyncio
import http.server
import json
import socket
import threading

import pytest

from evalparity.adapters.judge.preflight import QUESTION, preflight
from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.adapters.judge.usage import usage_of
from support.certificates import self_signed
from support.gateways import KEY, gateway_to
from support.judge_faults import DECLINED, DISCONNECT, HTML, SERVER_ERROR, Fault, cut_off, failing
from support.judge_server import JudgeServer

BOTH = frozenset({"chat", "embedding"})


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch):
    for name in ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def fly(server, *, kinds=frozenset({"chat"}), **settings):
    async def go():
        judge = {"model": "the-judge", "url": server.url, "embedding_model": "the-embedder", "api_key": KEY} | settings
        async with gateway_to(server, attempts=1, **settings) as gateway:
            return await preflight(gateway, JudgeSettings(**judge), kinds)

    return asyncio.run(go())


def failure(found):
    (failed,) = (check for check in found.checks if check.state == "failed")
    return failed


def taking(*forms, ignoring=()):
    """Return a judge that heeds some forms, ignores others and refuses the rest."""

    def answer(request, _n):
        form = (request.get("response_format") or {}).get("type")
        if form is None or form in ignoring:
            return "Yes."
        return '{"verdict": "yes"}' if form in forms else failing(400, "response_format is not supported")

    return answer


@pytest.mark.parametrize(
    ("answer", "takes", "asked"),
    [
        (taking("json_schema", "json_object"), ("json_schema", "json_object"), 2),
        (taking("json_object"), ("json_object",), 3),
        (taking("json_schema"), ("json_schema",), 3),
        (taking("json_object", ignoring=["json_schema"]), ("json_object",), 2),
        (taking(ignoring=["json_schema", "json_object"]), (), 2),
        (taking(), (), 3),
        (lambda _request, _n: '```json\n{"verdict": "yes"}\n```', ("json_schema", "json_object"), 2),
        (lambda _request, _n: '{"answer": "yes"}', ("json_object",), 2),
        (lambda _request, _n: '{"verdict": ["yes"]}', ("json_object",), 2),
        (lambda _request, _n: "[" * 100_000, (), 2),
        (lambda request, _n: SERVER_ERROR if "response_format" in request else "Yes.", (), 3),
    ],
)
def test_what_the_server_takes_is_found_out(answer, takes, asked):
    with JudgeServer(answer) as server:
        found = fly(server)
    assert [check.state for check in found.checks] == ["ok"]
    assert found.structured_output == takes
    assert len(server.requests) == len(found.calls) == asked
    assert all(form in found.checks[0].told for form in takes)


def test_the_question_is_asked_as_the_run_will_ask_and_every_token_is_counted():
    with JudgeServer(taking("json_schema", "json_object")) as server:
        found = fly(server, kinds=BOTH, seed=7, max_output_tokens=99)
    for request in server.chat_requests:
        body = request.body
        assert (body["model"], body["temperature"], body["seed"], body["max_tokens"]) == ("the-judge", 0.0, 7, 99)
        assert len(body["messages"]) == 1
        assert body["messages"][0]["content"].startswith(QUESTION)
    usage = usage_of(found.calls)
    assert (usage.calls, usage.embedding_calls) == (len(server.chat_requests), len(server.embedding_requests)) == (2, 1)
    assert (usage.input_tokens, usage.output_tokens) == (server.input_tokens, server.output_tokens)
    assert [call.step for call in found.calls] == ["json_schema", "json_object", "embedding"]
    assert [check.what for check in found.checks] == ["judge", "embedding model"]
    assert "vectors of 8 numbers" in found.checks[1].told


@pytest.mark.parametrize(
    ("kinds", "settings", "asked"),
    [
        ({"embedding"}, {}, {"embedding"}),
        ({"chat"}, {}, {"chat"}),
        ({"chat", "embedding"}, {"embedding_model": "lexical"}, {"chat"}),
        ({"chat", "embedding"}, {"embedding_model": None}, {"chat"}),
        (set(), {}, set()),
    ],
)
def test_only_what_the_run_needs_is_asked(kinds, settings, asked):
    with JudgeServer(taking("json_schema", "json_object")) as server:
        found = fly(server, kinds=kinds, **settings)
    assert {request.kind for request in server.requests} == asked
    assert all(check.state == "ok" for check in found.checks)


def test_the_built_in_judge_is_not_asked():
    with JudgeServer() as server:
        found = fly(server, kinds=BOTH, model="lexical", url=None, embedding_model="lexical")
    assert (found.checks, found.calls, found.structured_output) == ((), (), None)


def test_a_model_that_the_server_does_not_have():
    with JudgeServer(models=["gpt-4.1", "the-judge-7b", "zephyr"], key=KEY) as server:
        check = failure(fly(server))
    assert "HTTP 404" in check.told
    assert check.remedy == ("the server has no model 'the-judge'; --judge can be the-judge-7b, zephyr, gpt-4.1")


def test_a_server_with_one_model_answers_whatever_it_is_asked_for():
    # llama.cpp's does: it lists the one it has loaded, and takes any name.
    with JudgeServer(taking("json_schema", "json_object"), models=["other.gguf"]) as server:
        server._refusal = lambda *_: None
        found = fly(server)
    assert [check.state for check in found.checks] == ["ok", "warning"]
    assert "one model, 'other.gguf', and answers as 'the-judge'" in found.checks[1].told
    with JudgeServer(taking("json_schema"), models=["the-judge:latest"]) as server:
        server._refusal = lambda *_: None
        assert [check.state for check in fly(server).checks] == ["ok"]


def test_a_url_without_v1():
    with JudgeServer(models=["the-judge"]) as server:
        base = server.url.removesuffix("/v1")
        for url in (base, f"{base}/api", f"{base}/openai/v2"):
            check = failure(fly(server, url=url))
            assert "HTTP 404" in check.told
            assert check.remedy == f"the API stands at another path: write --judge-url {server.url}"


class Moved(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(308)
        self.send_header("Location", f"https://other.example{self.path}?session=1")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.do_GET()

    def log_message(self, *_):
        pass


def test_a_server_that_sends_elsewhere():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Moved) as moved, JudgeServer() as server:
        threading.Thread(target=moved.serve_forever, daemon=True).start()
        check = failure(fly(server, url=f"http://127.0.0.1:{moved.server_port}/v1"))
        moved.shutdown()
    assert "HTTP 308" in check.told
    assert check.remedy == "the server sends to another address: write --judge-url https://other.example/v1"


def test_a_host_that_nobody_knows():
    with JudgeServer() as server:
        check = failure(fly(server, url="https://judge.invalid/v1"))
    assert check.remedy == "no host of the name judge.invalid is known here: check the spelling of --judge-url"


def test_a_port_where_nobody_listens():
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with JudgeServer() as server:
        check = failure(fly(server, url=f"http://127.0.0.1:{port}/v1"))
    assert check.remedy == (
        f"nobody answers on this machine at 127.0.0.1:{port}: start the server, or check host and port of --judge-url"
    )


def test_https_to_a_server_that_speaks_http():
    with JudgeServer() as server:
        check = failure(fly(server, url=server.url.replace("http:", "https:")))
    assert check.remedy == f"the server speaks http without encryption: write --judge-url {server.url}"


def test_http_to_a_server_that_speaks_https(tmp_path):
    context, _ = self_signed(tmp_path)
    with JudgeServer(certificate=context) as server:
        check = failure(fly(server, url=server.url.replace("https:", "http:")))
    assert check.remedy == f"the server speaks https: write --judge-url {server.url}"
    assert server.requests == []


def test_a_certificate_that_nobody_signed(tmp_path):
    context, _ = self_signed(tmp_path)
    with JudgeServer(certificate=context) as server:
        check = failure(fly(server))
    assert "no safe connection" in check.told
    assert "SSL_CERT_FILE" in check.remedy
    assert server.requests == []


def test_a_proxy_in_the_environment_is_named_and_its_password_is_not(no_proxies):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    no_proxies.setenv("https_proxy", f"http://user:hunter2@127.0.0.1:{port}")
    with JudgeServer() as server:
        check = failure(fly(server, url="https://judge.example/v1"))
    assert f"go through the proxy 127.0.0.1:{port} that HTTPS_PROXY names in the environment" in check.remedy
    assert "add judge.example to NO_PROXY" in check.remedy
    assert "hunter2" not in check.told + check.remedy


def test_a_key_that_is_refused_and_a_key_that_is_missing():
    with JudgeServer(key="another") as server:
        refused = failure(fly(server))
        missing = failure(fly(server, api_key=None))
    assert "check its key (EVALPARITY_JUDGE_API_KEY or --judge-key-file" in refused.told
    assert missing.remedy == "no key was sent: name one by EVALPARITY_JUDGE_API_KEY or --judge-key-file"
    assert KEY not in refused.told


@pytest.mark.parametrize(
    ("settings", "message", "helps"),
    [
        ({"embedding_model": "typo"}, "HTTP 404", "the server has no model 'typo'; --embedding-model can be the-judge"),
        ({"embedding_model": "the-judge"}, "HTTP 400", "name an embedding model with --embedding-model"),
    ],
)
def test_an_embedding_model_that_is_missing_or_none(settings, message, helps):
    def no_embeddings(_request, _n):
        return failing(400, "this model has no embeddings")

    with JudgeServer(taking("json_schema"), models=["the-judge"], embedding_fault=no_embeddings) as server:
        check = failure(fly(server, kinds=BOTH, **settings))
    assert check.what == "embedding model"
    assert message in check.told
    assert check.remedy == helps


@pytest.mark.parametrize(
    ("vector", "message"),
    [
        ([0.0] * 8, "a vector of zeros"),
        ([float("nan")] * 8, "not a list of finite numbers"),
        ([1.0] * 8, "two different texts get one and the same vector"),
        ([], "not a list of finite numbers"),
    ],
)
def test_embeddings_that_can_compare_nothing(vector, message):
    def edit(reply):
        return reply | {"data": [entry | {"embedding": vector} for entry in reply["data"]]}

    with JudgeServer(taking("json_schema"), embedding_fault=lambda *_: Fault(edit=edit)) as server:
        check = failure(fly(server, kinds=BOTH))
    assert message in check.told
    assert check.remedy == "name an embedding model with --embedding-model"


@pytest.mark.parametrize(
    ("answer", "told"),
    [(HTML, "no reply"), (DISCONNECT, "no connection"), (SERVER_ERROR, "HTTP 500"), (DECLINED, "declined to answer")],
)
def test_other_faults_are_told_as_a_run_would(answer, told):
    with JudgeServer(lambda _request, _n: answer) as server:
        assert told in failure(fly(server)).told


def test_an_answer_that_is_cut_off_is_a_warning():
    with JudgeServer(lambda _request, _n: cut_off("Yes")) as server:
        found = fly(server, max_output_tokens=1)
    assert [(check.state, check.remedy) for check in found.checks] == [("warning", "raise --max-output-tokens")]
    assert found.structured_output == ("json_schema", "json_object"), "it took them, and a run asks as it would have"
    assert len(server.requests) == 2


def test_a_judge_with_a_label_is_named_by_it():
    with JudgeServer(taking("json_schema")) as server:
        assert [check.what for check in fly(server, kinds=BOTH, label="strict").checks] == [
            "judge of strict",
            "embedding model of strict",
        ]


def test_a_key_that_the_server_gives_back_is_in_no_check():
    with JudgeServer(lambda *_: failing(404, f"no model for {KEY}"), models=[f"{KEY}-model", "the-judge"]) as server:
        check = failure(fly(server, model="typo"))
    assert KEY not in json.dumps([check.told, check.remedy])
