"""The five stages of a GraphQL request, in the order in which they run."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from app.database import SchemaOutdated
from app.errors import PorticoError
from app.graphql.documents.errors import DocumentError
from app.graphql.schema.role_schemas import LARGE
from app.pipeline.authorize import authorize, authorize_now
from app.pipeline.caching import cacheable
from app.pipeline.engine import Engine
from app.pipeline.execute import execute
from app.pipeline.freshness import at_newer_version, has_changed, is_outdated
from app.pipeline.parse import parse, parse_whole
from app.pipeline.plan import plan
from app.pipeline.records import (
    AuthorizedOperation,
    CurrentSchemaNeeded,
    GraphQLRequest,
    GraphQLResponse,
    ParsedOperation,
    ResultSet,
    SQLPlan,
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
    run = execute if parsed.request.extensions is None else engine.extensions.around(execute, parsed)
    if engine.schema_cache.ahead is not None:
        operation = at_newer_version(operation, bound.plan, engine.schema_cache.ahead) or operation
    for _ in range(MOST_ATTEMPTS):
        try:
            return timing.of("execute", run, operation, bound, engine)
        except SchemaOutdated:
            newer = _not_concerned(operation, bound.plan, engine)
            if newer is None:
                raise
            operation = newer
    return timing.of("execute", run, operation, bound, engine)


def _not_concerned(operation: AuthorizedOperation, plan: SQLPlan, engine: Engine) -> AuthorizedOperation | None:
    """The operation for the newer version of the schema, if its plan stays valid. The schema of a small database is
    read again in less time than this would save."""
    is_small = len(operation.api.rows_by_oid) < LARGE
    if is_small or not plan.depends_on_reads_alone or operation.catalog is not engine.schema_cache.known:
        return None
    return at_newer_version(operation, plan, engine.schema_cache.look_ahead())
