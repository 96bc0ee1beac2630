"""Shape: the body, HTTP status and headers of the response, with errors in GraphQL's format.

Follows "GraphQL over HTTP" (https://graphql.github.io/graphql-over-http/): with application/json the response to a
well-formed request is a 200 even if its document is wrong; with application/graphql-response+json a response without
data is a 400.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from graphql import GraphQLError

from app.errors import DatabaseError, PorticoError, Unavailable
from app.graphql.documents.errors import DocumentError, FieldError
from app.pipeline.records import GraphQLRequest, GraphQLResponse, ResultSet
from app.pipeline.response_text import KeptResponse, response_body

JSON = "application/json"
GRAPHQL_JSON = "application/graphql-response+json"
_LONGEST_MESSAGE = 1000
_PYTHON_WORD = re.compile(r"(?:(?<=: )|(?<=be ))(None|True|False)(?=\.?$)")
"""A value that graphql-core repeats at the end of a message, spelled as in Python."""
_JSON_WORDS = {"None": "null", "True": "true", "False": "false"}


def shape(request: GraphQLRequest, results: ResultSet) -> GraphQLResponse:
    """The response with data, which is already JSON text from the database."""
    plan = results.plan
    kept = results.texts
    if isinstance(kept, KeptResponse) and results.extensions is None:
        return GraphQLResponse(200, kept, _media_type(request))
    more = b"" if results.extensions is None else b',"extensions":%b' % _dump(results.extensions)
    if results.errors:
        more = b',"errors":%b%b' % (_dump([_graphql_error(each) for each in results.errors]), more)
    if plan.response_keys or not results.errors:
        body = response_body(plan.response_keys, results.texts, more)
    else:
        body = b'{"data":null%b}' % more
    return GraphQLResponse(200, body, _media_type(request), (), _codes_of(results.errors) if results.errors else ())


def shape_error(request: GraphQLRequest, error: PorticoError) -> GraphQLResponse:
    """The response to a request that failed as a whole."""
    if isinstance(error, DocumentError):
        errors = [_graphql_error(each, error.code) for each in error.errors] or [describe(error)]
        status = error.graphql_status if request.wants_graphql_media_type else 200
        return GraphQLResponse(status, b'{"errors":%b}' % _dump(errors), _media_type(request), codes=(error.code,))
    if isinstance(error, (DatabaseError, FieldError)):
        body = _dump({"data": None, "errors": [describe(error)]})
        return GraphQLResponse(200, body, _media_type(request), codes=(error.code,))
    headers = []
    if isinstance(error, Unavailable) and error.retry_after is not None:
        headers.append(("Retry-After", str(error.retry_after)))
    if error.status == 405:
        headers.append(("Allow", "POST"))
    body = _dump({"errors": [describe(error)]})
    return GraphQLResponse(error.status, body, _media_type(request), headers, codes=(error.code,))


def _codes_of(errors: Iterable[GraphQLError]) -> tuple[str, ...]:
    """The distinct codes of field errors."""
    return tuple(dict.fromkeys(str((each.extensions or {}).get("code", "")) for each in errors))


def describe(error: PorticoError) -> dict[str, Any]:
    """An error as a member of ``errors``."""
    extensions: dict[str, Any] = {"code": error.code}
    hint = error.hint
    if isinstance(error, DatabaseError):
        diagnosis = error.diagnosis
        extensions["sqlstate"] = diagnosis.sqlstate
        extensions |= {
            name: value for name in ("constraint", "column", "table", "detail") if (value := getattr(diagnosis, name))
        }
        hint = hint or diagnosis.hint or None
    if hint:
        extensions["hint"] = hint
    path = {"path": list(error.path)} if error.path else {}
    return {"message": error.message, **path, "extensions": extensions}


def _graphql_error(error: GraphQLError, code: str | None = None) -> dict[str, Any]:
    formatted: dict[str, Any] = dict(error.formatted)
    message = _PYTHON_WORD.sub(lambda found: _JSON_WORDS[found[0]], error.message)
    # A longer message repeats a part of the document.
    formatted["message"] = message if len(message) <= _LONGEST_MESSAGE else f"{message[:_LONGEST_MESSAGE]}..."
    if code:
        formatted["extensions"] = {"code": code, **formatted.get("extensions", {})}
    return formatted


def _media_type(request: GraphQLRequest) -> str:
    return GRAPHQL_JSON if request.wants_graphql_media_type else JSON


def _dump(value: Mapping[str, Any] | Iterable[Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")
