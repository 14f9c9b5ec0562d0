"""The pre-flight: a judge is asked one easy question before a run spends anything on it.

It goes through the gateway as every call of the run will, with the run's own parameters, so that what the server
refuses is found here. The same question asks what the server takes of structured output: twice with a
`response_format`, and once more without any where one of them fails. The embedding model gets one call.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import aiohttp
from yarl import URL

from evalparity.adapters.checks import Check
from evalparity.adapters.judge.gateway import Gateway
from evalparity.adapters.judge.inquiry import Server, listed_models, lists, remedy
from evalparity.adapters.judge.keys import in_clear_text
from evalparity.adapters.judge.settings import LEXICAL, JudgeSettings
from evalparity.adapters.judge.steps import STEP_HEADER
from evalparity.adapters.judge.structured import FORMS, Form
from evalparity.adapters.judge.traffic import Call, CallKind

Json = dict[str, Any]

NAME = "pre-flight"
"""The cell of its calls in the ledger, with the judge's label behind it where there is one."""

QUESTION = "Is 7 greater than 3? Answer yes or no."
_VERDICT = MappingProxyType(
    {
        "type": "object",
        "properties": {"verdict": {"type": "string", "enum": ["yes", "no"]}},
        "required": ["verdict"],
        "additionalProperties": False,
    }
)
_TEXTS = ("yes", "no")

_WHATEVER_THE_FORM = frozenset({"auth", "connect", "timeout", "rate_limited", "budget", "judge_down"})
"""Failures after which the question is not asked again in another form: it would fail in the same way."""
_NOTHING_LEARNED = frozenset({"budget", "not_recorded"})
"""Ends of a call that say nothing of the judge."""
_NOT_EMBEDDED = frozenset({"http_4xx", "http_5xx", "bad_reply", "embedding"})
"""Failures that a model which gives no embeddings ends in."""
_ANOTHER_MODEL = "name an embedding model with --embedding-model"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Probe:
    """The question, asked with one `response_format`; whether a reply shows that the server heeds it."""

    prompt: str
    response_format: Json
    heeded: Callable[[object], bool]


_PROBES: Mapping[Form, _Probe] = MappingProxyType(
    {
        "json_schema": _Probe(
            prompt=QUESTION,  # names no key: only a server that heeds the schema can answer in it
            response_format={
                "type": "json_schema",
                "json_schema": {"name": "verdict", "strict": True, "schema": dict(_VERDICT)},
            },
            heeded=lambda reply: isinstance(reply, dict) and reply.get("verdict") in ("yes", "no"),
        ),
        "json_object": _Probe(
            prompt=f'{QUESTION} Write your answer as a JSON object with the key "verdict".',
            response_format={"type": "json_object"},
            heeded=lambda reply: isinstance(reply, dict),
        ),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Preflight:
    """What a pre-flight found.

    Attributes:
        checks: one for the judge and one for the embedding model, as far as they were asked; then warnings.
        structured_output: the forms that the judge's server takes; None where it was not asked or did not answer.
        calls: all calls, as the gateway counted them.
        known: whether all that was to be found out was.
    """

    checks: tuple[Check, ...] = ()
    structured_output: tuple[Form, ...] | None = None
    calls: tuple[Call, ...] = ()
    known: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """How a call ended: the JSON that a framework would get, or the kind of the error and its message."""

    body: Json
    kind: str | None = None
    message: str = ""


async def preflight(
    gateway: Gateway, judge: JudgeSettings, kinds: Collection[CallKind], *, recorded: bool = False
) -> Preflight:
    """Ask the judge and the embedding model of a run, as far as they are not built in.

    A form that the judge refused when it was recorded was not kept, as no failure is: so that a form without an answer
    is one that it does not take.

    Args:
        gateway: to this judge, open.
        judge: the judge.
        kinds: the calls that the run will make.
        recorded: whether the gateway answers from a cassette or the cache alone; then no server is looked at.
    """
    chat = _server_of(judge) if "chat" in kinds else None
    embedding = _embedding_server_of(judge) if "embedding" in kinds else None
    cell = NAME if judge.label is None else f"{NAME}@{judge.label}"
    url = gateway.open_cell(cell=cell, framework=NAME, metric=NAME, texts={}, sent=())
    takes: tuple[Form, ...] | None = None
    of_judge: list[Check] = []
    of_embedding: list[Check] = []
    try:
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None)) as session:
            asking = _Asking(session=session, url=url, recorded=recorded)
            if chat is not None:
                takes, of_judge = await _check_judge(asking, chat, judge)
            if embedding is not None:
                of_embedding = await _check_embedding(asking, embedding, judge)
    finally:
        traffic = await gateway.close_cell(cell)
    return Preflight(
        checks=(*of_judge, *of_embedding),
        structured_output=takes,
        calls=tuple(call for call in traffic.calls if call.error_kind != "not_recorded"),
        known=(chat is None or bool(of_judge)) and (embedding is None or bool(of_embedding)),
    )


def _server_of(judge: JudgeSettings) -> Server | None:
    if judge.model == LEXICAL or judge.url is None:
        return None
    return Server(
        url=URL(judge.url),
        key=judge.api_key,
        model=judge.model,
        url_option="--judge-url",
        model_option="--judge",
        key_sources="EVALPARITY_JUDGE_API_KEY or --judge-key-file",
    )


def _embedding_server_of(judge: JudgeSettings) -> Server | None:
    if judge.embedding_model is None or judge.embedding_server is None:
        return None
    of_judge = judge.api_key if judge.embedding_url is None else None
    return Server(
        url=URL(judge.embedding_server),
        key=judge.embedding_api_key or of_judge,
        model=judge.embedding_model,
        url_option="--judge-url" if judge.embedding_server == judge.url else "--embedding-url",
        model_option="--embedding-model",
        key_sources="EVALPARITY_EMBEDDING_API_KEY or --embedding-key-file",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asking:
    """The way to the gateway."""

    session: aiohttp.ClientSession
    url: str
    recorded: bool

    @property
    def verb(self) -> str:
        return "answered before" if self.recorded else "answers"

    async def chat(self, prompt: str, step: str, **more: Json) -> _Answer:
        messages = [{"role": "user", "content": prompt}]
        return await self._ask("chat/completions", {"model": NAME, "messages": messages, **more}, step)

    async def embed(self) -> _Answer:
        return await self._ask("embeddings", {"model": NAME, "input": list(_TEXTS)}, "embedding")

    async def _ask(self, path: str, body: Json, step: str) -> _Answer:
        async with self.session.post(f"{self.url}/{path}", json=body, headers={STEP_HEADER: step}) as response:
            answer = await response.json()
        error = answer.get("error")
        if error is None:
            return _Answer(body=answer)
        kind = error["type"]
        return _Answer(body={}, kind=kind, message=error["message"].removeprefix(f"[{kind}] "))


async def _check_judge(
    asking: _Asking, server: Server, judge: JudgeSettings
) -> tuple[tuple[Form, ...] | None, list[Check]]:
    takes, answer = await _probe(asking)
    what = _named("judge", judge)
    if answer.kind in _NOTHING_LEARNED:
        return None, []
    if answer.kind == "truncated":
        told = f"its answer to a question of one word was cut off at {judge.max_output_tokens} tokens"
        checks = [Check(what=what, state="warning", told=told, remedy="raise --max-output-tokens")]
    elif answer.kind is not None:
        return None, [_failed(judge, "judge", _told(answer, "judge", server), await remedy(answer.kind, server))]
    else:
        forms = " and ".join(takes) or "no structured output"
        told = f"{server.model} at {server.url.host} {asking.verb}; it takes {forms}"
        checks = [Check(what=what, state="ok", told=told)]
    return takes, checks if asking.recorded else [*checks, *await _warnings(server, what)]


async def _probe(asking: _Asking) -> tuple[tuple[Form, ...], _Answer]:
    """Return the forms that the server takes, and an answer: the failure that matters, where there is one."""
    takes: list[Form] = []
    failed = False
    for form in FORMS:
        probe = _PROBES[form]
        answer = await asking.chat(probe.prompt, form, response_format=probe.response_format)
        if answer.kind in _WHATEVER_THE_FORM:
            return (), answer
        is_cut_off = answer.kind == "truncated"  # the server took the form; what it makes of it is not known
        failed = failed or not (is_cut_off or answer.kind is None)
        takes += [form] if is_cut_off or probe.heeded(_json(answer)) else []
    # Without any form last: a record that holds it, or both forms, is one of a pre-flight that came to its end.
    return tuple(takes), await asking.chat(QUESTION, "plain") if failed else answer


def _json(answer: _Answer) -> object:
    """Return what the reply of a call holds as JSON; None where it holds none, or where there is no reply."""
    if answer.kind is not None:
        return None
    try:
        return json.loads(answer.body["choices"][0]["message"]["content"] or "")
    except (ValueError, RecursionError):
        return None


async def _warnings(server: Server, what: str) -> list[Check]:
    """Return what works and may not be what its user wants."""
    found = []
    models = await listed_models(server)
    if len(models) == 1 and not lists(models, server.model):
        told = f"the server lists one model, {models[0]!r}, and answers as {server.model!r}"
        found.append(Check(what=what, state="warning", told=told, remedy=f"write {server.model_option} {models[0]}"))
    if in_clear_text(server.url, server.key):
        told = f"the key crosses the network to {server.url.host} in clear text"
        found.append(Check(what=what, state="warning", told=told, remedy=f"use https for {server.url_option}"))
    return found


async def _check_embedding(asking: _Asking, server: Server, judge: JudgeSettings) -> list[Check]:
    answer = await asking.embed()
    if answer.kind in _NOTHING_LEARNED:
        return []
    if answer.kind is not None:
        helps = await remedy(answer.kind, server)
        if helps is None and answer.kind in _NOT_EMBEDDED:
            helps = _ANOTHER_MODEL
        return [_failed(judge, "embedding model", _told(answer, "embedding model", server), helps)]
    one, other = (entry["embedding"] for entry in answer.body["data"])
    what = _named("embedding model", judge)
    if one == other:
        told = "two different texts get one and the same vector, by which nothing can be compared"
        return [Check(what=what, state="failed", told=told, remedy=_ANOTHER_MODEL)]
    told = f"{server.model} at {server.url.host} {asking.verb} with vectors of {len(one)} numbers"
    return [Check(what=what, state="ok", told=told)]


def _told(answer: _Answer, role: str, server: Server) -> str:
    """Return the message of a failed call without its beginning, which says whose it is."""
    whose = f"{role} {server.model!r} at {server.url.host}: "
    return f"{server.model} at {server.url.host}: {answer.message.removeprefix(whose)}"


def _failed(judge: JudgeSettings, role: str, told: str, helps: str | None = None) -> Check:
    return Check(what=_named(role, judge), state="failed", told=told, remedy=helps)


def _named(role: str, judge: JudgeSettings) -> str:
    return role if judge.label is None else f"{role} of {judge.label}"
