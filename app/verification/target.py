"""One compared relation: its names in the API, its table in SQL, and a sample row as both have it."""

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
"""How many of the rows that match a filter are compared."""


@dataclass(frozen=True)
class Sides:
    """Both sides of a comparison, and the report. ``schema``: the role's schema."""

    schema: ApiSchema
    api: Api
    sql: Sql
    report: Verification


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample row. ``printed``: its values as the API prints them, by field name. ``texts``: its values as
    PostgreSQL's text, by column name."""

    printed: Mapping[str, Any]
    texts: Mapping[str, str | None]


@dataclass(frozen=True)
class ComparedRelation:
    """A relation whose key the role may read, and whose key values can be compared."""

    sides: Sides
    relation: ApiRelation
    field_name: str

    @cached_property
    def name(self) -> str:
        return f"{self.relation.relation.schema}.{self.relation.relation.name}"

    @cached_property
    def field(self) -> GraphQLField:
        query: Any = self.sides.schema.graphql.query_type
        found: GraphQLField = query.fields[self.field_name]
        return found

    @cached_property
    def connection(self) -> Mapping[str, GraphQLField]:
        named: Any = get_named_type(self.field.type)
        fields: Mapping[str, GraphQLField] = named.fields
        return fields

    @cached_property
    def columns(self) -> Mapping[str, ApiColumn]:
        """The columns with scalar or enum values, by field name."""
        fields = self.sides.schema.object_type(self.relation).fields
        return {
            each.field_name: each
            for each in self.relation.columns
            if each.field_name in fields and is_leaf_type(get_named_type(each.type.graphql))
        }

    @cached_property
    def comparators(self) -> Mapping[str, Same]:
        """For each column the function that compares a value of the API with one of SQL, by field name. Columns whose
        values cannot be compared are missing."""
        found = {name: equality(self.sides.schema, each) for name, each in self.columns.items()}
        return {name: same for name, same in found.items() if same is not None}

    @cached_property
    def key(self) -> Sequence[ApiColumn]:
        return [self.relation.by_name[name] for name in self.relation.key]

    def argument_members(self, argument: str) -> Mapping[str, Any]:
        """The members of the input type of an argument of the collection; empty if it has no such argument."""
        found = self.field.args.get(argument)
        named: Any = None if found is None else get_named_type(found.type)
        members: Mapping[str, Any] = getattr(named, "fields", {})
        return members

    # Pages of keys, which most comparisons use

    @property
    def key_selection(self) -> str:
        return " ".join(each.field_name for each in self.key)

    def page(self, variables: Sequence[tuple[str, Any]] = (), **given: str | None) -> Question:
        """The question for the keys of a page."""
        return Question(f"{self.field_name}{arguments(**given)} {edges(self.key_selection)}", tuple(variables))

    def keys(
        self, table: FromClause, *conditions: ColumnElement[Any], order: Sequence[Any] = (), limit: int = PAGE
    ) -> Select[Any]:
        """The SQL query for the keys of a page."""
        columns = [table.c[each.name] for each in self.key]
        rows = select(*columns).select_from(table).where(*conditions).order_by(*order, *columns).limit(limit)
        return listed(rows.subquery())

    def same_keys(self, printed: Any, sql: Any) -> bool:
        """Whether a page of the API has the same keys as the rows from SQL."""
        return self.same_key_rows(nodes(printed), sql)

    def same_key_rows(self, printed: Sequence[Mapping[str, Any]], sql: Sequence[Sequence[Any]]) -> bool:
        return len(printed) == len(sql) and all(map(self.same_key, printed, sql))

    def same_key(self, printed: Mapping[str, Any] | None, sql: Sequence[Any] | None) -> bool:
        if printed is None or sql is None:
            return printed is None and sql is None
        return all(
            self.comparators[each.field_name](printed[each.field_name], value)
            for each, value in zip(self.key, sql, strict=True)
        )

    def compare(
        self,
        kind: str,
        comparisons: Sequence[tuple[str, Question, Select[Any]]],
        same: Callable[[Any, Any], bool] | None = None,
    ) -> None:
        """Compare the result of each question with that of its query. Each comparison is a subject, a question and a
        query. ``same`` compares the data of the two results; by default these are pages of keys."""
        sides = self.sides
        results = sides.api.ask([question for _, question, _ in comparisons])
        for (subject, question, query), result in zip(comparisons, results, strict=True):
            sides.report.compare(
                kind,
                f"{self.name} {subject}".rstrip(),
                question,
                partial(sides.api.ask_one, question),
                partial(sides.sql.value, query),
                same or self.same_keys,
                result,
            )

    # The sample row

    def sample(self) -> Sample | None:
        """The row with the most non-null values among the first ones; None if the relation is empty or cannot be
        read."""
        selection = " ".join(self.columns)
        page = self.sides.api.ask_one(Question(f"{self.field_name}(first: {ROWS}) {edges(selection)}"))
        printed = nodes(page.data) if isinstance(page, Value) else []
        if not printed:
            return None
        row = max(printed, key=lambda each: sum(value is not None for value in each.values()))
        table = self.relation.table
        texts = [cast(table.c[each.name], String) for each in self.columns.values()]
        key = [table.c[each.name] for each in self.key]
        rows = select(*texts).select_from(table).order_by(*key).limit(1).offset(printed.index(row))
        found = self.sides.sql.value(listed(rows.subquery()))
        if not isinstance(found, Value) or not found.data:
            return None
        names_of = [each.name for each in self.columns.values()]
        return Sample(row, dict(zip(names_of, found.data[0], strict=True)))

    def is_the_row(self, sample: Sample) -> list[ColumnElement[Any]]:
        """The SQL conditions that select the sample row."""
        table = self.relation.table
        return [table.c[each.name] == typed(sample.texts[each.name], each.column.type_text) for each in self.key]


def target_of(sides: Sides, relation: ApiRelation) -> ComparedRelation | str:
    """The relation ready for comparison, or the reason why it cannot be compared."""
    field_name = f"{names.lower_first(relation.type_name)}Collection"
    query = sides.schema.graphql.query_type
    if query is None or field_name not in query.fields:
        return "it has no collection"
    if not relation.has_readable_key:
        return "the role may not read its key"
    target = ComparedRelation(sides, relation, field_name)
    if any(each.field_name not in target.comparators for each in target.key):
        return "its key has a type whose values are not compared"
    return target
