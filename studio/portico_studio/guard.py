"""Access control of the page's own endpoints.

Each request to them must have the page's token. Only the page has it: it is in the page's HTML, which no other origin
may read. Keys are sent in headers, which browsers never add on their own, so a foreign page cannot use a visitor's
keys. Endpoints about the complete database also need the key of the service role. A development service gives its keys
to a browser on the same machine that has opened the address which the service printed.
"""

from __future__ import annotations

import hmac

from portico import AccessError, RequestHead, is_from_this_machine

_PAGE_TOKEN, _KEY, _START = "HTTP_X_STUDIO_PAGE", "HTTP_X_STUDIO_KEY", "HTTP_X_STUDIO_START"
"""The names of the headers in WSGI."""
SERVICE_ROLE = "service_role"


class Guard:
    """The checks of requests. ``secret`` is the page's token, which is the same in all workers of a service."""

    def __init__(self, services, secret):
        self._services = services
        self.secret = secret

    @property
    def is_development(self):
        return self._services.settings.development

    def is_here(self, req):
        """Whether the request comes from this machine, directly, and to one of the machine's own host names."""
        return is_from_this_machine(req.env, self._services.settings.trusted_proxy)

    def hands_out_keys(self, req):
        """Whether the page gets the service's keys, so that the visitor need not enter any."""
        started = _is_same(req.env.get(_START, ""), start_secret(self._services.settings))
        return self.is_development and started and self.is_here(req)

    def check_page(self, req):
        """Raise AccessError unless the request comes from the page."""
        if not _is_same(req.env.get(_PAGE_TOKEN, ""), self.secret):
            raise AccessError(
                "Only the page may send this request.",
                code="STUDIO_PAGE_REQUIRED",
                status=403,
                hint="Reload the page.",
            )

    def check_development(self, req, what):
        """Raise AccessError unless the request comes from the page of a development service, on its machine. ``what``
        begins the message: it is possible only there."""
        self.check_page(req)
        if not self.hands_out_keys(req):
            raise AccessError(
                f"{what} only in development.",
                code="DEVELOPMENT_ONLY",
                status=403,
                hint="Start the service with --demo, or with DEVELOPMENT=on and JWT_SECRET. On its machine, open the"
                " address that it prints, without a proxy.",
            )

    def check_service(self, req):
        """Raise AccessError unless the request comes from the page and has the key of the service role."""
        self.check_page(req)
        key = req.env.get(_KEY)
        caller = self._services.caller(RequestHead("GET", req.path, {"apikey": key}.get)) if key else None
        if caller is None or caller.role != SERVICE_ROLE:
            raise AccessError(
                "This needs the key of the service role.",
                code="SERVICE_ROLE_REQUIRED",
                status=403,
                hint="Enter SERVICE_ROLE_KEY in the caller switch of the page, under Keys.",
            )


def start_secret(settings):
    """The secret in the address that a development service prints. It is derived from the secrets to which it gives
    access, so all workers know it, and an old address stays valid after a restart. Other users of the machine, and
    unrecognized proxies on it, do not know it."""
    guarded = settings.jwt_secret or settings.service_role_key or ""
    return hmac.new(guarded.encode(), b"start of Portico Studio", "sha256").hexdigest()[:32]


def _is_same(sent, secret):
    return hmac.compare_digest(sent.encode(), secret.encode())
