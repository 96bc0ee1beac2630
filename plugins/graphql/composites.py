"""Composite types of exposed schemas: objects with a member for each attribute, in responses and in requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from graphql import GraphQLField, GraphQLInputField, GraphQLInputObjectType, GraphQLObjectType
from sqlalchemy import ColumnElement, case, null

from app.graphql.schema import names
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import COMMENTED
from app.graphql.values.coercion import BOUND_WHOLE
from app.graphql.values.types import ToText, ValueType
from app.hooks import hookimpl
from app.query.plan.walk import Field
from app.query.sql.constructs import member_of, record_literal
from app.query.sql.texts import as_is, refused
from schema_cache.directive_values import String
from schema_cache.directives import Directive
from schema_cache.model import Type

MOST_LEVELS = 5
"""How deep objects of composite types may be nested."""


@hookimpl
def features() -> Sequence[str]:
    return ("composites",)


@hookimpl
def comment_directives() -> Sequence[Directive]:
    return (
        Directive("composite", "name", String(), extended=True),
        Directive("composite", "description", String(), extended=True),
    )


@hookimpl
def value_type(api: ApiSchema, type_: Type) -> ValueType | None:
    if type_.kind != "c" or type_.schema not in {schema.name for schema in api.schemas}:
        return None
    directives = api.comments.on("composite", f"{type_.schema}.{type_.name}", type_.comment)
    name = api.comments.type_name(type_.schema, type_.name, directives)
    members = _members(api, type_)
    if not (members and api.is_name(name)):
        return None
    type_name = api.own_type_name(("composite", type_.oid), name)
    return ValueType(
        graphql=_object_type(api, type_name, members, directives.get("description")),
        to_json=as_is,
        to_text=CompositeText(type_name, tuple((name, each.type.to_text) for name, each in members.items())),
        filter=None,
        orderable=False,
        of_selection=_of_selection,
        given=_input_type(api, type_, type_name, members),
    )


@dataclass(frozen=True)
class CompositeMember:
    """An attribute of a composite type, with a type that the API supports."""

    attribute: str
    type: ValueType
    directives: Mapping[str, Any]

    @property
    def field(self) -> GraphQLField:
        def resolve(field: Field, member: Any) -> ColumnElement[Any]:
            return self.type.printed(field, member(self.attribute))

        return GraphQLField(
            self.type.graphql,
            resolve=resolve,
            description=self.directives.get("description"),
            deprecation_reason=self.directives.get("deprecated"),
            extensions={COMMENTED: self.directives},
        )


def _members(api: ApiSchema, type_: Type) -> Mapping[str, CompositeMember]:
    """The attributes that the API shows, by their names there. An attribute whose type nests too deeply is left out."""
    inflect = api.comments.inflects(type_.schema)
    members: dict[str, CompositeMember] = {}
    for each in type_.attributes:
        if api.view.exclusion.hides_column(type_.schema, type_.name, each.name, each.comment):
            continue
        subject = f"{type_.schema}.{type_.name}.{each.name}"
        directives = api.comments.on("column", subject, each.comment)
        name = names.field(each.name, directives.get("name"), inflect)
        value = None if _levels(api, each.type) == MOST_LEVELS else api.value_type(each.type)
        value = value and value.of_declared(directives.get("dimensions") or each.dimensions)
        if value is None or name in members or not api.is_name(name):
            api.notices.add(f"attribute {subject}", "it is left out, so requests cannot have values of the type")
        else:
            members[name] = CompositeMember(each.name, value, directives)
    return members


def _levels(api: ApiSchema, type_oid: int) -> int:
    """The number of levels of composite types in a type, including itself; at most MOST_LEVELS."""
    known: dict[int, int] = api.shared("levels of composite types", dict)
    type_ = api.catalog.type_by_oid.get(type_oid)
    if type_ is None:
        return 0
    if type_oid not in known:
        within = [each.type for each in type_.attributes] or [type_.element or type_.base]
        deepest = max(_levels(api, each) for each in within)
        known[type_oid] = min(MOST_LEVELS, deepest + 1) if type_.attributes else deepest
    return known[type_oid]


def _object_type(
    api: ApiSchema, name: str, members: Mapping[str, CompositeMember], description: str | None
) -> GraphQLObjectType:
    fields = {name: each.field for name, each in members.items()}
    return api.named(name, lambda name: GraphQLObjectType(name, fields, description=description))


def _of_selection(field: Field, value: ColumnElement[Any]) -> ColumnElement[Any]:
    # Not IS NOT NULL, which is true only if every member is not null.
    return case((value.is_distinct_from(null()), field.json(partial(member_of, value))))


def _input_type(
    api: ApiSchema, type_: Type, type_name: str, members: Mapping[str, CompositeMember]
) -> GraphQLInputObjectType | None:
    """The input type, for whole values; None if requests could not give values to all attributes."""
    if len(members) < len(type_.attributes) or any(each.type.is_read_only for each in members.values()):
        return None
    fields = {name: GraphQLInputField(each.type.input) for name, each in members.items()}
    return api.named(
        api.own_type_name(("input of composite", type_.oid), f"{type_name}Input"),
        lambda name: GraphQLInputObjectType(
            name,
            fields,
            description="A whole value: missing members are null",
            extensions={BOUND_WHOLE: True},
        ),
    )


@dataclass(frozen=True)
class CompositeText:
    """Converts a JSON object to PostgreSQL's text form of a composite value. ``members``: in the order of the
    attributes."""

    type_name: str
    members: tuple[tuple[str, ToText], ...]

    def __call__(self, value: Any) -> str | None:
        if value is None:
            return None
        if not isinstance(value, dict) or not value.keys() <= {name for name, _ in self.members}:
            raise refused(self.type_name)
        return record_literal([to_text(value.get(name)) for name, to_text in self.members])

    def __hash__(self) -> int:
        return hash(self.type_name)
