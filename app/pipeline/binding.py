"""Binds a plan: the values of one request for its parameters, and the checks that depend on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from graphql import GraphQLError

from app.graphql.documents.errors import DocumentError
from app.graphql.values.values import Readings
from app.pipeline.records import BoundPlan, SQLPlan
from app.query.plan.planning import ItemErrors


def bind(plan: SQLPlan, variables: Mapping[str, Any]) -> BoundPlan:
    """The plan with the values of a request. Raises RequestError if one does not fit."""
    readings = Readings(variables)
    values = tuple([tuple([each.value(readings) for each in planned.parameters]) for planned in plan.statements])
    if not plan.item_errors:
        return BoundPlan(plan, values)
    errors = (error for each in plan.item_errors for error in _of_items(each, readings))
    return BoundPlan(plan, values, errors=tuple(errors))


def _of_items(found: ItemErrors, readings: Readings) -> Iterator[GraphQLError]:
    for index, error in found.errors_of(readings.at(found.source)).items():
        extensions = {"code": error.code} | ({"hint": error.hint} if error.hint else {})
        yield GraphQLError(error.message, path=[*found.path, index], extensions=extensions)


def nodes_of(plan: SQLPlan, variables: Mapping[str, Any]) -> int:
    """An upper bound for the number of rows in the response to a request with these variables."""
    return sum(each.nodes.of(variables) for each in plan.statements)


def check_nodes(plan: SQLPlan, variables: Mapping[str, Any], limit: int) -> None:
    """Raise DocumentError if the response may have more rows than ``limit``; 0 means no limit.

    The number is part of the plan, unless it depends on the number of rows in the request.
    """
    nodes = nodes_of(plan, variables)
    if limit and nodes > limit:
        hint = "Request smaller pages: a nested collection counts once for each row of the outer page."
        message = f"The operation may return {nodes} rows, more than {limit} (NODE_LIMIT)"
        raise DocumentError(message, "LIMIT_EXCEEDED", hint=hint)
