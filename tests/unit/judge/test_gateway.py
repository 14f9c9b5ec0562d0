"""The gateway between real clients and a real server: the same judge, attribution, fairness, secrecy."""

import asyncio
import http.client
import json
import socket
import sys
import time
from contextlib import closing
from urllib.parse import urlsplit

import aiohttp
import pytest
from openai import AsyncOpenAI, InternalServerError, OpenAI

from evalparity.adapters.base import PromptStep, Sent
from evalparity.adapters.judge.answering import Sources
from evalparity.adapters.judge.ledger import Ledger, read_calls
from evalparity.adapters.judge.usage import usage_of
from support.gateways import KEY, ask, gateway_to, open_cell
from support.judge_faults import HANG, SERVER_ERROR, failing
from support.judge_server import JudgeServer, embed_text, last_user_text


def echo(request, n):
    return f"echo {last_user_text(request)}"


def test_every_chat_request_gets_the_same_judge_whatever_was_asked():
    asked = {
        "model": "gpt-99",
        "temperature": 0.9,
        "top_p": 0.1,
        "n": 3,
        "max_tokens": 7,
        "presence_penalty": 1,
        "frequency_penalty": 1,
        "logprobs": True,
        "top_logprobs": 20,
        "logit_bias": {"1": 5},
        "user": "someone",
        "metadata": {"a": "b"},
        "stream": False,
        "response_format": {"type": "json_object"},
    }

    async def go(server):
        async with gateway_to(server, seed=11, max_output_tokens=555) as gateway:
            await ask(open_cell(gateway, repeat=2), **asked)
            return await gateway.close_cell("cell")

    with JudgeServer(echo) as server:
        traffic = asyncio.run(go(server))
    assert server.requests[0].body == {
        "model": "the-judge",
        "temperature": 0.0,
        "max_tokens": 555,
        "seed": 13,
        "messages": [{"role": "user", "content": "hello"}],
        "response_format": {"type": "json_object"},
    }
    assert traffic.calls[0].asked == {
        name: value for name, value in asked.items() if name not in {"stream", "response_format"}
    }


def test_calls_of_three_frameworks_at_once_belong_to_their_own_cells(tmp_path):
    cells = [f"{framework}-{n}" for framework in ("ragas", "deepeval", "promptfoo") for n in range(10)]
    calls_each = 7

    async def go(server, ledger):
        async with gateway_to(server, ledger=ledger) as gateway, aiohttp.ClientSession() as session:
            urls = {cell: open_cell(gateway, cell, cell.partition("-")[0]) for cell in cells}
            replies = await asyncio.gather(
                *(ask(urls[cell], f"{cell} {n}", session=session) for n in range(calls_each) for cell in cells)
            )
            assert {status for status, _ in replies} == {200}
            return {cell: await gateway.close_cell(cell) for cell in cells}

    with JudgeServer(echo) as server:
        ledger = Ledger(tmp_path / "ledger.sqlite")
        traffic = asyncio.run(go(server, ledger))
        ledger.close()
    for cell in cells:
        calls = traffic[cell].calls
        assert sorted(call.reply for call in calls) == [f"echo {cell} {n}" for n in range(calls_each)]
        assert [call.ordinal for call in calls] == list(range(calls_each))
        assert {call.cell for call in calls} == {cell}
        assert read_calls(tmp_path / "ledger.sqlite", cell) == calls
    usages = [usage_of(traffic[cell].calls) for cell in cells]
    assert sum(usage.attempts for usage in usages) == len(server.requests) == 210
    assert sum(usage.input_tokens for usage in usages) == server.input_tokens
    assert sum(usage.output_tokens for usage in usages) == server.output_tokens


@pytest.mark.parametrize("kept", [True, False])
def test_what_is_sent_is_kept_where_that_is_asked_for(tmp_path, kept):
    async def go(server, ledger):
        async with gateway_to(server, sources=Sources(ledger=ledger, keep_requests=kept)) as gateway:
            url = open_cell(gateway)
            await ask(url, "größe \ud83d")
            await ask(url, "text", path="embeddings")
            await ask(url, "no", stream=True)
            return await gateway.close_cell("cell")

    with JudgeServer(echo) as server, closing(Ledger(tmp_path / "ledger.sqlite")) as ledger:
        traffic = asyncio.run(go(server, ledger))
        requests = [call.request for call in read_calls(tmp_path / "ledger.sqlite", "cell")]
    assert requests == [call.request for call in sorted(traffic.calls, key=lambda call: call.kind)]
    sent = [json.loads(request) for request in requests if request]
    assert sent == ([received.body for received in server.requests] if kept else [])
    assert (tmp_path / "ledger.sqlite").stat().st_mode & 0o777 == 0o600


def test_ledger_equals_what_the_server_counted_when_calls_fail_and_are_retried(tmp_path):
    def answer(request, n):
        return SERVER_ERROR if n % 3 == 0 else echo(request, n)

    async def go(server, ledger):
        async with gateway_to(server, ledger=ledger, attempts=2) as gateway:
            url = open_cell(gateway)
            await asyncio.gather(*(ask(url, f"n {n}") for n in range(12)))
            await ask(url, "one two", path="embeddings")
            return await gateway.close_cell("cell")

    with JudgeServer(answer) as server:
        ledger = Ledger(tmp_path / "ledger.sqlite")
        traffic = asyncio.run(go(server, ledger))
        ledger.close()
    usage = usage_of(traffic.calls)
    assert usage.attempts == len(server.requests)
    assert usage.billed_calls == sum(received.served for received in server.chat_requests)
    assert usage.embedding_calls == len(server.embedding_requests) == 1
    assert (usage.input_tokens, usage.output_tokens) == (server.input_tokens, server.output_tokens)
    assert usage_of(read_calls(tmp_path / "ledger.sqlite", "cell")) == usage


def test_a_framework_that_asks_little_is_not_starved():
    async def go(server):
        async with gateway_to(server, concurrency=2) as gateway, aiohttp.ClientSession() as session:
            greedy, modest = open_cell(gateway, "a", "ragas"), open_cell(gateway, "b", "promptfoo")
            server.hold()
            many = [asyncio.create_task(ask(greedy, f"greedy {n}", session=session)) for n in range(60)]
            await _until(lambda: len(server.requests) == 2)
            few = [asyncio.create_task(ask(modest, f"modest {n}", session=session)) for n in range(3)]
            await _until(lambda: _running(gateway, "b") == 3)
            server.release()
            await asyncio.gather(*many, *few)

    with JudgeServer(echo) as server:
        asyncio.run(go(server))
    order = [last_user_text(received.body).split()[0] for received in server.requests]
    assert order.index("modest") <= 4
    assert [place for place, name in enumerate(order) if name == "modest"][-1] <= 8
    assert server.most_in_flight == 2


def test_without_the_tokens_everything_is_404():
    async def go(server):
        async with gateway_to(server) as gateway:
            url = open_cell(gateway)
            base, run, cell = url.removesuffix("/v1").rsplit("/", 2)
            wrong = [
                f"{base}/v1",
                f"{base}/{cell}/v1",
                f"{base}/{run}/v1",
                f"{base}/{run}/other/v1",
                f"{base}/wrong/{cell}/v1",
                f"{url}/../..",
            ]
            statuses = [(await ask(wrong_url))[0] for wrong_url in wrong]
            statuses.append((await ask(url, path="completions"))[0])
            statuses.append((await ask(url, path="chat/completions/../../models"))[0])
            statuses.append(await asyncio.to_thread(_raw, url, "GET", f"{urlsplit(url).path}/chat/completions"))
            return statuses

    with JudgeServer(echo) as server:
        assert set(asyncio.run(go(server))) == {404}
        assert server.requests == []


def test_no_other_host_can_be_reached_through_it():
    async def go(server, other):
        async with gateway_to(server) as gateway:
            url = open_cell(gateway)
            port = urlsplit(other.url).port
            tries = [
                ("GET", f"http://127.0.0.1:{port}/v1/models"),
                ("POST", f"http://127.0.0.1:{port}/v1/chat/completions"),
                ("CONNECT", f"127.0.0.1:{port}"),
            ]
            return [await asyncio.to_thread(_raw, url, method, target) for method, target in tries]

    with JudgeServer(echo) as server, JudgeServer(echo) as other:
        assert set(asyncio.run(go(server, other))) <= {400, 404}
        assert server.requests == other.requests == []


def test_a_host_header_moves_nothing():
    async def go(server, other):
        async with gateway_to(server) as gateway:
            url = open_cell(gateway)
            place = urlsplit(other.url).netloc
            headers = {"Host": place, "X-Forwarded-Host": place, "Forwarded": f"host={place}"}
            statuses = [(await ask(url, headers=headers))[0]]
            wrong_run = url.replace(url.split("/")[3], "x" * 32)
            statuses.append((await ask(wrong_run, headers=headers))[0])
            return statuses

    with JudgeServer(echo) as server, JudgeServer(echo) as other:
        assert asyncio.run(go(server, other)) == [200, 404]
        assert (len(server.requests), other.requests) == (1, [])


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have one loopback address only")
def test_only_the_loopback_address_listens():
    async def go(server):
        async with gateway_to(server) as gateway:
            parts = urlsplit(open_cell(gateway))
            assert parts.hostname == "127.0.0.1"
            with socket.socket() as probe:  # another address of this machine, free of our listener
                probe.bind(("127.0.0.2", parts.port))

    with JudgeServer(echo) as server:
        asyncio.run(go(server))


def test_a_closed_cell_answers_410_and_nothing_goes_upstream():
    async def go(server):
        async with gateway_to(server) as gateway:
            url = open_cell(gateway)
            await gateway.close_cell("cell")
            with pytest.raises(KeyError):
                await gateway.close_cell("cell")
            return await ask(url)

    with JudgeServer(echo) as server:
        assert asyncio.run(go(server))[0] == 410
        assert server.requests == []


def test_closing_a_cell_awaits_the_answers_that_are_on_their_way():
    async def go(server):
        async with gateway_to(server) as gateway:
            url = open_cell(gateway)
            server.hold()
            asked = asyncio.create_task(ask(url))
            await _until(lambda: len(server.requests) == 1)
            closing = asyncio.create_task(gateway.close_cell("cell"))
            await asyncio.sleep(0)
            server.release()
            return await closing, await asked

    with JudgeServer(echo) as server:
        traffic, (status, _) = asyncio.run(go(server))
    assert status == 200
    assert [call.error_kind for call in traffic.calls] == [None]


def test_closing_a_cell_ends_calls_that_wait_or_hang_and_records_them():
    async def go(server):
        async with gateway_to(server, concurrency=1, grace=0.1) as gateway:
            url = open_cell(gateway)
            asked = [asyncio.create_task(ask(url, f"{n}")) for n in range(3)]
            await _until(lambda: len(server.requests) == 1 and _running(gateway, "cell") == 3)
            return await gateway.close_cell("cell"), await asyncio.gather(*asked)

    with JudgeServer(lambda _request, _n: HANG) as server:
        traffic, replies = asyncio.run(go(server))
    assert {status for status, _ in replies} == {502}
    assert [call.error_kind for call in traffic.calls] == ["interrupted"] * 3
    assert sorted(call.attempts for call in traffic.calls) == [0, 0, 1]
    usage = usage_of(traffic.calls)
    assert (usage.billed_calls, usage.output_tokens) == (1, None)  # the one on its way may be billed
    assert usage_of([call for call in traffic.calls if not call.attempts]).output_tokens == 0


def test_streams_and_broken_requests_are_refused_with_a_reason_and_recorded():
    async def go(server):
        async with gateway_to(server) as gateway:
            url = open_cell(gateway)
            replies = [
                await ask(url, stream=True),
                await ask(url, messages=[]),
                await ask(url, path="embeddings", input=[[1, 2, 3]]),
                await ask(url, path="embeddings", input=[]),
            ]
            return replies, await gateway.close_cell("cell")

    with JudgeServer(echo) as server:
        replies, traffic = asyncio.run(go(server))
        assert server.requests == []
    assert [status for status, _ in replies] == [400] * 4
    assert "stream" in replies[0][1]["error"]["message"]
    assert "tokens" in replies[2][1]["error"]["message"]
    assert [(call.error_kind, call.attempts) for call in traffic.calls] == [("framework_error", 0)] * 4


def test_a_call_that_the_gateway_itself_fails_on_is_recorded_as_failed(tmp_path):
    broken = f"{KEY}\nX-Other: header"  # no client library sends that: it raises an error of its own

    async def go(server, ledger):
        async with gateway_to(server, ledger=ledger, api_key=broken) as gateway:
            return await ask(open_cell(gateway)), await gateway.close_cell("cell")

    with JudgeServer(echo) as server:
        ledger = Ledger(tmp_path / "ledger.sqlite")
        (status, body), traffic = asyncio.run(go(server, ledger))
        ledger.close()
    assert status == 400
    assert body["error"]["code"] == "framework_error"
    assert [call.error_kind for call in traffic.calls] == ["framework_error"]
    assert "ValueError" in traffic.calls[0].error
    assert read_calls(tmp_path / "ledger.sqlite", "cell") == traffic.calls
    assert KEY not in repr(traffic) + repr(body)


def test_half_a_request_of_a_process_that_was_ended_is_no_call():
    async def go(server):
        async with gateway_to(server) as gateway:
            parts = urlsplit(open_cell(gateway))
            for ended in ("at once", "with the cell"):
                _, writer = await asyncio.open_connection(parts.hostname, parts.port)
                head = f"POST {parts.path}/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{{"
                writer.write(head.encode())
                await _until(lambda: _running(gateway, "cell") == 1)
                if ended == "at once":
                    writer.transport.abort()
                    await _until(lambda: _running(gateway, "cell") == 0)
            closed = await gateway.close_cell("cell")
            writer.close()
            return closed.calls

    with JudgeServer(echo) as server:
        assert asyncio.run(go(server)) == ()
        assert server.requests == []


def test_a_request_that_is_too_long_is_refused_and_recorded(monkeypatch):
    monkeypatch.setattr("evalparity.adapters.judge.gateway._LONGEST_REQUEST", 1000)

    async def go(server):
        async with gateway_to(server) as gateway:
            return await ask(open_cell(gateway), "x" * 2000), await gateway.close_cell("cell")

    with JudgeServer(echo) as server:
        (status, _), traffic = asyncio.run(go(server))
        assert server.requests == []
    assert status == 400
    assert [call.error_kind for call in traffic.calls] == ["framework_error"]
    assert "1000" in traffic.calls[0].error


def test_waiting_for_our_own_slots_is_not_the_judges_time():
    def slow(_request, _n):
        time.sleep(0.05)  # the server's own slowness, in its own thread
        return "fine"

    async def go(server):
        async with gateway_to(server, concurrency=1) as gateway:
            url = open_cell(gateway)
            await asyncio.gather(*(ask(url, f"{n}") for n in range(8)))
            return (await gateway.close_cell("cell")).calls

    with JudgeServer(slow) as server:
        begun = time.perf_counter()
        calls = asyncio.run(go(server))
        passed = time.perf_counter() - begun
    assert 8 * 0.05 <= usage_of(calls).seconds <= passed
    assert sum(call.waited for call in calls) > 0.05 * (1 + 2 + 3 + 4 + 5 + 6 + 7) * 0.9


def test_embeddings_come_in_the_form_the_sdk_asks_for():
    texts = ["first text", "zweiter Text", "第三"]

    def with_sdk(url):
        with OpenAI(base_url=url, api_key="dummy", max_retries=0) as client:
            by_default = client.embeddings.create(model="x", input=texts)  # base64 on the wire
            as_floats = client.embeddings.create(model="x", input=texts, encoding_format="float")
            single = client.embeddings.create(model="x", input=texts[0], dimensions=4)
        return [[item.embedding for item in reply.data] for reply in (by_default, as_floats, single)]

    async def go(server):
        async with gateway_to(server) as gateway:
            found = await asyncio.to_thread(with_sdk, open_cell(gateway))
            base64 = await ask(open_cell(gateway, "two"), path="embeddings", encoding_format="base64")
            return found, base64, await gateway.close_cell("cell")

    with JudgeServer() as server:
        (by_default, as_floats, single), (_, base64), traffic = asyncio.run(go(server))
    expected = [embed_text(text) for text in texts]
    assert by_default == as_floats == expected
    assert single == expected[:1]
    assert isinstance(base64["data"][0]["embedding"], str)
    assert {received.body["model"] for received in server.requests} == {"the-embedder"}
    assert {received.body["encoding_format"] for received in server.requests} == {"float"}
    assert traffic.calls[2].asked == {"model": "x", "dimensions": 4}


def test_without_an_embedding_model_an_embedding_call_fails_with_its_own_kind():
    async def go(server):
        async with gateway_to(server, embedding_model=None) as gateway:
            status, body = await ask(open_cell(gateway), path="embeddings")
            return status, body["error"], await gateway.close_cell("cell")

    with JudgeServer() as server:
        status, error, traffic = asyncio.run(go(server))
    assert (status, error["type"], traffic.calls[0].error_kind) == (502, "embedding", "embedding")
    assert "--embedding-model" in error["message"]


def test_the_step_is_named_by_header_or_by_the_prompts_opening():
    steps = {"promptfoo": (PromptStep(name="Recall", opening="Given a context", answer=lambda _text, _judge: ""),)}

    async def go(server):
        async with gateway_to(server, steps=steps) as gateway:
            told, shown = open_cell(gateway, "a"), open_cell(gateway, "b", "promptfoo")
            await ask(told, "Given a context, ...", headers={"X-Evalparity-Step": "Verdicts"})
            await ask(shown, messages=[{"role": "user", "content": [{"type": "text", "text": "Given a context: x"}]}])
            await ask(shown, "Something else")
            return [call.step for cell in "ab" for call in (await gateway.close_cell(cell)).calls]

    with JudgeServer(echo) as server:
        assert asyncio.run(go(server)) == ["Verdicts", "Recall", None]
        assert all("X-Evalparity-Step" not in received.headers for received in server.requests)


def test_the_key_goes_to_the_judge_and_appears_nowhere_else(tmp_path):
    def answer(request, n):
        return (f"your key is {KEY}", failing(401, f"bad key {KEY}"), failing(500, f"oops {KEY}"))[n % 3]

    async def go(server, ledger):
        async with gateway_to(server, ledger=ledger, attempts=1) as gateway:
            url = open_cell(gateway)
            replies = [await ask(url) for _ in range(3)]
            seen = repr(replies) + repr(gateway) + repr(vars(gateway)) + url
            return seen + repr(await gateway.close_cell("cell"))

    with JudgeServer(answer) as server:
        ledger = Ledger(tmp_path / "ledger.sqlite")
        seen = asyncio.run(go(server, ledger))
        ledger.close()
    assert {received.headers["Authorization"] for received in server.requests} == {f"Bearer {KEY}"}
    assert KEY not in seen
    assert "[key]" in seen
    for path in tmp_path.iterdir():
        assert KEY.encode() not in path.read_bytes()


def test_a_clients_own_key_and_headers_never_go_upstream():
    async def go(server):
        async with gateway_to(server) as gateway:
            url = open_cell(gateway)
            await ask(url, headers={"Authorization": "Bearer dummy", "OpenAI-Organization": "org", "Cookie": "a=b"})

    with JudgeServer(echo) as server:
        asyncio.run(go(server))
        headers = server.requests[0].headers
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert not {"OpenAI-Organization", "Cookie"} & set(headers)


def test_sdk_clients_do_not_retry_what_the_gateway_gave_up():
    async def go(server):
        async with gateway_to(server, attempts=1) as gateway:
            url = open_cell(gateway)
            async with AsyncOpenAI(base_url=url, api_key="dummy", max_retries=5) as client:
                with pytest.raises(InternalServerError, match=r"\[rate_limited\] judge .*the-judge.* at 127.0.0.1"):
                    await client.chat.completions.create(model="m", messages=[{"role": "user", "content": "x"}])
            return await gateway.close_cell("cell")

    with JudgeServer(lambda _request, _n: failing(429)) as server:
        traffic = asyncio.run(go(server))
    assert len(server.requests) == len(traffic.calls) == 1


def test_inputs_are_proved_over_all_calls_of_a_cell():
    sent = (
        Sent(field="output", layout="answer: {text}\n"),
        Sent(field="retrieved_contexts", layout='"contexts": {text}', encoding="json"),
        Sent(field="input", embedded=True),
    )
    texts = {"output": "The merchant pays.", "retrieved_contexts": ("a \n", 'b"'), "input": "Who pays?"}

    async def go(server):
        async with gateway_to(server) as gateway:
            url = open_cell(gateway, texts=texts, sent=sent)
            await ask(url, "answer: The merchant pays.\n")
            await ask(url, '{"contexts": ["a \\n", "b\\""]}')
            first = await gateway.close_cell("cell")
            url = open_cell(gateway, texts=texts, sent=sent)
            await ask(url, "answer: The merchant pays.\n")
            await ask(url, '{"contexts": ["a \\n"]}')
            await ask(url, "Who pays?", path="embeddings")
            return first.proof, (await gateway.close_cell("cell")).proof

    with JudgeServer(echo) as server:
        first, second = asyncio.run(go(server))
    assert first.missing == ("input",)
    assert second.missing == ("retrieved_contexts",)


def _running(gateway, name):
    return len(gateway._cells[gateway._tokens[name]].running)


async def _until(holds):
    """Give the loop its turns until something holds; the deadline only ends a test that has failed."""
    async with asyncio.timeout(20):
        while not holds():  # noqa: ASYNC110 - the condition is another thread's or the gateway's own
            await asyncio.sleep(0.005)


def _raw(url, method, target):
    """Send a request with exactly this method and target; 400 when the server hangs up."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=10)
    try:
        connection.request(method, target, body=b"{}")
        return connection.getresponse().status
    except http.client.BadStatusLine:
        return 400
    finally:
        connection.close()
