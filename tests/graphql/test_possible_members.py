"""Every member of the schema works: each is tried on values of every type that the server has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLObjectType,
    get_named_type,
    is_list_type,
    is_scalar_type,
)

from app.graphql.values.types import Patterns
from app.query.filter.operators import FURTHER_PATTERNS, PATTERNS, with_patterns
from tests.graphql.api import Answer, Api
from tests.graphql.conftest import StartApi
from tests.graphql.types_of_server import ServerType, table, types_of
from tests.postgres_server import PostgresServer

IMPOSSIBLE = {"42883", "42725", "42804", "0A000", "428C9", "42P18"}
"""PostgreSQL's messages about operators and functions that it does not have, or not for these types."""

LEVELS = 2
"""How deep a selection or an input is followed."""


def schema_of(number: int, type_: ServerType) -> str:
    return f"""{table(number, type_)}
        comment on table t_{number} is '@graphql({{"aggregate": {{"enabled": true}}}})';
        create table r_{number} (id int primary key, t int references t_{number});
        insert into r_{number} values (1, 1), (2, 2);
        create function c_{number}(t_{number}) returns {type_.sql} language sql stable as 'select $1.v';
        comment on function c_{number} is '@graphql({{"filter": true, "orderBy": true}})';
        create function l_{number}(t_{number}) returns {type_.sql}[] language sql stable as 'select $1.vs';
        comment on function l_{number} is '@graphql({{"filter": true, "orderBy": true}})';
        """


@pytest.fixture(scope="module")
def all_types(postgres: PostgresServer) -> tuple[str, list[ServerType]]:
    made, types = types_of(postgres)
    tables = "".join(schema_of(number, each) for number, each in enumerate(types))
    return made + tables + "grant all on all tables in schema public to anon;", types


class Walk:
    """Tries what the schema has for one table."""

    def __init__(self, api: Api, name: str) -> None:
        self.api, self.name = api, name
        self.types: Any = api.application.services.engine.role_schemas.of_role("anon").graphql.type_map
        self.row = self._row()

    def _row(self) -> dict[str, Any]:
        fields = self.types[self.name].fields
        plain = [name for name, each in fields.items() if not isinstance(get_named_type(each.type), GraphQLObjectType)]
        query = f"{{ {self.name}Collection(first: 1) {{ edges {{ node {{ {' '.join(plain)} }} }} }} }}"
        row: dict[str, Any] = self.api.ask(query).data[f"{self.name}Collection"]["edges"][0]["node"]
        return row

    def problems(self) -> Iterator[str]:
        """The failures of all members of a kind in one request, or if that fails, of each in its own request."""
        of_row = {kind: self.types.get(f"{self.name}{kind}") for kind in ("OrderBy", "Filter", "Column", "GroupBy")}
        values = {kind: list(self._values(each, LEVELS, self.row)) for kind, each in of_row.items() if each is not None}
        page, name = self._of_page, self.name
        yield from self._tried(values["OrderBy"], lambda some: page("orderBy", f"[{name}OrderBy!]", some))
        yield from self._tried(values.get("Column", []), lambda some: page("distinctOn", f"[{name}Column!]", some))
        yield from self._tried(values["Filter"], lambda some: page("filter", f"{name}Filter", {"and": some}))
        yield from self._tried(
            list(self._selections(self.types.get(f"{self.name}Aggregate"), LEVELS)), self._aggregated
        )
        yield from self._tried(values.get("GroupBy", []), self._grouped)

    def _tried(self, members: list[Any], problems: Callable[[list[Any]], Iterable[str]]) -> Iterator[str]:
        if members and any(problems(members)):
            for each in members:
                yield from problems([each])

    def _aggregated(self, paths: list[str]) -> Iterable[str]:
        fields = " ".join(f"a{number}: aggregate {{ {path} }}" for number, path in enumerate(paths))
        return self._failed(f"{{ {self.name}Collection {{ {fields} }} }}", f"aggregates {paths}")

    def _grouped(self, by: list[Any]) -> Iterable[str]:
        group = "groups(by: $by) { aggregate { count } }"
        query = f"query ($by: [{self.name}GroupBy!]!) {{ {self.name}Collection {{ {group} }} }}"
        return self._failed(query, f"groups {by}", {"by": by})

    def _of_page(self, argument: str, type_: str, value: Any) -> Iterator[str]:
        """The problems of a page and of the next page."""
        collection = f"{self.name}Collection({argument}: $given, first: 1, after: $after)"
        query = f"query ($given: {type_}, $after: Cursor) {{ {collection} {{ pageInfo {{ endCursor }} }} }}"
        answer = self.api.ask(query, {"given": value})
        yield from self._problem(answer, f"{argument} {value}")
        if not answer.errors:
            cursor = answer.data[f"{self.name}Collection"]["pageInfo"]["endCursor"]
            yield from self._problem(
                self.api.ask(query, {"given": value, "after": cursor}), f"{argument} {value} after"
            )

    def _failed(self, query: str, subject: str, variables: Any = None) -> Iterator[str]:
        return self._problem(self.api.ask(query, variables), subject)

    def _problem(self, answer: Answer, subject: str) -> Iterator[str]:
        for each in answer.errors:
            sqlstate = each.get("extensions", {}).get("sqlstate")
            if sqlstate in IMPOSSIBLE or each["extensions"]["code"] in ("GRAPHQL_VALIDATION_FAILED", "RESOLVER_FAILED"):
                yield f"{subject}: {sqlstate} {each['message']}"

    def _values(self, type_: Any, levels: int, value: Any) -> Iterator[Any]:
        """Values of an input type, one for each member; ``value`` is that of a column, or a row."""
        if is_list_type(type_):
            for each in self._values(type_.of_type, levels, value):
                yield each if isinstance(each, list) else [each]
            return
        if getattr(type_, "of_type", None) is not None:
            yield from self._values(type_.of_type, levels, value)
        elif isinstance(type_, GraphQLEnumType):
            yield from list(type_.values)[:1]
        elif is_scalar_type(type_):
            yield value if value is not None else {"Int": 1, "Boolean": True}.get(type_.name, "1")
        elif isinstance(type_, GraphQLInputObjectType) and levels:
            for name, member in type_.fields.items():
                below = value.get(name) if isinstance(value, dict) and levels == LEVELS else value
                for each in self._values(member.type, levels - 1, below):
                    yield {name: each}

    def _selections(self, type_: Any, levels: int) -> Iterator[str]:
        for name, each in type_.fields.items() if isinstance(type_, GraphQLObjectType) and levels else ():
            named = get_named_type(each.type)
            if isinstance(named, GraphQLObjectType):
                yield from (f"{name} {{ {below} }}" for below in self._selections(named, levels - 1))
            else:
                yield name


@pytest.mark.parametrize("value_types", [(), "all"])
def test_every_member_can_be_used(
    reading_api: StartApi, all_types: tuple[str, list[ServerType]], value_types: Any
) -> None:
    schema, types = all_types
    api = reading_api(schema, value_types=value_types)
    problems = []
    for number, type_ in enumerate(types):
        for name in (f"t_{number}", f"r_{number}") if value_types == () else (f"t_{number}",):
            problems += [f"{type_.name}: {each}" for each in Walk(api, name).problems()]
    assert not problems, "\n".join(problems)


VIEWS = """
create table made (
  id int generated always as identity primary key, own int generated by default as identity, n int,
  twice int generated always as (n * 2) stored);
create view shown as select id as key, own, n as number, twice from made where n in (select twice from made) or true;
create view shown_again as select key, number, twice, own from shown;
create view counted as select n, count(*) from made group by n;
create view with_sum as select id, n, n + 1 as more from made;
create view instead as select id, n from made;
create function instead() returns trigger language plpgsql as $$
  begin insert into made (n) values (new.n + coalesce(new.id, 0)) returning id into new.id; return new; end $$;
create trigger instead instead of insert on instead for each row execute function instead();
comment on view shown is '@graphql({"primary_key_columns": ["key"]})';
comment on view shown_again is '@graphql({"primary_key_columns": ["key"]})';
comment on view counted is '@graphql({"primary_key_columns": ["n"]})';
comment on view with_sum is '@graphql({"primary_key_columns": ["id"]})';
comment on view instead is '@graphql({"primary_key_columns": ["id"]})';
grant all on all tables in schema public to anon;
"""


def test_generated_columns_take_no_values_through_views(reading_api: StartApi) -> None:
    types: Any = reading_api(VIEWS).application.services.engine.role_schemas.of_role("anon").graphql.type_map
    inputs = {name: list(each.fields) for name, each in types.items() if name.endswith(("InsertInput", "UpdateInput"))}
    keyed = {name: each for name, each in inputs.items() if "Keyed" not in name}
    assert keyed == {
        "madeInsertInput": ["n"], "madeUpdateInput": ["n"],
        "shownInsertInput": ["own", "number"], "shownUpdateInput": ["own", "number"],
        "shown_againInsertInput": ["number", "own"], "shown_againUpdateInput": ["number", "own"],
        "with_sumInsertInput": ["n"], "with_sumUpdateInput": ["n"],
        # A trigger does what it likes with the values of new rows.
        "insteadInsertInput": ["id", "n"], "insteadUpdateInput": ["n"],
    }  # fmt: skip


def test_every_column_of_an_input_can_be_written(start_api: StartApi) -> None:
    api = start_api(VIEWS)
    for view, columns in (
        ("shown", {"own": 5, "number": 1}),
        ("shown_again", {"own": 6, "number": 1}),
        ("with_sum", {"n": 1}),
    ):
        query = (
            f"mutation ($o: [{view}InsertInput!]!) {{ insertInto{view}Collection(objects: $o) {{ affectedCount }} }}"
        )
        assert api.ask(query, {"o": [columns]}).data[f"insertInto{view}Collection"] == {"affectedCount": 1}
        query = f"""mutation ($s: {view}UpdateInput!) {{
            update{view}Collection(set: $s, atMost: 9) {{ affectedCount }} }}"""
        assert api.ask(query, {"s": columns}).data[f"update{view}Collection"]["affectedCount"]


COLLATED = """
create collation any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
create table named (name text collate any_case primary key, plain text, names text[] collate any_case);
insert into named values ('Ann', 'x', array['Ann']), ('ben', 'y', array['Ben']);
create view named_view as select name, plain from named;
grant all on all tables in schema public to anon;
"""


def test_texts_of_a_nondeterministic_collation_are_compared_without_patterns(
    reading_api: StartApi, postgres: PostgresServer
) -> None:
    if not postgres.execute("select 1 from pg_collation where collname = 'und-x-icu'"):
        pytest.skip("this server has no ICU")
    api = reading_api(COLLATED)
    types: Any = api.application.services.engine.role_schemas.of_role("anon").graphql.type_map
    filters = types["namedFilter"].fields
    assert {name: filters[name].type.name for name in ("name", "plain")} == {
        "name": "CollatedStringFilter", "plain": "StringFilter"
    }  # fmt: skip
    usual = set(types["StringFilter"].fields)
    members = set(types["CollatedStringFilter"].fields)
    patterns = {**PATTERNS, **FURTHER_PATTERNS}
    is_like = api.application.services.engine.role_schemas.of_role("anon").catalog.server_version >= 180000
    remaining = with_patterns(patterns, Patterns.LIKE if is_like else Patterns.NONE)
    assert usual - members == patterns.keys() - remaining.keys()
    like = with_patterns(patterns, Patterns.LIKE).keys()
    assert {"like", "likeAny"} <= like <= patterns.keys() - {"ilike", "regex", "startsWith"}
    assert not list(Walk(api, "named").problems())
    query = '{ namedCollection(filter: {name: {eq: "ANN"}}) { edges { node { name } } } }'
    assert api.ask(query).data["namedCollection"]["edges"] == [{"node": {"name": "Ann"}}]
