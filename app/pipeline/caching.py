"""Headers for HTTP caches: with them clients and proxies may store the response to a GET and revalidate it."""

from __future__ import annotations

from dataclasses import replace
from hashlib import blake2b

from app.identity import ANON
from app.pipeline.engine import Engine
from app.pipeline.records import READ_AFTER_HEADER, GraphQLRequest, GraphQLResponse, ResultSet

_ALWAYS_VARY = ("Accept", "apiKey", "Authorization")


def cacheable(
    response: GraphQLResponse, request: GraphQLRequest, results: ResultSet, engine: Engine
) -> GraphQLResponse:
    """The response to a GET with headers for caches, or 304 if the client already has it. A response with errors is
    returned unchanged."""
    if results.errors:
        return response
    digest = blake2b(response.body, digest_size=16).hexdigest() if response.kept is None else response.kept.digest
    etag = f'"{digest}"'
    others = [each for each in engine.identifications.headers if each not in map(str.lower, _ALWAYS_VARY)]
    if request.bookmark is not None:
        others.append(READ_AFTER_HEADER)
    headers = [
        *response.headers,
        ("ETag", etag),
        ("Cache-Control", _cache_control(results, engine.settings.graphql_max_age_s)),
        ("Vary", ", ".join((*_ALWAYS_VARY, *others))),
    ]
    known = request.head.header("if-none-match")
    if known is not None and _has(known, etag):
        return replace(response, status=304, content=b"", headers=headers)
    return replace(response, headers=headers)


def _cache_control(results: ResultSet, max_age_s: int) -> str:
    if max_age_s and results.role == ANON and not results.plan.is_volatile:
        return f"public, max-age={max_age_s}"
    return "private, no-cache"


def _has(known: str, etag: str) -> bool:
    """Whether ``If-None-Match`` names the entity tag. It may be weak there, because a proxy that compresses a response
    weakens its tag."""
    given = [each.strip().removeprefix("W/") for each in known.split(",")]
    return etag in given or "*" in given
