"""Computed fields: functions whose only argument is a row and whose result the API can represent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.graphql import names
from app.graphql.api_schema import ApiSchema
from app.graphql.relations import ApiRelation
from app.query.calls import Result, result_of
from schema_cache.model import Function


@dataclass(frozen=True)
class ComputedField:
    """The result of a function whose argument is a row, and the directives in its comment."""

    result: Result
    directives: Mapping[str, Any]


def computed_fields_of(api: ApiSchema, relation: ApiRelation) -> Mapping[str, ComputedField]:
    """The computed fields of a relation's rows by name; none unless the role may read all of a row."""
    # The function gets the whole row.
    if not relation.visible.select_all:
        return {}
    found: dict[str, ComputedField] = {}
    for function in api.shared("functions of rows", lambda: _by_row_type(api)).get(relation.relation.row_type, ()):
        result = result_of(api, function)
        if result is not None:
            directives = api.comments.on("function", f"{function.schema}.{function.name}", function.comment)
            inflect = api.comments.inflects(function.schema)
            name = names.function_field(function.name, directives.get("name"), inflect)
            found.setdefault(name, ComputedField(result, directives))
    return found


def _by_row_type(api: ApiSchema) -> Mapping[int, list[Function]]:
    shown = {schema.name for schema in api.schemas}
    found: dict[int, list[Function]] = {}
    for function in api.view.functions:
        if function.schema in shown and len(function.arguments) == 1:
            found.setdefault(function.arguments[0].type, []).append(function)
    return found
