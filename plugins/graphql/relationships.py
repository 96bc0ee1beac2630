"""Relationships: foreign keys, and those that a comment declares, as fields from row to row in both directions."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graphql import GraphQLField, GraphQLNonNull
from sqlalchemy import ColumnElement, literal_column, select

from app.graphql import names
from app.graphql.api_schema import ApiSchema
from app.graphql.fields import Fields
from app.graphql.relations import NODE_ID, ApiRelation
from app.hooks import hookimpl
from app.query.collection import Collection, Origin
from app.query.comparison import USUAL_OPERATORS, compared, operators_of
from app.query.connections import arguments_of_collections, connection_type
from app.query.planning import Rows, TableRows
from app.query.walk import Field, Resolver
from schema_cache.directives import Directive
from schema_cache.shapes import ListOf, Object, Text

log = logging.getLogger("portico.graphql")


FOREIGN_KEYS = ListOf(
    Object(
        required={
            "local_columns": ListOf(Text()),
            "foreign_schema": Text(),
            "foreign_table": Text(),
            "foreign_columns": ListOf(Text()),
        },
        optional={"local_name": Text(), "foreign_name": Text()},
    )
)
"""The directive that declares relationships where there is no constraint, such as those of views."""


@dataclass(frozen=True)
class Link:
    """A foreign key between two relations that the role may both read. ``local_name`` overrides the field that leads
    back to the referencing rows, ``foreign_name`` the one that leads to the referenced row."""

    local: ApiRelation
    local_columns: tuple[str, ...]
    foreign: ApiRelation
    foreign_columns: tuple[str, ...]
    local_name: str | None = None
    foreign_name: str | None = None

    @property
    def is_local_unique(self) -> bool:
        """Whether at most one local row belongs to a foreign row."""
        return _is_unique(self.local, self.local_columns)


@dataclass(frozen=True)
class Relationship:
    """One direction of a link: the field ``name`` on ``source`` leads to ``target``; ``pairs`` of their columns are
    equal by ``operators``."""

    name: str
    source: ApiRelation
    target: ApiRelation
    pairs: tuple[tuple[str, str], ...]
    operators: tuple[str, ...]
    to_many: bool
    required: bool = False

    def linked(self, outer: Rows, rows: TableRows) -> list[ColumnElement[Any]]:
        """The conditions that a target's row belongs to the source's row ``outer``."""
        return [
            compared(rows.column(target), operator, outer.column(source))
            for (source, target), operator in zip(self.pairs, self.operators, strict=True)
        ]


@hookimpl
def comment_directives() -> Sequence[Directive]:
    return (
        Directive("relation", "foreign_keys", FOREIGN_KEYS),
        Directive("foreign_key", "local_name", Text()),
        Directive("foreign_key", "foreign_name", Text()),
    )


@hookimpl
def node_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    relationships = api.shared("relationships", lambda: _relationships(api)).get(relation.relation.oid, ())
    return Fields(30, {each.name: _field(api, each) for each in relationships})


def _field(api: ApiSchema, relationship: Relationship) -> GraphQLField:
    if relationship.to_many:
        type_: Any = connection_type(api, relationship.target)
        return GraphQLField(type_, arguments_of_collections(api, relationship.target), _to_many(relationship))
    type_ = api.object_type(relationship.target)
    return GraphQLField(GraphQLNonNull(type_) if relationship.required else type_, resolve=_to_one(relationship))


def _to_many(relationship: Relationship) -> Resolver:
    def resolve(field: Field, outer: Rows) -> ColumnElement[Any]:
        origin = Origin(
            relationship.target,
            rows=lambda: field.planning.rows_of(relationship.target),
            linked=lambda rows: relationship.linked(outer, rows),
            outer=(outer.element,),
        )
        return Collection(field, origin).json()

    return resolve


def _to_one(relationship: Relationship) -> Resolver:
    target_columns = tuple(target for _, target in relationship.pairs)
    is_certain = _is_unique(relationship.target, target_columns)

    def resolve(field: Field, outer: Rows) -> ColumnElement[Any]:
        rows = field.planning.rows_of(relationship.target)
        with field.planning.nodes.each_of(1):
            row = field.json(rows)
        query = select(row).select_from(rows.element).where(*relationship.linked(outer, rows))
        # A key that only a comment declares may lead to several rows; the first one stands for them.
        query = query if is_certain else query.limit(literal_column("1"))
        return query.correlate(outer.element).scalar_subquery()

    return resolve


def _is_unique(relation: ApiRelation, columns: Sequence[str]) -> bool:
    """Whether no two rows are equal in ``columns``, by an index that says so of all rows."""
    known = set(columns)
    return any(
        index.columns and not index.partial and not index.has_expressions and known.issuperset(index.columns)
        for index in relation.relation.unique_indexes
    )


# Which relationships there are, and what they are called


def _relationships(api: ApiSchema) -> Mapping[int, Sequence[Relationship]]:
    """All relationships by the oid of the relation that has the field: the ones to a referenced row first."""
    if api.whole is not None:
        return _part(api, _relationships(api.whole))
    links = list(_links(api))
    taken = {each.relation.oid: {NODE_ID, *(column.field_name for column in each.columns)} for each in api.relations}
    found: dict[int, list[Relationship]] = {}
    for direction in (_forward, _backward):
        for link in links:
            relationship = direction(api, link, taken)
            if relationship is not None:
                found.setdefault(relationship.source.relation.oid, []).append(relationship)
    return found


def _part(api: ApiSchema, whole: Mapping[int, Sequence[Relationship]]) -> Mapping[int, Sequence[Relationship]]:
    """Those that ``api`` has both sides of, under the names that they have in the whole schema."""
    own = api.relation_by_oid
    return {
        oid: [
            replace(each, source=own[oid], target=own[each.target.relation.oid])
            for each in relationships
            if each.target.relation.oid in own
        ]
        for oid, relationships in whole.items()
        if oid in own
    }


def _links(api: ApiSchema) -> Iterator[Link]:
    for local in api.relations:
        for key in sorted(local.relation.foreign_keys, key=lambda each: each.oid):
            foreign = api.relation_by_oid.get(key.foreign)
            directives = api.comments.on("foreign_key", f"{key.name} on {local.relation.name}", key.comment)
            if foreign is not None:
                overrides = directives.get("local_name"), directives.get("foreign_name")
                yield from _readable(Link(local, key.columns, foreign, key.foreign_columns, *overrides))
        for declared in local.directives.get("foreign_keys") or ():
            foreign = next((each for each in api.relations if _is_named(each, declared)), None)
            if foreign is not None:
                columns = tuple(declared["local_columns"]), tuple(declared["foreign_columns"])
                overrides = declared.get("local_name"), declared.get("foreign_name")
                yield from _readable(Link(local, columns[0], foreign, columns[1], *overrides))


def _is_named(relation: ApiRelation, declared: Mapping[str, Any]) -> bool:
    return (relation.relation.schema, relation.relation.name) == (declared["foreign_schema"], declared["foreign_table"])


def _readable(link: Link) -> Iterator[Link]:
    """The link, if the role may read all its columns on both sides."""
    has_all = link.local.visible.select.issuperset(link.local_columns)
    has_all = has_all and link.foreign.visible.select.issuperset(link.foreign_columns)
    if has_all and len(link.local_columns) == len(link.foreign_columns) > 0:
        yield link


def _forward(api: ApiSchema, link: Link, taken: Mapping[int, set[str]]) -> Relationship | None:
    """The field on the referencing relation that leads to the referenced row."""
    by_table = names.lower_first(link.foreign.type_name)
    by_column = _stripped(link.local_columns, link.foreign.inflect) or by_table
    candidates = _to_one_names(api, link.foreign_name, by_table, by_column, link.local_columns)
    columns = [link.local.relation.column(name) for name in link.local_columns]
    is_certain = (
        any(column is not None and column.not_null for column in columns) and not link.foreign.relation.row_security
    )
    return _relationship(
        candidates,
        taken,
        source=link.local,
        target=link.foreign,
        pairs=tuple(zip(link.local_columns, link.foreign_columns, strict=True)),
        operators=_equality(api, link),
        to_many=False,
        required=is_certain and not api.dialect.to_one_nullable,
    )


def _backward(api: ApiSchema, link: Link, taken: Mapping[int, set[str]]) -> Relationship | None:
    """The field on the referenced relation that leads back to the referencing rows."""
    by_table = names.lower_first(link.local.type_name)
    if link.is_local_unique:
        by_column = _stripped(link.foreign_columns, link.local.inflect) or by_table
        candidates = _to_one_names(api, link.local_name, by_table, by_column, link.local_columns)
        if not link.local_name:
            # On a relation that refers to itself the way forth may have the names for the way back.
            candidates.append(f"{by_table}With{_joined(link.local_columns)}")
    else:
        plain = f"{by_table}Collection"
        candidates = [link.local_name] if link.local_name else [plain, f"{plain}By{_joined(link.local_columns)}"]
    return _relationship(
        candidates,
        taken,
        source=link.foreign,
        target=link.local,
        pairs=tuple(zip(link.foreign_columns, link.local_columns, strict=True)),
        operators=_equality(api, link),
        to_many=not link.is_local_unique,
    )


def _equality(api: ApiSchema, link: Link) -> tuple[str, ...]:
    """The operators by which the columns of a link are equal."""

    def operator(name: str, foreign_name: str) -> str:
        column, foreign = link.local.relation.column(name), link.foreign.relation.column(foreign_name)
        same = column is not None and foreign is not None and column.type == foreign.type
        return (operators_of(api.view, column.type) if column is not None and same else USUAL_OPERATORS).equal

    return tuple(map(operator, link.local_columns, link.foreign_columns))


def _to_one_names(
    api: ApiSchema, override: str | None, by_table: str, by_column: str, columns: Sequence[str]
) -> list[str]:
    """Names for a field that leads to one row, in the order they are tried."""
    if override:
        return [override]
    last_resort = f"{by_table}By{_joined(columns)}"
    return [by_table, by_column, last_resort] if api.dialect.to_one_by_table else [by_column, last_resort]


def _relationship(candidates: Sequence[str], taken: Mapping[int, set[str]], **facts: Any) -> Relationship | None:
    source: ApiRelation = facts["source"]
    of_source = taken[source.relation.oid]
    for name in candidates:
        if name not in of_source:
            of_source.add(name)
            return Relationship(name=name, **facts)
    log.warning(
        "%s has no field for a relationship to %s: %s is taken",
        source.type_name,
        facts["target"].type_name,
        candidates[0],
    )
    return None


def _stripped(columns: Sequence[str], inflect: bool) -> str | None:
    """The name that a single key column makes without its suffix for ids; None if it has none."""
    suffix = "_id" if inflect else "Id"
    if len(columns) != 1 or not columns[0].endswith(suffix) or columns[0] == suffix:
        return None
    return names.lower_first(names.base(columns[0].removesuffix(suffix), None, inflect))


def _joined(columns: Sequence[str]) -> str:
    return "And".join(names.base(name, None, inflect=True) for name in columns)
