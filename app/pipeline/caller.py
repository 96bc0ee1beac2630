"""Identifies the caller of a request."""

from __future__ import annotations

from app.identity import Caller
from app.identity.identity import missing_key
from app.pipeline.engine import Engine
from app.pipeline.records import GraphQLRequest


def caller_of(request: GraphQLRequest, engine: Engine) -> Caller:
    """The caller, identified by the first plugin that recognizes the credentials. Raises AccessError."""
    engine.identity.check_host(request.head.header("host"))
    caller = engine.identifications.caller(request.head)
    if caller is None:
        raise missing_key()
    return caller
