"""Where judge calls go: what an upstream is, and the one that is any OpenAI-compatible server."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol

import aiohttp

from evalparity.adapters.judge.addresses import base_url, proxy_for
from evalparity.adapters.judge.failures import bad_answer, status_error, without_key
from evalparity.adapters.judge.traffic import CallKind
from evalparity.unified_schema.errors import JudgeError

_PATHS: Mapping[CallKind, str] = MappingProxyType({"chat": "chat/completions", "embedding": "embeddings"})
_CONNECT_SECONDS = 30
"""A slow judge is waited for, a host that does not even take the connection is not."""
_LONGEST_ANSWER = 64 * 1024**2
_SECRET_LENGTH = 16
"""Keys below this length are placeholders such as `EMPTY`; taking such words out of replies would change them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstreamRequest:
    """One call as it goes upstream, and whose it is.

    Attributes:
        kind: chat or embedding.
        body: the whole request, model and parameters enforced.
        framework: who asks.
        metric: for which canonical metric.
        step: which prompt of the framework; None when unknown.
    """

    kind: CallKind
    body: Mapping[str, Any]
    framework: str
    metric: str
    step: str | None = None


class Upstream(Protocol):
    """Something that answers judge calls."""

    @property
    def where(self) -> str:
        """Return where it is, to be read after the model's name: `at api.example.com`."""

    @property
    def server(self) -> str | None:
        """Return its base URL, which is part of the address of its answers; None: it is built in, nothing is kept."""

    async def send(self, request: UpstreamRequest) -> dict[str, Any]:
        """Return the answer to one request, in OpenAI's form; one attempt, no retry.

        Raises:
            JudgeError: with the kind of the failure, and whether another attempt may succeed.
        """

    async def close(self) -> None:
        """Give back what is held; no request follows."""


class HttpUpstream:
    """An OpenAI-compatible server. It alone holds the key, and sends it to this server alone.

    A proxy named in the environment (`HTTPS_PROXY`, `NO_PROXY`) is used for every host that is not this
    machine. Certificates are verified. Redirects are not followed: the key would go along.

    Args:
        url: base URL up to and including `/v1`.
        key: sent as a bearer token; None: no key.
        option: where the user names the URL, for messages.

    Raises:
        UsageError: the URL is no base URL, or holds what may be secret.
    """

    def __init__(self, url: str, key: str | None = None, *, option: str = "--judge-url") -> None:
        self._url = base_url(url, option)
        self._endpoints = {kind: self._url / path for kind, path in _PATHS.items()}
        self._key = key
        self._proxy = proxy_for(self._url)
        self._session: aiohttp.ClientSession | None = None

    @property
    def where(self) -> str:
        """Return the server's host."""
        return f"at {self._url.host}"

    @property
    def server(self) -> str:
        """Return the server's base URL."""
        return str(self._url)

    async def send(self, request: UpstreamRequest) -> dict[str, Any]:
        """Return the server's answer to one request."""
        try:
            return await self._post(request)
        except aiohttp.ClientSSLError as error:
            why = without_key(str(error), self._key)
            raise JudgeError("connect", f"no safe connection ({why}); check its certificate and the URL") from error
        except (aiohttp.ClientError, OSError) as error:
            why = without_key(str(error), self._key) or type(error).__name__
            message = f"no connection ({why}); check the URL and that the server runs"
            begun = isinstance(error, aiohttp.ClientPayloadError)  # an answer that was lost on its way is billed
            raise JudgeError("connect", message, transient=True, billable=begun) from error

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()

    async def _post(self, request: UpstreamRequest) -> dict[str, Any]:
        async with self._open_session().post(
            self._endpoints[request.kind], json=request.body, proxy=self._proxy, allow_redirects=False
        ) as response:
            raw = await _read(response)
        text = without_key(raw.decode("utf-8", "replace"), self._secret)
        if response.status // 100 != 2:  # noqa: PLR2004 - HTTP's class of success
            raise status_error(response.status, response.headers, without_key(text, self._key))
        if "\ufffd" in text and not _is_utf8(raw):
            raise JudgeError("bad_reply", "answered bytes that are no UTF-8; check the server", billable=True)
        try:
            answer = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise bad_answer(without_key(text, self._key)) from error
        if not isinstance(answer, dict) or answer.get("error"):
            raise bad_answer(without_key(text, self._key))
        return answer

    @property
    def _secret(self) -> str | None:
        return self._key if self._key and len(self._key) >= _SECRET_LENGTH else None

    def _open_session(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),  # the gateway limits; certificates are verified by default
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"Authorization": f"Bearer {self._key}"} if self._key else {},
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS),  # the rest is the caller's
            )
        return self._session


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


async def _read(response: aiohttp.ClientResponse) -> bytes:
    """Return the body; a flood is cut off."""
    parts: list[bytes] = []
    size = 0
    async for part in response.content.iter_any():
        parts.append(part)
        size += len(part)
        if size > _LONGEST_ANSWER:
            limit = _LONGEST_ANSWER // 1024**2
            why = f"answered more than {limit} MB; check the URL and the server"
            raise JudgeError("bad_reply", why, billable=True)
    return b"".join(parts)
