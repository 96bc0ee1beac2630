"""Errors of requests that a database with Citus cannot answer, although PostgreSQL could."""

from __future__ import annotations

from app.errors import RequestError


class NotOnThisCluster(RequestError):
    """A request that any single PostgreSQL would answer."""

    code = "NOT_ON_THIS_CLUSTER"


HINT = (
    'Name the tenant, in a filter or in a key, or send a token with the claim CITUS_CLAIM: docs/sharding.md, "Refused".'
)

CANNOT_RUN = "The rows are on several servers, which cannot answer this request together."


def refused(message: str, hint: str = HINT) -> NotOnThisCluster:
    """The error of a request that the cluster cannot answer."""
    return NotOnThisCluster(message, hint=hint)
