"""Addresses of judge servers: what a base URL is, and what counts as one and the same server."""

from __future__ import annotations

import urllib.request
from ipaddress import ip_address
from types import MappingProxyType

from yarl import URL

from evalparity.unified_schema.errors import UsageError

_ENDPOINTS = ("/chat/completions", "/completions", "/embeddings")
_NOT_SENT = MappingProxyType(
    {
        "?": "; Azure takes calls without `api-version` at https://RESOURCE.openai.azure.com/openai/v1",
        "#": "",
    }
)
"""What ends the part of a URL that paths can be added to, and advice."""


def base_url(text: str, option: str) -> URL:
    """Return the base URL of a server, without a slash at its end.

    Args:
        text: as the user wrote it; white space around it does not count.
        option: where it was written, for messages, such as `--judge-url`.

    Raises:
        UsageError: it is not http(s), ends in an endpoint of the API, or holds a user, a password, a query or a
            fragment. The message repeats nothing of these, as they may be secret.
    """
    address = text.strip()
    url = _parsed(address, option)
    if url.user is not None or url.password is not None:
        raise UsageError(f"{option} holds a user name or password: leave it off and give the key by file or variable.")
    for mark, advice in _NOT_SENT.items():
        if mark in address:
            raise UsageError(f"{option}: leave off what stands after `{mark}`, a base URL ends in /v1{advice}.")
    for ending in _ENDPOINTS:
        if url.path.endswith(ending):
            raise UsageError(f"{option} {str(url)!r} ends in {ending}: leave that off, the base URL ends in /v1.")
    return url


def same_origin(first: URL, second: URL) -> bool:
    """Tell whether two URLs have the same scheme, host and port: the only sense in which two servers are one."""
    return (first.scheme, first.host, first.port) == (second.scheme, second.host, second.port)


def is_loopback(host: str | None) -> bool:
    """Tell whether a host name or address is this machine's own."""
    try:
        return ip_address(host or "").is_loopback
    except ValueError:
        return host == "localhost"


def proxy_for(url: URL) -> URL | None:
    """Return the proxy that the environment names for a server (`HTTPS_PROXY`, `NO_PROXY`); None for this machine.

    Not by aiohttp's `trust_env`, which would also read ~/.netrc and send what it finds there to the judge.
    """
    host = url.host or ""
    if is_loopback(host) or urllib.request.proxy_bypass_environment(host):  # type: ignore[attr-defined]  # there, but in no stub
        return None
    named = urllib.request.getproxies_environment().get(url.scheme)
    return URL(named) if named else None


def _parsed(address: str, option: str) -> URL:
    shown = address.rpartition("@")[2].partition("?")[0].partition("#")[0]
    try:
        url = URL(address.partition("?")[0].partition("#")[0].rstrip("/"))
        usable = url.scheme in {"http", "https"} and bool(url.host)
    except ValueError:
        usable = False
    if not usable:
        raise UsageError(f"{option} {shown!r} is no base URL: write it as https://host/v1.")
    return url
