"""Relationships: fields to related rows in both directions, for foreign keys and for keys that a comment declares."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from graphql import GraphQLField, GraphQLNonNull
from sqlalchemy import ColumnElement, literal_column

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields
from app.graphql.schema.notices import relation_subject
from app.graphql.schema.relations import ApiRelation
from app.hooks import hookimpl
from app.query.plan.rows import Rows
from app.query.plan.walk import Field, Resolver
from app.query.read.collection import Collection, Origin
from app.query.read.connections import arguments_of_collections, connection_type
from app.query.read.relationship_names import Key, KeyDirection, NamedKey, named_key, names_by_direction
from app.query.read.relationships import DeferredRelationships, Relationship, relationships_of
from app.query.sql.comparison import operators_of
from app.query.sql.compiled_constructs import Query
from schema_cache.directive_values import ListOf, Object, String
from schema_cache.directives import Directive
from schema_cache.model import Relation

FOREIGN_KEYS = ListOf(
    Object(
        required={
            "local_columns": ListOf(String()),
            "foreign_schema": String(),
            "foreign_table": String(),
            "foreign_columns": ListOf(String()),
        },
        optional={"local_name": String(), "foreign_name": String(), "deprecated": String()},
    )
)
"""The directive that declares relationships without a constraint, such as those of views."""


@hookimpl
def comment_directives() -> Sequence[Directive]:
    return (
        Directive("relation", "foreign_keys", FOREIGN_KEYS),
        Directive("foreign_key", "local_name", String()),
        Directive("foreign_key", "foreign_name", String()),
        Directive("foreign_key", "deprecated", String(), extended=True),
    )


@hookimpl
def node_fields(api: ApiSchema, relation: ApiRelation) -> Fields:
    return Fields(30, {each.name: _field(api, each) for each in relationships_of(api, relation)}, precedence=4)


def _field(api: ApiSchema, relationship: Relationship) -> GraphQLField:
    if relationship.to_many:
        type_: Any = connection_type(api, relationship.target)
        arguments = arguments_of_collections(api, relationship.target)
        return GraphQLField(type_, arguments, _to_many(relationship), deprecation_reason=relationship.deprecated)
    type_ = api.object_type(relationship.target)
    return GraphQLField(
        GraphQLNonNull(type_) if relationship.required else type_,
        resolve=_to_one(relationship),
        deprecation_reason=relationship.deprecated,
    )


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
    def resolve(field: Field, outer: Rows) -> ColumnElement[Any]:
        rows = field.planning.rows_of(relationship.target)
        with field.planning.nodes.each_of(1):
            row = field.json(rows)
        # A key that only a comment declares, or a deferrable one, may match several rows; any one of them is taken.
        limit: ColumnElement[Any] | None = None if relationship.leads_to_one else literal_column("1")
        return Query([(row, None)], rows.element, relationship.linked(outer, rows), limit=limit)

    return resolve


# The relationships and their names


@hookimpl
def relationships(api: ApiSchema) -> Mapping[int, Sequence[Relationship]]:
    """All relationships, by the oid of the relation that has the field; those to a referenced row come first."""
    if api.whole is not None:
        return _part(api, relationships(api.whole))
    makers: dict[int, list[Callable[[], Relationship | None]]] = {}
    sources: dict[int, set[int]] = {}
    for direction, name in names_by_direction(api, _distinct_keys(api)).items():
        source, target = direction.source.oid, direction.target.oid
        if name is None:
            by = f"{', '.join(direction.key.columns)} of {direction.key.local.name}"
            api.notices.add(
                relation_subject(direction.source),
                f"a relationship by {by} has no field: its names are taken, or no GraphQL names",
                fix='comment the constraint with @graphql({"local_name": "...", "foreign_name": "..."})',
            )
        elif source in api.rows_by_oid and target in api.relation_by_oid:
            makers.setdefault(source, []).append(partial(_relationship, api, direction, name))
            sources.setdefault(target, set()).add(source)
    return DeferredRelationships(makers, sources)


def _part(api: ApiSchema, whole: Mapping[int, Sequence[Relationship]]) -> Mapping[int, Sequence[Relationship]]:
    """The relationships with both sides in ``api``, under the names that they have in the whole schema."""
    own = api.rows_by_oid
    return {
        oid: [
            replace(each, source=own[oid], target=own[each.target.relation.oid])
            for each in of_source
            if each.target.relation.oid in own
        ]
        for oid, of_source in whole.items()
        if oid in own
    }


def _distinct_keys(api: ApiSchema) -> list[NamedKey]:
    """The keys between relations of the API's schemas, including those that the role may not read, sorted by the order
    of their columns. The same constraint may exist twice."""
    shown = {each.name for each in api.schemas}
    relations = [each for each in api.catalog.relations if each.schema in shown and api.is_exposed(each)]
    by_oid = {each.oid: each for each in relations}
    by_name = {(each.schema, each.name): each for each in relations}
    hidden = api.view.exclusion.hidden_keys(relations)
    found: dict[tuple[object, ...], NamedKey] = {}
    for local in sorted(relations, key=lambda each: (each.schema, each.name)):
        if not local.foreign_keys and local.comment is None:
            continue
        make = partial(_keys_of, api, local, by_oid, by_name, hidden)
        # These depend on further relations.
        if _declares_keys(api, local) or (hidden and any(each.oid in hidden for each in local.foreign_keys)):
            keys = make()
        else:
            keys = api.remember("keys", local, *(by_oid.get(each.foreign) for each in local.foreign_keys), make=make)
        found.update(keys)
    return list(found.values())


def _declares_keys(api: ApiSchema, local: Relation) -> bool:
    return bool(local.comment is not None and api.comments.on_relation(local).get("foreign_keys"))


def _keys_of(
    api: ApiSchema,
    local: Relation,
    by_oid: Mapping[int, Relation],
    by_name: Mapping[tuple[str, str], Relation],
    hidden: frozenset[int],
) -> dict[tuple[object, ...], NamedKey]:
    """The keys of a relation, by their contents."""
    declared = list(_declared(api, local, by_name))
    constraints = list(_constraints(api, local, by_oid, declared, hidden))
    ordered = sorted(constraints, key=_columns_order) if len(constraints) > 1 else constraints
    # If keys have equal contents, the last one counts.
    return {_contents(key): named_key(api, key) for key in (*ordered, *declared)}


def _contents(key: Key) -> tuple[object, ...]:
    """The properties of a key. Keys with equal ones are one."""
    named = key.local_name, key.foreign_name, key.deprecated
    return key.local.oid, key.columns, key.foreign.oid, key.foreign_columns, *named


def _columns_order(key: Key) -> tuple[list[int], str, str, tuple[str, ...]]:
    places = {column.name: place for place, column in enumerate(key.local.columns)}
    return [places[name] for name in key.columns], key.foreign.schema, key.foreign.name, key.foreign_columns


def _constraints(
    api: ApiSchema,
    local: Relation,
    by_oid: Mapping[int, Relation],
    declared: Sequence[Key],
    hidden: frozenset[int],
) -> Iterator[Key]:
    """The foreign keys of a relation, without the ``hidden`` ones and inferred ones that have the columns of a
    ``declared`` one."""
    known = {each.columns for each in declared}
    for constraint in sorted(local.foreign_keys, key=lambda each: each.name):
        if constraint.oid in hidden:
            continue
        foreign = by_oid.get(constraint.foreign)
        if foreign is not None and not (constraint.inferred and constraint.columns in known):
            columns = constraint.columns, foreign, constraint.foreign_columns
            if constraint.comment is None:
                yield Key(local, *columns)
            else:
                directives = api.comments.on("foreign_key", f"{constraint.name} on {local.name}", constraint.comment)
                overrides = (directives.get(key) for key in ("local_name", "foreign_name", "deprecated"))
                yield Key(local, *columns, *overrides)


def _declared(api: ApiSchema, local: Relation, by_name: Mapping[tuple[str, str], Relation]) -> Iterator[Key]:
    for each in api.comments.on_relation(local).get("foreign_keys") or ():
        foreign = by_name.get((each["foreign_schema"], each["foreign_table"]))
        columns, foreign_columns = tuple(each["local_columns"]), tuple(each["foreign_columns"])
        exist = foreign is not None and len(columns) == len(foreign_columns) > 0
        exist = exist and all(map(local.column, columns))
        if foreign is not None and exist and all(map(foreign.column, foreign_columns)):
            overrides = each.get("local_name"), each.get("foreign_name")
            deprecated = each.get("deprecated") if api.dialect.extended else None
            yield Key(local, columns, foreign, foreign_columns, *overrides, deprecated)


def _is_readable(api: ApiSchema, key: Key) -> bool:
    """Whether the role may read all columns of a key on both sides."""
    local, foreign = api.rows_by_oid.get(key.local.oid), api.rows_by_oid.get(key.foreign.oid)
    return (
        local is not None
        and foreign is not None
        and local.visible.select.issuperset(key.columns)
        and foreign.visible.select.issuperset(key.foreign_columns)
    )


def _relationship(api: ApiSchema, direction: KeyDirection, name: str) -> Relationship | None:
    """The relationship of that direction and name; None if the role may not read its columns."""
    key = direction.key
    if not _is_readable(api, key):
        return None
    local, foreign = api.rows_by_oid[key.local.oid], api.rows_by_oid[key.foreign.oid]
    operators = _equality(api, key)
    if direction.back:
        pairs = tuple(zip(key.foreign_columns, key.columns, strict=True))
        many = not key.is_local_unique
        return Relationship(
            name, foreign, local, pairs, operators, to_many=many, refers=False, deprecated=key.deprecated
        )
    columns = [key.local.column(each) for each in key.columns]
    is_certain = any(each is not None and each.not_null for each in columns) and not key.foreign.row_security
    pairs = tuple(zip(key.columns, key.foreign_columns, strict=True))
    required = is_certain and not api.dialect.to_one_nullable
    return Relationship(
        name, local, foreign, pairs, operators, to_many=False, required=required, deprecated=key.deprecated
    )


def _equality(api: ApiSchema, key: Key) -> tuple[str, ...]:
    """The equality operators for the columns of a key."""
    usual = api.catalog.usual_operators

    def operator(name: str, foreign_name: str) -> str:
        column, foreign = key.local.column(name), key.foreign.column(foreign_name)
        same = column is not None and foreign is not None and column.type == foreign.type
        return (operators_of(api.view, column.type) if column is not None and same else usual).equal

    return tuple(map(operator, key.columns, key.foreign_columns))
