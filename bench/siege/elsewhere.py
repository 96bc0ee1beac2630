"""Requests that do not come from a browser on the service's machine, as far as one machine can imitate them."""

from __future__ import annotations

import socket
from contextlib import suppress

ELSEWHERE: tuple[dict[str, str], ...] = (
    {"X-Forwarded-For": "127.0.0.1"}, {"X-Forwarded-Host": "localhost"}, {"X-Forwarded-Proto": "http"},
    {"X-Forwarded-For": ""}, {"x-forwarded-server": "localhost"}, {"Forwarded": "for=127.0.0.1"}, {"Forwarded": ""},
    {"Forwarded": 'for="[::1]";host=localhost;proto=http'}, {"Via": "1.1 localhost"}, {"X-Real-IP": "127.0.0.1"},
    {"X-Client-IP": "127.0.0.1"}, {"True-Client-IP": "127.0.0.1"}, {"CF-Connecting-IP": "127.0.0.1"},
    {"X-Original-URL": "/auth/v1/health"}, {"Host": "example.com"}, {"Host": "localhost.example.com"},
    {"Host": "127.0.0.1.example.com"}, {"Host": "example.com@localhost.example.com"}, {"Host": "[::ffff:8.8.8.8]"},
    {"Host": "localhost, example.com"}, {"Host": "0.0.0.0"}, {"Host": ""},
)  # fmt: skip
"""Headers of proxies, and the names of hosts that are not this machine."""
LOCAL_NAMES: tuple[dict[str, str], ...] = (
    {}, {"Host": "localhost"}, {"Host": "127.0.0.1", "X-Forwarded-For": "127.0.0.1"},
)  # fmt: skip
"""Headers with which another machine pretends to be this one."""
OLD_LINES = ("HTTP/1.0", "HTTP/1.1\r\nX-Forwarded-For: 203.0.113.7")
"""The ends of request lines as proxies send them."""


def own_address() -> str:
    """An address of this machine that is not loopback, or ''."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked, suppress(OSError):
        # Chooses the address of the route, and sends nothing.
        asked.connect(("192.0.2.1", 9))
        return str(asked.getsockname()[0])
    return ""
