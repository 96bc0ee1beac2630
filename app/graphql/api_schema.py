"""The GraphQL schema of one role's view of the database, built from what plugins contribute."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar, cast

import pluggy
from graphql import (
    GraphQLField,
    GraphQLIncludeDirective,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLSkipDirective,
    introspection_types,
    is_interface_type,
    specified_directives,
)

from app.graphql import names
from app.graphql.comments import Comments
from app.graphql.dialect import Dialect
from app.graphql.recursion import long_chains
from app.graphql.relations import (
    NODE_ID,
    ApiColumn,
    ApiRelation,
    ValueType,
    is_composite,
    is_exposed_kind,
    key_of,
    table_of,
    type_names,
    with_own_names,
)
from app.hooks import in_order
from schema_cache.model import Catalog, Relation, Type
from schema_cache.role_view import RoleView, VisibleRelation

NamedType = TypeVar("NamedType", bound=GraphQLNamedType)
Made = TypeVar("Made")

DEFAULT_MAX_ROWS = 30
_serial = itertools.count(1)


class ApiSchema:
    """What one view of the database looks like in GraphQL; with ``whole``, that part of another one that is of
    ``only_schemas``, where everything is called as it is there.

    Built once per view and dialect, used by many threads: complete after ``build`` and never changed later.
    Raises schema_cache.directives.DirectiveError where a comment directive of an exposed object is malformed.
    """

    def __init__(
        self,
        view: RoleView,
        dialect: Dialect,
        hooks: pluggy.HookRelay,
        max_rows: int = DEFAULT_MAX_ROWS,
        whole: ApiSchema | None = None,
        only_schemas: frozenset[str] = frozenset(),
    ) -> None:
        self.whole = whole
        self.view = view
        self.dialect = dialect
        self.hooks = hooks
        self.max_rows = max_rows
        self.serial = next(_serial)
        self._types: dict[str, Any] = {}
        self._shared: dict[str, Any] = {}
        self._claimed: dict[str, object] = {}
        self._value_types: dict[int, ValueType | None] = {}
        self.comments = Comments(self.catalog, (each for some in hooks.comment_directives() for each in some))
        self.schemas = tuple(each for each in view.schemas if whole is None or each.name in only_schemas)
        self._left_out = {each.name for each in view.schemas} - {each.name for each in self.schemas}
        self._introspectable = frozenset(
            each.name
            for each in self.schemas
            if self.comments.on_schema(each.name).get("introspection", dialect.introspection) is True
        )
        self._reserved = self._reserved_names()
        relations = self._expose_relations()
        known = with_own_names(relations, self._reserved) if whole is None else whole.relations
        oids = {each.relation.oid for each in known}
        self.relations: tuple[ApiRelation, ...] = tuple(each for each in relations if each.relation.oid in oids)
        self.relation_by_oid: Mapping[int, ApiRelation] = {each.relation.oid: each for each in self.relations}
        self.graphql = self._build()

    @property
    def catalog(self) -> Catalog:
        return self.view.catalog

    # What is exposed

    def is_name(self, name: str) -> bool:
        """Whether something may be called ``name``. Two leading underscores are GraphQL's own: one such name would
        make the whole schema invalid, where schemas are validated."""
        return names.is_valid(name) and not (self.dialect.validates and name.startswith("__"))

    def _expose_relations(self) -> list[ApiRelation]:
        shown = {each.name for each in self.schemas}
        considered = [
            each
            for each in self.view.relations
            if each.relation.schema in shown and is_exposed_kind(each.relation, self.dialect)
        ]
        for visible in considered:
            for name in type_names(self._type_name(visible.relation)):
                self._claimed.setdefault(name, visible.relation)
        exposed = []
        for visible in considered:
            relation = self._expose(visible)
            if relation is not None:
                exposed.append(relation)
        return exposed

    def _reserved_names(self) -> set[str]:
        listed = {each.name for some in self.hooks.always_listed_types(api=self) for each in some}
        interfaces = {each.name for some in self.hooks.node_interfaces(api=self) for each in some}
        return listed | interfaces | set(introspection_types) | {"Query", "Mutation", "Subscription"}

    def _type_name(self, relation: Relation) -> str:
        override = self.comments.on_relation(relation).get("name")
        return names.base(relation.name, override, self.comments.inflects(relation.schema))

    def _expose(self, visible: VisibleRelation) -> ApiRelation | None:
        relation = visible.relation
        directives = self.comments.on_relation(relation)
        inflect = self.comments.inflects(relation.schema)
        type_name = self._type_name(relation)
        key = key_of(relation, directives)
        if not (visible.select and key and self.is_name(type_name)):
            return None
        of_schema = self.comments.on_schema(relation.schema)
        columns = tuple(
            each for each in self._expose_columns(relation, visible.select, inflect) if each.field_name != NODE_ID
        )
        given = [
            each
            for each in relation.columns
            if not (each.generated or each.identity or each.serial or each.type in self.view.unnamed_types)
        ]
        insertable = visible.insert.intersection(each.name for each in given if each.insertable)
        updatable = visible.update.intersection(each.name for each in given if each.updatable)
        return ApiRelation(
            visible=visible,
            relation=relation,
            type_name=type_name,
            inflect=inflect,
            max_rows=directives.get("max_rows", of_schema.get("max_rows", self.max_rows)),
            key=key,
            columns=columns,
            insertable=self._expose_columns(relation, insertable, inflect),
            updatable=self._expose_columns(relation, updatable, inflect),
            directives=directives,
            table=table_of(relation),
            by_name={each.name: each for each in columns},
        )

    def _expose_columns(self, relation: Relation, allowed: frozenset[str], inflect: bool) -> tuple[ApiColumn, ...]:
        columns: dict[str, ApiColumn] = {}
        for column in relation.columns:
            value_type = self.value_type(column.type)
            if column.name not in allowed or value_type is None:
                continue
            name = f"{relation.schema}.{relation.name}.{column.name}"
            directives = self.comments.on("column", name, column.comment)
            field_name = names.field(column.name, directives.get("name"), inflect)
            if self.is_name(field_name):
                columns.setdefault(field_name, ApiColumn(column, field_name, value_type, directives.get("description")))
        return tuple(columns.values())

    def value_type(self, type_oid: int) -> ValueType | None:
        """How values of that PostgreSQL type cross the API; None for composite types and unknown ones. Of a type in a
        schema that is closed to the role, values can only be read: taking one would need the type's name."""
        if type_oid not in self._value_types:
            type_ = self.catalog.type_by_oid.get(type_oid)
            hidden = type_ is None or is_composite(self.catalog, type_oid) or self._is_left_out(type_)
            value_type = None if hidden else self.hooks.value_type(api=self, type_=type_)
            if value_type is not None and type_oid in self.view.unnamed_types:
                value_type = replace(value_type, filter=None, orderable=False)
            self._value_types[type_oid] = value_type
        return self._value_types[type_oid]

    def _is_left_out(self, type_: Type) -> bool:
        """Whether a type is an enum of an exposed schema that ``only_schemas`` leaves out."""
        return type_.kind == "e" and type_.schema in self._left_out

    # Types

    def named(self, name: str, factory: Callable[[str], NamedType]) -> NamedType:
        """The type of that name, made by ``factory(name)`` when it is first asked for."""
        if name not in self._types:
            self._types[name] = factory(name)
        return cast(NamedType, self._types[name])

    def object_type(self, relation: ApiRelation) -> GraphQLObjectType:
        """The type of a relation's rows."""
        return self.named(
            relation.type_name,
            lambda name: GraphQLObjectType(
                name,
                fields=lambda: {
                    field_name: field
                    for field_name, field in in_order(self.hooks.node_fields(api=self, relation=relation)).items()
                    if self.is_name(field_name)
                },
                interfaces=lambda: [each for some in self.hooks.node_interfaces(api=self) for each in some],
                description=relation.directives.get("description"),
                extensions={"kind": "node", "relation": relation},
            ),
        )

    def shared(self, key: str, factory: Callable[[], Made]) -> Made:
        """What plugins share within one schema: made when it is first asked for."""
        if key not in self._shared:
            self._shared[key] = factory()
        return cast(Made, self._shared[key])

    def claim(self, owner: object, *type_names: str) -> bool:
        """Whether types of these names are ``owner``'s to make: not the API's, a relation's or an earlier owner's."""
        return not any(name in self._reserved or self._claimed.setdefault(name, owner) != owner for name in type_names)

    def _build(self) -> GraphQLSchema:
        # graphql-core walks from type to type by recursion, some frames for each step.
        with long_chains():
            listed = [each for some in self.hooks.always_listed_types(api=self) for each in some]
            schema = GraphQLSchema(
                query=GraphQLObjectType(
                    "Query", self._root_fields(self.hooks.query_fields(api=self)), extensions={"kind": "Query"}
                ),
                mutation=self._mutation_type(),
                types=[*listed, *(self.object_type(each) for each in self.relations)],
                directives=specified_directives
                if self.dialect.validates
                else (GraphQLIncludeDirective, GraphQLSkipDirective),
                description="Represents the GraphQL schema of the database",
                # Names with two leading underscores, which pg_graphql allows, are all that could be found.
                assume_valid=not self.dialect.validates,
            )
        return _sorted_by_name(schema)

    def _mutation_type(self) -> GraphQLObjectType | None:
        fields = self._root_fields(self.hooks.mutation_fields(api=self))
        return GraphQLObjectType("Mutation", fields, extensions={"kind": "Mutation"}) if fields else None

    def _root_fields(self, contributions: Any) -> dict[str, GraphQLField]:
        fields = in_order(contributions)
        return {name: fields[name] for name in sorted(fields) if self.is_name(name)}

    # Introspection

    @cached_property
    def introspected(self) -> ApiSchema | None:
        """The part of the schema that introspection shows; None where introspection is off altogether."""
        shown = self._introspectable
        if not shown and not self.dialect.introspection:
            return None
        if len(shown) == len(self.schemas):
            return self
        return ApiSchema(self.view, self.dialect, self.hooks, self.max_rows, whole=self, only_schemas=shown)


def _sorted_by_name(schema: GraphQLSchema) -> GraphQLSchema:
    """The schema listing its types in the order of their names, also those that implement an interface."""
    schema.type_map = dict(sorted(schema.type_map.items()))
    for type_ in schema.type_map.values():
        if is_interface_type(type_):
            schema.get_implementations(type_).objects.sort(key=lambda each: each.name)
    return schema
