"""Junctions: tables whose rows join those of two others, as a collection on either side that leads to the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from graphql import GraphQLArgument, GraphQLField, GraphQLNonNull, GraphQLObjectType
from sqlalchemy import ColumnElement, select

from app.graphql import names
from app.graphql.api_schema import ApiSchema
from app.graphql.fields import Fields, unknown_field_in
from app.graphql.relations import ApiRelation, relation_subject
from app.hooks import hookimpl
from app.query.collection import Collection, Origin
from app.query.computed_fields import computed_fields_of
from app.query.conditions import condition, relation_filter_type
from app.query.connections import arguments_of_collections, edge_fields, edges_field
from app.query.planning import Rows, TableRows
from app.query.relationships import Relationship, relationships_of
from app.query.walk import Field, Resolver
from schema_cache.directive_values import Flag
from schema_cache.directives import Directive
from schema_cache.model import ForeignKey


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
        return [*self.near.linked(joining, outer), *self.far.linked(joining, rows)]


@hookimpl
def node_fields(api: ApiSchema, relation: ApiRelation) -> Fields | None:
    ways = api.shared("junctions", lambda: _by_source(api)).get(relation.relation.oid)
    if ways is None:
        return None
    return Fields(35, {name: _field(api, way) for name, way in _named(api, relation, ways).items()})


# Which junctions there are, and what they are called


def _by_source(api: ApiSchema) -> Mapping[int, Sequence[Junction]]:
    found: dict[int, list[Junction]] = {}
    for table in api.relations:
        if table.directives.get("junction"):
            for way in _ways(api, table):
                found.setdefault(way.source.relation.oid, []).append(way)
    return found


def _ways(api: ApiSchema, table: ApiRelation) -> Iterator[Junction]:
    keys = table.relation.foreign_keys
    if len(keys) != 2 or set(table.key) != {name for key in keys for name in key.columns}:
        reason = "it is no junction: that has two foreign keys, and a primary key of exactly their columns"
        api.notices.add(relation_subject(table.relation), reason)
        return
    leading = [_relationship(api, table, key) for key in keys]
    for near, far in (leading, leading[::-1]):
        if near is not None and far is not None and far.target.key:
            yield Junction(table, near, far)


def _relationship(api: ApiSchema, table: ApiRelation, key: ForeignKey) -> Relationship | None:
    """The relationship of a foreign key; None if the role may not read all of it."""
    for each in relationships_of(api, table):
        columns = tuple(local for local, _ in each.pairs)
        if not each.to_many and each.target.relation.oid == key.foreign and columns == key.columns:
            return each
    return None


def _named(api: ApiSchema, relation: ApiRelation, ways: Sequence[Junction]) -> Mapping[str, Junction]:
    """The ways by the names of their fields: the shortest that nothing else of the type has."""
    taken = {each.name for each in relationships_of(api, relation)}
    taken.update(each.field_name for each in relation.columns)
    taken.update(computed_fields_of(api, relation))
    made: dict[str, Junction] = {}
    for length in range(3):
        rest = [each for each in ways if each not in made.values()]
        wanted = Counter(_names(each)[length] for each in rest)
        for way in rest:
            name = _names(way)[length]
            if wanted[name] == 1 and name not in taken and name not in made:
                made[name] = way
    return made


def _names(way: Junction) -> tuple[str, str, str]:
    short = f"{names.lower_first(way.target.type_name)}Collection"
    longer = f"{short}By{way.table.type_name}"
    columns = (names.field(local, None, way.table.inflect) for local, _ in way.far.pairs)
    return short, longer, f"{longer}{''.join(each[0].upper() + each[1:] for each in columns)}"


# Fields and types


def _field(api: ApiSchema, way: Junction) -> GraphQLField:
    arguments = arguments_of_collections(api, way.target)
    if "filter" in arguments:
        through = relation_filter_type(api, way.table)
        arguments["through"] = GraphQLArgument(through, description=f"Which rows of `{way.table.type_name}` join them")
    return GraphQLField(_connection_type(api, way), arguments, _connection(api, way))


def _own_name(api: ApiSchema, way: Junction, suffix: str) -> str:
    owner = way.table.relation.oid, way.far.pairs, suffix
    return api.own_type_name(owner, f"{way.type_name}{suffix}")


def _connection_type(api: ApiSchema, way: Junction) -> GraphQLObjectType:
    def fields() -> dict[str, GraphQLField]:
        return {**api.contributed("connection_fields", way.target), "edges": edges_field(_edge_type(api, way))}

    return api.named(_own_name(api, way, "Connection"), lambda name: GraphQLObjectType(name, fields))


def _edge_type(api: ApiSchema, way: Junction) -> GraphQLObjectType:
    def fields() -> dict[str, GraphQLField]:
        made = edge_fields(api, way.target)
        joining = GraphQLField(GraphQLNonNull(api.object_type(way.table)), resolve=_joining_row(way))
        made.setdefault(names.lower_first(way.table.type_name), joining)
        return made

    return api.named(
        _own_name(api, way, "Edge"),
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
            through = condition(relation_filter_type(api, way.table), planning, joining, given) if given else None
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
        query = select(row).select_from(joining.element).where(*way.links(outer, joining, collection.rows))
        return query.correlate(outer.element, collection.rows.element).scalar_subquery()

    return resolve
