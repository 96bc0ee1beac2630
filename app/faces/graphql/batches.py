"""Several requests in one body: a list of requests, or, with JSON Lines, a list of ``variables`` for one document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.errors import RequestError
from app.graphql.documents.errors import DocumentError
from app.pipeline.records import GraphQLResponse

JSON_LINES = "application/jsonl"


@dataclass(frozen=True, slots=True)
class Part:
    """One request of a batch. ``place``: JSON members that identify it in a response with one line for each request."""

    body: dict[str, Any]
    place: bytes


def parts_of(body: Any, limit: int, *, as_lines: bool) -> list[Part] | None:
    """The requests in a body; None for a single one. Raises DocumentError for more than ``limit``."""
    if not limit or not (isinstance(body, list) or (as_lines and _variables(body) is not None)):
        return None
    parts = _listed(body, as_lines) if isinstance(body, list) else _varied(body, b"")
    if not parts:
        raise RequestError("The batch is empty")
    if len(parts) > limit:
        raise DocumentError(f"The batch has {len(parts)} requests, more than {limit} (BATCH_LIMIT)", "LIMIT_EXCEEDED")
    return parts


def joined(responses: Sequence[GraphQLResponse], parts: Sequence[Part], *, as_lines: bool) -> GraphQLResponse:
    """One response for all: a JSON list in the order of the requests, or one line for each."""
    codes = tuple(dict.fromkeys(code for each in responses for code in each.codes))
    if not as_lines:
        return GraphQLResponse(200, b"[%b]" % b",".join(each.body for each in responses), codes=codes)
    lines = [b"{%b%b\n" % (part.place, response.body[1:]) for part, response in zip(parts, responses, strict=True)]
    return GraphQLResponse(200, b"".join(lines), JSON_LINES, codes=codes)


def _listed(bodies: Sequence[Any], as_lines: bool) -> list[Part]:
    parts: list[Part] = []
    for index, body in enumerate(bodies):
        place = b'"requestIndex":%d,' % index
        if as_lines and _variables(body) is not None:
            parts += _varied(body, place)
        else:
            # A value that is not an object has no query, and gets the error for that.
            parts.append(Part(body if isinstance(body, dict) else {}, place))
    return parts


def _varied(body: dict[str, Any], place: bytes) -> list[Part]:
    return [
        Part({**body, "variables": each}, b'%b"variableIndex":%d,' % (place, index))
        for index, each in enumerate(body["variables"])
    ]


def _variables(body: Any) -> list[Any] | None:
    variables = body.get("variables") if isinstance(body, dict) else None
    return variables if isinstance(variables, list) else None
