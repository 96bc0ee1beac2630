"""An extension's types, and its functions that a role may use."""

from __future__ import annotations

from collections.abc import Collection

from app.graphql.schema.api_schema import ApiSchema
from schema_cache.model import Type


def is_extension_type(type_: Type, names: Collection[str]) -> bool:
    """Whether it is an extension's base type with one of these names."""
    return type_.name in names and type_.kind == "b" and type_.schema != "pg_catalog"


def usable_functions(api: ApiSchema, types: Collection[str]) -> frozenset[str]:
    """The names of the extension functions that the role may call and that take a value of one of these types."""
    oids = {each.oid for each in api.catalog.types if is_extension_type(each, types)}
    functions = api.view.extension_functions
    return frozenset(each.name for each in functions if any(given.type in oids for given in each.arguments))


def schema_of(api: ApiSchema, types: Collection[str]) -> str:
    """The schema of the extension that has these types. The catalog must have one of them; an extension is installed at
    most once in a database."""
    return next(each.schema for each in api.catalog.types if is_extension_type(each, types))
