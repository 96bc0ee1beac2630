"""Intervals, printed as ISO 8601 has durations, whatever the setting IntervalStyle (VALUE_TYPES=interval)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, case, extract, func, literal_column, select
from sqlalchemy.dialects.postgresql import array

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields
from app.graphql.values.types import ValueType
from app.hooks import hookimpl
from app.query.filter.operators import IN_ORDER, members
from app.query.sql.constructs import as_text, builtin, cast_to, constant
from app.query.values.own_scalars import own_value_type
from schema_cache.model import Type

NAME = "Interval"


@hookimpl
def value_types() -> Sequence[str]:
    return ("interval",)


@hookimpl
def value_type(api: ApiSchema, type_: Type) -> ValueType | None:
    if (type_.schema, type_.name) != ("pg_catalog", "interval"):
        return None
    return own_value_type(api, NAME, "A time span as ISO 8601 has it, such as `P1DT12H`", to_json=printed_once)


@hookimpl
def filter_operators(api: ApiSchema, value_type: ValueType) -> Fields | None:
    return Fields(20, members(value_type, IN_ORDER)) if value_type.filter == NAME else None


def printed_once(expression: ColumnElement[Any]) -> ColumnElement[Any]:
    """An interval as ISO 8601 has it. ``expression`` is in the SQL once: it may call a function."""
    # A table function may refer to the outer row without LATERAL.
    spans = builtin.unnest(array([expression])).table_valued("span", name="spans").render_derived()
    return select(iso_8601(spans.c.span)).scalar_subquery()


def iso_8601(interval: ColumnElement[Any]) -> ColumnElement[Any]:
    """The text that PostgreSQL prints with ``IntervalStyle = iso_8601``."""
    seconds = builtin.trim_scale(cast_to(extract("second", interval), "numeric"))
    time = builtin.concat(_whole("hour", interval, "H"), _whole("minute", interval, "M"), _part(seconds, "S"))
    text = builtin.concat(
        constant("P"),
        _whole("year", interval, "Y"),
        _whole("month", interval, "M"),
        _whole("day", interval, "D"),
        constant("T").concat(func.nullif(time, constant(""))),
    )
    return case(
        (builtin.isfinite(interval), func.coalesce(func.nullif(text, constant("P")), constant("PT0S"))),
        # Infinity, from PostgreSQL 17 on, and NULL.
        else_=as_text(interval),
    )


def _whole(unit: str, interval: ColumnElement[Any], letter: str) -> ColumnElement[Any]:
    return _part(cast_to(extract(unit, interval), "bigint"), letter)


def _part(number: ColumnElement[Any], letter: str) -> ColumnElement[Any]:
    """A number with its letter; NULL, which ``concat`` leaves out, where it is 0."""
    return as_text(func.nullif(number, literal_column("0"))).concat(constant(letter))
