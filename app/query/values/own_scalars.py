"""Scalars that only some schemas have. They never take a name that an object of the database needs."""

from __future__ import annotations

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.values.types import ToJson, ToText, ValueType
from app.query.sql.texts import StringText, as_is
from app.query.values.scalars import scalar_type


def own_value_type(
    api: ApiSchema, name: str, description: str, to_text: ToText | None = None, to_json: ToJson = as_is
) -> ValueType:
    """A value type with its own scalar ``name`` and a filter named after the scalar. The scalar accepts strings, or the
    values that ``to_text`` accepts."""
    accepted = to_text or StringText(name)
    scalar_name = api.own_type_name(("scalar", name), name)
    return ValueType(
        graphql=api.named(scalar_name, lambda own_name: scalar_type(own_name, accepted, description)),
        to_json=to_json,
        to_text=accepted,
        filter=name,
        filter_name=api.own_type_name(("filter", name), f"{name}Filter"),
    )
