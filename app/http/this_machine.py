"""Whether a request was sent by a program on this machine, for what only the machine's own developer may use."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

# Headers that proxies add. Portico's server replaces forwarding headers by portico.passed_on; other WSGI servers leave
# them.
_OF_PROXIES = re.compile(
    r"portico\.passed_on|HTTP_(X_FORWARDED_\w+|FORWARDED|VIA|X_REAL_IP|X_CLIENT_IP|TRUE_CLIENT_IP|CF_\w+|X_ORIGINAL_\w+)"
)


def is_from_this_machine(environ: Mapping[str, Any], trusted_proxy: str | None) -> bool:
    """Whether the request comes from this machine, directly, and to one of the machine's own host names.

    ``environ``: of WSGI. ``trusted_proxy``: the setting TRUSTED_PROXY; with a proxy no request comes directly. The host
    name matters because a foreign site could resolve its own name to this machine. A proxy on this machine is
    recognized by the headers that it adds, or by HTTP/1.0, which is nginx's default.
    """
    host = _host_name(environ.get("HTTP_HOST", ""))
    return (
        _is_loopback(environ.get("REMOTE_ADDR", ""))
        and (host == "localhost" or host.endswith(".localhost") or _is_loopback(host))
        and trusted_proxy is None
        and environ.get("SERVER_PROTOCOL") != "HTTP/1.0"
        and not any(map(_OF_PROXIES.fullmatch, environ))
    )


def _host_name(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _is_loopback(text: str) -> bool:
    try:
        return ipaddress.ip_address(text.partition("%")[0]).is_loopback
    except ValueError:
        return False
