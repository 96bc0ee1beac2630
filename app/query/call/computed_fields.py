"""Computed fields: functions whose only argument is a row and whose result the API supports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.relations import ApiRelation
from app.query.call.calls import Result


@dataclass(frozen=True)
class ComputedField:
    """The result of a computed field's function, and the directives in the function's comment."""

    result: Result
    directives: Mapping[str, Any]


def computed_fields_of(api: ApiSchema, relation: ApiRelation) -> Mapping[str, ComputedField]:
    """The computed fields that plugins contribute to a relation's rows, by name."""
    contributed = api.hooks.computed_fields(api=api, relation=relation)
    return {name: field for some in contributed for name, field in some.items() if api.is_name(name)}
