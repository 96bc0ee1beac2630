"""Functions whose first argument is a row. Those that only read are fields of the row's type; with further arguments
they need a comment that exposes them. Those that may write are mutations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.relations import ApiRelation
from app.query.call.calls import VOLATILE, result_of
from app.query.call.functions import is_exposed
from schema_cache.model import Argument, Function

TakenArguments = tuple[Function, Sequence[Argument]]
"""A function, and the arguments of its field, which are those after the row."""


def takes_a_row(api: ApiSchema, function: Function) -> bool:
    """Whether the first argument is a row of a relation."""
    first = api.catalog.type_by_oid.get(function.arguments[0].type) if function.arguments else None
    return first is not None and bool(first.relation) and not first.attributes


def is_change(api: ApiSchema, function: Function) -> bool:
    """Whether a function of a row may write, and the dialect therefore excludes it from the fields of the row's
    type."""
    return function.volatility == VOLATILE and not api.dialect.fields_that_write


def exposed_functions_of(api: ApiSchema, relation: ApiRelation) -> Sequence[TakenArguments]:
    """The exposed functions of a relation's rows that only read."""
    return [each for each in all_exposed_of(api, relation) if not is_change(api, each[0])]


def exposed_changes_of(api: ApiSchema, relation: ApiRelation) -> Sequence[TakenArguments]:
    """The exposed functions of a relation's rows that may write."""
    return [each for each in all_exposed_of(api, relation) if is_change(api, each[0])]


def all_exposed_of(api: ApiSchema, relation: ApiRelation) -> Sequence[TakenArguments]:
    """The exposed functions of a relation's rows. None, unless the role may read all columns: the functions receive the
    whole row."""
    functions = api.shared("exposed functions of rows", lambda: _by_row_type(api))
    return functions.get(relation.relation.row_type, ()) if relation.visible.select_all else ()


def _by_row_type(api: ApiSchema) -> Mapping[int, list[TakenArguments]]:
    """The exposed functions whose first argument is a row, by row type, without computed fields that need no
    comment."""
    shown = {schema.name for schema in api.schemas}
    found: dict[int, list[TakenArguments]] = {}
    for function in api.view.functions:
        if function.schema in shown and is_exposed(api, function) and takes_a_row(api, function):
            row, *others = function.arguments
            if others or is_change(api, function) or result_of(api, function) is None:
                found.setdefault(row.type, []).append((function, others))
    return found
