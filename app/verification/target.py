"""One relation that is compared: its names in the API, its table in SQL, and a row of it as both have it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from graphql import GraphQLField, get_named_type, is_leaf_type
from sqlalchemy import ColumnElement, FromClause, Select, String, cast, select

from app.graphql.schema import names
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.relations import ApiColumn, ApiRelation
from app.verification.questions import Api, Question, arguments, edges, nodes
from app.verification.report import Verification
from app.verification.result import Value
from app.verification.sql import Sql, listed, typed
from app.verification.values import Same, equality

ROWS = 5
"""How many rows of each relation are read."""

PAGE = 30
"""How many rows of those that match a filter are compared."""


@dataclass(frozen=True)
class Side:
    """Both sides that are compared, and where it is reported. ``schema`` is what the role sees."""

    schema: ApiSchema
    api: Api
    sql: Sql
    report: Verification


@dataclass(frozen=True, slots=True)
class Sample:
    """A row. ``ours``: what the API printed, by field name; ``texts``: PostgreSQL's texts of its values, by column."""

    ours: Mapping[str, Any]
    texts: Mapping[str, str | None]


@dataclass(frozen=True)
class ComparedRelation:
    """A relation of ``side`` whose key the role may read and the comparison can judge."""

    side: Side
    relation: ApiRelation
    field_name: str

    @cached_property
    def name(self) -> str:
        return f"{self.relation.relation.schema}.{self.relation.relation.name}"

    @cached_property
    def field(self) -> GraphQLField:
        query: Any = self.side.schema.graphql.query_type
        found: GraphQLField = query.fields[self.field_name]
        return found

    @cached_property
    def connection(self) -> Mapping[str, GraphQLField]:
        named: Any = get_named_type(self.field.type)
        fields: Mapping[str, GraphQLField] = named.fields
        return fields

    @cached_property
    def columns(self) -> Mapping[str, ApiColumn]:
        """The columns whose values have no members, by their field names."""
        fields = self.side.schema.object_type(self.relation).fields
        return {
            each.field_name: each
            for each in self.relation.columns
            if each.field_name in fields and is_leaf_type(get_named_type(each.type.graphql))
        }

    @cached_property
    def judged(self) -> Mapping[str, Same]:
        """How the values of columns are compared, by field name; those that cannot be are missing."""
        found = {name: equality(self.side.schema, each) for name, each in self.columns.items()}
        return {name: same for name, same in found.items() if same is not None}

    @cached_property
    def key(self) -> Sequence[ApiColumn]:
        return [self.relation.by_name[name] for name in self.relation.key]

    def argument_members(self, argument: str) -> Mapping[str, Any]:
        """The members of the input type of one of the collection's arguments; empty without it."""
        found = self.field.args.get(argument)
        named: Any = None if found is None else get_named_type(found.type)
        members: Mapping[str, Any] = getattr(named, "fields", {})
        return members

    # Pages of keys: what most comparisons are about

    @property
    def key_selection(self) -> str:
        return " ".join(each.field_name for each in self.key)

    def page(self, variables: Sequence[tuple[str, Any]] = (), **given: str | None) -> Question:
        """Asks for the keys of a page."""
        return Question(f"{self.field_name}{arguments(**given)} {edges(self.key_selection)}", tuple(variables))

    def keys(
        self, table: FromClause, *conditions: ColumnElement[Any], order: Sequence[Any] = (), limit: int = PAGE
    ) -> Select[Any]:
        """The same in SQL."""
        columns = [table.c[each.name] for each in self.key]
        rows = select(*columns).select_from(table).where(*conditions).order_by(*order, *columns).limit(limit)
        return listed(rows.subquery())

    def same_keys(self, ours: Any, sql: Any) -> bool:
        """Whether the data of a page has the keys that SQL listed."""
        return self.same_key_rows(nodes(ours), sql)

    def same_key_rows(self, ours: Sequence[Mapping[str, Any]], sql: Sequence[Sequence[Any]]) -> bool:
        return len(ours) == len(sql) and all(map(self.same_key, ours, sql))

    def same_key(self, ours: Mapping[str, Any] | None, sql: Sequence[Any] | None) -> bool:
        if ours is None or sql is None:
            return ours is None and sql is None
        return all(
            self.judged[each.field_name](ours[each.field_name], value)
            for each, value in zip(self.key, sql, strict=True)
        )

    def compare(
        self,
        kind: str,
        asked: Sequence[tuple[str, Question, Select[Any]]],
        same: Callable[[Any, Any], bool] | None = None,
    ) -> None:
        """Compare the answers to questions, each with its subject, with those to queries; pages of keys by default."""
        side = self.side
        results = side.api.ask([question for _, question, _ in asked])
        for (subject, question, query), result in zip(asked, results, strict=True):
            side.report.compare(
                kind,
                f"{self.name} {subject}".rstrip(),
                question,
                partial(side.api.ask_one, question),
                partial(side.sql.value, query),
                same or self.same_keys,
                result,
            )

    # A row to try things with

    def sample(self) -> Sample | None:
        """The row among the first ones that has the most values, None without any."""
        selection = " ".join(self.columns)
        page = self.side.api.ask_one(Question(f"{self.field_name}(first: {ROWS}) {edges(selection)}"))
        ours = nodes(page.data) if isinstance(page, Value) else []
        if not ours:
            return None
        row = max(ours, key=lambda each: sum(value is not None for value in each.values()))
        table = self.relation.table
        texts = [cast(table.c[each.name], String) for each in self.columns.values()]
        key = [table.c[each.name] for each in self.key]
        rows = select(*texts).select_from(table).order_by(*key).limit(1).offset(ours.index(row))
        found = self.side.sql.value(listed(rows.subquery()))
        if not isinstance(found, Value) or not found.data:
            return None
        names_of = [each.name for each in self.columns.values()]
        return Sample(row, dict(zip(names_of, found.data[0], strict=True)))

    def is_the_row(self, sample: Sample) -> list[ColumnElement[Any]]:
        """The conditions of SQL that a row is the sample."""
        table = self.relation.table
        return [table.c[each.name] == typed(sample.texts[each.name], each.column.type_text) for each in self.key]


def target_of(side: Side, relation: ApiRelation) -> ComparedRelation | str:
    """The target for a relation, or the reason why it cannot be one."""
    field_name = f"{names.lower_first(relation.type_name)}Collection"
    query = side.schema.graphql.query_type
    if query is None or field_name not in query.fields:
        return "it has no collection"
    if not relation.has_readable_key:
        return "the role may not read its key"
    target = ComparedRelation(side, relation, field_name)
    if any(each.field_name not in target.judged for each in target.key):
        return "its key has a type whose values are not compared"
    return target
