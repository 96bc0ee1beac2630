"""The endpoints of the S3 protocol: below ``/s3`` and ``/storage/v1/s3``, and at its own host name."""

from __future__ import annotations

import logging
import re
from typing import Any

import falcon

from app.errors import PorticoError
from app.faces.s3.errors import internal_error
from app.faces.s3.face import PATH, S3Face, new_request_id
from app.faces.shared.wsgi import close, declared_length, request_id_of, send, unsendable_header
from app.http.head import Head, head_of
from app.http.response import Response
from app.identity.project import check_project

log = logging.getLogger("portico.storage.s3")

PATHS = re.compile(r"(?:/storage/v1)?/s3(?:/|$)")


class S3Sink:
    """A Falcon sink: operations also differ by their query, and signatures cover the undecoded path."""

    def __init__(self, face: S3Face) -> None:
        self._face = face

    def __call__(self, req: falcon.Request, resp: falcon.Response, **_: Any) -> None:
        # A sink has no URI template, by which metrics distinguish operations, so it is set here.
        req.uri_template = PATH
        head = head_of(req.env)
        request_id = request_id_of(req.env) or new_request_id()
        try:
            response = self._respond(req, resp, head, request_id)
        except PorticoError as ex:
            response = self._face.refusal(head, ex, request_id)
        except Exception:
            log.exception("the request failed: %s %s", head.method, head.path)
            response = self._face.refusal(head, internal_error(), request_id)
        send(_exposed(response, head), resp)

    def _respond(self, req: falcon.Request, resp: falcon.Response, head: Head, request_id: str) -> Response:
        project_ref = self._face.settings.project_ref
        if project_ref and not self._face.target(head).by_host:
            check_project(head.headers.get("host"), project_ref)
        probed = self._face.probe(head)
        if probed is not None:
            return probed
        source, length = req.env["wsgi.input"], declared_length(req.env)
        operation, request = self._face.request(head, source, length, request_id)
        req.uri_template = f"{PATH} {operation.name}"
        resp.context.role = request.context.role
        response = self._face.run(operation, request)
        if unsendable_header(response) is not None:
            close(response)
            raise internal_error()
        return response._replace(headers=(*response.headers, ("x-amz-request-id", request_id)))


def _exposed(response: Response, head: Head) -> Response:
    """The response; for a page of another origin, its headers are exposed, which CORS requires for each by name."""
    if "origin" not in head.headers:
        return response
    names = ", ".join(name for name, _ in response.headers if name.startswith("x-amz-"))
    return response._replace(headers=(*response.headers, ("access-control-expose-headers", names)))


class S3Host:
    """Middleware that routes all requests to the face's own host name to the face, regardless of their path."""

    def __init__(self, face: S3Face) -> None:
        self._face = face

    def process_request(self, req: falcon.Request, resp: falcon.Response) -> None:
        if self._face.leads_here("", req.env.get("HTTP_HOST")):
            req.path = PATH + req.path
