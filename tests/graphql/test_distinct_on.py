"""distinctOn: of rows that are equal in its columns the first by orderBy, then by the key."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.graphql.test_rights import changed, members, printed
from tests.postgres_server import PostgresServer, connect

SCHEMA = """
create table account (id int primary key, name text);
create table post (id int primary key, account_id int references account, title text, score int, data json);
create function loud(post) returns text stable language sql as 'select upper($1.title)';
create function posts() returns setof post stable language sql as 'select * from post';
comment on schema public is '@graphql({"max_rows": 100})';
comment on table post is '@graphql({"aggregate": {"enabled": true}, "totalCount": {"enabled": true}})';
grant select on all tables in schema public to anon;
"""
ROWS = """
insert into account values (1, 'Ann'), (2, 'Ben');
insert into post values (1, 1, 'a', 3), (2, 1, 'b', 5), (3, 2, 'a', 4), (4, null, 'a', null), (5, null, 'b', 1);
"""


@pytest.fixture
def api(reading_api: StartApi) -> Api:
    return reading_api(SCHEMA + ROWS)


def edges(api: Api, arguments: str, collection: str = "postCollection") -> list[tuple[int, str]]:
    data = api.ask(f"{{ {collection}({arguments}) {{ edges {{ cursor node {{ id }} }} }} }}").data
    return [(edge["node"]["id"], edge["cursor"]) for edge in data[collection]["edges"]]


def ids(api: Api, arguments: str, collection: str = "postCollection") -> list[int]:
    return [id_ for id_, _ in edges(api, arguments, collection)]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("distinctOn: [account_id]", [1, 3, 4]),
        ("distinctOn: account_id", [1, 3, 4]),
        ("distinctOn: [account_id, account_id]", [1, 3, 4]),
        ("distinctOn: [account_id, title]", [1, 2, 3, 4, 5]),
        ("distinctOn: [title]", [1, 2]),
        ("distinctOn: [account_id], orderBy: [{score: DescNullsLast}]", [2, 3, 5]),
        ("distinctOn: [account_id], orderBy: [{score: AscNullsFirst}]", [4, 1, 3]),
        ("distinctOn: [account_id], orderBy: [{account: {name: DescNullsFirst}}, {score: DescNullsLast}]", [5, 3, 2]),
        ('distinctOn: [account_id], filter: {title: {eq: "b"}}', [2, 5]),
        ("distinctOn: [account_id], first: 1, offset: 1", [3]),
        ("distinctOn: [account_id], last: 2", [3, 4]),
        ("distinctOn: []", [1, 2, 3, 4, 5]),
        ("distinctOn: null", [1, 2, 3, 4, 5]),
    ],
)
def test_the_first_row_of_each_value_remains(api: Api, arguments: str, expected: list[int]) -> None:
    assert ids(api, arguments) == expected


def test_totals_and_pages_cover_the_remaining_rows(api: Api) -> None:
    query = """{ postCollection(distinctOn: [account_id], first: 2, orderBy: [{score: DescNullsLast}]) {
      totalCount countUpTo aggregate { count sum { score } } pageInfo { hasNextPage hasPreviousPage }
      groups(by: [{title: Value}]) { key { title } aggregate { count } }
      edges { node { id loud account { name } } } } }"""
    assert api.ask(query).data["postCollection"] == {
        "totalCount": 3,
        "countUpTo": 3,
        "aggregate": {"count": 3, "sum": {"score": 10}},
        "pageInfo": {"hasNextPage": True, "hasPreviousPage": False},
        "groups": [
            {"key": {"title": "a"}, "aggregate": {"count": 1}},
            {"key": {"title": "b"}, "aggregate": {"count": 2}},
        ],
        "edges": [
            {"node": {"id": 2, "loud": "B", "account": {"name": "Ann"}}},
            {"node": {"id": 3, "loud": "A", "account": {"name": "Ben"}}},
        ],
    }


def test_nested_collections_and_functions_have_distinct_on(api: Api) -> None:
    assert ids(api, "distinctOn: [title]", "posts") == [1, 2]
    query = """query ($on: [postColumn!]) { accountCollection { edges { node {
      postCollection(distinctOn: $on) { edges { node { id } } } } } } }"""
    for on, expected in ((["account_id"], [[1], [3]]), (["title"], [[1, 2], [3]]), ([], [[1, 2], [3]])):
        found = api.ask(query, {"on": on}).data["accountCollection"]["edges"]
        assert [[each["node"]["id"] for each in edge["node"]["postCollection"]["edges"]] for edge in found] == expected


def test_an_argument_of_a_function_takes_precedence(reading_api: StartApi) -> None:
    own = """create function scored("distinctOn" int) returns setof post stable language sql
      as 'select * from post where score > "distinctOn"';"""
    api = reading_api(SCHEMA + own + ROWS)
    assert ids(api, "distinctOn: 3", "scored") == [2, 3]
    assert ids(api, "distinctOn: 0, first: 2", "scored") == [1, 2]


# Types


def test_distinct_on_lists_the_columns(api: Api, reading_api: StartApi) -> None:
    assert members(printed(api), "postColumn") == ["id", "account_id", "title", "score"]
    for off in ({"graphql_features": ("-distinct",)}, {"graphql_dialect": "pg_graphql"}):
        sdl = printed(reading_api(SCHEMA + ROWS, **off))
        assert "distinctOn" not in sdl
        assert "postColumn" not in sdl


def test_only_readable_columns_can_be_distinct(start_api: StartApi, postgres: PostgresServer) -> None:
    api = start_api(SCHEMA + ROWS)
    changed(postgres, api, "revoke select on post from anon; grant select (title, score) on post to anon")
    assert members(printed(api), "postColumn") == ["title", "score"]
    query = "{ postCollection(distinctOn: [title]) { edges { cursor node { title score } } totalCount } }"
    found = api.ask(query).data["postCollection"]
    assert [each["node"] for each in found["edges"]] == [{"title": "a", "score": 3}, {"title": "b", "score": 1}]
    changed(postgres, api, "revoke select (title, score) on post from anon; grant select (data) on post to anon")
    assert "postColumn" not in printed(api)


def test_a_hidden_row_is_not_the_first(start_api: StartApi, postgres: PostgresServer) -> None:
    api = start_api(SCHEMA + ROWS)
    changed(postgres, api, "alter table post enable row level security; create policy p on post using (id > 1)")
    assert ids(api, "distinctOn: [account_id]") == [2, 3, 4]


# Against plain SQL

COLUMNS = {"account_id": "p.account_id", "title": "p.title", "score": "p.score"}
ORDERS = {
    "{score: AscNullsFirst}": "p.score asc nulls first",
    "{title: DescNullsLast}": "p.title desc nulls last",
    "{account: {name: AscNullsLast}}": "(select a.name from account a where a.id = p.account_id) asc nulls last",
}
FEW = st.one_of(st.none(), st.integers(0, 2))
POSTS = st.lists(st.tuples(st.one_of(st.none(), st.integers(1, 2)), st.sampled_from([None, "a", "b"]), FEW), max_size=9)


def test_distinct_rows_equal_those_of_sql(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA)
    database = connect(api.database_url)

    @settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(
        POSTS,
        st.lists(st.sampled_from([*COLUMNS]), min_size=1, unique=True),
        st.lists(st.sampled_from([*ORDERS]), max_size=2, unique=True),
        st.integers(1, 3),
    )
    def check(posts: list[Any], on: list[str], order: list[str], size: int) -> None:
        def text(value: Any) -> str:
            return "null" if value is None else f"'{value}'"

        inserts = ["truncate account cascade; insert into account values (1, 'Ann'), (2, 'Ben')"]
        inserts += [f"insert into post values ({k}, {', '.join(map(text, each))})" for k, each in enumerate(posts)]
        database.execute_simple("; ".join(inserts))
        by = ", ".join([*(ORDERS[each] for each in order), "p.id"])
        equal = ", ".join(COLUMNS[each] for each in on)
        rows = database.execute_simple(
            f"""with n as (select p.*, row_number() over (partition by {equal} order by {by}) as place from post p)
            select p.id from n p where p.place = 1 order by {by}"""
        ).rows
        expected = [row[0] for row in rows or []]
        asked = f"distinctOn: [{', '.join(on)}], orderBy: [{', '.join(order)}]"
        everything = edges(api, asked)
        assert [id_ for id_, _ in everything] == [int(each) for each in expected], asked
        for place, (_, cursor) in enumerate(everything):
            assert edges(api, f'{asked}, after: "{cursor}", first: {size}') == everything[place + 1 :][:size]
            assert edges(api, f'{asked}, before: "{cursor}", last: {size}') == everything[max(0, place - size) : place]

    try:
        check()
    finally:
        database.close()
