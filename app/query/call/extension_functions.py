"""The functions of an extension that a role may use."""

from __future__ import annotations

from collections.abc import Callable

from app.graphql.schema.api_schema import ApiSchema
from schema_cache.model import Type


def usable_functions(api: ApiSchema, is_one: Callable[[Type], bool]) -> frozenset[str]:
    """The names of the extension functions that the role may call and that take a value of a type for which ``is_one``
    is true."""
    types = {each.oid for each in api.catalog.types if is_one(each)}
    functions = api.view.extension_functions
    return frozenset(each.name for each in functions if any(given.type in types for given in each.arguments))


def schema_of(api: ApiSchema, is_one: Callable[[Type], bool]) -> str:
    """The schema of the extension that has the type for which ``is_one`` is true. The catalog must have such a type; an
    extension is installed at most once in a database."""
    return next(each.schema for each in api.catalog.types if is_one(each))
