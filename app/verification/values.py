"""Compares a value as the API prints it with the JSON that PostgreSQL prints for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from decimal import Decimal, InvalidOperation
from operator import eq
from typing import Any

from graphql import GraphQLEnumType, get_named_type

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.names import enum_values
from app.graphql.schema.relations import ApiColumn

Same = Callable[[Any, Any], bool]


def equality(api: ApiSchema, column: ApiColumn) -> Same | None:
    """The function that compares values of a column; None if the API prints them in its own format, which cannot be
    compared."""
    named = get_named_type(column.type.graphql)
    if isinstance(named, GraphQLEnumType):
        labels = _labels(api, column.column.type, named)
        own: Same | None = None if labels is None else (lambda printed, sql: labels.get(printed) == sql)
    else:
        own = _BY_SCALAR.get(named.name)
    return None if own is None else (lambda printed, sql: _at_any_depth(own, printed, sql))


def _labels(api: ApiSchema, type_oid: int, enum: GraphQLEnumType) -> Mapping[str, str] | None:
    """The labels of an enum by their names in the API; None where a comment renames them."""
    type_ = api.catalog.type_by_oid[type_oid]
    while type_.element or type_.base:
        type_ = api.catalog.type_by_oid[type_.element or type_.base]
    usual = dict(zip(enum_values(type_.labels), type_.labels, strict=True))
    return usual if set(enum.values) <= set(usual) else None


def _at_any_depth(own: Same, printed: Any, sql: Any) -> bool:
    if printed is None or sql is None:
        return printed is None and (sql is None or sql in _WITHOUT_JSON)
    if isinstance(printed, list):
        return (
            isinstance(sql, list)
            and len(printed) == len(sql)
            and all(_at_any_depth(own, one, other) for one, other in zip(printed, sql, strict=True))
        )
    return own(printed, sql)


def _numbers(printed: Any, sql: Any) -> bool:
    try:
        return Decimal(str(printed)) == Decimal(str(sql))
    except InvalidOperation:
        return str(printed) == str(sql)


def _floats(printed: Any, sql: Any) -> bool:
    # NaN is not equal to itself.
    return str(printed) == str(sql) or float(printed) == float(sql)


def _moments(printed: Any, sql: Any) -> bool:
    with suppress(ValueError):
        one, other = (datetime.fromisoformat(str(each)) for each in (printed, sql))
        return one == other if (one.tzinfo is None) == (other.tzinfo is None) else False
    return str(printed) == str(sql)


def _json(printed: Any, sql: Any) -> bool:
    """Whether JSON, or a string that contains JSON, is equal to the JSON from SQL, in which numbers with a fraction are
    Decimal."""
    with suppress(ValueError):
        if isinstance(printed, str) and json.loads(printed, parse_float=Decimal) == sql:
            return True
    return bool(json.loads(json.dumps(printed), parse_float=Decimal) == sql)


_WITHOUT_JSON = ("NaN", "Infinity", "-Infinity")
"""Floats that JSON does not have; the API prints null for them."""

_BY_SCALAR: Mapping[str, Same] = {
    "BigFloat": _numbers,
    "BigInt": _numbers,
    "Boolean": eq,
    "Date": eq,
    "Datetime": _moments,
    "Float": _floats,
    "Int": eq,
    "JSON": _json,
    "Opaque": _json,
    "String": eq,
    "Time": eq,
    "UUID": eq,
}
