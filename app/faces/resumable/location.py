"""The URL of an upload, from the client's point of view."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from app.faces.shared.paths import PREFIX

_DEFAULT_PORTS = {"http": "80", "https": "443"}


def upload_url(
    public_url: str | None, path: str, *, scheme: str, host: str, prefix: str, forwarded: Mapping[str, str]
) -> str:
    """The absolute URL of ``path``, a path below the storage's routes: at ``public_url``, or else at the address at
    which the client reached the service.

    ``host``, with its port, and ``prefix``, the one of the storage's routes or '', are those of the request.
    ``forwarded`` has the headers of a trusted proxy, without ``x-forwarded-``: the host, with the port or with ``port``
    beside it, and the path prefix that the proxy removed. Invalid values are ignored.
    """
    if public_url:
        parts = urlsplit(public_url)
        base = parts.path.rstrip("/")
        mount = base if base.endswith(PREFIX) else base + PREFIX
        return f"{parts.scheme}://{_without_default_port(parts.scheme, parts.netloc)}{mount}{path}"
    their_host, port = forwarded.get("host", ""), forwarded.get("port", "")
    if their_host:
        host = f"{their_host}:{port}" if port.isdecimal() and not _has_port(their_host) else their_host
    below, stripped = prefix + path, forwarded.get("prefix", "").rstrip("/")
    if stripped and not below.startswith(stripped + "/"):
        below = stripped + below
    return f"{scheme}://{_without_default_port(scheme, host)}{below}"


def _has_port(host: str) -> bool:
    return ":" in host.rpartition("]")[2]


def _without_default_port(scheme: str, host: str) -> str:
    return host.removesuffix(":" + _DEFAULT_PORTS.get(scheme, ""))
