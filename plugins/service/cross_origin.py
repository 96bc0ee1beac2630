"""CORS: lets pages of other origins call both APIs. The setting CORS_ORIGINS enables it.

A bucket may have rules of its own. They replace the setting for its public URLs and for the S3 protocol.

A response with ``Cross-Origin-Resource-Policy: same-origin`` stays closed to them: a page that a plugin serves may
contain data that no other page may read.
"""

from __future__ import annotations

from collections.abc import Sequence

import falcon

from app.errors import PorticoError
from app.faces.shared.origin_rules import VARY, OriginRule, first_rule, read_rules, requested_headers
from app.faces.shared.public_paths import public_bucket
from app.faces.shared.wsgi import raw_path
from app.hooks import hookimpl
from app.http.cross_origin import CrossOrigin, Headers
from app.http.head import head_of
from app.services import Services


@hookimpl
def middleware(services: Services) -> Sequence[object]:
    return [_Middleware(CrossOrigin(services.settings.cors_origins), services)]


class _Middleware:
    def __init__(self, cross_origin: CrossOrigin, services: Services) -> None:
        self._cross_origin = cross_origin
        self._s3 = services.s3
        self._origins = services.storage.bucket_origins

    def process_request(self, req: falcon.Request, resp: falcon.Response) -> None:
        """Answer a preflight request for any path, without checking that the path exists."""
        if req.method != "OPTIONS":
            return
        method, origin = req.get_header("access-control-request-method"), req.get_header("origin")
        if not method:
            return
        given = req.get_header("access-control-request-headers") or ""
        rules = self._rules(req)
        if rules is None:
            if self._cross_origin:
                _add(resp, self._cross_origin.preflight_headers(origin, given))
                _answer(resp, falcon.HTTP_204)
            return
        requested = requested_headers(given)
        rule = first_rule(rules, origin, method, requested) if origin else None
        if rule is not None and origin:
            _add(resp, rule.response_headers(origin, requested))
            _answer(resp, falcon.HTTP_200)

    def process_response(self, req: falcon.Request, resp: falcon.Response, resource: object, succeeded: bool) -> None:
        origin = req.get_header("origin")
        if origin is None and not self._cross_origin and not self._origins.has_any:
            return
        if resp.get_header("cross-origin-resource-policy") == "same-origin":
            return
        rules = self._rules(req)
        if rules is None:
            _add(resp, self._cross_origin.headers(origin))
            return
        _add(resp, VARY)
        if origin and req.method != "OPTIONS":
            resp.delete_header("access-control-expose-headers")
            rule = first_rule(rules, origin, req.method)
            _add(resp, rule.response_headers(origin) if rule is not None else ())

    def _rules(self, req: falcon.Request) -> Sequence[OriginRule] | None:
        """The rules of the bucket that the request names; None if CORS_ORIGINS decides."""
        is_from_page = req.get_header("origin") is not None
        if not is_from_page and not self._origins.has_any:
            return None
        bucket = self._bucket(req)
        if bucket is None:
            return None
        rules = self._origins.rules_of(bucket) if is_from_page else self._origins.last_known(bucket)
        return None if rules is None else read_rules(rules)

    def _bucket(self, req: falcon.Request) -> str | None:
        path = raw_path(req.env)
        if self._s3 is not None and self._s3.leads_here(path, req.env.get("HTTP_HOST")):
            try:
                return self._s3.target(head_of(req.env)).bucket or None
            except PorticoError:
                return None
        return public_bucket(path)


def _answer(resp: falcon.Response, status: str) -> None:
    resp.status = status
    resp.complete = True


def _add(resp: falcon.Response, headers: Headers) -> None:
    for name, value in headers:
        resp.append_header(name, value)
