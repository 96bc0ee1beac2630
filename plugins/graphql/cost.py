"""The cost of an operation, as PostgreSQL's planner estimates it: a limit, and a member of ``extensions`` that shows
it.

COST_LIMIT, or ``cost_limit`` in the comment on a role, refuses an operation with a higher estimate. The estimate is
made for a plan, with the values of the first request, and again after ten minutes. Only then does it take a round trip.
So it applies to plans, not to the values of a request.

PostgreSQL estimates from statistics of all rows, also of those that policies hide, so an estimate shows how frequent a
value is among hidden rows. Only roles in EXPLAIN_ROLES see the number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import Any

from app.bounded_cache import BoundedCache
from app.graphql.documents.errors import DocumentError
from app.hooks import hookimpl
from app.pipeline.binding import nodes_of
from app.pipeline.engine import Engine
from app.pipeline.explain import EXPLAIN_ROLES, explain
from app.pipeline.extensions import Extension
from app.pipeline.plan_costs import cost_of
from app.pipeline.records import AuthorizedOperation, BoundPlan, ResultSet
from app.settings import Setting, Settings
from app.settings.kinds import Number
from schema_cache.directive_values import Count
from schema_cache.directives import Directive

COST_LIMIT = Setting(
    "cost_limit",
    Number(0),
    0,
    "The highest estimated cost of a GraphQL operation, in the units of PostgreSQL's planner; 0 for no limit.",
    section="GraphQL requests",
)

NAME = "cost"
VALID_S = 600.0
"""How long an estimate is used, in seconds."""

_DIRECTIVE = "cost_limit"


class Cost:
    """Limits the planner's estimate of what an operation costs, and reports it on request.

    One instance for each application.
    """

    def __init__(self) -> None:
        self._estimates: BoundedCache[tuple[int, float]] = BoundedCache(1)

    @hookimpl
    def settings(self) -> Sequence[Setting[Any]]:
        return (COST_LIMIT,)

    @hookimpl
    def comment_directives(self) -> Sequence[Directive]:
        return (Directive("role", _DIRECTIVE, Count()),)

    @hookimpl
    def operation_checks(self, settings: Settings, directives: Mapping[str, Any]) -> Sequence[Callable[..., None]]:
        limit = directives.get(_DIRECTIVE, settings[COST_LIMIT])
        roles = _explain_roles(settings)

        def check(operation: AuthorizedOperation, bound: BoundPlan, engine: Engine) -> None:
            estimate = self._estimate(operation, bound, engine)
            if estimate > limit:
                excess = f"{estimate}, more than" if operation.caller.role in roles else "more than"
                message = f"The operation is estimated to cost {excess} {limit} (COST_LIMIT)"
                hint = "Request less, or filter by indexed columns. The estimate is for the plan, not for the values."
                raise DocumentError(message, "LIMIT_EXCEEDED", hint=hint)

        return (check,) if limit else ()

    @hookimpl
    def request_extensions(self, settings: Settings) -> Mapping[str, Extension]:
        self._estimates = BoundedCache(settings.plan_cache_entries)
        roles = _explain_roles(settings)

        def with_cost(
            execute: Callable[..., ResultSet],
            requested: Any,
            operation: AuthorizedOperation,
            bound: BoundPlan,
            engine: Engine,
        ) -> ResultSet:
            if not isinstance(requested, bool):
                raise DocumentError(f"extensions.{NAME} must be true or false", "BAD_USER_INPUT")
            if not requested:
                return execute(operation, bound, engine)
            rules = operation.api.rules
            cost = {
                "nodes": nodes_of(bound.plan, operation.parsed.variables),
                "nodeLimit": rules.nodes or None,
                "estimate": self._estimate(operation, bound, engine) if operation.caller.role in roles else None,
                "costLimit": rules.directives.get(_DIRECTIVE, settings[COST_LIMIT]) or None,
            }
            return execute(operation, bound, engine).with_extension(NAME, cost)

        return {NAME: with_cost}

    def _estimate(self, operation: AuthorizedOperation, bound: BoundPlan, engine: Engine) -> int:
        """The sum of the estimates of the plan's statements, for the caller's role; made again after VALID_S."""
        if not bound.plan.statements:
            return 0
        digests = (each.statement.digest for each in bound.plan.statements)
        key = (operation.api.serial, operation.caller.role, *digests)
        known = self._estimates.get(key)
        now = monotonic()
        if known is not None and now - known[1] < VALID_S:
            return known[0]
        estimate: int = round(sum(map(cost_of, explain(operation, bound, engine))))
        self._estimates.put(key, (estimate, now))
        return estimate


def _explain_roles(settings: Settings) -> Sequence[str]:
    """The roles that may see estimates; none if the plugin that declares the setting is not loaded."""
    roles: Sequence[str] = settings.of_plugins.get(EXPLAIN_ROLES, ())
    return roles
