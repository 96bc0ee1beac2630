"""Who may use what the page's own endpoints tell.

Each request to them names the page's token, which only the page itself has: it is in its HTML, and no other origin may
read that. Keys are sent in headers, never by the browser on its own, so a foreign page cannot use those of a visitor.
What tells about the whole database also needs the key of the service role. A service for development hands its keys to
a browser on the same machine that has opened the address which the service printed.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
from urllib.parse import urlsplit

from portico import AccessError, RequestHead

_PAGE_TOKEN, _KEY, _START = "HTTP_X_STUDIO_PAGE", "HTTP_X_STUDIO_KEY", "HTTP_X_STUDIO_START"
"""The headers, as WSGI has them."""
SERVICE_ROLE = "service_role"
# What proxies add. The server removes the first ones and says so instead; another WSGI server leaves them.
_OF_PROXIES = re.compile(
    r"portico\.passed_on|HTTP_(X_FORWARDED_\w+|FORWARDED|VIA|X_REAL_IP|X_CLIENT_IP|TRUE_CLIENT_IP|CF_\w+|X_ORIGINAL_\w+)"
)


class Guard:
    """``secret`` is the page's token, the same in all workers of a service."""

    def __init__(self, services, secret):
        self._services = services
        self.secret = secret

    @property
    def is_development(self):
        return self._services.settings.development

    def is_here(self, req):
        """Whether the request comes from this machine, and by one of its own names: no other site's name leads here.

        A proxy on this machine comes from it too, and may send such a name. What it adds tells it from a browser, and
        so does HTTP/1.0, which nginx speaks unless told otherwise.
        """
        host = _host_name(req.env.get("HTTP_HOST", ""))
        return (
            _is_loopback(req.env.get("REMOTE_ADDR", ""))
            and (host == "localhost" or host.endswith(".localhost") or _is_loopback(host))
            and self._services.settings.trusted_proxy is None
            and req.env.get("SERVER_PROTOCOL") != "HTTP/1.0"
            and not any(map(_OF_PROXIES.fullmatch, req.env))
        )

    def hands_out_keys(self, req):
        """Whether the page gets the service's keys without being asked for one."""
        started = _is_same(req.env.get(_START, ""), start_secret(self._services.settings))
        return self.is_development and started and self.is_here(req)

    def check_page(self, req):
        """Raise AccessError unless it is the page that asks."""
        if not _is_same(req.env.get(_PAGE_TOKEN, ""), self.secret):
            raise AccessError(
                "Only the page may ask this.", code="STUDIO_PAGE_REQUIRED", status=403, hint="Load the page again."
            )

    def check_service(self, req):
        """Raise AccessError unless the page asks with the key of the service role."""
        self.check_page(req)
        key = req.env.get(_KEY)
        caller = self._services.caller(RequestHead("GET", req.path, {"apikey": key}.get)) if key else None
        if caller is None or caller.role != SERVICE_ROLE:
            raise AccessError(
                "This needs the key of the service role.",
                code="SERVICE_ROLE_REQUIRED",
                status=403,
                hint="Give the page SERVICE_ROLE_KEY.",
            )


def start_secret(settings):
    """What the address has that a service for development prints. It is made of what it gives access to, so all workers
    know it, and an address of yesterday leads to a service that was restarted since. Other users of the machine, and
    proxies on it that do not say what they are, do not know it."""
    guarded = settings.jwt_secret or settings.service_role_key or ""
    return hmac.new(guarded.encode(), b"start of Portico Studio", "sha256").hexdigest()[:32]


def _is_same(sent, secret):
    return hmac.compare_digest(sent.encode(), secret.encode())


def _host_name(host):
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _is_loopback(text):
    try:
        return ipaddress.ip_address(text.partition("%")[0]).is_loopback
    except ValueError:
        return False
