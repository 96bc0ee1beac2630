"""Nested inserts: members of the input of new rows that insert or connect related rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphql import GraphQLInputField, GraphQLInputObjectType, GraphQLList, GraphQLNonNull

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields
from app.graphql.schema.relations import ApiRelation, OwnName
from app.hooks import hookimpl
from app.query.read.keys import key_input_type
from app.query.read.relationships import Relationship, relationships_of, relationships_to
from app.query.write.new_rows import CONNECT, LINK, Link, new_row_type


@hookimpl
def features() -> Sequence[str]:
    return ("nested_inserts",)


@hookimpl
def own_type_names_of(api: ApiSchema, relation: ApiRelation) -> Sequence[OwnName]:
    links = (Link(each) for each in relationships_to(api, relation) if each.source.has_readable_key)
    return [_own_name(each) for each in links if _creates(each) or _gives_key(each)]


@hookimpl
def insert_fields(api: ApiSchema, relation: ApiRelation) -> Fields | None:
    if not relation.has_readable_key:
        # A nested insert reads the root's rows again, by their keys, so the role must be able to read these.
        return None
    members = ((each.name, _member(api, each)) for each in relationships_of(api, relation))
    return Fields(40, {name: member for name, member in members if member is not None})


@hookimpl
def filled_columns(api: ApiSchema, relation: ApiRelation) -> frozenset[str]:
    """The columns that the role can fill by a link instead of by their own members."""
    links = (Link(each) for each in relationships_of(api, relation) if each.refers)
    return frozenset(name for link in links if _is_offered(api, link) for name in link.fills)


def _member(api: ApiSchema, relationship: Relationship) -> GraphQLInputField | None:
    """The member for the related rows of a relationship; None if the role can neither insert nor connect any."""
    link = Link(relationship)
    return GraphQLInputField(_type(api, link), extensions={LINK: link}) if _is_offered(api, link) else None


def _is_offered(api: ApiSchema, link: Link) -> bool:
    return link.relationship.source.inserts(link.fills) and (_creates(link) or _key_type(api, link) is not None)


def _creates(link: Link) -> bool:
    """Whether the role may insert the related rows."""
    target = link.relationship.target
    return target.takes_rows and target.inserts(link.fills_below)


def _gives_key(link: Link) -> bool:
    """Whether the role may set the foreign key, so that existing rows can be connected."""
    target = link.relationship.target
    return link.refers or (target.relation.updatable and target.updates(link.fills_below))


def _key_type(api: ApiSchema, link: Link) -> GraphQLInputObjectType | None:
    """The key input of the related rows; None if the role may not connect any."""
    return key_input_type(api, link.relationship.target) if _gives_key(link) else None


def _type(api: ApiSchema, link: Link) -> GraphQLInputObjectType:
    """The type of the member. Relationships to one relation may have different types, since the role's rights may
    differ."""
    target, to_many = link.relationship.target, link.relationship.to_many
    creates, key_type = _creates(link), _key_type(api, link)

    def taken(type_: GraphQLInputObjectType) -> Any:
        return GraphQLList(GraphQLNonNull(type_)) if to_many else type_

    def members() -> dict[str, GraphQLInputField]:
        made = {}
        if creates:
            new = taken(new_row_type(api, target, "Insert"))
            made[link.member] = GraphQLInputField(new, description="New rows" if to_many else "A new row")
        if key_type is not None:
            description = "The keys of existing rows" if to_many else "The key of an existing row"
            made[CONNECT] = GraphQLInputField(taken(key_type), description=description)
        if creates:
            arguments = api.contributed("insert_arguments", target).items()
            made |= {name: GraphQLInputField(each.type, description=each.description) for name, each in arguments}
        return made

    return api.named(api.own_type_name(*_own_name(link)), lambda name: GraphQLInputObjectType(name, members))


def _own_name(link: Link) -> OwnName:
    target, to_many = link.relationship.target, link.relationship.to_many
    owner = ("nested insert", target.relation.oid, to_many, _creates(link), _gives_key(link))
    return owner, f"{target.type_name}{'InsertManyInput' if to_many else 'InsertOneInput'}"
