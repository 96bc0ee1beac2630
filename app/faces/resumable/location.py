"""The URL of an upload, from the client's point of view."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from app.faces.shared.paths import PREFIX

_DEFAULT_PORTS = {"http": "80", "https": "443"}


@dataclass(frozen=True, slots=True)
class Seen:
    """How the client reached the service: scheme and host (with its port), the path prefix that a proxy removed, and
    the prefix of the storage's routes in the path, '' without one."""

    scheme: str
    host: str
    stripped: str
    prefix: str


def upload_url(public_url: str | None, seen: Seen, path: str) -> str:
    """The absolute URL of ``path``, a path below the storage's routes."""
    if public_url:
        parts = urlsplit(public_url)
        base = parts.path.rstrip("/")
        mount = base if base.endswith(PREFIX) else base + PREFIX
        return f"{parts.scheme}://{_without_default_port(parts.scheme, parts.netloc)}{mount}{path}"
    below = seen.prefix + path
    if seen.stripped and not below.startswith(seen.stripped + "/"):
        below = seen.stripped + below
    return f"{seen.scheme}://{_without_default_port(seen.scheme, seen.host)}{below}"


def seen_from(scheme: str, host: str, forwarded: Mapping[str, str], prefix: str) -> Seen:
    """How the client reached the service, by the headers of a trusted proxy (without ``x-forwarded-``), or else by the
    request.

    The proxy gives the port with the host, or in ``port``. Invalid values are ignored.
    """
    their_host = forwarded.get("host", "")
    port = forwarded.get("port", "")
    if their_host:
        host = their_host
        if port.isdecimal() and not _has_port(host):
            host = f"{host}:{port}"
    return Seen(scheme, host, forwarded.get("prefix", "").rstrip("/"), prefix)


def _has_port(host: str) -> bool:
    return ":" in host.rpartition("]")[2]


def _without_default_port(scheme: str, host: str) -> str:
    return host.removesuffix(":" + _DEFAULT_PORTS.get(scheme, ""))
