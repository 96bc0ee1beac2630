"""Errors of requests that a database with Citus cannot answer, although PostgreSQL could."""

from __future__ import annotations

from app.errors import RequestError

HINT = (
    'Name the tenant, in a filter or in a key, or send a token with the claim CITUS_CLAIM: docs/sharding.md, "Refused".'
)

CANNOT_RUN = "The rows are on several servers, which cannot answer this request together."


def refused(message: str, hint: str = HINT) -> RequestError:
    """The error of a request that the cluster cannot answer."""
    return RequestError(message, code="NOT_ON_THIS_CLUSTER", hint=hint)
