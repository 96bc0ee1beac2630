"""The input of new rows: what sets their columns, and what leads from one to related rows."""

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
"""The extension of such a member: whether the column may get something other than null without it."""

LINK = "link"
"""The extension of a member that leads to related rows: the Link that it follows."""

REQUIRED = "required"
"""The extension of a nullable member whose column must get a value, from it or from elsewhere."""

OBJECT, OBJECTS, CONNECT = "object", "objects", "connect"
"""The members of what a link takes: new rows, and keys of rows that are there. All others are arguments of the INSERT
of the new rows."""

HINT = 'docs/changes.md, "Nested objects"'


@dataclass(frozen=True, eq=False)
class Link:
    """What a member of the input of new rows leads to."""

    relationship: Relationship

    @property
    def name(self) -> str:
        return self.relationship.name

    @property
    def refers(self) -> bool:
        """Whether the new rows hold the key of the others, which are written first; else these hold theirs."""
        return self.relationship.refers

    @property
    def member(self) -> str:
        """The member that takes new rows."""
        return OBJECTS if self.relationship.to_many else OBJECT

    @property
    def fills(self) -> frozenset[str]:
        """The columns of the row with the member that the link gives values to."""
        return frozenset(name for name, _ in self.relationship.pairs) if self.refers else frozenset()

    @property
    def fills_below(self) -> frozenset[str]:
        """The columns of the other rows that it gives values to."""
        return frozenset() if self.refers else frozenset(name for _, name in self.relationship.pairs)


def new_row_type(api: ApiSchema, relation: ApiRelation, verb: str) -> GraphQLInputObjectType:
    """The input of a new row for the mutation called ``verb``."""
    return api.named(
        f"{relation.type_name}{verb}Input",
        lambda name: GraphQLInputObjectType(name, lambda: new_row_members(api, relation)),
    )


def new_row_members(api: ApiSchema, relation: ApiRelation) -> dict[str, GraphQLInputField]:
    """The members of the input of a new row."""
    hook = api.hooks.insert_fields.name
    return api.shared(f"members of new rows of {relation.relation.oid}", lambda: api.contributed(hook, relation))


def columns_of(members: Mapping[str, GraphQLInputField]) -> dict[str, ApiColumn]:
    """The members that set columns."""
    return {name: each.extensions[COLUMN] for name, each in members.items() if COLUMN in each.extensions}


def links_of(members: Mapping[str, GraphQLInputField]) -> dict[str, Link]:
    """The members that lead to related rows."""
    return {name: each.extensions[LINK] for name, each in members.items() if LINK in each.extensions}


def has_default(member: GraphQLInputField) -> bool:
    """Whether the column that the member sets may get something other than null without it."""
    return COLUMN in member.extensions and bool(member.extensions.get(HAS_DEFAULT, True))


def is_required(member: GraphQLInputField) -> bool:
    """Whether an object must have the member, unless its column gets a value from elsewhere."""
    return isinstance(member.type, GraphQLNonNull) or bool(member.extensions.get(REQUIRED))


def missing_member(type_name: str, members: Mapping[str, GraphQLInputField], name: str) -> RequestError:
    """The error for an object without a value for a column that must have one."""
    column = columns_of(members)[name].name
    others = (each for each, link in links_of(members).items() if column in link.fills)
    message = f"{type_name} must have a value for {' or '.join((name, *others))}"
    return RequestError(message, code="BAD_USER_INPUT", hint=HINT)


def type_below(type_: GraphQLInputObjectType, name: str, member: str) -> GraphQLInputObjectType:
    """The type of the ``member`` of what the link ``name`` takes."""
    taken: Any = get_named_type(type_.fields[name].type)
    below: Any = get_named_type(taken.fields[member].type)
    return below  # type: ignore[no-any-return]


def lead_on(links: Set[str], objects: Any) -> bool:
    """Whether any of the objects leads to related rows by a member of these names."""
    listed = objects if isinstance(objects, list) else (objects,)
    leading = (each for each in listed if isinstance(each, dict) and not links.isdisjoint(each))
    return any(each.get(name) is not None for each in leading for name in links)
