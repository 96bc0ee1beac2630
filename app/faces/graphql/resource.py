"""The GraphQL endpoint: ``POST /graphql/v1``, and GET for queries, also by the id of a document."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import falcon

from app.database import Bookmark
from app.errors import OverLimit, PorticoError, RequestError
from app.faces.graphql.batches import JSON_LINES, joined, parts_of
from app.faces.graphql.request_json import read_json, refuse_coding
from app.faces.operations.home import Home
from app.faces.shared.read_after import bookmark_of, set_position
from app.identity.further_credentials import RequestHead
from app.pipeline import run, run_batch
from app.pipeline.records import GraphQLRequest, GraphQLResponse
from app.pipeline.shape import GRAPHQL_JSON, JSON, shape_error
from app.pipeline.timing import TimedResponse
from app.services import Services

_NOT_MODIFIED = 304
# The path below the endpoint's at which live queries are served, if they are.
_STREAM = "stream"


class GraphQLResource:
    """Makes a record of a request, and sends the pipeline's response."""

    def __init__(self, services: Services, home: Home) -> None:
        self._home = home
        self._engine = services.engine
        self._database = services.engine.database
        self._body_limit = services.settings.body_limit
        self._batch_limit = services.settings.batch_limit

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        accept = req.env.get("HTTP_ACCEPT", "")
        as_lines = JSON_LINES in accept
        try:
            body = self._read(req)
            parts = parts_of(body, self._batch_limit, as_lines=as_lines)
            if parts is None and not isinstance(body, dict):
                hint = "BATCH_LIMIT allows lists of requests." if isinstance(body, list) else None
                raise RequestError("The body must be a JSON object with a query", hint=hint)
            bookmark = bookmark_of(req.env, self._database)
        except PorticoError as ex:
            send(shape_error(_request(req, {}), ex), resp)
            return
        if parts is None:
            timed = run(_request(req, body, accept=accept, bookmark=bookmark), self._engine)
        else:
            requests = [_request(req, each.body, accept=JSON, bookmark=bookmark) for each in parts]
            timed = run_batch(requests, self._engine, partial(joined, parts=parts, as_lines=as_lines))
        set_position(bookmark, resp)
        _send_timed(timed, resp)

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        if not req.query_string and self._home.answers(req):
            self._home.send(resp)
            return
        self.on_get_document(req, resp, req.params.get("documentId"))

    def on_post_document(self, req: falcon.Request, resp: falcon.Response, document_id: str) -> None:
        """Accept the endpoint's path with a slash at its end. The paths below it are documents, which take only GET."""
        if not document_id:
            self.on_post(req, resp)
            return
        if document_id == _STREAM:
            _refuse_live(req, resp)
            return
        hint = "Send POST requests to /graphql/v1, those for a registered document with documentId in the body."
        refusal = RequestError("This path takes GET requests only", code="METHOD_NOT_ALLOWED", hint=hint, status=405)
        send(shape_error(_request(req, {}), refusal), resp)
        resp.set_header("Allow", "GET")

    def on_get_document(self, req: falcon.Request, resp: falcon.Response, document_id: Any) -> None:
        if document_id == "":
            self.on_get(req, resp)
            return
        if document_id == _STREAM and _asks_for_stream(req):
            _refuse_live(req, resp)
            return
        parameters = req.params
        try:
            body = {
                "query": parameters.get("query"),
                "variables": _json_parameter(parameters, "variables"),
                "operationName": parameters.get("operationName") or None,
                "extensions": _json_parameter(parameters, "extensions"),
                "documentId": document_id,
            }
            bookmark = bookmark_of(req.env, self._database)
        except PorticoError as ex:
            send(shape_error(_request(req, {}), ex), resp)
            return
        _send_timed(run(_request(req, body, queries_only=True, bookmark=bookmark), self._engine), resp)

    def _read(self, req: falcon.Request) -> Any:
        # Portico's own server ends the stream with the body, so reading beyond the body cannot block.
        stream = req.stream if req.env.get("wsgi.input_terminated") else req.bounded_stream
        raw = stream.read(self._body_limit + 1)
        if len(raw) > self._body_limit:
            raise OverLimit(f"The body is larger than {self._body_limit} bytes (BODY_LIMIT)", status=413)
        if not _is_json(req.content_type):
            raise RequestError("The content type must be application/json", code="UNSUPPORTED_MEDIA_TYPE", status=415)
        refuse_coding(req.env.get("HTTP_CONTENT_ENCODING"))
        return read_json(raw, "The body")


def _asks_for_stream(req: falcon.Request) -> bool:
    """Whether a GET request is not for a document with this name."""
    environ = req.env
    return "HTTP_UPGRADE" in environ or environ.get("HTTP_ACCEPT", "").startswith("text/event-stream")


def _refuse_live(req: falcon.Request, resp: falcon.Response) -> None:
    """Respond to a client of live queries, which other processes answer."""
    hint = "Start the service with `portico serve --live`, or connect to `portico live`."
    refusal = RequestError("This service does not serve live queries", code="NOT_FOUND", hint=hint, status=404)
    send(shape_error(_request(req, {}), refusal), resp)


def _is_json(content_type: str | None) -> bool:
    return not content_type or content_type == JSON or content_type.split(";", 1)[0].strip().lower() == JSON


def _json_parameter(parameters: Mapping[str, Any], name: str) -> Any:
    given = parameters.get(name)
    if isinstance(given, list):
        raise RequestError(f"{name} is given more than once")
    return read_json(given.encode(), f"The {name}") if given else None


def _request(
    req: falcon.Request,
    body: Mapping[str, Any],
    *,
    queries_only: bool = False,
    accept: str | None = None,
    bookmark: Bookmark | None = None,
) -> GraphQLRequest:
    """``accept`` is set for a part of a batch: its media type is not the one that the client accepts."""
    environ = req.env
    accepted = environ.get("HTTP_ACCEPT", "") if accept is None else accept
    return GraphQLRequest(
        query=body.get("query"),
        variables=body.get("variables"),
        extensions=body.get("extensions"),
        document_id=body.get("documentId"),
        operation_name=body.get("operationName"),
        queries_only=queries_only,
        head=RequestHead.of(req.method, req.path, environ),
        accept=accepted,
        wants_graphql_media_type=GRAPHQL_JSON in accepted,
        bookmark=bookmark,
    )


def _send_timed(timed: TimedResponse, resp: falcon.Response) -> None:
    resp.context.operations = timed.operations
    resp.set_header("Server-Timing", timed.server_timing)
    send(timed.response, resp)


def send(response: GraphQLResponse, resp: falcon.Response) -> None:
    """Make ``response`` the response of Falcon."""
    resp.status = falcon.code_to_http_status(response.status)
    resp.context.codes = response.codes
    if response.status != _NOT_MODIFIED:
        resp.content_type = response.content_type
    kept = response.kept
    if kept is None:
        resp.data = response.body
    else:
        resp.context.kept = kept
        resp.stream, resp.content_length = kept.chunks(), kept.length
    for name, value in response.headers:
        resp.set_header(name, value)
