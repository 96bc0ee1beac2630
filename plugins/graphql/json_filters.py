"""Filters of JSON documents: containment, keys and SQL/JSON paths for jsonb, and parts of documents for json and
jsonb."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graphql import (
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLString,
)
from sqlalchemy import ColumnElement, and_, case

from app.errors import RequestError
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields
from app.graphql.schema.relations import ApiColumn, ApiRelation, OwnName
from app.graphql.values.types import ValueType
from app.graphql.values.values import Leaf
from app.hooks import hookimpl
from app.query.filter.conditions import (
    Compared,
    Condition,
    column_condition,
    value_condition,
    value_filter_type,
)
from app.query.filter.operators import DOCUMENT_OPERATORS, VALUES_TO_ONE, members
from app.query.plan.planning import Planning
from app.query.sql.comparison import USUAL_OPERATORS
from app.query.sql.constructs import builtin, cast_to, constant
from app.query.sql.texts import ArrayText, StringText
from app.query.values.json_columns import json_kind
from app.query.values.scalars import scalars_of, value_type_of

FILTERS = {"jsonb": "JSON", "json": "JSONText"}
"""The filter of each type. PostgreSQL has no comparison operators for json."""


@hookimpl
def features() -> Sequence[str]:
    return ("json_filters",)


OWN_PARTS: OwnName = ("filter", "parts of JSON"), "JSONPathFilter"


@hookimpl
def own_type_names(api: ApiSchema) -> Sequence[OwnName]:
    return (OWN_PARTS, *map(_own_filter, FILTERS.values()))


@hookimpl
def filter_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    kinds = ((each, json_kind(api, each.column.type)) for each in relation.columns)
    return Fields(60, {column.field_name: _member(api, column, kind) for column, kind in kinds if kind is not None})


def _member(api: ApiSchema, column: ApiColumn, kind: str) -> GraphQLInputField:
    type_ = value_filter_type(api, _filtered(api, column.type, kind))
    return GraphQLInputField(type_, extensions={"condition": column_condition(api, column, type_)})


def _filtered(api: ApiSchema, value_type: ValueType, kind: str) -> ValueType:
    """A document's type with the name of its filter."""
    name = FILTERS[kind]
    return replace(value_type, filter=name, filter_name=api.own_type_name(*_own_filter(name)))


def _own_filter(name: str) -> OwnName:
    return ("filter", name), f"{name}Filter"


@hookimpl
def filter_operators(api: ApiSchema, value_type: ValueType) -> Fields | None:
    if value_type.filter not in FILTERS.values():
        return None
    kind = next(each for each, name in FILTERS.items() if name == value_type.filter)
    offered = members(value_type, DOCUMENT_OPERATORS) if kind == "jsonb" else {}
    offered["path"] = _parts(api, value_type, kind)
    return Fields(20, offered)


# Parts of a document

AT = "at"
_PATH = ArrayText(StringText("String"))


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """The part of a ``document``, of the type ``kind``, at the end of a ``path``."""

    document: ColumnElement[Any]
    kind: str
    path: ColumnElement[Any]

    @property
    def json_type(self) -> ColumnElement[Any]:
        """The JSON type of the part; NULL if it does not exist."""
        part = self.document.op("#>")(self.path)
        return builtin.jsonb_typeof(part) if self.kind == "jsonb" else builtin.json_typeof(part)

    @property
    def text(self) -> ColumnElement[Any]:
        """The text of the part, without quotes for a string; NULL if the part is null or does not exist."""
        return self.document.op("#>>")(self.path)


@dataclass(frozen=True, slots=True)
class PartType:
    """Parts of one JSON type. ``postgres``: the PostgreSQL type whose scalar and filter they have, by its name in
    pg_type. ``type_text``: the same type, as CAST takes it."""

    json_type: str
    postgres: str
    type_text: str

    def value_type(self, api: ApiSchema) -> ValueType:
        return value_type_of(scalars_of(api).by_postgres[self.postgres])

    def value(self, part: DocumentPart) -> ColumnElement[Any]:
        """The value of a part; NULL if it has another type."""
        return case((part.json_type == constant(self.json_type), cast_to(part.text, self.type_text)))


PART_TYPES: Mapping[str, PartType] = {
    "text": PartType("string", "text", "text"),
    "number": PartType("number", "numeric", "numeric"),
    "boolean": PartType("boolean", "bool", "boolean"),
}


def _parts(api: ApiSchema, document: ValueType, kind: str) -> GraphQLInputField:
    type_ = _part_filter_type(api, document)

    def operator(planning: Planning, left: Compared, elements: Sequence[Mapping[str, Any]] | None) -> Condition | None:
        made = [_of_part(type_, planning, left.value, kind, each) for each in elements or ()]
        conditions = [each for each in made if each is not None]
        return and_(*conditions) if conditions else None

    return GraphQLInputField(
        GraphQLList(GraphQLNonNull(type_)),
        description="Conditions on parts of the document; all must match",
        extensions={"operator": operator},
    )


def _of_part(
    type_: GraphQLInputObjectType,
    planning: Planning,
    document: ColumnElement[Any],
    kind: str,
    element: Mapping[str, Any],
) -> Condition | None:
    # Compiling it takes the service as long as three other conditions.
    planning.count_conditions(3)
    names = [name for name in element if name != AT]
    if len(names) != 1:
        known = ", ".join(name for name in type_.fields if name != AT)
        raise RequestError(f"An element of path must have exactly one of {known}", code="BAD_USER_INPUT")
    (name,) = names
    planning.count_values(element[AT], VALUES_TO_ONE)
    part = DocumentPart(document, kind, planning.bind(element[AT], _PATH, "text[]"))
    made: Condition | None = type_.fields[name].extensions["part"](planning, part, element[name])
    return made


def _part_filter_type(api: ApiSchema, document: ValueType) -> GraphQLInputObjectType:
    def members() -> dict[str, GraphQLInputField]:
        path = GraphQLNonNull(GraphQLList(GraphQLNonNull(GraphQLString)))
        made = {AT: GraphQLInputField(path, description="The path to the part: keys, and indexes of array elements")}
        made |= {name: _typed(api, each) for name, each in PART_TYPES.items()}
        existence = value_filter_type(api, document).fields.get("is")
        return made if existence is None else {**made, "is": _existence(api, existence)}

    return api.named(api.own_type_name(*OWN_PARTS), lambda name: GraphQLInputObjectType(name, members))


def _typed(api: ApiSchema, part_type: PartType) -> GraphQLInputField:
    value_type = part_type.value_type(api)
    type_ = value_filter_type(api, value_type)

    def on_part(planning: Planning, part: DocumentPart, value: Mapping[str, Any] | None) -> Condition | None:
        return value_condition(type_, planning, _compared(part_type, value_type, part_type.value(part)), value)

    description = f"The part as a {part_type.json_type}; null if it has another type"
    return GraphQLInputField(type_, description=description, extensions={"part": on_part})


def _existence(api: ApiSchema, is_: GraphQLInputField) -> GraphQLInputField:
    text = PART_TYPES["text"]
    value_type = text.value_type(api)

    def on_part(planning: Planning, part: DocumentPart, value: Leaf | None) -> Condition | None:
        made: Condition | None = is_.extensions["operator"](planning, _compared(text, value_type, part.text), value)
        return made

    return GraphQLInputField(
        is_.type, description="Whether the part is null or does not exist", extensions={"part": on_part}
    )


def _compared(part_type: PartType, value_type: ValueType, value: ColumnElement[Any]) -> Compared:
    return Compared(value, value_type, part_type.type_text, value_type.to_text, USUAL_OPERATORS)
