"""Paths of the extension ltree (VALUE_TYPES=ltree)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from graphql import GraphQLInputField, GraphQLString
from sqlalchemy import null

from app.database.identifiers import quoted
from app.errors import RequestError
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields
from app.graphql.values.types import ValueType
from app.graphql.values.values import Leaf
from app.hooks import hookimpl
from app.query.call.extension_functions import schema_of
from app.query.filter.comparison_operators import IN_ORDER, by_symbol, comparison_members
from app.query.filter.conditions import Compared, Condition
from app.query.plan.planning import Planning
from app.query.sql.comparison import compared
from app.query.sql.constructs import cast_to
from app.query.sql.texts import StringText
from app.query.values.own_scalars import own_value_type
from schema_cache.model import Type

NAME = "Ltree"
LTREE = "ltree"
DESCRIPTIONS = {
    "ancestorOf": "Paths that this one begins with, or equals",
    "descendantOf": "Paths that begin with this one, or equal it",
}
MOST_OPEN = 4
"""The most levels of a pattern that match a variable number of labels. Each multiplies the combinations that PostgreSQL
tries; ten of them keep it busy for minutes with a single path of a hundred labels."""

_PATTERN = StringText("String")


@hookimpl
def value_types() -> Sequence[str]:
    return (LTREE,)


@hookimpl
def value_type(api: ApiSchema, type_: Type) -> ValueType | None:
    if not _is_ltree(type_):
        return None
    return own_value_type(api, NAME, "A path of labels, such as `plants.trees.oak`")


def _is_ltree(type_: Type) -> bool:
    return type_.name == LTREE and type_.kind == "b" and type_.schema != "pg_catalog"


@hookimpl
def filter_operators(api: ApiSchema, value_type: ValueType) -> Fields | None:
    if value_type.filter != NAME:
        return None
    schema = schema_of(api, _is_ltree)
    operators = {
        **IN_ORDER,
        "ancestorOf": by_symbol(_of_extension(schema, "@>")),
        "descendantOf": by_symbol(_of_extension(schema, "<@")),
    }
    members = comparison_members(value_type, operators, DESCRIPTIONS)
    members["matches"] = GraphQLInputField(
        GraphQLString,
        description="Paths that match this pattern of PostgreSQL's type lquery, such as `plants.*.oak|elm`",
        extensions={"operator": _Matches(schema)},
    )
    return Fields(20, members)


def _of_extension(schema: str, symbol: str) -> str:
    return f"OPERATOR({quoted(schema)}.{symbol})"


@dataclass(frozen=True)
class _Matches:
    """The condition that a path matches a pattern."""

    schema: str

    def __call__(self, planning: Planning, left: Compared, operand: Leaf | None) -> Condition:
        if operand is None:
            return cast_to(null(), "boolean")
        pattern = planning.bind(operand, pattern_text, f"{quoted(self.schema)}.lquery")
        return compared(left.value, _of_extension(self.schema, "~"), pattern)


def pattern_text(value: Any) -> str | None:
    """The text of a pattern. Raises RequestError for one whose cost is not bounded."""
    text = _PATTERN(value)
    if text is not None and sum(map(_is_open, text.split("."))) > MOST_OPEN:
        reason = f"A pattern of labels may have at most {MOST_OPEN} levels that are * or have {{}}"
        raise RequestError(reason, code="LIMIT_EXCEEDED")
    return text


def _is_open(level: str) -> bool:
    return level.lstrip().startswith("*") or "{" in level
