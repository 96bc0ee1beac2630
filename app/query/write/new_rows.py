"""The input type of new rows: its members for columns, and its links to related rows."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any

from graphql import GraphQLInputField, GraphQLInputObjectType, GraphQLNonNull, get_named_type

from app.errors import RequestError
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.relations import ApiColumn, ApiRelation
from app.query.read.relationships import Relationship

COLUMN = "column"
"""The extension of a member that sets a column: the ApiColumn."""

HAS_DEFAULT = "has_default"
"""The extension of such a member: whether the column may get a value other than null if the member is missing."""

LINK = "link"
"""The extension of a member for related rows: its Link."""

REQUIRED = "required"
"""The extension of a nullable member whose column must get a value, from the member or from a link."""

OBJECT, OBJECTS, CONNECT = "object", "objects", "connect"
"""The members of a link's value: new rows, and keys of existing rows. All other members are arguments of the INSERT of
the new rows."""

HINT = 'docs/changes.md, "Nested objects"'


@dataclass(frozen=True, eq=False)
class Link:
    """A member of the input of new rows that adds or connects related rows."""

    relationship: Relationship

    @property
    def name(self) -> str:
        return self.relationship.name

    @property
    def refers(self) -> bool:
        """Whether the row with the member has the foreign key, so that the related row is written first. Otherwise the
        related rows have it."""
        return self.relationship.refers

    @property
    def member(self) -> str:
        """The member of the link's value with new rows."""
        return OBJECTS if self.relationship.to_many else OBJECT

    @property
    def fills(self) -> frozenset[str]:
        """The columns of the row with the member that get their values by the link."""
        return frozenset(name for name, _ in self.relationship.pairs) if self.refers else frozenset()

    @property
    def fills_below(self) -> frozenset[str]:
        """The columns of the related rows that get their values by the link."""
        return frozenset() if self.refers else frozenset(name for _, name in self.relationship.pairs)


def new_row_type(api: ApiSchema, relation: ApiRelation, verb: str) -> GraphQLInputObjectType:
    """The input type of a new row for the mutation ``verb``."""
    return api.named(
        f"{relation.type_name}{verb}Input",
        lambda name: GraphQLInputObjectType(name, lambda: new_row_members(api, relation)),
    )


def new_row_members(api: ApiSchema, relation: ApiRelation) -> dict[str, GraphQLInputField]:
    """The members of the input type of a new row."""
    hook = api.hooks.insert_fields.name
    return api.shared(f"members of new rows of {relation.relation.oid}", lambda: api.contributed(hook, relation))


def columns_of(members: Mapping[str, GraphQLInputField]) -> dict[str, ApiColumn]:
    """The members that set columns."""
    return {name: each.extensions[COLUMN] for name, each in members.items() if COLUMN in each.extensions}


def links_of(members: Mapping[str, GraphQLInputField]) -> dict[str, Link]:
    """The members with links to related rows."""
    return {name: each.extensions[LINK] for name, each in members.items() if LINK in each.extensions}


def has_default(member: GraphQLInputField) -> bool:
    """Whether the column that the member sets may get a value other than null if the member is missing."""
    return COLUMN in member.extensions and bool(member.extensions.get(HAS_DEFAULT, True))


def is_required(member: GraphQLInputField) -> bool:
    """Whether an object must have the member, unless its column gets a value by a link."""
    return isinstance(member.type, GraphQLNonNull) or bool(member.extensions.get(REQUIRED))


def missing_member(type_name: str, members: Mapping[str, GraphQLInputField], name: str) -> RequestError:
    """The error for an object without a value for a column that must have one."""
    column = columns_of(members)[name].name
    others = (each for each, link in links_of(members).items() if column in link.fills)
    message = f"{type_name} must have a value for {' or '.join((name, *others))}"
    return RequestError(message, code="BAD_USER_INPUT", hint=HINT)


def type_below(type_: GraphQLInputObjectType, name: str, member: str) -> GraphQLInputObjectType:
    """The type of ``member`` in the value of the link ``name``."""
    link_type: Any = get_named_type(type_.fields[name].type)
    below: Any = get_named_type(link_type.fields[member].type)
    return below  # type: ignore[no-any-return]


def have_links(links: Set[str], objects: Any) -> bool:
    """Whether any of the objects has a member of these names that is not null."""
    listed = objects if isinstance(objects, list) else (objects,)
    with_links = (each for each in listed if isinstance(each, dict) and not links.isdisjoint(each))
    return any(each.get(name) is not None for each in with_links for name in links)
