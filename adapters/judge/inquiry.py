"""Why a server did not do: questions that cost nothing, asked after a failed call to say what helps.

The key goes along to the server's own address alone; what is tried elsewhere is tried without it.
"""

from __future__ import annotations

import asyncio
import difflib
import json
import ssl
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import aiohttp
from yarl import URL

from evalparity.adapters.judge.addresses import is_loopback, proxy_for
from evalparity.adapters.judge.failures import without_key

_PATIENCE = 5.0
_MOST_MODELS = 8
_LARGEST_LIST = 4 * 1024**2


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """One server as the user named it.

    Attributes:
        url: its base URL.
        key: its key.
        model: the model that is asked for.
        url_option, model_option: where both are named.
        key_sources: where its key can be named.
    """

    url: URL
    key: str | None
    model: str
    url_option: str
    model_option: str
    key_sources: str

    @property
    def address(self) -> str:
        """Return host and port."""
        return f"{self.url.host}:{self.url.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """An answer to a GET: its status, where it sends to, and its JSON, None where it is none."""

    status: int
    location: str | None
    body: Any

    @property
    def is_api(self) -> bool:
        return isinstance(self.body, dict) and self.status in {200, 401, 403}


async def listed_models(server: Server) -> tuple[str, ...]:
    """Return the names of the server's models; none where it does not tell."""
    return _names(await _get(server.url / "models", server.key))


def lists(models: tuple[str, ...], model: str) -> bool:
    """Tell whether a model is in a list; `qwen3` is also `qwen3:latest`, as Ollama names it."""
    return any(name == model or name.startswith(f"{model}:") for name in models)


async def remedy(kind: str, server: Server) -> str | None:
    """Return what helps against a failure of this kind, as far as it can be found out.

    Args:
        kind: error kind of the failed call.
        server: whom it went to.
    """
    for look in _LOOKS.get(kind, ()):
        found = await look(server)
        if found is not None:
            return found
    return None


async def _proxy(server: Server) -> str | None:
    proxy = proxy_for(server.url)
    if proxy is None:
        return None
    variable = f"{server.url.scheme.upper()}_PROXY"
    return (
        f"calls to {server.url.host} go through the proxy {proxy.host}:{proxy.port} that {variable} names in the "
        f"environment: mend it, or add {server.url.host} to NO_PROXY"
    )


async def _unknown_host(server: Server) -> str | None:
    try:
        await asyncio.get_running_loop().getaddrinfo(server.url.host or "", server.url.port)
    except OSError:
        return f"no host of the name {server.url.host} is known here: check the spelling of {server.url_option}"
    return None


async def _other_scheme(server: Server) -> str | None:
    secure = await _speaks_tls(server.url)
    if server.url.scheme == "http" and secure:
        return f"the server speaks https: write {server.url_option} {server.url.with_scheme('https')}"
    if server.url.scheme == "https" and not secure:
        plain = server.url.with_scheme("http")
        if await _get(plain / "models") is not None:
            return f"the server speaks http without encryption: write {server.url_option} {plain}"
    return None


async def _untrusted(server: Server) -> str | None:
    if server.url.scheme != "https" or not await _speaks_tls(server.url):
        return None
    return (
        "its certificate is signed by nobody whom this machine trusts: name a file with the certificate of your "
        "authority in the variable SSL_CERT_FILE"
    )


async def _nobody(server: Server) -> str | None:
    where = "on this machine " if is_loopback(server.url.host) else ""
    return f"nobody answers {where}at {server.address}: start the server, or check host and port of {server.url_option}"


async def _other_model(server: Server) -> str | None:
    models = await listed_models(server)
    if not models or lists(models, server.model):
        return None
    near = difflib.get_close_matches(server.model, models, n=_MOST_MODELS, cutoff=0.0)
    more = f" and {len(models) - len(near)} others" if len(models) > len(near) else ""
    return f"the server has no model {server.model!r}; {server.model_option} can be {', '.join(near)}{more}"


async def _redirect(server: Server) -> str | None:
    seen = await _get(server.url / "models", server.key)
    if seen is None or seen.location is None:
        return None
    try:
        target = (server.url / "models").join(URL(seen.location)).with_query(None).with_fragment(None)
    except ValueError:
        return None
    return f"the server sends to another address: write {server.url_option} {str(target).removesuffix('/models')}"


async def _missing_v1(server: Server) -> str | None:
    full = server.url.origin() / "v1"
    if full == server.url:
        return None
    seen = await _get(full / "models")
    return f"the API stands at another path: write {server.url_option} {full}" if seen and seen.is_api else None


async def _no_key(server: Server) -> str | None:
    return None if server.key else f"no key was sent: name one by {server.key_sources}"


_LOOKS: Mapping[str, tuple[Callable[[Server], Awaitable[str | None]], ...]] = MappingProxyType(
    {
        "connect": (_proxy, _unknown_host, _other_scheme, _untrusted, _nobody),
        "http_4xx": (_other_model, _missing_v1, _other_scheme),
        "http_5xx": (_other_model,),
        "bad_reply": (_redirect, _missing_v1, _other_model),
        "auth": (_no_key,),
    }
)
"""What to look at, by error kind, the likeliest first."""


async def _speaks_tls(url: URL) -> bool:
    """Tell whether TLS is spoken there, whoever signed the certificate; nothing is sent but the handshake."""
    url = url.with_scheme("https")
    try:
        async with asyncio.timeout(_PATIENCE):
            _, writer = await asyncio.open_connection(url.host, url.port, ssl=ssl.create_default_context())
    except ssl.SSLCertVerificationError:
        return True
    except (OSError, TimeoutError):
        return False
    writer.transport.abort()
    return True


async def _get(url: URL, key: str | None = None) -> _Seen | None:
    """Return what stands at an address; None where no one answers."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    limit = aiohttp.ClientTimeout(total=_PATIENCE)
    try:
        async with (
            aiohttp.ClientSession(timeout=limit, cookie_jar=aiohttp.DummyCookieJar()) as session,
            session.get(url, headers=headers, proxy=proxy_for(url), allow_redirects=False) as response,
        ):
            text = without_key(await _read(response), key)
            location = without_key(response.headers.get("Location", ""), key)
            return _Seen(status=response.status, location=location or None, body=_json(text))
    except (aiohttp.ClientError, OSError):
        return None


async def _read(response: aiohttp.ClientResponse) -> str:
    """Return the body as text, a flood cut off."""
    body = bytearray()
    async for part in response.content.iter_any():
        body += part
        if len(body) > _LARGEST_LIST:
            break
    return body.decode("utf-8", "replace")


def _json(text: str) -> Any:  # noqa: ANN401 - any JSON
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _names(seen: _Seen | None) -> tuple[str, ...]:
    listed = seen.body.get("data") if seen is not None and isinstance(seen.body, dict) else None
    entries = listed if isinstance(listed, list) else []
    names = (entry.get("id") for entry in entries if isinstance(entry, dict))
    return tuple(name for name in names if isinstance(name, str))
