"""Whether a value of the API stands for the same as PostgreSQL's own JSON of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from graphql import GraphQLEnumType, get_named_type

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.names import enum_values
from app.graphql.schema.relations import ApiColumn

Same = Callable[[Any, Any], bool]


def equality(api: ApiSchema, column: ApiColumn) -> Same | None:
    """How values of a column are compared; None if the API has a form of its own for them, which is not judged."""
    named = get_named_type(column.type.graphql)
    if isinstance(named, GraphQLEnumType):
        labels = _labels(api, column.column.type, named)
        own: Same | None = None if labels is None else (lambda ours, sql: labels.get(ours) == sql)
    else:
        own = _BY_SCALAR.get(named.name)
    return None if own is None else (lambda ours, sql: _at_any_depth(own, ours, sql))


def _labels(api: ApiSchema, type_oid: int, enum: GraphQLEnumType) -> Mapping[str, str] | None:
    """The labels of an enum by their names in the API; None where a comment renames them."""
    type_ = api.catalog.type_by_oid[type_oid]
    while type_.element or type_.base:
        type_ = api.catalog.type_by_oid[type_.element or type_.base]
    usual = dict(zip(enum_values(type_.labels), type_.labels, strict=True))
    return usual if set(enum.values) <= set(usual) else None


def _at_any_depth(own: Same, ours: Any, sql: Any) -> bool:
    if ours is None or sql is None:
        return ours is None and (sql is None or sql in _WITHOUT_JSON)
    if isinstance(ours, list):
        return (
            isinstance(sql, list)
            and len(ours) == len(sql)
            and all(_at_any_depth(own, one, other) for one, other in zip(ours, sql, strict=True))
        )
    return own(ours, sql)


def _numbers(ours: Any, sql: Any) -> bool:
    try:
        return Decimal(str(ours)) == Decimal(str(sql))
    except InvalidOperation:
        return str(ours) == str(sql)


def _floats(ours: Any, sql: Any) -> bool:
    # NaN is not equal to itself.
    return str(ours) == str(sql) or float(ours) == float(sql)


def _moments(ours: Any, sql: Any) -> bool:
    with suppress(ValueError):
        one, other = (datetime.fromisoformat(str(each)) for each in (ours, sql))
        return one == other if (one.tzinfo is None) == (other.tzinfo is None) else False
    return str(ours) == str(sql)


def _json(ours: Any, sql: Any) -> bool:
    """Whether JSON, or a string that holds it, is the same. Numbers with a fraction are Decimal on one side only."""
    with suppress(ValueError):
        if isinstance(ours, str) and json.loads(ours, parse_float=Decimal) == sql:
            return True
    return bool(json.loads(json.dumps(ours), parse_float=Decimal) == sql)


def _equal(ours: Any, sql: Any) -> bool:
    return bool(ours == sql)


_WITHOUT_JSON = ("NaN", "Infinity", "-Infinity")
"""The floats that JSON cannot have: the API prints null."""

_BY_SCALAR: Mapping[str, Same] = {
    "BigFloat": _numbers,
    "BigInt": _numbers,
    "Boolean": _equal,
    "Date": _equal,
    "Datetime": _moments,
    "Float": _floats,
    "Int": _equal,
    "JSON": _json,
    "Opaque": _json,
    "String": _equal,
    "Time": _equal,
    "UUID": _equal,
}
