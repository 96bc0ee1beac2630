"""The description of this API in OpenAPI 3.1, made from its routes and the members of their bodies."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from app.faces.rest.json_bodies import Member
from app.faces.rest.operation_text import OperationText
from app.faces.rest.operation_texts import OPERATION_TEXTS
from app.faces.rest.router import Route

_TYPES: Mapping[str, Mapping[str, Any]] = {
    "string": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "strings": {"type": "array", "items": {"type": "string"}},
    "any": {},
}
_ERROR = {
    "type": "object",
    "required": ["statusCode", "error", "message", "code"],
    "properties": {name: {"type": "string"} for name in ("statusCode", "error", "message", "code", "hint")},
}
_SECURITY: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "required": [{"token": []}],
    "verified": [{"token": []}],
    "optional": [{}, {"token": []}],
    "ignored": [],
}
_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Portico storage</title>
<h1>Storage API</h1>
<p>Paths begin with <code>/storage/v1</code>. <a href="documentation/json">The description for programs</a> (OpenAPI)
says what each operation takes.</p>
<table>
{rows}
</table>
"""
_ABOUT = (
    "Buckets and objects, with access rights from PostgreSQL's policies. Nearly all errors have the HTTP status 400; "
    "their `statusCode` is the logical status."
)


def openapi_document(routes: Iterable[Route], version: str, server: str) -> bytes:
    """The document that describes ``routes``. Of routes with the same method and path, the last one counts.

    ``server``: the path prefix of the routes.
    """
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        of_path = paths.setdefault(route.path.replace("*", "{key}"), {})
        of_path[route.method.lower()] = _operation(route, _text(route))
    return json.dumps({
        "openapi": "3.1.0",
        "info": {"title": "Portico storage", "version": version, "description": _ABOUT},
        "servers": [{"url": server}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}},
            "schemas": {"Error": _ERROR},
        },
    }).encode()  # fmt: skip


def _text(route: Route) -> OperationText:
    """The text of a route. Raises LookupError, so that no service starts with a route that is not described."""
    text = route.text or OPERATION_TEXTS.get((route.method, route.path))
    if text is None:
        place = "add it to OPERATION_TEXTS in app/faces/rest/operation_texts.py, or give the Route a text"
        raise LookupError(f"{route.method} {route.path} has no description: {place}")
    return text


def _operation(route: Route, text: OperationText) -> dict[str, Any]:
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    operation: dict[str, Any] = {
        "operationId": f"{route.method} {route.path}",
        "summary": text.summary,
        "parameters": [*_of_path(route), *(_parameter(each) for each in text.query)],
        "security": _SECURITY[route.credential],
        "responses": {
            "200": {"description": "The operation succeeded."},
            "default": {"description": "The operation was refused or failed.", "content": error},
        },
    }
    if route.takes_object:
        operation["requestBody"] = {"content": {"*/*": {}, "multipart/form-data": {}}}
    elif text.body:
        operation["requestBody"] = {"content": {"application/json": {"schema": _object(text.body)}}}
    return operation


def _of_path(route: Route) -> Iterable[dict[str, Any]]:
    if "{bucket}" in route.path:
        yield {"name": "bucket", "in": "path", "required": True, "schema": {"type": "string"}}
    if "*" in route.path:
        note = "The key of the object; its slashes are not encoded."
        yield {"name": "key", "in": "path", "required": True, "description": note, "schema": {"type": "string"}}


def _parameter(member: Member) -> dict[str, Any]:
    return {"name": member.name, "in": "query", "required": member.required, "schema": _schema(member)}


def _object(members: Sequence[Member]) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": {each.name: _schema(each) for each in members}}
    required = [each.name for each in members if each.required]
    return {**schema, "required": required} if required else schema


def _schema(member: Member) -> dict[str, Any]:
    if member.kind == "object":
        return _object(member.members)
    schema = dict(_TYPES[member.kind])
    if member.nullable and "type" in schema:
        schema["type"] = [schema["type"], "null"]
    least, most = ("minItems", "maxItems") if member.kind == "strings" else ("minimum", "maximum")
    more = {least: member.least, most: member.most, "enum": list(member.among) or None, "default": member.default}
    return {**schema, **{name: value for name, value in more.items() if value is not None}}


def openapi_page(routes: Iterable[Route]) -> bytes:
    """A short version as HTML, for people."""
    last = {(route.path, route.method): _text(route) for route in routes}
    rows = "\n".join(
        f"<tr><td>{method}<td><code>{escape(path.replace('*', '{key}'))}</code><td>{escape(text.summary)}"
        for (path, method), text in sorted(last.items())
    )
    return _PAGE.format(rows=rows).encode()
