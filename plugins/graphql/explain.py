"""``extensions: {"explain": "plan"}``: the SQL of an operation and PostgreSQL's plan for it, instead of its data.

With ``"analyze"`` the statements of a query are run as well, and the plan has the times. ``pages`` lists how rows of
pages are found: by an index alone, by a filter or by a sort. Only for roles in
EXPLAIN_ROLES.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.graphql.documents.errors import DocumentError, FieldError
from app.hooks import hookimpl
from app.pipeline.engine import Engine
from app.pipeline.explain import EXPLAIN_ROLES, explain
from app.pipeline.extensions import Extension
from app.pipeline.page_reads import page_reads
from app.pipeline.records import AuthorizedOperation, BoundPlan, ResultSet
from app.query.plan.refusals import NotOnThisCluster
from app.settings import Setting, Settings

NAME = "explain"
PLAN, ANALYZE = "plan", "analyze"


@hookimpl
def settings() -> Sequence[Setting[Any]]:
    return (EXPLAIN_ROLES,)


@hookimpl
def request_extensions(settings: Settings) -> Mapping[str, Extension]:
    roles = settings[EXPLAIN_ROLES]

    def explained(
        execute: Callable[..., ResultSet], how: Any, operation: AuthorizedOperation, bound: BoundPlan, engine: Engine
    ) -> ResultSet:
        if operation.caller.role not in roles:
            raise _refused("The role may not explain operations (EXPLAIN_ROLES)")
        if how not in (PLAN, ANALYZE):
            raise _refused(f'extensions.{NAME} must be "{PLAN}" or "{ANALYZE}"')
        plan = bound.plan
        if how == ANALYZE and plan.is_mutation:
            raise _refused(f'Only queries can be analyzed; "{PLAN}" explains a mutation without running it')
        entries: list[dict[str, Any]] = [
            {"paths": [[key] for key in planned.response_keys], "sql": planned.statement.sql}
            for planned in plan.statements
        ]
        try:
            plans = explain(operation, bound, engine, analyze=how == ANALYZE) if plan.statements else []
        except FieldError as ex:
            has_placeholders = operation.api.catalog.distributed and not all(each.answers for each in plan.statements)
            if ex.code != NotOnThisCluster.code and not has_placeholders:
                raise
            # The SQL shows why Citus refuses it. It may also compute values from those of earlier statements, which
            # have not run.
            made: list[dict[str, Any]] = [{"plan": None, "pages": [], "error": ex.message}] * len(entries)
        else:
            made = [{"plan": each, "pages": page_reads(each["Plan"])} for each in plans]
        entries = [entry | more for entry, more in zip(entries, made, strict=True)]
        # Constant fields are answered as usual, since they need no database; other fields are null.
        texts = {key: plan.constants.get(key) for key in plan.response_keys}
        results = ResultSet(plan, texts, operation.caller.role)
        return results.with_extension(NAME, entries)

    return {NAME: explained}


def _refused(message: str) -> DocumentError:
    return DocumentError(message, "BAD_USER_INPUT", hint='docs/costs.md, "Explain"')
