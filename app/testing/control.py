"""The endpoints below ``/test/v1``, with which the tests of an app control a test server. They need the key of the
service role."""

from __future__ import annotations

import json
import threading
from typing import Any

import falcon
import jwt

from app.errors import AccessError, PorticoError, RequestError
from app.hooks import hookimpl
from app.identity import SERVICE_ROLE
from app.identity.further_credentials import RequestHead
from app.services import Services
from app.testing.baseline import Baseline
from app.testing.failure import TestingError

PATH = "/test/v1"
_MAX_BODY_BYTES = 64 * 1024


class Control:
    """A plugin that only a test server has: ``POST /test/v1/reset`` and ``POST /test/v1/token``."""

    def __init__(self, baseline: Baseline) -> None:
        self._baseline = baseline

    @hookimpl
    def routes(self, app: falcon.App[Any, Any], services: Services) -> None:
        app.add_route(f"{PATH}/reset", _Reset(services, self._baseline))
        app.add_route(f"{PATH}/token", _Token(services))


class _Reset:
    """Gives the database the rows of its baseline. Responds with 204."""

    def __init__(self, services: Services, baseline: Baseline) -> None:
        self._services, self._baseline = services, baseline
        self._lock = threading.Lock()

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        try:
            _check(req, self._services)
            with self._lock:
                self._baseline.restore()
        except TestingError as ex:
            _refuse(resp, PorticoError(str(ex), code="RESET_FAILED"), 409)
        except PorticoError as ex:
            _refuse(resp, ex, ex.status)
        else:
            resp.status = falcon.HTTP_204


class _Token:
    """Signs the claims in the body, a JSON object. Responds with ``{"token": ...}``."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._secret = services.settings.jwt_secret or ""

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        try:
            _check(req, self._services)
            claims = {"role": "authenticated", **_claims(req)}
            resp.text = json.dumps({"token": jwt.encode(claims, self._secret, "HS256")})
        except PorticoError as ex:
            _refuse(resp, ex, ex.status)


def _check(req: falcon.Request, services: Services) -> None:
    caller = services.caller(RequestHead.of(req.method, req.path, req.env))
    if caller is None or caller.role != SERVICE_ROLE:
        raise AccessError("This needs the key of the service role in the header apikey.")


def _claims(req: falcon.Request) -> dict[str, Any]:
    raw = req.bounded_stream.read(_MAX_BODY_BYTES + 1)
    try:
        claims = json.loads(raw) if len(raw) <= _MAX_BODY_BYTES else None
    except (ValueError, RecursionError):
        claims = None
    if not isinstance(claims, dict):
        raise RequestError(f"The body must be a JSON object with the claims, of at most {_MAX_BODY_BYTES} bytes.")
    return claims


def _refuse(resp: falcon.Response, error: PorticoError, status: int) -> None:
    # For the access log and the metrics.
    resp.context.codes = (error.code,)
    resp.status = falcon.code_to_http_status(status)
    resp.text = json.dumps({"code": error.code, "message": error.message})
