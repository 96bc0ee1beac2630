"""Restricts the filters and orders of a type to the operations that PostgreSQL has for it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace

from app.graphql.values.types import Patterns, ValueType
from schema_cache.model import Catalog, Type

LIKE_OF_ANY_COLLATION = 180000
"""From this version on LIKE supports nondeterministic collations; ILIKE, regular expressions and ^@ do not."""

NameFilter = Callable[[Hashable, str], str]
"""A function from the owner of a filter type and the name requested for it to the name that it gets."""


def possible(value_type: ValueType, type_: Type, named: NameFilter) -> ValueType:
    """``value_type`` without order or equality if PostgreSQL has none for ``type_``."""
    if type_.equality is not None or value_type.operand_text is not None:
        return value_type if type_.operators is not None else replace(value_type, orderable=False)
    value_type = replace(value_type, orderable=False)
    if value_type.filter is None:
        return replace(value_type, equatable=False)
    return replace(value_type, equatable=False, filter_name=_own_name(value_type, "Null", named))


def possible_in_collation(value_type: ValueType, catalog: Catalog, named: NameFilter) -> ValueType:
    """``value_type`` for a column with a nondeterministic collation: texts are matched with fewer patterns or none."""
    if value_type.filter != "String":
        return value_type
    patterns = Patterns.LIKE if catalog.server_version >= LIKE_OF_ANY_COLLATION else Patterns.NONE
    return replace(value_type, patterns=patterns, filter_name=_own_name(value_type, "Collated", named))


def _own_name(value_type: ValueType, kind: str, named: NameFilter) -> str:
    name = f"{kind}{value_type.filter}Filter"
    return named(("filter", name), name)
