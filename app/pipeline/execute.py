"""Execute: role, claims and all statements of a plan in one round trip and one transaction."""

from __future__ import annotations

import logging
from functools import partial

from app.database import Context, Row, RowTooLarge, StatementError, despite_conflicts
from app.errors import RequestError
from app.graphql.errors import FieldError
from app.pipeline.engine import Engine
from app.pipeline.records import AuthorizedOperation, BoundPlan, ResultSet, SQLPlan
from app.query.sql import failure_message
from schema_cache.privileges import role_settings

log = logging.getLogger("portico.graphql")


def execute(operation: AuthorizedOperation, bound: BoundPlan, engine: Engine) -> ResultSet:
    """The json text of each response key. Raises StatementError and its kinds, RoleRefused, Unavailable."""
    plan = bound.plan
    texts: dict[str, bytes | None] = dict(plan.constants)
    if plan.calls:
        for call, rows in zip(plan.calls, _run(bound, _context(operation, engine), engine), strict=True):
            texts.update(zip(call.keys, rows[0], strict=True))
    return ResultSet(plan, texts)


def _context(operation: AuthorizedOperation, engine: Engine) -> Context:
    request = operation.parsed.request
    catalog = operation.api.catalog
    return engine.contexts.build(
        operation.caller,
        method=request.method,
        path=request.path,
        role_settings=role_settings(catalog, operation.caller.role),
        schema_version=catalog.change_count if catalog.counted else None,
    )


def _run(bound: BoundPlan, context: Context, engine: Engine) -> list[list[Row]]:
    plan = bound.plan
    calls = [(call.statement, values) for call, values in zip(plan.calls, bound.values, strict=True)]
    run = partial(engine.database.run, context, calls, read_only=not plan.is_mutation, row_limit=engine.answer_limit)
    try:
        return despite_conflicts(run)
    except StatementError as ex:
        if engine.show_sql and 1 <= ex.statement_index <= len(plan.calls):
            log.warning("%s\n%s", ex.message, plan.calls[ex.statement_index - 1].statement.sql)
        raise _explained(ex, plan) from None
    except RowTooLarge as ex:
        if plan.is_mutation:
            ex.hint = "What the mutation changed is changed; ask for fewer of the rows."
        raise


def _explained(error: StatementError, plan: SQLPlan) -> StatementError | FieldError:
    """The error as it is told: with the field that failed, and one that a plan raised on purpose with our message."""
    if not 1 <= error.statement_index <= len(plan.calls):
        return error
    key, *others = plan.calls[error.statement_index - 1].keys
    message = failure_message(error.diagnosis)
    if message is not None:
        return FieldError(RequestError(message), key)
    error.path = () if others else (key,)
    return error
