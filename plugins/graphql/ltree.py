"""Paths of the extension ltree (VALUE_TYPES=ltree)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphql import GraphQLString

from app.database.identifiers import quoted
from app.errors import RequestError
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields
from app.graphql.values.types import ValueType
from app.hooks import hookimpl
from app.query.call.extension_functions import is_extension_type, schema_of
from app.query.filter.operators import IN_ORDER, fixed, members, of_extension
from app.query.sql.texts import StringText
from app.query.values.own_scalars import own_value_type
from schema_cache.model import Type

NAME = "Ltree"
LTREE = "ltree"
MOST_OPEN = 4
"""The most levels of a pattern that match a variable number of labels. Each multiplies the combinations that PostgreSQL
tries; ten of them keep it busy for minutes with a single path of a hundred labels."""

_PATTERN = StringText("String")


@hookimpl
def value_types() -> Sequence[str]:
    return (LTREE,)


@hookimpl
def value_type(api: ApiSchema, type_: Type) -> ValueType | None:
    if not is_extension_type(type_, {LTREE}):
        return None
    return own_value_type(api, NAME, "A path of labels, such as `plants.trees.oak`")


@hookimpl
def filter_operators(api: ApiSchema, value_type: ValueType) -> Fields | None:
    if value_type.filter != NAME:
        return None
    schema = quoted(schema_of(api, {LTREE}))
    pattern = fixed(GraphQLString, pattern_text, f"{schema}.lquery")
    operators = {
        **IN_ORDER,
        "ancestorOf": of_extension(schema, "@>", "Paths that this one begins with, or equals"),
        "descendantOf": of_extension(schema, "<@", "Paths that begin with this one, or equal it"),
        "matches": of_extension(
            schema,
            "~",
            "Paths that match this pattern of PostgreSQL's type lquery, such as `plants.*.oak|elm`",
            pattern,
        ),
    }
    return Fields(20, members(value_type, operators))


def pattern_text(value: Any) -> str | None:
    """The text of a pattern. Raises RequestError for one whose cost is not bounded."""
    text = _PATTERN(value)
    if text is not None and sum(map(_is_open, text.split("."))) > MOST_OPEN:
        reason = f"A pattern of labels may have at most {MOST_OPEN} levels that are * or have {{}}"
        raise RequestError(reason, code="LIMIT_EXCEEDED")
    return text


def _is_open(level: str) -> bool:
    return level.lstrip().startswith("*") or "{" in level
