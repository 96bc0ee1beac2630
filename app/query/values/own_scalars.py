"""Scalars beyond those that every schema has: they take no name from an object of the database."""

from __future__ import annotations

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.values.types import ToJson, ToText, ValueType
from app.query.sql.texts import StringText, as_is
from app.query.values.scalars import scalar_type


def own_value_type(
    api: ApiSchema, name: str, description: str, to_text: ToText | None = None, to_json: ToJson = as_is
) -> ValueType:
    """How values of a type cross the API as the scalar ``name``, which takes strings unless ``to_text`` says otherwise.
    Its filter is called after it."""
    taken = to_text or StringText(name)
    scalar_name = api.own_type_name(("scalar", name), name)
    return ValueType(
        graphql=api.named(scalar_name, lambda own_name: scalar_type(own_name, taken, description)),
        to_json=to_json,
        to_text=taken,
        filter=name,
        filter_name=api.own_type_name(("filter", name), f"{name}Filter"),
    )
