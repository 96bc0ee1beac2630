"""Junctions: tables that link the rows of two others many-to-many. Each side has a collection of the other's rows."""

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
from app.query.read.relationship_names import relationship_field_names
from app.query.read.relationships import Relationship, relationships_of
from schema_cache.directive_values import Flag
from schema_cache.directives import Directive
from schema_cache.model import ForeignKey, Relation


@hookimpl
def comment_directives() -> Sequence[Directive]:
    return (Directive("relation", "junction", Flag(), extended=True),)


@dataclass(frozen=True)
class Junction:
    """One direction through a junction table: from the relation that ``near`` leads to, to the one of ``far``."""

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
        """The beginning of the names of its types."""
        return f"{self.source.type_name}{self.table.type_name}{self.target.type_name}"

    def links(self, outer: Rows, joining: TableRows, rows: Any) -> list[ColumnElement[Any]]:
        """The conditions that a row of the junction table links ``outer``, a row of the source, with a row of the
        target."""
        return [*self.near.linked_to(outer, joining), *self.far.linked(joining, rows)]


CONNECTION, EDGE = "Connection", "Edge"
"""Suffixes of type names."""


@hookimpl
def own_type_names(api: ApiSchema) -> Sequence[OwnName]:
    junctions = (each for junctions in _junctions(api).values() for each in junctions.values())
    return [_own_name(each, suffix) for each in junctions for suffix in (CONNECTION, EDGE)]


@hookimpl
def node_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    junctions = _junctions(api).get(relation.relation.oid, {})
    return Fields(35, {name: _field(api, junction) for name, junction in junctions.items()})


# All junctions with their names, including those that the role may not read


@dataclass(frozen=True, slots=True)
class _Passage:
    """One direction through a table, from the relation that the key ``near`` refers to, to the one of ``far``."""

    table: Relation
    near: ForeignKey
    far: ForeignKey


def _passages(api: ApiSchema) -> Iterator[_Passage]:
    shown = {each.name for each in api.schemas}
    for table in api.catalog.relations:
        if table.schema in shown and api.comments.on_relation(table).get("junction") and api.is_exposed(table):
            keys = [each for each in table.foreign_keys if not each.inferred]
            if any(api.view.exclusion.hides_key(table, each) for each in keys):
                continue
            if len(keys) == 2 and _is_key(table, {name for key in keys for name in key.columns}):
                yield from (_Passage(table, *keys), _Passage(table, *keys[::-1]))
            else:
                reason = (
                    "it is not a junction: that needs two foreign keys, "
                    "and a primary or unique key of exactly their columns"
                )
                api.notices.add(relation_subject(table), reason)


def _is_key(table: Relation, columns: Set[str]) -> bool:
    """Whether a primary or unique key consists of exactly these columns."""
    return any(index.is_plain and columns == set(index.columns) for index in table.unique_indexes)


def _names_of_passages(api: ApiSchema) -> Mapping[_Passage, str]:
    relations = {each.oid: each for each in api.catalog.relations}
    by_source: dict[int, list[_Passage]] = {}
    for passage in _passages(api):
        by_source.setdefault(passage.near.foreign, []).append(passage)
    # The names depend on those of relationships, which are made on the first call of relationships_of.
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
    """For each direction the shortest name that no other field of the source's type has."""
    taken = api.field_names_of_columns(source) | relationship_field_names(api, source)
    if source.oid in api.rows_by_oid:
        taken |= computed_fields_of(api, api.rows_by_oid[source.oid]).keys()
    candidates = {each: _candidates(api, relations[each.far.foreign], each) for each in passages}
    made: dict[_Passage, str] = {}
    for length in range(3):
        rest = {each: names_of_one[length] for each, names_of_one in candidates.items() if each not in made}
        uses = Counter(rest.values())
        usable = {name for name, times in uses.items() if times == 1 and name not in taken and api.is_name(name)}
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


# The junctions that the role may read


def _junctions(api: ApiSchema) -> Mapping[int, Mapping[str, Junction]]:
    return api.shared("junctions", lambda: _by_source(api))


def _by_source(api: ApiSchema) -> Mapping[int, Mapping[str, Junction]]:
    """The junctions by the oid of their source and the name of their field."""
    whole = api.whole or api
    named = whole.shared("names of junctions", lambda: _names_of_passages(whole))
    found: dict[int, dict[str, Junction]] = {}
    for passage, name in named.items():
        junction = _readable(api, passage)
        if junction is not None:
            found.setdefault(junction.source.relation.oid, {})[name] = junction
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


def _field(api: ApiSchema, junction: Junction) -> GraphQLField:
    arguments = arguments_of_collections(api, junction.target)
    if "filter" in arguments:
        through = relation_filter_type(api, junction.table)
        arguments["through"] = GraphQLArgument(
            through, description=f"A filter for the rows of `{junction.table.type_name}`"
        )
    return GraphQLField(_connection_type(api, junction), arguments, _connection(api, junction))


def _own_name(junction: Junction, suffix: str) -> OwnName:
    owner = junction.table.relation.oid, junction.far.pairs, suffix
    return owner, f"{junction.type_name}{suffix}"


def _connection_type(api: ApiSchema, junction: Junction) -> GraphQLObjectType:
    def fields() -> dict[str, GraphQLField]:
        return {
            **api.contributed("connection_fields", junction.target),
            "edges": edges_field(_edge_type(api, junction)),
        }

    return api.named(api.own_type_name(*_own_name(junction, CONNECTION)), lambda name: GraphQLObjectType(name, fields))


def _edge_type(api: ApiSchema, junction: Junction) -> GraphQLObjectType:
    def fields() -> dict[str, GraphQLField]:
        made = edge_fields(api, junction.target)
        joining = GraphQLField(GraphQLNonNull(api.object_type(junction.table)), resolve=_joining_row(junction))
        made.setdefault(names.lower_first(junction.table.type_name), joining)
        return made

    return api.named(
        api.own_type_name(*_own_name(junction, EDGE)),
        lambda name: GraphQLObjectType(name, fields, extensions=unknown_field_in("edge")),
    )


@dataclass(frozen=True)
class JoinedOrigin(Origin):
    """The origin of a collection through a junction; ``row`` is the row of the source."""

    row: Any = None


def _connection(api: ApiSchema, junction: Junction) -> Resolver:
    def resolve(field: Field, outer: Rows) -> ColumnElement[Any]:
        planning = field.planning

        def linked(rows: TableRows) -> Sequence[ColumnElement[Any]]:
            joining = planning.rows_of(junction.table)
            given = field.arguments.get("through")
            through = (
                query_condition(relation_filter_type(api, junction.table), planning, joining, given) if given else None
            )
            joined = select().select_from(joining.element).where(*junction.links(outer, joining, rows))
            narrowed = joined if through is None else joined.where(through)
            return [narrowed.correlate(outer.element, rows.element).exists()]

        origin = JoinedOrigin(
            junction.target, lambda: planning.rows_of(junction.target), linked, (outer.element,), row=outer
        )
        return Collection(field, origin).json()

    return resolve


def _joining_row(junction: Junction) -> Resolver:
    def resolve(field: Field, collection: Collection) -> ColumnElement[Any]:
        joining, outer = field.planning.rows_of(junction.table), cast(JoinedOrigin, collection.origin).row
        with field.planning.nodes.each_of(1):
            row = field.json(joining)

        def joined_to(rows: Rows) -> ColumnElement[Any]:
            query = select(row).select_from(joining.element).where(*junction.links(outer, joining, rows))
            return query.correlate(outer.element, rows.element).scalar_subquery()

        return collection.of_row(joined_to)

    return resolve
