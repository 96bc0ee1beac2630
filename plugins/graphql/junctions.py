"""Junctions: tables whose rows join those of two others, as a collection on either side that leads to the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, cast

from graphql import GraphQLArgument, GraphQLField, GraphQLNonNull, GraphQLObjectType
from sqlalchemy import ColumnElement, select

from app.graphql.schema import names
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields, unknown_field_in
from app.graphql.schema.notices import relation_subject
from app.graphql.schema.relations import ApiRelation, OwnName
from app.hooks import hookimpl
from app.query.call.computed_fields import computed_fields_of
from app.query.filter.conditions import query_condition, relation_filter_type
from app.query.plan.rows import Rows, TableRows
from app.query.plan.walk import Field, Resolver
from app.query.read.collection import Collection, Origin
from app.query.read.connections import arguments_of_collections, edge_fields, edges_field
from app.query.read.relationship_names import names_of_ways
from app.query.read.relationships import Relationship, relationships_of
from schema_cache.directive_values import Flag
from schema_cache.directives import Directive
from schema_cache.model import ForeignKey, Relation


@hookimpl
def comment_directives() -> Sequence[Directive]:
    return (Directive("relation", "junction", Flag(), extended=True),)


@dataclass(frozen=True)
class Junction:
    """One way through a junction: from the rows that ``near`` leads to, to those that ``far`` does."""

    table: ApiRelation
    near: Relationship
    far: Relationship

    @property
    def source(self) -> ApiRelation:
        return self.near.target

    @property
    def target(self) -> ApiRelation:
        return self.far.target

    @property
    def type_name(self) -> str:
        """What the names of its types begin with."""
        return f"{self.source.type_name}{self.table.type_name}{self.target.type_name}"

    def links(self, outer: Rows, joining: TableRows, rows: Any) -> list[ColumnElement[Any]]:
        """The conditions that the junction's row joins the row ``outer`` with the one of the target."""
        return [*self.near.linked_to(outer, joining), *self.far.linked(joining, rows)]


CONNECTION, EDGE = "Connection", "Edge"
"""What the names of types end with."""


@hookimpl
def own_type_names(api: ApiSchema) -> Sequence[OwnName]:
    ways = (each for ways in _junctions(api).values() for each in ways.values())
    return [_own_name(each, suffix) for each in ways for suffix in (CONNECTION, EDGE)]


@hookimpl
def node_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    ways = _junctions(api).get(relation.relation.oid, {})
    return Fields(35, {name: _field(api, way) for name, way in ways.items()})


# Which junctions there are, and what they are called, whatever the role may read


@dataclass(frozen=True, slots=True)
class _Passage:
    """One way through a table, from the relation that the key ``near`` refers to, to that of ``far``."""

    table: Relation
    near: ForeignKey
    far: ForeignKey


def _passages(api: ApiSchema) -> Iterator[_Passage]:
    shown = {each.name for each in api.schemas}
    for table in api.catalog.relations:
        if table.schema in shown and api.comments.on_relation(table).get("junction") and api.is_exposed_kind(table):
            keys = [each for each in table.foreign_keys if not each.inferred]
            if len(keys) == 2 and _is_key(table, {name for key in keys for name in key.columns}):
                yield from (_Passage(table, *keys), _Passage(table, *keys[::-1]))
            else:
                reason = (
                    "it is no junction: that has two foreign keys, and a primary or unique key of exactly their columns"
                )
                api.notices.add(relation_subject(table), reason)


def _is_key(table: Relation, columns: Set[str]) -> bool:
    """Whether a primary or unique key is made of exactly these columns."""
    return any(index.is_plain and columns == set(index.columns) for index in table.unique_indexes)


def _names_of_passages(api: ApiSchema) -> Mapping[_Passage, str]:
    relations = {each.oid: each for each in api.catalog.relations}
    by_source: dict[int, list[_Passage]] = {}
    for passage in _passages(api):
        by_source.setdefault(passage.near.foreign, []).append(passage)
    # The names depend on those of relationships, which are given when somebody asks for relationships.
    for relation in api.relations[:1] if by_source else ():
        relationships_of(api, relation)
    return {
        passage: name
        for oid, passages in by_source.items()
        if oid in relations
        for passage, name in _named(api, relations, relations[oid], passages).items()
    }


def _named(
    api: ApiSchema, relations: Mapping[int, Relation], source: Relation, passages: Sequence[_Passage]
) -> Mapping[_Passage, str]:
    """The shortest name of each that nothing else of the source's type has."""
    taken = api.field_names_of_columns(source) | names_of_ways(api, source)
    if source.oid in api.rows_by_oid:
        taken |= computed_fields_of(api, api.rows_by_oid[source.oid]).keys()
    candidates = {each: _candidates(api, relations[each.far.foreign], each) for each in passages}
    made: dict[_Passage, str] = {}
    for length in range(3):
        rest = {each: names_of_one[length] for each, names_of_one in candidates.items() if each not in made}
        wanted = Counter(rest.values())
        usable = {name for name, times in wanted.items() if times == 1 and name not in taken and api.is_name(name)}
        free = {each: name for each, name in rest.items() if name in usable}
        made |= {each: name for each, name in free.items() if name not in made.values()}
    return made


def _candidates(api: ApiSchema, target: Relation, passage: _Passage) -> tuple[str, str, str]:
    short = f"{names.lower_first(api.type_name(target))}Collection"
    longer = f"{short}By{api.type_name(passage.table)}"
    inflect = api.comments.inflects(passage.table.schema)
    columns = (names.field(each, None, inflect) for each in passage.far.columns)
    by_columns = names.usable("".join(each[0].upper() + each[1:] for each in columns))
    return short, longer, f"{longer}{by_columns}"


# Those that the role may read


def _junctions(api: ApiSchema) -> Mapping[int, Mapping[str, Junction]]:
    return api.shared("junctions", lambda: _by_source(api))


def _by_source(api: ApiSchema) -> Mapping[int, Mapping[str, Junction]]:
    """The ways through junctions, by the oid of where they begin and the name of the field."""
    whole = api.whole or api
    named = whole.shared("names of junctions", lambda: _names_of_passages(whole))
    found: dict[int, dict[str, Junction]] = {}
    for passage, name in named.items():
        way = _readable(api, passage)
        if way is not None:
            found.setdefault(way.source.relation.oid, {})[name] = way
    return found


def _readable(api: ApiSchema, passage: _Passage) -> Junction | None:
    table = api.rows_by_oid.get(passage.table.oid)
    near, far = (_relationship(api, table, key) if table else None for key in (passage.near, passage.far))
    if table is None or near is None or far is None or not far.target.key:
        return None
    return Junction(table, near, far)


def _relationship(api: ApiSchema, table: ApiRelation, key: ForeignKey) -> Relationship | None:
    """The relationship of a foreign key; None if the role may not read all of it."""
    for each in relationships_of(api, table):
        columns = tuple(local for local, _ in each.pairs)
        if not each.to_many and each.target.relation.oid == key.foreign and columns == key.columns:
            return each
    return None


# Fields and types


def _field(api: ApiSchema, way: Junction) -> GraphQLField:
    arguments = arguments_of_collections(api, way.target)
    if "filter" in arguments:
        through = relation_filter_type(api, way.table)
        arguments["through"] = GraphQLArgument(through, description=f"Which rows of `{way.table.type_name}` join them")
    return GraphQLField(_connection_type(api, way), arguments, _connection(api, way))


def _own_name(way: Junction, suffix: str) -> OwnName:
    owner = way.table.relation.oid, way.far.pairs, suffix
    return owner, f"{way.type_name}{suffix}"


def _connection_type(api: ApiSchema, way: Junction) -> GraphQLObjectType:
    def fields() -> dict[str, GraphQLField]:
        return {**api.contributed("connection_fields", way.target), "edges": edges_field(_edge_type(api, way))}

    return api.named(api.own_type_name(*_own_name(way, CONNECTION)), lambda name: GraphQLObjectType(name, fields))


def _edge_type(api: ApiSchema, way: Junction) -> GraphQLObjectType:
    def fields() -> dict[str, GraphQLField]:
        made = edge_fields(api, way.target)
        joining = GraphQLField(GraphQLNonNull(api.object_type(way.table)), resolve=_joining_row(way))
        made.setdefault(names.lower_first(way.table.type_name), joining)
        return made

    return api.named(
        api.own_type_name(*_own_name(way, EDGE)),
        lambda name: GraphQLObjectType(name, fields, extensions=unknown_field_in("edge")),
    )


@dataclass(frozen=True)
class JoinedOrigin(Origin):
    """Where the rows of a collection through a junction come from; ``row`` is the one that they are joined with."""

    row: Any = None


def _connection(api: ApiSchema, way: Junction) -> Resolver:
    def resolve(field: Field, outer: Rows) -> ColumnElement[Any]:
        planning = field.planning

        def linked(rows: TableRows) -> Sequence[ColumnElement[Any]]:
            joining = planning.rows_of(way.table)
            given = field.arguments.get("through")
            through = query_condition(relation_filter_type(api, way.table), planning, joining, given) if given else None
            joined = select().select_from(joining.element).where(*way.links(outer, joining, rows))
            narrowed = joined if through is None else joined.where(through)
            return [narrowed.correlate(outer.element, rows.element).exists()]

        origin = JoinedOrigin(way.target, lambda: planning.rows_of(way.target), linked, (outer.element,), row=outer)
        return Collection(field, origin).json()

    return resolve


def _joining_row(way: Junction) -> Resolver:
    def resolve(field: Field, collection: Collection) -> ColumnElement[Any]:
        joining, outer = field.planning.rows_of(way.table), cast(JoinedOrigin, collection.origin).row
        with field.planning.nodes.each_of(1):
            row = field.json(joining)

        def joined_to(rows: Rows) -> ColumnElement[Any]:
            query = select(row).select_from(joining.element).where(*way.links(outer, joining, rows))
            return query.correlate(outer.element, rows.element).scalar_subquery()

        return collection.of_row(joined_to)

    return resolve
