"""Runs EXPLAIN on the statements of a plan, with the rights and the values of a request."""

from __future__ import annotations

import json
from typing import Any

from app.database import BoundStatement, Statement, StatementError
from app.identity import SERVICE_ROLE
from app.pipeline.engine import Engine
from app.pipeline.execute import client_error, context_of
from app.pipeline.records import AuthorizedOperation, BoundPlan
from app.query.plan.handing_on import HANDED_ON
from app.settings import Setting
from app.settings.kinds import Names

EXPLAIN_ROLES: Setting[tuple[str, ...]] = Setting(
    "explain_roles",
    Names(),
    (SERVICE_ROLE,),
    "Roles that may see the SQL of an operation, PostgreSQL's plan for it, and the estimated cost, comma-separated.",
    default_note="service_role; all of API_ROLES with DEVELOPMENT",
    derive=lambda values: values["api_roles"] if values["development"] else (SERVICE_ROLE,),
    section="GraphQL requests",
)
"""The same roles see estimated costs, because PostgreSQL's estimates depend on all rows of a table, also hidden
ones."""

_PLACEHOLDER_COUNT = 200
_NAMES = f"'{HANDED_ON}' || n"
_NUMBERS = f"FROM pg_catalog.generate_series(1, {_PLACEHOLDER_COUNT}) n"
_PLACEHOLDERS = Statement(
    f"SELECT pg_catalog.num_nulls(set_config({_NAMES}, '{{}}', true)) {_NUMBERS}",
    unnamed=True,
)
_PLACEHOLDERS_ON_CLUSTER = Statement(
    "SELECT pg_catalog.num_nulls(graphql.set_local("
    f"pg_catalog.array_agg({_NAMES}), pg_catalog.array_agg('{{}}'::text))) {_NUMBERS}",
    unnamed=True,
)
"""Sets the settings through which a statement passes values to later ones. EXPLAIN does not run the earlier statement,
and the planner may evaluate an expression that reads them; ``{}`` is valid both as json and as an array."""


def explain(
    operation: AuthorizedOperation, bound: BoundPlan, engine: Engine, *, analyze: bool = False
) -> list[dict[str, Any]]:
    """The plan of each statement, as EXPLAIN prints it in JSON, in one round trip. With ``analyze`` the statements run.

    Raises the same errors as executing them.
    """
    how = "ANALYZE, FORMAT JSON" if analyze else "FORMAT JSON"
    plan = bound.plan
    placeholders = _PLACEHOLDERS_ON_CLUSTER if operation.api.catalog.distributed else _PLACEHOLDERS
    first: list[BoundStatement] = [] if all(each.answers for each in plan.statements) else [(placeholders, ())]
    calls: list[BoundStatement] = [
        # Unnamed: a named statement would evict a prepared one that is used again.
        (Statement(f"EXPLAIN ({how}) {planned.statement.sql}", unnamed=True), values)
        for planned, values in zip(plan.statements, bound.values, strict=True)
    ]
    context, row_limit = context_of(operation, plan, engine), engine.answer_limit
    try:
        answers = engine.database.run(context, [*first, *calls], read_only=True, row_limit=row_limit)
    except StatementError as ex:
        ex.statement_index = max(0, ex.statement_index - len(first))
        raise client_error(ex, operation, plan) from None
    return [json.loads(rows[0][0] or b"[]")[0] for rows in answers[len(first) :]]
