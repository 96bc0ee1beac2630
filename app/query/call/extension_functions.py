"""What a role may use of the extension that a type is from."""

from __future__ import annotations

from collections.abc import Callable

from app.graphql.schema.api_schema import ApiSchema
from schema_cache.model import Type


def usable_functions(api: ApiSchema, is_one: Callable[[Type], bool]) -> frozenset[str]:
    """The names of the extension's functions that take a value of one of the types, and that the role may call."""
    types = {each.oid for each in api.catalog.types if is_one(each)}
    functions = api.view.extension_functions
    return frozenset(each.name for each in functions if any(given.type in types for given in each.arguments))


def schema_of(api: ApiSchema, is_one: Callable[[Type], bool]) -> str:
    """The schema of the extension, which a database has once. There is such a type."""
    return next(each.schema for each in api.catalog.types if is_one(each))
