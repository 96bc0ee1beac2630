"""Execute: sets role and claims and runs all statements of a plan, in one round trip and one transaction."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from app.database import CONFLICT_MARK, REFUSED_BY_POLICY, Context, Row, RowTooLarge, StatementError, despite_conflicts
from app.database.run.database import BoundStatement
from app.database.run.guard import guarded, rows_of_calls, settings_changed
from app.database.wire.sqlstates import FOREIGN_KEY_VIOLATION, INSUFFICIENT_PRIVILEGE, READ_ONLY_SQL_TRANSACTION
from app.errors import Diagnosis, RequestError
from app.graphql.documents.errors import FieldError
from app.packed_text import AnyText
from app.pipeline.engine import Engine
from app.pipeline.freshness import check_changes, list_of_changes, without_list
from app.pipeline.records import CAPPED, READ_AFTER, AuthorizedOperation, BoundPlan, ResultSet, SQLPlan
from app.pipeline.relayed_errors import as_of_coordinator, refusal
from app.query.sql.constructs import failure
from schema_cache.privileges import role_settings
from schema_cache.role_view import RoleView

log = logging.getLogger("portico.graphql")

_INTEGRITY = "23"
"""The class of the SQLSTATEs of violated constraints."""

_READABLE_TOO = (
    "The policies for SELECT must admit the row too, since changes return their rows:"
    ' docs/roles-and-policies.md, "Rows that are written must be readable".'
)


_CHANGES_NOTHING = (
    "Queries run in a read-only transaction. A function that this query calls, perhaps in a view or a policy, tried to"
    ' write. Make it a mutation: docs/graphql.md, "Queries change nothing".'
)


def execute(operation: AuthorizedOperation, bound: BoundPlan, engine: Engine) -> ResultSet:
    """The JSON text of each response key. Raises StatementError and its subclasses, RoleRefused, Unavailable, and the
    errors of the operation checks of plugins."""
    for check in operation.api.rules.checks:
        check(operation, bound, engine)
    plan = bound.plan
    texts: Mapping[str, AnyText | None] = plan.constants
    if plan.statements:
        texts = dict(plan.constants)
        for planned, rows in zip(plan.statements, _run(operation, bound, engine), strict=True):
            if planned.answers:
                texts.update(zip(planned.response_keys, rows[0], strict=True))
    capped = _capped(plan, operation.parsed.variables) if plan.caps else None
    results = ResultSet(plan, texts, operation.caller.role, item_errors=bound.errors)
    bookmark = operation.parsed.request.bookmark
    if plan.is_mutation and bookmark is not None and bookmark.written is not None:
        results = results.with_extension(READ_AFTER, str(bookmark.written))
    return results.with_extension(CAPPED, capped) if capped else results


def _capped(plan: SQLPlan, variables: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The collections of which the request wanted more rows than a page may have."""
    return [
        {"path": list(cap.path), "asked": requested, "given": cap.given}
        for cap in plan.caps
        if (requested := cap.requested.read(variables)) > cap.given
    ]


def context_of(operation: AuthorizedOperation, plan: SQLPlan, engine: Engine) -> Context:
    """The role, the claims and the settings that the statements of the operation's plan run with."""
    head = operation.parsed.request.head
    catalog = operation.catalog
    return engine.contexts.build(
        operation.caller,
        method=head.method,
        path=head.path,
        role_settings=role_settings(catalog, operation.caller.role),
        extra=engine.contexts.request_settings(head.header),
        schema_version=catalog.change_count if catalog.counted and not operation.lists_changes else None,
        bookmark=operation.parsed.request.bookmark,
        discarded=plan.has_effects,
        guarded=_is_guarded(operation, plan),
        propagated=plan.is_mutation or plan.has_effects or plan.reads_claims,
        in_sequence=plan.is_mutation and len(plan.statements) > 1,
        proved_by="" if plan.is_mutation or plan.has_effects else catalog.version,
    )


def _is_guarded(operation: AuthorizedOperation, plan: SQLPlan) -> bool:
    """Whether the plan may run code that changes the session."""
    return plan.has_effects or (plan.is_mutation and operation.catalog.writes_run_code)


def _run(operation: AuthorizedOperation, bound: BoundPlan, engine: Engine) -> list[list[Row]]:
    plan = bound.plan
    context = context_of(operation, plan, engine)
    if plan.is_volatile and not plan.is_mutation:
        # A volatile function may need the primary, for example for locks. Without a bookmark no replica is used.
        context = replace(context, bookmark=None)
    calls: list[BoundStatement] = [
        (planned.statement, values) for planned, values in zip(plan.statements, bound.values, strict=True)
    ]
    database, row_limit = engine.database, engine.answer_limit
    if is_guarded := _is_guarded(operation, plan):
        calls = guarded(calls)
    if operation.lists_changes:
        calls.insert(0, list_of_changes(operation.catalog))
    if bound.rolled_back:
        run = partial(database.attempt, context, calls, row_limit=row_limit)
    else:
        run = partial(database.run, context, calls, read_only=not plan.is_mutation, row_limit=row_limit)
    try:
        rows = despite_conflicts(run)
    except StatementError as ex:
        if operation.lists_changes:
            ex = without_list(ex)
        if is_guarded and (names := settings_changed(ex)):
            raise _session_changed(names, plan, ex.statement_index) from None
        if engine.settings.show_sql and 1 <= ex.statement_index <= len(plan.statements):
            log.warning("%s\n%s", ex.message, plan.statements[ex.statement_index - 1].statement.sql)
        raise client_error(ex, operation, plan) from None
    except RowTooLarge as ex:
        if plan.is_mutation and not bound.rolled_back:
            ex.hint = "The mutation was applied; only its response is too large. Select fewer rows or fields."
        raise
    if operation.lists_changes:
        check_changes(rows.pop(0), operation, plan, engine.schema_cache)
    return rows_of_calls(rows) if is_guarded else rows


def _session_changed(names: Sequence[str], plan: SQLPlan, index: int) -> FieldError:
    """The error of a statement whose code changed settings of its session."""
    error = RequestError(
        f"A function, trigger or policy changed {', '.join(names)} in its session; nothing was changed.",
        code="SESSION_CHANGED",
        hint="Give the function its settings by ALTER FUNCTION ... SET, which ends with the function.",
    )
    return FieldError(error, plan.statements[index - 1].response_keys[0])


def client_error(error: StatementError, operation: AuthorizedOperation, plan: SQLPlan) -> StatementError | FieldError:
    """The error of a statement of the plan, as it is reported to the client."""
    catalog = operation.catalog
    if catalog.distributed:
        known = as_of_coordinator(error, catalog)
        unsupported, keys = refusal(known, is_relayed=known is not error), _keys_of(error, plan)
        error = known
        if unsupported is not None and keys:
            log.info("Citus refuses a statement: %s", error.message)
            return FieldError(unsupported, keys[0])
    return _explained(_discreet(error, operation.api.view), plan)


def _keys_of(error: StatementError, plan: SQLPlan) -> tuple[str, ...]:
    """The response keys of the statement that failed."""
    is_own = 1 <= error.statement_index <= len(plan.statements)
    return plan.statements[error.statement_index - 1].response_keys if is_own else ()


def _discreet(error: StatementError, view: RoleView) -> StatementError:
    """The error without details of rows and relations that the caller may not see."""
    diagnosis = error.diagnosis
    if diagnosis.sqlstate == FOREIGN_KEY_VIOLATION and not _sees_both_ends(diagnosis, view):
        hidden = Diagnosis(diagnosis.sqlstate, "The change violates a foreign key constraint.")
        return StatementError(hidden, error.statement_index)
    if diagnosis.table and diagnosis.where and diagnosis.sqlstate.startswith(_INTEGRITY):
        # The detail repeats the row or the key if the current user may see it. Inside a SECURITY DEFINER function, such
        # as one of a trigger, the current user is the function's owner and not the caller.
        return StatementError(replace(diagnosis, detail=""), error.statement_index, error.routine)
    return error


def _sees_both_ends(diagnosis: Diagnosis, view: RoleView) -> bool:
    """Whether the caller sees both relations of the foreign key that was violated."""
    seen = {visible.relation.oid for visible in view.relations}
    joined = [
        {relation.oid, key.foreign}
        for relation in view.catalog.relations
        if relation.name == diagnosis.table
        for key in relation.foreign_keys
        if key.name == diagnosis.constraint and not key.inferred
    ]
    return bool(joined) and all(ends <= seen for ends in joined)


def _explained(error: StatementError, plan: SQLPlan) -> StatementError | FieldError:
    """The error for the client: it names the failed field, and has the plan's own message if the plan raised it
    deliberately."""
    keys = _keys_of(error, plan)
    if not keys:
        return error
    key, *others = keys
    # A deliberate failure happens in the statement itself, not in a function.
    deliberate = failure(error.diagnosis) if error.state and not error.diagnosis.where else None
    if deliberate is not None:
        message, hint = deliberate
        _, is_conflict, refusal = message.partition(CONFLICT_MARK)
        if not is_conflict:
            return FieldError(RequestError(message, hint=hint), key)
        refused = Diagnosis(INSUFFICIENT_PRIVILEGE, refusal)
        error = StatementError(refused, error.statement_index, REFUSED_BY_POLICY)
    if not error.diagnosis.hint:
        error.hint = _hint(error, plan)
    error.path = () if others else (key,)
    return error


def _hint(error: StatementError, plan: SQLPlan) -> str | None:
    if _is_refused_row(error):
        return _READABLE_TOO
    is_refused_change = plan.has_effects and error.diagnosis.sqlstate == READ_ONLY_SQL_TRANSACTION
    return _CHANGES_NOTHING if is_refused_change else error.hint


def _is_refused_row(error: StatementError) -> bool:
    """Whether a policy refuses a row that the statement itself writes, rather than a function that it calls."""
    diagnosis = error.diagnosis
    return error.routine == REFUSED_BY_POLICY and diagnosis.sqlstate == INSUFFICIENT_PRIVILEGE and not diagnosis.where
