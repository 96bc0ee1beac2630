"""Orders by related rows: the same as in SQL, in both directions, for roles that may read the columns."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.graphql.test_rights import changed, members, printed
from tests.postgres_server import PostgresServer, connect

SCHEMA = """
create table team (id int primary key, name text);
create table author (id int primary key, name text, team_id int references team, secret int);
create table book (id int primary key, author_id int references author, score int, weight float8, price money);
create function shown(author) returns text stable language sql as $$ select coalesce($1.name, 'nobody') $$;
comment on function shown is '@graphql({"orderBy": true})';
create function unlisted(author) returns text stable language sql as 'select $1.name';
create function changing(author) returns text volatile language sql as 'select $1.name';
comment on function changing is '@graphql({"orderBy": true})';
comment on schema public is '@graphql({"max_rows": 100})';
comment on table author is '@graphql({"aggregate": {"enabled": true}})';
comment on table book is '@graphql({"aggregate": {"enabled": true}})';
grant select on all tables in schema public to anon;
"""
HIDING = """
alter table author enable row level security; create policy hidden on author using (name is distinct from 'h');
alter table book enable row level security; create policy hidden on book using (score is distinct from 0);
"""


@pytest.fixture
def api(start_api: StartApi) -> Api:
    return start_api(SCHEMA)


def edges(api: Api, arguments: str, collection: str = "bookCollection") -> list[tuple[int, str]]:
    selection = "edges { cursor node { id } }"
    data = api.ask(f"{{ {collection}({arguments}) {{ {selection} }} }}").data
    return [(edge["node"]["id"], edge["cursor"]) for edge in data[collection]["edges"]]


# Against plain SQL

AUTHOR = "from author a where a.id = b.author_id"
BOOKS = "from author a join book x on x.author_id = a.id where a.id = b.author_id"
TERMS = {
    "{{score: {}}}": "b.score",
    "{{author: {{name: {}}}}}": f"(select a.name {AUTHOR})",
    "{{author: {{shown: {}}}}}": f"(select coalesce(a.name, 'nobody') {AUTHOR})",
    "{{author: {{team: {{name: {}}}}}}}": (
        "(select t.name from author a join team t on t.id = a.team_id where a.id = b.author_id)"
    ),
    "{{author: {{bookCollection: {{count: {}}}}}}}": f"(select count(*) {BOOKS})",
    "{{author: {{bookCollection: {{max: {{score: {}}}}}}}}}": f"(select max(x.score) {BOOKS})",
    "{{author: {{bookCollection: {{avg: {{weight: {}}}}}}}}}": f"(select avg(x.weight::numeric) {BOOKS})",
    "{{author: {{bookCollection: {{sum: {{price: {}}}}}}}}}": f"(select sum(x.price::numeric) {BOOKS})",
}
DIRECTIONS = {
    "AscNullsFirst": "asc nulls first",
    "AscNullsLast": "asc nulls last",
    "DescNullsFirst": "desc nulls first",
    "DescNullsLast": "desc nulls last",
}
FEW = st.one_of(st.none(), st.integers(0, 2))
TEAMS = st.lists(st.sampled_from([None, "x", "y"]), min_size=1, max_size=2)
AUTHORS = st.lists(st.tuples(st.sampled_from([None, "a", "b", "h"]), FEW), min_size=1, max_size=4)
BOOK_ROWS = st.lists(st.tuples(FEW, FEW, st.sampled_from([None, 0.5, 1.25])), max_size=8)
ORDERS = st.lists(st.tuples(st.sampled_from([*TERMS]), st.sampled_from([*DIRECTIONS])), min_size=1, max_size=3)


def inserts(teams: Sequence[Any], authors: Sequence[Any], books: Sequence[Any]) -> str:
    def text(value: Any) -> str:
        return "null" if value is None else f"'{value}'"

    def one_of(place: int | None, rows: Sequence[Any]) -> str:
        return "null" if place is None or place >= len(rows) else str(place)

    statements = ["truncate team cascade"]
    statements += [f"insert into team values ({k}, {text(name)})" for k, name in enumerate(teams)]
    statements += [
        f"insert into author values ({k}, {text(name)}, {one_of(team, teams)})"
        for k, (name, team) in enumerate(authors)
    ]
    statements += [
        f"insert into book values ({k}, {one_of(author, authors)}, {text(score)}, {text(weight)}, {text(weight)})"
        for k, (author, score, weight) in enumerate(books)
    ]
    return "; ".join(statements)


@pytest.mark.parametrize("policies", ["", HIDING], ids=["all rows", "hidden rows"])
def test_orders_equal_those_of_sql(reading_api: StartApi, policies: str) -> None:
    api = reading_api(SCHEMA + policies)
    database = connect(api.database_url)

    @settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(TEAMS, AUTHORS, BOOK_ROWS, ORDERS, st.integers(1, 4))
    def check(teams: Any, authors: Any, books: Any, order: list[tuple[str, str]], size: int) -> None:
        database.execute_simple(inserts(teams, authors, books))
        by = ", ".join(f"{TERMS[term]} {DIRECTIONS[direction]}" for term, direction in order)
        rows = database.execute_simple(f"set role anon; select b.id from book b order by {by}, b.id").rows or []
        database.execute_simple("reset role")
        expected = [row[0] for row in rows]
        asked = f"orderBy: [{', '.join(term.format(direction) for term, direction in order)}]"
        everything = edges(api, asked)
        assert [id_ for id_, _ in everything] == expected, by
        for place, (_, cursor) in enumerate(everything):
            after = edges(api, f'{asked}, after: "{cursor}", first: {size}')
            before = edges(api, f'{asked}, before: "{cursor}", last: {size}')
            assert [id_ for id_, _ in after] == expected[place + 1 : place + 1 + size], by
            assert [id_ for id_, _ in before] == expected[max(0, place - size) : place], by

    try:
        check()
    finally:
        database.close()


def test_rows_that_are_absent_count_as_none(api: Api, postgres: PostgresServer) -> None:
    postgres.execute(inserts(["x"], [("a", 0)], [(0, 1, 1), (None, 1, 1)]), api.database_url)
    for direction, expected in (("AscNullsLast", [1, 0]), ("DescNullsFirst", [0, 1])):
        found = edges(api, f"orderBy: [{{author: {{bookCollection: {{count: {direction}}}}}}}]")
        assert [id_ for id_, _ in found] == expected
    shown = edges(api, "orderBy: [{author: {shown: AscNullsFirst}}]")
    assert json.loads(base64.b64decode(shown[0][1])) == [None, 1]


def test_many_elements_and_long_names_work(start_api: StartApi) -> None:
    table = f"{'long' * 15}_"
    columns = [f"c{number}" for number in range(25)]
    api = start_api(
        f"""create table {table}1 (id int primary key); create table {table}2 (id int primary key references {table}1);
        create table {table}3 (id int primary key references {table}2);
        create table {table}4 (id int primary key references {table}3, {" int, ".join(columns)} int);
        comment on table {table}4 is '@graphql({{"name": "last", "aggregate": {{"enabled": true}}}})';
        create table child (id int primary key, last_id int references {table}4, {" int, ".join(columns)} int);
        comment on table child is '@graphql({{"aggregate": {{"enabled": true}}}})';
        insert into {table}1 values (1), (2); insert into {table}2 values (1), (2);
        insert into {table}3 values (1), (2);
        insert into {table}4 values (1), (2); insert into child (id, last_id, c24) values (1, 1, 2), (2, 2, 1);
        grant select on all tables in schema public to anon"""
    )
    by_children = [
        {"childCollection": {name: {column: "AscNullsLast"}}} for column in columns for name in ("sum", "max")
    ]
    by_one = [{f"{table}3": {f"{table}2": {f"{table}1": {"id": "AscNullsLast"}}}}]
    query = "query ($o: [lastOrderBy!]) { lastCollection(orderBy: $o) { edges { cursor node { id } } } }"
    found = api.ask(query, {"o": [*by_children[1:], *by_one]}).data["lastCollection"]["edges"]
    assert [edge["node"]["id"] for edge in found] == [2, 1]
    assert json.loads(base64.b64decode(found[0]["cursor"])) == [*[None] * 47, 1, 1, 2, 2]
    refused = api.ask(query, {"o": [*by_children, *by_one]})
    assert refused.code == "LIMIT_EXCEEDED"
    assert refused.message == "orderBy has more than 50 elements by related rows or computed fields"


# Types


def test_orders_have_members_for_relationships(api: Api) -> None:
    sdl = printed(api)
    assert members(sdl, "bookOrderBy") == ["id", "author_id", "score", "weight", "price", "author"]
    assert members(sdl, "authorOrderBy") == ["id", "name", "team_id", "secret", "shown", "team", "bookCollection"]
    assert members(sdl, "teamOrderBy") == ["id", "name", "authorCollection"]
    assert members(sdl, "bookManyOrderBy") == ["count", "sum", "avg", "min", "max"]
    assert members(sdl, "bookSumOrderBy") == ["id", "author_id", "score", "weight", "price"]
    assert members(sdl, "authorMinOrderBy") == ["id", "name", "team_id", "secret"]


def test_orders_by_aggregates_need_the_directive(api: Api, postgres: PostgresServer) -> None:
    changed(postgres, api, "comment on table book is null")
    assert members(printed(api), "bookManyOrderBy") == ["count"]
    assert "bookSumOrderBy" not in printed(api)


def test_a_taken_name_gets_a_suffix(start_api: StartApi) -> None:
    api = start_api(
        """create table a (id int primary key, b int); create table b (id int primary key references a);
        comment on constraint b_id_fkey on b is '@graphql({"local_name": "b"})';
        create table "bManyOrderBy" (id int primary key); create table c (id int primary key, b_id int references b);
        create type "cManyOrderBy" as enum ('x'); create table d (e "cManyOrderBy", id int primary key);
        grant select on all tables in schema public to anon"""
    )
    sdl = printed(api)
    # The column stands, and so do the type of a relation and an enum.
    assert members(sdl, "aOrderBy") == ["id", "b"]
    assert "\n  b: OrderByDirection" in sdl[sdl.index("input aOrderBy ") :]
    assert members(sdl, "bManyOrderBy") == ["nodeId", "id"]
    assert members(sdl, "cManyOrderBy") == ["x"]
    assert members(sdl, "cManyOrderBy_") == ["count"]
    assert api.ask("{ bCollection(orderBy: [{cCollection: {count: AscNullsLast}}]) { edges { cursor } } }").data


def test_relations_without_other_orders_have_related_ones(start_api: StartApi) -> None:
    api = start_api(
        """create table kind (id json); create view one as select 1 as id, '{}'::json as data;
        create view leaf as select '{}'::json as id, '{}'::json as one_id; create table last (id int primary key);
        comment on view leaf is '@graphql({"primary_key_columns": ["id"], "foreign_keys": [{"local_columns": ["id"],
          "foreign_schema": "public", "foreign_table": "last", "foreign_columns": ["id"]}]})';
        grant select on all tables in schema public to anon"""
    )
    assert members(printed(api), "leafOrderBy") == ["last"]


@pytest.mark.parametrize(
    ("dialect", "features"), [("standard", ("-relation_orders",)), ("pg_graphql", ("all",))], ids=["off", "pg_graphql"]
)
def test_related_orders_do_not_exist_without_the_feature(
    start_api: StartApi, dialect: str, features: tuple[str, ...]
) -> None:
    sdl = printed(start_api(SCHEMA, graphql_dialect=dialect, graphql_features=features))
    assert "ManyOrderBy" not in sdl
    assert members(sdl, "authorOrderBy") == ["id", "name", "team_id", "secret"]


# Rights


def test_a_missing_privilege_removes_the_member(api: Api, postgres: PostgresServer) -> None:
    columns = "grant select (id, name, team_id) on author to anon"
    changed(postgres, api, f"revoke select on author from anon; {columns}")
    sdl = printed(api)
    assert members(sdl, "authorOrderBy") == ["id", "name", "team_id", "team", "bookCollection"]
    assert members(sdl, "authorMinOrderBy") == ["id", "name", "team_id"]
    assert edges(api, "orderBy: [{author: {name: AscNullsLast}}]") == []
    changed(postgres, api, "revoke select (team_id) on author from anon")
    assert members(printed(api), "authorOrderBy") == ["id", "name", "bookCollection"]
    assert members(printed(api), "teamOrderBy") == ["id", "name"]
    changed(postgres, api, "revoke select (id) on author from anon")
    assert members(printed(api), "bookOrderBy") == ["id", "author_id", "score", "weight", "price"]
    changed(postgres, api, "grant select (id) on author to anon; revoke select on book from anon")
    assert members(printed(api), "authorOrderBy") == ["id", "name"]
    assert "bookManyOrderBy" not in printed(api)


def test_a_computed_field_needs_execute(api: Api, postgres: PostgresServer) -> None:
    changed(postgres, api, "revoke execute on function shown from public")
    assert "shown" not in members(printed(api), "authorOrderBy")


def test_rows_with_an_unreadable_key_are_ordered(start_api: StartApi) -> None:
    api = start_api(
        SCHEMA + "revoke select on book from anon; grant select (author_id, score) on book to anon;"
        + inserts(["x"], [("b", 0), ("a", None)], [(0, 1, 1), (1, 1, 2), (0, 1, 3), (None, 1, 4), (0, 1, 5)])
    )  # fmt: skip
    asked, found, cursor = "orderBy: [{author: {name: DescNullsFirst}}], first: 2", [], ""
    for _ in range(3):
        selection = "edges { node { author { name } } } pageInfo { endCursor }"
        page = api.ask(f"{{ bookCollection({asked}{cursor}) {{ {selection} }} }}").data["bookCollection"]
        found += [edge["node"]["author"] for edge in page["edges"]]
        cursor = f', after: "{page["pageInfo"]["endCursor"]}"'
    assert found == [None, *[{"name": "b"}] * 3, {"name": "a"}]


# Refused requests


@pytest.mark.parametrize(
    "order",
    [
        "[{author: {name: AscNullsLast}, score: AscNullsLast}]",
        "[{author: {name: AscNullsLast, id: AscNullsLast}}]",
        "[{author: {bookCollection: {count: AscNullsLast, sum: {score: AscNullsLast}}}}]",
        "[{author: {bookCollection: {sum: {score: AscNullsLast, id: AscNullsLast}}}}]",
    ],
)
def test_several_keys_at_any_level_are_refused(api: Api, order: str) -> None:
    refused = api.ask(f"{{ bookCollection(orderBy: {order}) {{ edges {{ cursor }} }} }}")
    assert refused.code == "BAD_USER_INPUT"
    assert refused.message.startswith("An element of orderBy names one column: ")


def test_too_many_steps_are_refused(start_api: StartApi) -> None:
    tables = "; ".join(f"create table t{k} (id int primary key references t{k - 1})" for k in range(1, 7))
    api = start_api(
        f"create table t0 (id int primary key); {tables}; grant select on all tables in schema public to anon"
    )
    four = "{t5: {t4: {t3: {t2: {id: AscNullsLast}}}}}"
    assert edges(api, f"orderBy: [{four}]", "t6Collection") == []
    many = "{t1: {id: AscNullsLast}}"
    for place in (2, 3, 4, 5):
        many = f"{{t{place}: {many}}}"
    refused = api.ask(f"{{ t6Collection(orderBy: [{many}]) {{ edges {{ cursor }} }} }}")
    assert refused.code == "LIMIT_EXCEEDED"
    assert refused.message == "An element of orderBy follows more than 4 relationships to one row"


def test_empty_orders_have_no_effect(api: Api, postgres: PostgresServer) -> None:
    postgres.execute(inserts(["x"], [("a", 0)], [(0, 1, 1), (0, 0, 1)]), api.database_url)
    for nothing in ("{}", "{author: null}", "{author: {}}", "{author: {name: null}}", "{author: {bookCollection: {}}}"):
        assert [id_ for id_, _ in edges(api, f"orderBy: [{nothing}]")] == [0, 1]
    query = "query ($o: [bookOrderBy!]) { bookCollection(orderBy: $o) { edges { node { id } } } }"
    by_score: dict[str, Any] = {"score": "AscNullsLast"}
    for given_order, expected in (
        ([{"author": None}], [0, 1]),
        ([{"author": {"name": "AscNullsLast"}}, by_score], [1, 0]),
    ):
        found = api.ask(query, {"o": given_order}).data["bookCollection"]["edges"]
        assert [edge["node"]["id"] for edge in found] == expected


def test_a_cursor_of_another_order_is_refused(api: Api) -> None:
    refused = api.ask(
        '{ bookCollection(orderBy: [{author: {name: AscNullsLast}}], after: "WzEsIDIsIDNd") { edges { cursor } } }'
    )
    assert refused.message == "orderBy clause incompatible with pagination cursor"
