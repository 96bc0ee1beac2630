"""The walk: converts the fields that an operation selects to SQL expressions, by calling each field's resolver.

A resolver is a function ``(field, scope) -> ColumnElement``. It returns the SQL expression of one selected field in
``scope``, the row or collection that the resolver of the parent field chose. Resolvers are in ``GraphQLField.resolve``
and come from plugins; nothing here depends on a particular one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from graphql import (
    FieldNode,
    GraphQLField,
    GraphQLNamedOutputType,
    GraphQLObjectType,
    ValueNode,
    VariableNode,
    get_named_type,
)
from sqlalchemy import ColumnElement

from app.errors import PorticoError, RequestError
from app.graphql.documents.selection import Selector
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.values import coercion
from app.graphql.values.values import ABSENT, Leaf, Source, Variables
from app.query.plan.planning import Planning
from app.query.sql.constructs import constant
from app.query.sql.json_texts import json_object

log = logging.getLogger("portico.plugins")

Resolver = Callable[["Field", Any], ColumnElement[Any]]
Members = list[tuple[str, ColumnElement[Any]]]


class ResolverFailed(PorticoError):
    """A resolver raised an unexpected exception or returned no SQL expression; the log names it and its module."""

    code = "RESOLVER_FAILED"


@dataclass(frozen=True)
class Field:
    """One selected field, the first argument of its resolver."""

    walk: Walk
    parent: GraphQLObjectType
    definition: GraphQLField
    nodes: Sequence[FieldNode]

    @property
    def name(self) -> str:
        return self.nodes[0].name.value

    @property
    def key(self) -> str:
        """The response key: its alias, else its name."""
        node = self.nodes[0]
        return (node.alias or node.name).value

    @property
    def planning(self) -> Planning:
        return self.walk.planning

    @property
    def api(self) -> ApiSchema:
        return self.walk.api

    @cached_property
    def arguments(self) -> dict[str, Any]:
        """The arguments by name, coerced by app.graphql.values.coercion."""
        return coercion.arguments(self.definition.args, self._given, self.walk.variables)

    @property
    def _given(self) -> dict[str, ValueNode]:
        return {each.name.value: each.value for each in self.nodes[0].arguments or ()}

    def arguments_without(self, name: str) -> dict[str, Any]:
        """The arguments except one, whose value is not read."""
        declared = {each: argument for each, argument in self.definition.args.items() if each != name}
        given = {each: value for each, value in self._given.items() if each != name}
        return coercion.arguments(declared, given, self.walk.variables)

    def variable(self, argument: str) -> Leaf | None:
        """The variable that is the whole value of an argument, unchecked; None for a literal or a missing value."""
        node = next((each.value for each in self.nodes[0].arguments or () if each.name.value == argument), None)
        if not isinstance(node, VariableNode) or self.walk.variables.get(node.name.value) is ABSENT:
            return None
        return Leaf(Source((node.name.value,)), self.walk.variables, type_name="")

    def whole(self, argument: str) -> Leaf:
        """The value of an argument, a variable or a literal, as one Leaf even if it is an object; unchecked."""
        return Leaf(coercion.source_of(self._given[argument]), self.walk.variables, type_name="")

    @property
    def type(self) -> GraphQLNamedOutputType:
        return cast(GraphQLNamedOutputType, get_named_type(self.definition.type))

    def selected(self, type_: GraphQLObjectType) -> list[Field]:
        """The fields selected below this one on an object of ``type_``, without ``__typename``."""
        fields = self.walk.collect(type_, self.nodes)
        return [self.walk.field(type_, nodes) for nodes in fields.values() if nodes[0].name.value != "__typename"]

    def json(self, scope: Any, type_: GraphQLObjectType | None = None) -> ColumnElement[Any]:
        """The fields selected below this one as a JSON object in ``scope``. ``type_``: the type of the object if the
        declared type is abstract."""
        return json_object(self.walk.members(type_ or cast(GraphQLObjectType, self.type), self.nodes, scope))


class Walk:
    """The walk through one statement's part of an operation."""

    def __init__(self, api: ApiSchema, selector: Selector, variables: Variables, planning: Planning) -> None:
        self.api = api
        self.selector = selector
        self.variables = variables
        self.planning = planning
        self._path: list[str] = []

    @property
    def path(self) -> tuple[str, ...]:
        """The response keys from the root to the field being resolved."""
        return tuple(self._path)

    def collect(self, type_: GraphQLObjectType, nodes: Sequence[FieldNode]) -> dict[str, list[FieldNode]]:
        """The fields selected below ``nodes`` on an object of ``type_``, by response key."""
        return self.selector.collect(type_, [node.selection_set for node in nodes])

    def members(self, type_: GraphQLObjectType, nodes: Sequence[FieldNode], scope: Any) -> Members:
        """The fields below ``nodes`` on an object of ``type_``, resolved in ``scope``."""
        return [(key, self.resolve(type_, same, scope)) for key, same in self.collect(type_, nodes).items()]

    def field(self, type_: GraphQLObjectType, nodes: Sequence[FieldNode]) -> Field:
        """The field that ``nodes``, all of one response key, select on an object of ``type_``."""
        name = nodes[0].name.value
        definition = type_.fields.get(name)
        if definition is None:
            raise RequestError(unknown_field(type_, name), code="UNKNOWN_FIELD")
        return Field(self, type_, definition, nodes)

    def resolve(self, type_: GraphQLObjectType, nodes: Sequence[FieldNode], scope: Any) -> ColumnElement[Any]:
        """One field on an object of ``type_`` as an expression in ``scope``."""
        if nodes[0].name.value == "__typename":
            return constant(type_.name)
        field = self.field(type_, nodes)
        resolver = cast(Resolver, field.definition.resolve)
        self._path.append(field.key)
        try:
            expression = resolver(field, scope)
            if not isinstance(expression, ColumnElement):
                raise TypeError(f"it returned {type(expression).__name__}, which is not an SQL expression")
        except (PorticoError, RecursionError):
            raise
        except Exception:
            place = f"{type_.name}.{field.name}"
            log.exception("the resolver of %s in module %s failed", place, getattr(resolver, "__module__", "?"))
            raise ResolverFailed(
                f"The field {place} failed because of an error in the service; its log says why."
            ) from None
        finally:
            self._path.pop()
        return expression


def unknown_field(type_: GraphQLObjectType, name: str) -> str:
    """The error message for a field that ``type_`` does not have. A type may have its own message, since pg_graphql has
    several."""
    message: Callable[[str], str] | None = type_.extensions.get("unknown_field")
    return message(name) if message else f"unknown field in {type_.name}"
