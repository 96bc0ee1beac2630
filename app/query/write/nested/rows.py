"""The rows of a nested insert, place by place: the values of each batch, and the keys that flow between batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from functools import partial, reduce
from typing import Any, Literal, NamedTuple

from graphql import GraphQLInputObjectType
from sqlalchemy import ColumnElement, FromClause, case, literal_column, select

from app.graphql.schema.relations import ApiColumn, ApiRelation
from app.graphql.values.types import ToText
from app.graphql.values.values import Leaf
from app.query.plan.planning import Planning
from app.query.plan.rows import TableRows
from app.query.plan.walk import Field
from app.query.read.keys import KEY, RowKey, key_input_type
from app.query.sql.comparison import USUAL_OPERATORS, is_distinct, operators_of
from app.query.sql.constructs import as_text, builtin, cast_to, computed_first, fail_with, unmodified, unnest
from app.query.sql.texts import ArrayText
from app.query.write.nested.objects import ObjectPlace
from app.query.write.nested.values import Batch, Positions, Values, link_at, type_at
from app.query.write.new_rows import Link, columns_of, links_of
from app.query.write.unnesting import array_for, unnested


@dataclass(frozen=True)
class Kept:
    """The keys of the rows of batches that a statement handed on: their text, in the order of the objects."""

    read: ColumnElement[Any]
    batches: tuple[Batch, ...]


@dataclass(frozen=True)
class KeysOfPlace:
    """The keys of all rows of one place, for a statement that reads them: ``elements`` are joined by ``joined``, and
    ``position`` is the place of a row's object."""

    elements: tuple[FromClause, ...]
    joined: ColumnElement[bool]
    position: ColumnElement[Any]
    key: ColumnElement[Any]
    names: tuple[str, ...]

    def value(self, name: str, type_text: str) -> ColumnElement[Any]:
        """A column of the key."""
        return cast_to(self.key.op("->>")(literal_column(str(self.names.index(name)))), type_text)


class Flowing(NamedTuple):
    """Keys that the rows of a batch hold: the ``place`` of the rows whose keys they are, which ``number`` of an object
    tells its row there, its owner's or its own, and the ``pairs`` of own and other columns."""

    place: ObjectPlace
    number: Literal["owner", "position"]
    pairs: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Proposed:
    """The new rows of a batch: ``values`` by the names of their columns, and the number of each row's object, over
    ``elements`` joined by ``conditions``."""

    elements: Sequence[FromClause]
    conditions: Sequence[ColumnElement[Any]]
    position: ColumnElement[Any]
    values: Mapping[str, ColumnElement[Any]]


@dataclass(frozen=True)
class NestedRows:
    """The ``objects`` of one insert into ``relation``, whose input is ``type_``, and their batches.
    ``kept`` are the keys that were handed on so far, by the places of their rows."""

    field: Field
    relation: ApiRelation
    type_: GraphQLInputObjectType
    objects: Leaf
    planned_batches: Sequence[Batch]
    kept: dict[ObjectPlace, list[Kept]] = dataclass_field(default_factory=dict)

    @property
    def planning(self) -> Planning:
        return self.field.planning

    def batches(self, place: ObjectPlace) -> list[Batch]:
        """The batches of one place."""
        return [each for each in self.planned_batches if each.place == place]

    def links_below(self, place: ObjectPlace) -> list[tuple[str, Link]]:
        """The links that objects of a place follow."""
        names = dict.fromkeys(
            each.place[-1] for each in self.planned_batches if each.place and each.place[:-1] == place
        )
        return [(name, link_at(self.type_, (*place, name))) for name in names]

    def relation_at(self, place: ObjectPlace) -> ApiRelation:
        return link_at(self.type_, place).relationship.target if place else self.relation

    def handed_on_at(self, place: ObjectPlace) -> tuple[str, ...]:
        """The columns of a place's rows that other statements need."""
        names: list[str] = []
        if not place:
            names += self.relation.key
        elif link_at(self.type_, place).refers:
            names += [name for _, name in link_at(self.type_, place).relationship.pairs]
        for _, link in self.links_below(place):
            if not link.refers:
                names += [name for name, _ in link.relationship.pairs]
        return tuple(dict.fromkeys(names))

    # What a batch consists of

    def proposed(self, batch: Batch) -> Proposed:
        """The new rows of a batch."""
        columns = columns_of(type_at(self.type_, batch.place).fields)
        flowing = self._flowing(batch)
        arrays = {"position": self.positions(batch)}
        if any(each.number == "owner" for each in flowing):
            arrays["owner"] = self._owners(batch)
        for number, member in enumerate(batch.members):
            arrays[f"value_{number}"] = self.array([batch], member, columns[member])
        given = self.unnest(arrays, "objects")
        elements: list[FromClause] = [given]
        conditions: list[ColumnElement[Any]] = []
        values = {
            columns[member].name: unnested(self.field, columns[member], given.c[f"value_{number}"])
            for number, member in enumerate(batch.members)
        }
        for each in flowing:
            keys = self.keys(each.place)
            elements += keys.elements
            conditions += [keys.joined, keys.position.op("=")(given.c[each.number])]
            for own, other in each.pairs:
                value = self.held(keys, each.place, other, self.type_text(self.relation_at(batch.place), own))
                values[own] = self._agreed(batch, own, values[own], value) if own in values else value
        return Proposed(elements, conditions, given.c.position, values)

    def _flowing(self, batch: Batch) -> list[Flowing]:
        """The keys that a batch's rows hold: that of their owner, then those that their own links lead to."""
        flowing: list[Flowing] = []
        if batch.place and not link_at(self.type_, batch.place).refers:
            pairs = [(own, other) for other, own in link_at(self.type_, batch.place).relationship.pairs]
            flowing.append(Flowing(batch.place[:-1], "owner", pairs))
        links = links_of(type_at(self.type_, batch.place).fields)
        flowing += (
            Flowing((*batch.place, name), "position", links[name].relationship.pairs)
            for name in sorted(batch.sort.links)
        )
        return flowing

    def _agreed(
        self, batch: Batch, column: str, value: ColumnElement[Any], other: ColumnElement[Any]
    ) -> ColumnElement[Any]:
        """The value that two keys give a column, if it is one."""
        relation = self.relation_at(batch.place)
        message = f"{relation.type_name} is given different values for {column} by two members"
        failure = cast_to(fail_with(message, as_text(value)), self.type_text(relation, column))
        known = relation.relation.column(column)
        operators = USUAL_OPERATORS if known is None else operators_of(self.field.api.view, known.type)
        return case((is_distinct(value, other, operators), failure), else_=value)

    def held(self, keys: KeysOfPlace, place: ObjectPlace, name: str, type_text: str) -> ColumnElement[Any]:
        """A column of the keys of a place's rows, for rows that are to hold these: with null they would belong to
        nothing."""
        value, relation = keys.value(name, type_text), self.relation_at(place)
        column = relation.relation.column(name)
        if column is None or column.not_null:
            return value
        message = f"A row of {relation.type_name} has no {name}, and others are to belong to it"
        failure = cast_to(fail_with(message, as_text(keys.position)), type_text)
        return case((value.is_(None), failure), else_=value)

    def named(self, batch: Batch, rows: TableRows) -> tuple[FromClause, list[ColumnElement[Any]]]:
        """The keys of a batch, with the numbers of the objects that they are given for, and the conditions that a row
        has one of them."""
        link = link_at(self.type_, batch.place)
        type_: Any = key_input_type(self.field.api, link.relationship.target)
        key: RowKey = type_.fields[batch.sort.key].extensions[KEY]
        arrays = {"position": self.positions(batch)}
        if not link.refers:
            arrays["owner"] = self._owners(batch)
        for number, part in enumerate(key):
            path = (str(batch.sort.key), *((part.member,) if part.member else ()))
            texts = Values((batch,), path, ArrayText(part.to_text))
            arrays[f"key_{number}"] = self.planning.bind(self.objects, texts, "text[]")
        unnested_keys = self.unnest(arrays, "keys")
        types = {f"key_{number}": unmodified(part.comparison.type_text) for number, part in enumerate(key)}
        columns = (
            cast_to(each, types[each.name]).label(each.name) if each.name in types else each for each in unnested_keys.c
        )
        given = computed_first(select(*columns), self.planning.alias("given"))
        same = [
            part.comparison.equal(rows.column(part.column), given.c[f"key_{number}"]) for number, part in enumerate(key)
        ]
        return given, same

    def positions(self, *batches: Batch) -> ColumnElement[Any]:
        """The numbers of the items of batches."""
        return self.planning.bind(self.objects, Positions(batches), "integer[]")

    def _owners(self, batch: Batch) -> ColumnElement[Any]:
        return self.planning.bind(self.objects, Positions((batch,), of_owners=True), "integer[]")

    def array(self, batches: Sequence[Batch], member: str, column: ApiColumn) -> ColumnElement[Any]:
        """What the objects of batches have in a member."""
        within: Callable[[ToText], ToText] = partial(Values, tuple(batches), (member,))
        return array_for(self.field, column, self.objects, within)

    def unnest(self, arrays: Mapping[str, ColumnElement[Any]], stem: str) -> FromClause:
        """Arrays of the same length as rows."""
        rows = unnest(*arrays.values()).table_valued(*arrays)
        return rows.render_derived(name=self.planning.alias(stem))

    def type_text(self, relation: ApiRelation, name: str) -> str:
        """The type of a column, without a length."""
        types = {each.name: each.type for each in relation.relation.columns}
        return self.field.api.catalog.type_by_oid[types[name]].text

    # The keys that were handed on

    def keys(self, place: ObjectPlace) -> KeysOfPlace:
        """The keys of a place's rows."""
        return self.keys_of(self.kept[place], self.handed_on_at(place))

    def keys_of(self, kept: Sequence[Kept], names: tuple[str, ...]) -> KeysOfPlace:
        """Keys that consist of the columns ``names``."""
        texts = reduce(lambda one, other: one.concat(other), [cast_to(each.read, "jsonb") for each in kept])
        positions = self.positions(*(batch for each in kept for batch in each.batches))
        keys = builtin.jsonb_array_elements(texts).table_valued("key", with_ordinality="number")
        keys = keys.render_derived(name=self.planning.alias("keys"))
        places = builtin.unnest(positions).table_valued("position", with_ordinality="number")
        places = places.render_derived(name=self.planning.alias("places"))
        joined = keys.c.number.op("=", is_comparison=True)(places.c.number)
        return KeysOfPlace((keys, places), joined, places.c.position, keys.c.key, names)
