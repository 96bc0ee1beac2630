"""Execute: role, claims and all statements of a plan in one round trip and one transaction."""

from __future__ import annotations

from app.pipeline.records import AuthorizedOperation, BoundPlan, ResultSet
from app.services import Services
from schema_cache.privileges import role_settings


def execute(operation: AuthorizedOperation, bound: BoundPlan, services: Services) -> ResultSet:
    """The json text of each response key. Raises StatementError and its kinds, RoleRefused, Unavailable."""
    plan = bound.plan
    texts: dict[str, bytes | None] = dict(plan.constants)
    if plan.calls:
        request = operation.parsed.request
        catalog = operation.api.catalog
        context = services.contexts.build(
            operation.caller,
            method=request.method,
            path=request.path,
            role_settings=role_settings(catalog, operation.caller.role),
            schema_version=catalog.change_count if catalog.counted else None,
        )
        calls = [(call.statement, values) for call, values in zip(plan.calls, bound.values, strict=True)]
        results = services.database.run(context, calls, read_only=not plan.is_mutation)
        for call, rows in zip(plan.calls, results, strict=True):
            texts.update(zip(call.keys, rows[0], strict=True))
    return ResultSet(plan, texts)
