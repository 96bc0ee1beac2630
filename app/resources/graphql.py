"""The GraphQL endpoint: ``POST /graphql/v1``, and GET for queries."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import falcon

from app.errors import OverLimit, PorticoError, RequestError
from app.identity.identification import RequestHead
from app.pipeline import run
from app.pipeline.records import GraphQLRequest, Reply
from app.pipeline.shape import shape_error
from app.services import Services


class GraphQLResource:
    """Turns a request into a record and the reply into a response; the pipeline does the rest."""

    def __init__(self, services: Services) -> None:
        self._engine = services.engine
        self._body_limit = services.settings.body_limit

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        try:
            body = self._read(req)
        except PorticoError as ex:
            _send(shape_error(_request(req, None), ex), resp)
            return
        request = _request(
            req, body.get("query"), body.get("variables"), body.get("operationName"), extensions=body.get("extensions")
        )
        _send(run(request, self._engine), resp)

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        parameters = req.params
        try:
            variables = _json_parameter(parameters, "variables")
            extensions = _json_parameter(parameters, "extensions")
        except PorticoError as ex:
            _send(shape_error(_request(req, None), ex), resp)
            return
        request = _request(
            req,
            parameters.get("query"),
            variables,
            parameters.get("operationName") or None,
            extensions=extensions,
            queries_only=True,
        )
        _send(run(request, self._engine), resp)

    def _read(self, req: falcon.Request) -> dict[str, Any]:
        length = req.content_length
        if length is not None and length > self._body_limit:
            raise _too_large(self._body_limit)
        raw = req.bounded_stream.read(self._body_limit + 1)
        if len(raw) > self._body_limit:
            raise _too_large(self._body_limit)
        content_type = (req.content_type or "application/json").split(";", 1)[0].strip().lower()
        if content_type != "application/json":
            raise RequestError("The content type must be application/json", code="UNSUPPORTED_MEDIA_TYPE", status=415)
        body = _json(raw, "The body")
        if not isinstance(body, dict):
            raise RequestError("The body must be a JSON object with a query")
        return body


def _too_large(limit: int) -> OverLimit:
    return OverLimit(f"The body is larger than {limit} bytes", status=413)


def _refuse(name: str) -> Any:
    raise ValueError(name)


# Refuses NaN and Infinity, which Python accepts but JSON does not have. Made once: making a decoder takes longer than
# decoding a small body.
_decoder = json.JSONDecoder(parse_constant=_refuse)


def _json(raw: bytes, what: str) -> Any:
    try:
        return _decoder.decode(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise RequestError(f"{what} must be JSON") from None


def _json_parameter(parameters: Mapping[str, Any], name: str) -> Any:
    given = parameters.get(name)
    if isinstance(given, list):
        raise RequestError(f"{name} is given more than once")
    return _json(given.encode(), f"The {name}") if given else None


def _request(
    req: falcon.Request,
    query: Any,
    variables: Any = None,
    operation_name: Any = None,
    *,
    extensions: Any = None,
    queries_only: bool = False,
) -> GraphQLRequest:
    environ = req.env
    return GraphQLRequest(
        query=query,
        variables=variables,
        extensions=extensions,
        operation_name=operation_name,
        queries_only=queries_only,
        head=RequestHead.of(req.method, req.path, environ),
        wants_graphql_media_type="application/graphql-response+json" in environ.get("HTTP_ACCEPT", ""),
    )


def _send(reply: Reply, resp: falcon.Response) -> None:
    resp.status = falcon.code_to_http_status(reply.status)
    resp.content_type = reply.content_type
    resp.data = reply.body
    for name, value in reply.headers:
        resp.set_header(name, value)
