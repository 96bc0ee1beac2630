"""What lets clients and caches keep the answer to a GET: a validator, and how long and for whom it may be kept."""

from __future__ import annotations

from dataclasses import replace
from hashlib import blake2b

from app.identity import ANON
from app.pipeline.engine import Engine
from app.pipeline.records import READ_AFTER_HEADER, GraphQLRequest, GraphQLResponse, ResultSet

_OWN = ("Accept", "apiKey", "Authorization")


def cacheable(
    response: GraphQLResponse, request: GraphQLRequest, results: ResultSet, engine: Engine
) -> GraphQLResponse:
    """The response to a GET, with headers for caches, or 304 if the client has it. One with errors stays as it is."""
    if results.plan.errors:
        return response
    etag = f'"{blake2b(response.body, digest_size=16).hexdigest()}"'
    others = [each for each in engine.identifications.headers if each not in map(str.lower, _OWN)]
    if request.bookmark is not None:
        others.append(READ_AFTER_HEADER)
    headers = [
        *response.headers,
        ("ETag", etag),
        ("Cache-Control", _cache_control(results, engine.max_age_s)),
        ("Vary", ", ".join((*_OWN, *others))),
    ]
    known = request.head.header("if-none-match")
    if known is not None and _has(known, etag):
        return replace(response, status=304, body=b"", headers=headers)
    return replace(response, headers=headers)


def _cache_control(results: ResultSet, max_age_s: int) -> str:
    if max_age_s and results.role == ANON and not results.plan.is_volatile:
        return f"public, max-age={max_age_s}"
    return "private, no-cache"


def _has(known: str, etag: str) -> bool:
    """Whether ``If-None-Match`` names the entity tag; a proxy that compressed the answer has made it a weak one."""
    given = [each.strip().removeprefix("W/") for each in known.split(",")]
    return etag in given or "*" in given
