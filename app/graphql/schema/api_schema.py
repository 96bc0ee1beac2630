"""The GraphQL schema for one role's view of the database, built from the contributions of plugins."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cached_property, partial
from threading import Lock, RLock
from typing import Any, TypeVar, cast
from weakref import WeakValueDictionary

from graphql import (
    GraphQLIncludeDirective,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLSkipDirective,
    introspection_types,
    specified_directives,
)

from app.graphql.schema.comments import DIRECTIVES, Comments
from app.graphql.schema.dialect import Dialect
from app.graphql.schema.exposure import Exposure
from app.graphql.schema.fields import deferred, in_order
from app.graphql.schema.further_type_names import Announced, OwnTypeNames
from app.graphql.schema.lazy_schema import LazySchema, LazyTypes
from app.graphql.schema.name_conflicts import RelationNames, names_from, without_name_conflicts
from app.graphql.schema.notices import Notices, relation_subject
from app.graphql.schema.relations import ApiRelation, OwnName
from app.graphql.schema.remembered import Remembered
from app.graphql.schema.role_rules import RoleRules
from app.graphql.schema.root_types import RootType
from app.graphql.schema.row_types import row_type
from app.graphql.schema.supported_members import possible, possible_in_collation
from app.graphql.values.types import ValueType
from schema_cache.collector import collector_paused
from schema_cache.model import Catalog, Column, Type
from schema_cache.role_view import RoleView

NamedType = TypeVar("NamedType", bound=GraphQLNamedType)
Made = TypeVar("Made")

MOST_SUGGESTING = 100
"""Errors suggest names only in a schema with at most this number of relations."""

_serial = itertools.count(1)


class ApiSchema:
    """The GraphQL schema for one view of the database. With ``whole`` it is the part of that schema whose objects are
    in the database schemas ``only_schemas``; its names are those of the whole. Built once for each view, dialect and
    rules, and used by many threads. Types are made on first use, and do not depend on the order of requests.
    ``relations``: those with a key, and so with a collection. ``rows_by_oid``: all relations whose rows have a type.
    ``graphql``: the schema; ``unchecked``: the same, without the check of all its types. ``rules``: the rules of its
    roles. ``notices``: objects of the database that are not in the schema, with reasons. ``remembered``: values that
    schemas with the same rules share. ``is_retired``, ``is_kept``: see SchemasInUse.
    """

    is_retired = True
    is_kept = False

    def __init__(
        self,
        view: RoleView,
        dialect: Dialect,
        rules: RoleRules,
        remembered: Remembered,
        whole: ApiSchema | None = None,
        only_schemas: frozenset[str] = frozenset(),
    ) -> None:
        self.is_retired = False
        self.whole = whole
        self.remembered = remembered
        self.view = view
        self.dialect = dialect
        self.rules = rules
        self.hooks = rules.hooks
        self.serial = next(_serial)
        self._named: MutableMapping[str, Any] = {}
        self._shared: dict[str, Any] = {}
        self._learning = Lock()
        # A part takes its names from the whole, so both share one lock. Two locks could deadlock: a thread with the
        # part's waits for the whole's, whose owner waits for graphql-core's, which in Python 3.11 is one for all types.
        self._making: AbstractContextManager[object] = RLock() if whole is None else whole._making
        self._value_types: dict[int, ValueType | None] = {}
        self._collated_types: dict[int, ValueType | None] = {}
        self.notices: Notices = Notices(lambda: self._lazy.whole()) if whole is None else whole.notices
        self.comments = self._comments()
        self.schemas = tuple(each for each in view.schemas if whole is None or each.name in only_schemas)
        self._left_out = {each.name for each in view.schemas} - {each.name for each in self.schemas}
        self._introspectable = frozenset(
            each.name
            for each in self.schemas
            if self.comments.on_schema(each.name).get("introspection", dialect.introspection) is True
        )
        self._exposure = self._exposed()
        self._own_names = OwnTypeNames(self._exposure, make_all=lambda: self._lazy.whole())
        self.is_name = self._exposure.is_name
        self.is_exposed = self._exposure.is_exposed
        self.type_name = self._exposure.type_name
        self.field_names_of_columns = self._exposure.field_names_of_columns
        self.remember = self._exposure.remember
        self.rows_by_oid: Mapping[int, ApiRelation] = {each.relation.oid: each for each in self._shown_relations()}
        self.relations = tuple(each for each in self.rows_by_oid.values() if each.key)
        self.relation_by_oid: Mapping[int, ApiRelation] = {each.relation.oid: each for each in self.relations}
        self._lazy = self._lazy_types()
        self.unchecked: GraphQLSchema = LazySchema(self._lazy, assume_valid=True)
        # Without validation, the check could only find names with two leading underscores: pg_graphql allows them.
        self.graphql = LazySchema(self._lazy, assume_valid=False) if dialect.validates else self.unchecked
        if whole is None:
            self.shared("names of enums", self._claim_names_of_enums)
            self._own_names.use_announced(self._announced_names())

    @property
    def catalog(self) -> Catalog:
        return self.view.catalog

    def _comments(self) -> Comments:
        declared = (each for some in self.hooks.comment_directives() for each in some)
        known = (each for each in (*DIRECTIVES, *declared) if self.dialect.extended or not each.extended)
        return Comments(self.catalog, known, self.notices, describe=self.dialect.described_by_comments)

    def _exposed(self) -> Exposure:
        return Exposure(
            view=self.view,
            dialect=self.dialect,
            comments=self.comments,
            schemas=frozenset(each.name for each in self.schemas),
            names_of=self._names_of,
            value_type_of=self.value_type_of,
            max_rows=self.rules.max_rows,
            reserved=self._reserved_names(),
            notices=self.notices,
            remembered=self.remembered,
        )

    def _shown_relations(self) -> Sequence[ApiRelation]:
        shown = self._exposure.relations()
        if self.whole is None:
            return without_name_conflicts(shown, self._exposure.reserved, self._exposure.names_of, self.notices)
        return [each for each in shown if each.relation.oid in self.whole.rows_by_oid]

    def _names_of(self, type_name: str) -> RelationNames:
        return self.remembered.of("names", sys.intern(type_name), make=lambda: names_from(self.hooks, type_name))

    def _reserved_names(self) -> frozenset[str]:
        listed = {each.name for some in self.hooks.always_listed_types(api=self) for each in some}
        interfaces = {each.name for some in self.hooks.node_interfaces(api=self) for each in some}
        return frozenset(listed | interfaces | set(introspection_types) | {"Query", "Mutation", "Subscription"})

    def value_type(self, type_oid: int) -> ValueType | None:
        """The API's type for that PostgreSQL type; None if there is none, as for rows of relations. If the role may not
        use the type's schema, values can only be read: a value in a request would need the type's name."""
        if type_oid not in self._value_types:
            type_ = self.catalog.type_by_oid.get(type_oid)
            hidden = type_ is None or self._is_left_out(type_)
            value_type = None if hidden else self.hooks.value_type(api=self, type_=type_)
            if value_type is not None and type_ is not None and type_.delimiter != value_type.delimiter:
                value_type = replace(value_type, delimiter=type_.delimiter)
            if value_type is not None and type_oid in self.view.unnamed_types:
                value_type = replace(value_type, filter=None, orderable=False, nearness=None)
            if value_type is not None and type_ is not None and self.dialect.only_possible:
                value_type = possible(value_type, type_, self.own_type_name)
            self._value_types[type_oid] = value_type
        return self._value_types[type_oid]

    def value_type_of(self, column: Column) -> ValueType | None:
        """The API's type for the values of a column."""
        value_type = self.value_type(column.type)
        if value_type is None or not (column.nondeterministic and self.dialect.only_possible):
            return value_type
        if column.type not in self._collated_types:
            made = possible_in_collation(value_type, self.catalog, self.own_type_name)
            self._collated_types[column.type] = made
        return self._collated_types[column.type]

    def _is_left_out(self, type_: Type) -> bool:
        """Whether a type has its own GraphQL type but is in an exposed schema that ``only_schemas`` leaves out."""
        return type_.kind in "ec" and type_.schema in self._left_out

    def named(self, name: str, factory: Callable[[str], NamedType]) -> NamedType:
        """The type of that name, made by ``factory(name)`` on first use."""
        made = self._named.get(name)
        if made is None:
            made = self._named[name] = factory(name)
        return cast(NamedType, made)

    def object_type(self, relation: ApiRelation) -> GraphQLObjectType:
        """The type of a relation's rows."""

        def fields() -> dict[str, Any]:
            contributed = self.contributed("node_fields", relation).items()
            return {name: field for name, field in contributed if self.is_name(name)}

        def interfaces() -> list[GraphQLInterfaceType]:
            return [each for some in self.hooks.node_interfaces(api=self) for each in some]

        contributions = partial(self.hooks.node_fields, api=self, relation=relation)
        return self.named(relation.type_name, lambda _: row_type(relation, fields, interfaces, contributions))

    def contributed(self, hook: str, relation: ApiRelation) -> dict[str, Any]:
        """The fields that plugins add to a relation by a hook, in order. A notice reports each field that is left out
        because another one has its name."""
        return self._in_order(hook, relation_subject(relation.relation), relation=relation)

    def operators_of(self, value_type: ValueType) -> dict[str, Any]:
        """The members that plugins add to the filter of a type, in order, like ``contributed``."""
        return self._in_order("filter_operators", f"type {value_type.filter}Filter", value_type=value_type)

    def arguments_of_columns(self, type_: Type) -> dict[str, Any]:
        """The arguments that plugins add to the fields of columns of a type, in order, like ``contributed``."""
        return self._in_order("column_arguments", f"type {type_.text}", type_=type_)

    def _in_order(self, hook: str, subject: str, **about: Any) -> dict[str, Any]:
        return in_order(getattr(self.hooks, hook)(api=self, **about), self._leaves_out(hook, subject))

    def _leaves_out(self, hook: str, subject: str) -> Callable[[str], None]:
        """A function that adds a notice for a field that is left out because another one has its name."""
        what = hook.replace("_", " ")
        renamed = "the directive `name` renames columns and functions"
        return lambda name: self.notices.add(subject, f"of two {what} called {name} one is left out; {renamed}")

    def shared(self, key: str, factory: Callable[[], Made]) -> Made:
        """A value that plugins share within one schema, made on first use."""
        if key not in self._shared:
            self._shared[key] = factory()
        return cast(Made, self._shared[key])

    def claim(self, owner: Hashable, *type_names: str) -> bool:
        """Reserve these type names for ``owner``. False if the API, a relation or an earlier owner has one of them."""
        return self._own_names.claim(owner, type_names)

    def own_type_name(self, owner: Hashable, name: str) -> str:
        """The name of a type that relations do not reserve: ``name``, with underscores appended until no other type has
        it. ``owner`` identifies the type. The result is never the name of a type for an object of the database. Plugins
        should announce these names by the hooks ``own_type_names`` and ``own_type_names_of``: for any other name all
        types are made first, so that the result does not depend on the order of requests."""
        if self.whole is not None:
            return self.whole.own_type_name(owner, name)
        self.shared("names of enums", self._claim_names_of_enums)
        return self._own_names.assign(owner, name)

    def _announced_names(self) -> Announced:
        def of_relation(relation: ApiRelation) -> Iterator[OwnName]:
            return (each for some in self.hooks.own_type_names_of(api=self, relation=relation) for each in some)

        by_name = {each.type_name: each for each in self.rows_by_oid.values()}
        of_api = (each for some in self.hooks.own_type_names(api=self) for each in some)
        return Announced(of_api, of_relation, by_name)

    def _claim_names_of_enums(self) -> None:
        shown = {each.name for each in self.schemas}
        for type_ in self.catalog.types:
            if type_.kind == "e" and type_.schema in shown:
                self.value_type(type_.oid)

    def _lazy_types(self) -> LazyTypes:
        listed = [each for some in self.hooks.always_listed_types(api=self) for each in some]
        listed += [each for some in self.hooks.database_types(api=self) for each in some]
        query, mutation = self._root_type("Query", "query_fields"), self._root_type("Mutation", "mutation_fields")
        directives = specified_directives if self.dialect.validates else (GraphQLIncludeDirective, GraphQLSkipDirective)
        return LazyTypes(
            query,
            None if mutation.is_empty else mutation,
            listed,
            {each.type_name: partial(self.object_type, each) for each in self.relations},
            directives,
            self._having_columns_of,
            self._before_all_types,
            self._making,
        )

    def _root_type(self, name: str, hook: str) -> RootType:
        contributed = getattr(self.hooks, hook)(api=self)
        return RootType(name, deferred(contributed, self.is_name, self._leaves_out(hook, "the API")))

    def _before_all_types(self) -> None:
        self._own_names.ignore_announced()
        for each in self.rows_by_oid.values():
            # Making the columns adds notices about directives in their comments that have no effect. They are needed
            # also for relations that no type refers to.
            _ = each.columns, each.insertable, each.updatable

    def making(self) -> AbstractContextManager[object]:
        """A context for walking types, some of which may not be made yet. It admits one thread at a time until all
        types are made."""
        return self._lazy.making()

    def knows(self, names: Iterable[str]) -> bool:
        """Whether it is cheap to find out if types of these names exist."""
        return all(map(self._lazy.can_tell, names))

    def learn_names(self, names: Iterable[str]) -> None:
        """Find out if types of these names exist, if need be in a copy of this schema, so that others can use it."""
        if not self.knows(names):
            with self._learning, collector_paused:
                if not self.knows(names):
                    self._lazy.learn([each.name for each in self.passing().each_type()])

    def anew(self) -> ApiSchema:
        """A copy of this schema, for code that walks all types and drops them afterwards."""
        if self.whole is None:
            return ApiSchema(self.view, self.dialect, self.rules, self.remembered)
        return cast(ApiSchema, self.whole.anew().introspected)

    def passing(self) -> ApiSchema:
        """A copy whose types are freed once nothing refers to them. A type that is needed again is made again."""
        made = self.anew()
        made._named = WeakValueDictionary(made._named)
        return made

    def free(self) -> None:
        """Drop all contents. They refer to this schema, so this breaks the cycles."""
        part = vars(self).get("introspected")
        vars(self).clear()
        if part is not None:
            part.free()

    def each_type(self) -> Iterator[GraphQLNamedType]:
        """All types, one by one (LazyTypes.each)."""
        return self._lazy.each()

    def _having_columns_of(self, type_name: str) -> Iterator[str]:
        """The names of the row types that have a column of the GraphQL type ``type_name``, or with that filter type."""
        known = (*self._value_types.items(), *self._collated_types.items())
        oids = {oid for oid, each in known if each is not None and type_name in each.type_names}
        for relation in self.rows_by_oid.values() if oids else ():
            if any(each.type in oids for each in relation.relation.columns):
                yield relation.type_name

    @property
    def suggests(self) -> bool:
        """Whether errors suggest similar names. Finding these may take all types, so large schemas suggest none. If
        introspection hides a database schema, errors must not reveal its names."""
        return len(self.relations) <= MOST_SUGGESTING and len(self._introspectable) == len(self.schemas)

    @cached_property
    def introspected(self) -> ApiSchema | None:
        """The part of the schema that introspection shows; None if introspection is off."""
        shown = self._introspectable
        if not shown and not self.dialect.introspection:
            return None
        if len(shown) == len(self.schemas):
            return self
        return ApiSchema(self.view, self.dialect, self.rules, self.remembered, whole=self, only_schemas=shown)
