"""Resources that answer the page in JSON, refusals included."""

from __future__ import annotations

import json

import falcon

from portico import PorticoError


class JsonResource:
    """A resource of the page's own; ``ask`` and ``tell`` answer GET and POST, and may raise PorticoError."""

    def __init__(self, services, guard):
        self.services = services
        self.guard = guard

    def on_get(self, req, resp, **parameters):
        self._answer(resp, lambda: self.ask(req, **parameters))

    def on_post(self, req, resp, **parameters):
        self._answer(resp, lambda: self.tell(req, **parameters))

    def ask(self, req, **parameters):
        raise falcon.HTTPMethodNotAllowed(["POST"])

    def tell(self, req, **parameters):
        raise falcon.HTTPMethodNotAllowed(["GET"])

    def _answer(self, resp, make):
        resp.set_header("Cache-Control", "no-store")
        resp.set_header("X-Content-Type-Options", "nosniff")
        # Also where CORS_ORIGINS lets pages of other origins call the APIs.
        resp.set_header("Cross-Origin-Resource-Policy", "same-origin")
        resp.content_type = "application/json; charset=utf-8"
        try:
            made = make()
            resp.data = made if isinstance(made, bytes) else json.dumps(made).encode()
        except PorticoError as ex:
            resp.status = falcon.code_to_http_status(ex.status if ex.status >= 400 else 400)
            error = {"message": ex.message, "code": ex.code, "hint": ex.hint}
            resp.data = json.dumps({"error": error}).encode()
