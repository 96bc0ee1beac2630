"""Aggregate functions: the columns that they accept, and their calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sqlalchemy.sql.functions import Function

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.relations import ApiColumn, ApiRelation
from app.query.plan.rows import Rows
from app.query.sql.constructs import FunctionCall, cast_to
from schema_cache.model import Type

INTEGERS = frozenset(("int2", "int4", "int8"))
NUMBERS = INTEGERS | {"float4", "float8", "numeric", "money"}
ORDERED = NUMBERS | frozenset(
    ("text", "varchar", "char", "bpchar", "name", "citext", "date", "time", "timetz", "timestamp", "timestamptz")
)


@dataclass(frozen=True)
class Aggregate:
    """An aggregate function; it is in the schema of the type. ``types``: the types that it accepts, by their names in
    pg_type. ``as_numeric``: its argument is cast to numeric. ``results``: the type of the result for types where it is
    another one. ``function``: its name in PostgreSQL, if that is not its ``name`` in the API."""

    name: str
    types: frozenset[str]
    results: Mapping[str, str]
    as_numeric: bool = False
    function: str | None = None

    @cached_property
    def title(self) -> str:
        """The name as a part of type names."""
        return f"{self.name[0].upper()}{self.name[1:]}"

    def columns(self, api: ApiSchema, relation: ApiRelation) -> Sequence[ApiColumn]:
        """The columns of a relation that it accepts."""
        return [column for column in relation.columns if aggregated_type(api, column) in self.types]

    def result(self, api: ApiSchema, column: ApiColumn) -> Type:
        """The PostgreSQL type of its result for a column."""
        name = aggregated_type(api, column)
        if self.as_numeric or name == "money":
            return built_in_type(api, "numeric")
        other = self.results.get(name, name)
        return api.catalog.type_by_oid[column.column.type] if other == name else built_in_type(api, other)

    def call(self, api: ApiSchema, column: ApiColumn, rows: Rows) -> Function[Any]:
        """A call of the function on a column of ``rows``."""
        value = rows.column(column.name)
        # money is cast too: it is printed with a currency sign, so its text is not a number.
        as_numeric = self.as_numeric or aggregated_type(api, column) == "money"
        schema = api.catalog.type_by_oid[column.column.type].schema
        return FunctionCall(schema, self.function or self.name, [cast_to(value, "numeric") if as_numeric else value])


SUMS = {"int2": "int8", "int4": "int8", "int8": "numeric"}
AS_TEXT = dict.fromkeys(("varchar", "char", "name"), "text")

AGGREGATES = (
    Aggregate("sum", NUMBERS, SUMS),
    Aggregate("avg", NUMBERS, {}, as_numeric=True),
    Aggregate("min", ORDERED, AS_TEXT),
    Aggregate("max", ORDERED, AS_TEXT),
)


def built_in_type(api: ApiSchema, name: str) -> Type:
    built_in: Mapping[str, Type] = api.shared(
        "built-in types", lambda: {each.name: each for each in api.catalog.types if each.schema == "pg_catalog"}
    )
    return built_in[name]


def is_number(api: ApiSchema, column: ApiColumn) -> bool:
    """Whether values of a column are numbers, which can be added."""
    return aggregated_type(api, column) in NUMBERS


def aggregated_type(api: ApiSchema, column: ApiColumn) -> str:
    """The name in pg_type of a column's type; '' for every user-defined type except citext."""
    type_ = api.catalog.type_by_oid[column.column.type]
    return type_.name if type_.schema == "pg_catalog" or type_.name == "citext" else ""
