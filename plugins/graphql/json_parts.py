"""The argument ``at`` of JSON columns, which selects a part of a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphql import GraphQLArgument, GraphQLList, GraphQLNonNull, GraphQLString
from sqlalchemy import ColumnElement

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields
from app.graphql.values.values import Leaf
from app.hooks import hookimpl
from app.query.plan.walk import Field
from app.query.sql.texts import ArrayText, StringText
from app.query.values.json_columns import json_kind
from schema_cache.model import Type

_PATH = ArrayText(StringText("String"))


@hookimpl
def features() -> Sequence[str]:
    return ("json_filters",)


@hookimpl
def column_arguments(api: ApiSchema, type_: Type) -> Fields | None:
    if json_kind(api, type_.oid) is None:
        return None
    argument = GraphQLArgument(
        GraphQLList(GraphQLNonNull(GraphQLString)),
        description="The path to a part of the document: keys and indexes of array elements; null if there is none",
        extensions={"part": _part},
    )
    return Fields(10, {"at": argument})


def _part(field: Field, document: ColumnElement[Any], path: Leaf) -> ColumnElement[Any]:
    return document.op("#>")(field.planning.bind(path, _PATH, "text[]"))
