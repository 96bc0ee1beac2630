"""The five stages of a GraphQL request, in the order in which they run."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

from app.database import SchemaOutdated
from app.errors import PorticoError
from app.graphql.documents.errors import DocumentError
from app.pipeline.authorize import authorize, authorize_now
from app.pipeline.caching import cacheable
from app.pipeline.engine import Engine
from app.pipeline.execute import execute
from app.pipeline.freshness import has_changed, is_outdated, may_list_changes
from app.pipeline.parse import parse, parse_whole
from app.pipeline.plan import plan
from app.pipeline.records import (
    CurrentSchemaNeeded,
    GraphQLRequest,
    GraphQLResponse,
    ParsedOperation,
    ResultSet,
    TextNeeded,
)
from app.pipeline.shape import shape, shape_error
from app.pipeline.timing import TimedResponse, Timing, together

log = logging.getLogger("portico.graphql")

Parse = Callable[[GraphQLRequest, Engine], ParsedOperation]

MOST_ATTEMPTS = 100
"""How often a request is tried at most if the schema changes while it runs. Two attempts are enough unless the schema
changes again, as it does during a migration of many steps."""


def run(request: GraphQLRequest, engine: Engine) -> TimedResponse:
    """The response to a request. Never raises: errors become responses."""
    timing = Timing(engine.around)
    schemas = engine.role_schemas.in_use
    mark = schemas.mark()
    try:
        return timing.on(_response(request, engine, timing))
    finally:
        schemas.release(mark)


def run_batch(
    requests: Sequence[GraphQLRequest], engine: Engine, join: Callable[[Sequence[GraphQLResponse]], GraphQLResponse]
) -> TimedResponse:
    """The responses to several requests, joined by ``join``. Each request runs in its own transaction, so one may fail
    without the others. Never raises: errors become responses."""
    parts = [run(each, engine) for each in requests]
    return together(join([each.response for each in parts]), parts)


def _response(request: GraphQLRequest, engine: Engine, timing: Timing) -> GraphQLResponse:
    try:
        try:
            results = _results(_parsed(parse, request, engine, timing), engine, timing)
        except TextNeeded:
            results = _results(_parsed(parse_whole, request, engine, timing), engine, timing)
        response = timing.of("shape", shape, request, results)
        return cacheable(response, request, results, engine) if request.queries_only else response
    except PorticoError as ex:
        timing.role = timing.role or ex.role
        return shape_error(request, ex)
    except RecursionError:
        # DEPTH_LIMIT may be set to more levels than planning can recurse through, and no setting limits variables.
        return shape_error(request, DocumentError("The request is nested too deeply", "LIMIT_EXCEEDED"))
    except Exception:
        log.exception("a request failed because of an error in the service")
        return shape_error(
            request, PorticoError("The request failed because of an error in the service; its log says why.")
        )


def _parsed(read: Parse, request: GraphQLRequest, engine: Engine, timing: Timing) -> ParsedOperation:
    parsed = timing.of("parse", read, request, engine)
    timing.document = parsed.document
    return parsed


def _results(parsed: ParsedOperation, engine: Engine, timing: Timing) -> ResultSet:
    for attempt in range(1, MOST_ATTEMPTS + 1):
        known = engine.schema_cache.known
        is_last = attempt == MOST_ATTEMPTS
        try:
            results = _attempt(parsed, engine, timing)
        except PorticoError as ex:
            # Nothing was applied, since the transaction failed as a whole: try again on the current schema.
            if is_last or not has_changed(ex, known, engine.schema_cache):
                raise
        else:
            is_certain = is_last or not results.plan.depends_on_schema_alone
            if is_certain or not is_outdated(known, engine.schema_cache):
                return results
    raise AssertionError("the last attempt returns or raises")


def _attempt(parsed: ParsedOperation, engine: Engine, timing: Timing) -> ResultSet:
    operation = timing.of("authorize", authorize, parsed, engine)
    timing.role = operation.caller.role
    try:
        bound = timing.of("plan", plan, operation, engine)
    except CurrentSchemaNeeded:
        operation = timing.of("authorize", authorize_now, parsed, engine)
        bound = timing.of("plan", plan, operation, engine)
    has_extensions = parsed.request.extensions is not None
    run = engine.extensions.around(execute, parsed) if has_extensions else execute
    may_list = not has_extensions and may_list_changes(operation, bound.plan)
    if may_list and engine.schema_cache.is_outdated(operation.catalog):
        engine.schema_cache.follow(operation.catalog)
        operation = replace(operation, lists_changes=True)
    try:
        return timing.of("execute", run, operation, bound, engine)
    except SchemaOutdated:
        if operation.lists_changes or not may_list:
            raise
    engine.schema_cache.follow(operation.catalog)
    return timing.of("execute", run, replace(operation, lists_changes=True), bound, engine)
