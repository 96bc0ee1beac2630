"""The base class of the page's own endpoints: their responses, including errors, are JSON."""

from __future__ import annotations

import json

import falcon

from portico import PorticoError


class JsonResource:
    """An endpoint of the page. ``get`` and ``post`` return the JSON for GET and POST, and may raise PorticoError."""

    def __init__(self, services, guard):
        self.services = services
        self.guard = guard

    def on_get(self, req, resp, **parameters):
        self._respond(resp, lambda: self.get(req, **parameters))

    def on_post(self, req, resp, **parameters):
        self._respond(resp, lambda: self.post(req, **parameters))

    def get(self, req, **parameters):
        raise falcon.HTTPMethodNotAllowed(["POST"])

    def post(self, req, **parameters):
        raise falcon.HTTPMethodNotAllowed(["GET"])

    def _respond(self, resp, make):
        resp.set_header("Cache-Control", "no-store")
        resp.set_header("X-Content-Type-Options", "nosniff")
        # CORS_ORIGINS may let pages of other origins call the APIs, but not these endpoints.
        resp.set_header("Cross-Origin-Resource-Policy", "same-origin")
        resp.content_type = "application/json; charset=utf-8"
        try:
            made = make()
            resp.data = made if isinstance(made, bytes) else json.dumps(made).encode()
        except PorticoError as ex:
            resp.status = falcon.code_to_http_status(ex.status if ex.status >= 400 else 400)
            error = {"message": ex.message, "code": ex.code, "hint": ex.hint}
            resp.data = json.dumps({"error": error}).encode()
