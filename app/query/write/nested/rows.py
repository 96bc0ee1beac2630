"""The rows of a nested insert: the values of each batch, and the keys that are passed from one batch to another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from functools import partial
from typing import Any, Literal, NamedTuple

from graphql import GraphQLInputObjectType
from sqlalchemy import ColumnElement, FromClause, select
from sqlalchemy import column as sql_column
from sqlalchemy import values as value_rows

from app.errors import RequestError
from app.graphql.schema.relations import ApiColumn, ApiRelation
from app.graphql.values.types import ToText
from app.graphql.values.values import Leaf
from app.query.plan.planning import Planning
from app.query.plan.refusals import refused
from app.query.plan.rows import TableRows
from app.query.plan.walk import Field
from app.query.read.keys import KEY, KeyPart, RowKey, key_input_type
from app.query.sql.comparison import USUAL_OPERATORS, is_distinct, operators_of
from app.query.sql.constructs import builtin, cast_to, computed_first, unmodified, unnest
from app.query.sql.texts import ArrayText
from app.query.write.nested.kept import Kept, KeptKey, KeysOfPlace, all_of
from app.query.write.nested.objects import ObjectPlace
from app.query.write.nested.values import (
    Batch,
    IndexAmong,
    ItemNumber,
    ItemText,
    Positions,
    Values,
    link_at,
    type_at,
)
from app.query.write.new_rows import Link, columns_of, links_of
from app.query.write.one_shard import OneTenant, steer_by_lists, value_of
from app.query.write.unnesting import array_for, unnested


class ForeignKeySource(NamedTuple):
    """The origin of a foreign key of a batch's rows. ``place``: the place of the referenced rows. ``number``: the
    number of an object that finds its referenced row there, its owner's or its own. ``pairs``: pairs of a column of the
    batch's rows and the referenced column."""

    place: ObjectPlace
    number: Literal["owner", "position"]
    pairs: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Proposed:
    """The new rows of a batch, before they are inserted. ``elements``: the FROM elements, joined by ``conditions``.
    ``position``: the number of a row's object. ``values``: by the names of their columns."""

    elements: Sequence[FromClause]
    conditions: Sequence[ColumnElement[Any]]
    position: ColumnElement[Any]
    values: Mapping[str, ColumnElement[Any]]


@dataclass(frozen=True)
class NestedRows:
    """The ``objects`` of one insert into ``relation``, with the input type ``type_``, and their batches. ``kept``: the
    keys that were passed on so far, by the places of their rows. ``tenant``: that of all rows, if it is known."""

    field: Field
    relation: ApiRelation
    type_: GraphQLInputObjectType
    objects: Leaf
    planned_batches: Sequence[Batch]
    tenant: OneTenant | None = None
    kept: dict[ObjectPlace, list[Kept]] = dataclass_field(default_factory=dict)

    @property
    def planning(self) -> Planning:
        return self.field.planning

    def batches(self, place: ObjectPlace) -> list[Batch]:
        """The batches of one place."""
        return [each for each in self.planned_batches if each.place == place]

    def links_below(self, place: ObjectPlace) -> list[tuple[str, Link]]:
        """The links that objects of a place use."""
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

    def of_tenant(self, rows: TableRows) -> list[ColumnElement[Any]]:
        """The condition that rows are those of the tenant; none if it is not known."""
        return rows.of_value(value_of(self.tenant, rows.relation))

    def _tenant_in(self, place: ObjectPlace, column: str) -> ColumnElement[Any] | None:
        """The tenant's value, if that is the one that all rows of a place have in the column."""
        relation = self.relation_at(place)
        is_distribution = relation.distribution is not None and relation.distribution.column == column
        return value_of(self.tenant, relation) if is_distribution else None

    def check_tenants(self, objects: Leaf) -> None:
        """Raise RequestError if Citus cannot write the objects: connected rows cannot move to another tenant, and if
        several servers return the keys of rows, their order does not show for which objects they are."""
        if self.planning.cluster is None:
            return
        spread = {each for each in {each.place for each in self.planned_batches} if self._is_spread(each)}
        if any(each.sort.key is not None and each.place in spread for each in self.planned_batches):
            raise _of_several_tenants()
        if any(self.handed_on_at(each) for each in spread) and steer_by_lists(objects):
            raise _of_several_tenants()

    def _is_spread(self, place: ObjectPlace) -> bool:
        """Whether several servers may have the rows of a place."""
        relation = self.relation_at(place)
        return relation.distribution is not None and value_of(self.tenant, relation) is None

    # The values of a batch

    def proposed(self, batch: Batch) -> Proposed:
        """The new rows of a batch."""
        columns = columns_of(type_at(self.type_, batch.place).fields)
        sources = self._foreign_keys(batch)
        arrays = {"position": self.positions(batch)}
        if any(each.number == "owner" for each in sources):
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
        for each in sources:
            keys = self.keys(each.place)
            elements += keys.elements
            conditions += [keys.joined, keys.position.op("=")(given.c[each.number])]
            self._refer(batch, each, keys, values)
        return Proposed(elements, conditions, given.c.position, values)

    def listed(self, batch: Batch) -> list[dict[str, ColumnElement[Any]]]:
        """The same for a batch whose number of items is known: the values of each row by the names of their columns,
        without FROM elements."""
        return [self._listed(batch, item) for item in range(batch.number or 0)]

    def _listed(self, batch: Batch, item: int) -> dict[str, ColumnElement[Any]]:
        columns = columns_of(type_at(self.type_, batch.place).fields)
        values = {
            columns[member].name: self.planning.bind(
                self.objects,
                ItemText(batch, item, (member,), columns[member].to_text),
                self.type_text(self.relation_at(batch.place), columns[member].name),
            )
            for member in batch.members
        }
        for each in self._foreign_keys(batch):
            kept = tuple(batch for some in self.kept[each.place] for batch in some.batches)
            index = IndexAmong(kept, ItemNumber(batch, item, of_owner=each.number == "owner"))
            key = all_of(self.kept[each.place]).op("->")(self.planning.bind(self.objects, index, "integer"))
            self._refer(batch, each, KeptKey(key, self.handed_on_at(each.place)), values)
        return values

    def _refer(
        self, batch: Batch, source: ForeignKeySource, key: KeptKey, values: dict[str, ColumnElement[Any]]
    ) -> None:
        """Add the columns of a foreign key of a batch's rows to their ``values``."""
        for own, other in source.pairs:
            tenant = self._tenant_in(batch.place, own)
            if tenant is not None and self._tenant_in(source.place, other) is not None:
                # Rows of the tenant refer to rows of the tenant, and Citus plans with the value.
                values[own] = tenant
                continue
            type_text = self.type_text(self.relation_at(batch.place), own)
            value = self.referenced_value(key, source.place, other, type_text)
            values[own] = self._agreed(batch, own, values[own], value, key) if own in values else value

    def _foreign_keys(self, batch: Batch) -> list[ForeignKeySource]:
        """The origins of the foreign keys of a batch's rows: first the key of their owner, then those of their
        links."""
        sources: list[ForeignKeySource] = []
        if batch.place and not link_at(self.type_, batch.place).refers:
            pairs = [(own, other) for other, own in link_at(self.type_, batch.place).relationship.pairs]
            sources.append(ForeignKeySource(batch.place[:-1], "owner", pairs))
        links = links_of(type_at(self.type_, batch.place).fields)
        sources += (
            ForeignKeySource((*batch.place, name), "position", links[name].relationship.pairs)
            for name in sorted(batch.sort.links)
        )
        return sources

    def _agreed(
        self, batch: Batch, column: str, value: ColumnElement[Any], other: ColumnElement[Any], key: KeptKey
    ) -> ColumnElement[Any]:
        """The value of a column that is part of two foreign keys; an error when the statement runs if the two values
        differ. ``other`` is from ``key``."""
        relation = self.relation_at(batch.place)
        message = f"{relation.type_name} is given different values for {column} by two members"
        known = relation.relation.column(column)
        operators = USUAL_OPERATORS if known is None else operators_of(self.field.api.view, known.type)
        differ = is_distinct(value, other, operators)
        return key.value_unless(differ, message, value, self.type_text(relation, column), because=value)

    def referenced_value(self, keys: KeptKey, place: ObjectPlace, name: str, type_text: str) -> ColumnElement[Any]:
        """A column of the keys of a place's rows, for rows that refer to these; null is an error when the statement
        runs, because a row with a null key would refer to no row."""
        value, relation = keys.value(name, type_text), self.relation_at(place)
        column = relation.relation.column(name)
        if column is None or column.not_null:
            return value
        message = f"A row of {relation.type_name} has no {name}, and others are to belong to it"
        return keys.value_unless(value.is_(None), message, value, type_text)

    def named(self, batch: Batch, rows: TableRows) -> tuple[FromClause, list[ColumnElement[Any]]]:
        """The keys of a batch of keys, with the numbers of their owners, and the conditions that one of ``rows`` has
        such a key."""
        link = link_at(self.type_, batch.place)
        type_: Any = key_input_type(self.field.api, link.relationship.target)
        key: RowKey = type_.fields[batch.sort.key].extensions[KEY]
        if batch.number is not None:
            given = self._listed_keys(batch, key, batch.number)
            return given, [
                part.comparison.equal(rows.column(part.column), given.c[f"key_{number}"])
                for number, part in enumerate(key)
            ]
        arrays = {"position": self.positions(batch)}
        if not link.refers:
            arrays["owner"] = self._owners(batch)
        for number, part in enumerate(key):
            texts = Values((batch,), _path_of(batch, part), ArrayText(part.to_text))
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

    def _listed_keys(self, batch: Batch, key: RowKey, items: int) -> FromClause:
        """The same keys, each value of which is a parameter."""
        names = ["position", "owner", *(f"key_{number}" for number, _ in enumerate(key))]
        types = [unmodified(part.comparison.type_text) for part in key]
        data = [
            (
                self.number(batch, item),
                self.number(batch, item, of_owner=True),
                *(
                    self.planning.bind(self.objects, ItemText(batch, item, _path_of(batch, part), part.to_text), type_)
                    for part, type_ in zip(key, types, strict=True)
                ),
            )
            for item in range(items)
        ]
        return value_rows(*(sql_column(name) for name in names), name=self.planning.alias("keys")).data(data)

    def number(self, batch: Batch, item: int, *, of_owner: bool = False) -> ColumnElement[Any]:
        """The number of one item of a batch, or of its owner."""
        return self.planning.bind(self.objects, ItemNumber(batch, item, of_owner), "integer")

    def positions(self, *batches: Batch) -> ColumnElement[Any]:
        """The numbers of the items of batches."""
        return self.planning.bind(self.objects, Positions(batches), "integer[]")

    def _owners(self, batch: Batch) -> ColumnElement[Any]:
        return self.planning.bind(self.objects, Positions((batch,), of_owners=True), "integer[]")

    def array(self, batches: Sequence[Batch], member: str, column: ApiColumn) -> ColumnElement[Any]:
        """The values that the objects of batches have in a member, as an array."""
        within: Callable[[ToText], ToText] = partial(Values, tuple(batches), (member,))
        return array_for(self.field, column, self.objects, within)

    def unnest(self, arrays: Mapping[str, ColumnElement[Any]], stem: str) -> FromClause:
        """Arrays of the same length, unnested to rows."""
        rows = unnest(*arrays.values()).table_valued(*arrays)
        return rows.render_derived(name=self.planning.alias(stem))

    def type_text(self, relation: ApiRelation, name: str) -> str:
        """The type of a column, without a modifier such as a length."""
        types = {each.name: each.type for each in relation.relation.columns}
        return self.field.api.catalog.type_by_oid[types[name]].text

    # The keys that were passed on

    def keys(self, place: ObjectPlace) -> KeysOfPlace:
        """The keys of a place's rows."""
        return self.keys_of(self.kept[place], self.handed_on_at(place))

    def keys_of(self, kept: Sequence[Kept], names: tuple[str, ...]) -> KeysOfPlace:
        """The keys in ``kept``, which consist of the columns ``names``."""
        texts = all_of(kept)
        positions = self.positions(*(batch for each in kept for batch in each.batches))
        keys = builtin.jsonb_array_elements(texts).table_valued("key", with_ordinality="number")
        keys = keys.render_derived(name=self.planning.alias("keys"))
        places = builtin.unnest(positions).table_valued("position", with_ordinality="number")
        places = places.render_derived(name=self.planning.alias("places"))
        joined = keys.c.number.op("=", is_comparison=True)(places.c.number)
        return KeysOfPlace(keys.c.key, names, (keys, places), joined, places.c.position)


def _path_of(batch: Batch, part: KeyPart) -> tuple[str, ...]:
    return (str(batch.sort.key), *((part.member,) if part.member else ()))


def _of_several_tenants() -> RequestError:
    message = "Objects with others inside them are for several tenants, or do not name theirs."
    return refused(message, "Send a mutation field for each tenant, and name it in the objects.")
