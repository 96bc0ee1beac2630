"""INFER_VIEW_KEYS: views have the keys of the tables whose columns they show."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.graphql.test_rights import changed, members, printed
from tests.postgres_server import PostgresServer

SCHEMA = """
create table account (id int primary key, email text unique, name text);
create table post (id int primary key, account_id int not null references account, editor_id int references account,
  title text);
create table mark (post_id int references post, account_id int references account, value int,
  primary key (post_id, account_id));
create table note (id int primary key, post_id int, account_id int, body text,
  foreign key (post_id, account_id) references mark);
insert into account values (1, 'a@x', 'Ann'), (2, 'b@x', 'Ben'), (3, 'c@x', null);
insert into post values (1, 1, 2, 'one'), (2, 1, null, 'two'), (3, 2, null, 'three');
insert into mark values (1, 2, 5), (3, 1, 4);
insert into note values (1, 1, 2, 'good'), (2, null, null, 'free');
comment on schema public is '@graphql({"inflect_names": true})';
"""
VIEWS = """
create view writer as select id, email, upper(name) as name from account where name is not null;
create view headline as select id as number, account_id as writer_id, left(title, 2) as short from post;
create view further_headline as select number, writer_id from headline where number > 1;
create view count_of_posts as select account_id, count(*) as posts from post group by account_id;
create view pair as select p.id, p.account_id, a.name from post p join account a on a.id = p.account_id;
comment on view pair is '@graphql({"primary_key_columns": ["id"]})';
create view marked as select m.post_id as p, m.account_id as a, value from mark m;
create materialized view stored as select id, account_id from post;
grant select on all tables in schema public to anon;
"""


@pytest.fixture
def api(reading_api: StartApi) -> Api:
    return reading_api(SCHEMA + VIEWS, infer_view_keys=True)


def nodes(api: Api, collection: str, selection: str, arguments: str = "") -> list[Any]:
    data = api.ask(f"{{ {collection}{arguments} {{ edges {{ node {{ {selection} }} }} }} }}").data
    return [each["node"] for each in data[collection]["edges"]]


# Which views have a key


def test_a_view_of_one_table_has_its_key(api: Api) -> None:
    assert nodes(api, "writerCollection", "id name") == [{"id": 1, "name": "ANN"}, {"id": 2, "name": "BEN"}]
    found = api.ask('{ writerByPk(id: 2) { nodeId name } byMail: writerByKey(key: {email: "a@x"}) { id } }').data
    assert (found["writerByPk"]["name"], found["byMail"]) == ("BEN", {"id": 1})
    again = api.ask(
        "query ($id: ID!) { node(nodeId: $id) { ... on Writer { id } } }", {"id": found["writerByPk"]["nodeId"]}
    )
    assert again.data["node"] == {"id": 2}
    assert nodes(api, "furtherHeadlineCollection", "number") == [{"number": 2}, {"number": 3}]
    assert nodes(api, "storedCollection", "id", "(first: 1)") == [{"id": 1}]


REPEATING = (
    "select account_id, count(*) from post group by account_id",
    "select id, count(*) from post group by id",
    "select id from post group by rollup (id)",
    "select max(id) as id from post",
    "select distinct id, account_id from post",
    "select distinct on (account_id) id, account_id from post",
    "select id from post union all select id from post",
    "select p.id from post p join account a on a.id = p.account_id",
    "select p.id from post p, account a",
    "select p.id from post p left join account a on true",
    "select p.id from post p cross join lateral (values (1), (2)) as v (n)",
    "select id, generate_series(1, 2) from post",
    "select id from (select id from post) s",
    "with p as (select id from post) select id from p",
    "select account_id, title from post",
    "select id + 0 as id from post",
    "select id::bigint as id from post",
    "select 1 as id",
)
SINGLE = (
    "select * from post where id in (select post_id from mark) order by title limit 2 offset 0",
    "select id, (select count(*) from mark m where m.post_id = p.id), row_number() over () from post p",
    "select id from only post tablesample system (100)",
    "select title, id from post for update",
    """select id as ":resno 7 } {", title as "( <> \\ ""x" from post as ":targetList" """,
)


def test_views_without_repeated_rows_have_a_key(reading_api: StartApi) -> None:
    views = {f"repeating_{k}": query for k, query in enumerate(REPEATING)}
    views |= {f"single_{k}": query for k, query in enumerate(SINGLE)}
    made = "; ".join(f"create view {name} as {query}; grant select on {name} to anon" for name, query in views.items())
    shown = printed(reading_api(SCHEMA + made, infer_view_keys=True))
    assert [name for name in views if f"{inflected(name)}Collection" in shown] == [
        name for name in views if name.startswith("single")
    ]


def inflected(name: str) -> str:
    return re.sub("_(.)", lambda found: found[1].upper(), name)


def test_a_deep_expression_is_read(start_api: StartApi) -> None:
    deep = "+".join(["id"] * 2000)
    api = start_api(f"{SCHEMA} create view v as select id, {deep} as n from post; grant select on v to anon;",
                     infer_view_keys=True)  # fmt: skip
    assert nodes(api, "vCollection", "n", "(first: 1)") == [{"n": 2000}]


def test_circular_views_are_left_out(start_api: StartApi) -> None:
    api = start_api(
        f"""{SCHEMA} create view v as select id from post; create view w as select id from v;
        create or replace view v as select id from w; grant select on v, w, post to anon""",
        infer_view_keys=True,
    )
    assert len(nodes(api, "postCollection", "id")) == 3
    assert "vCollection" not in printed(api)


# Foreign keys


def test_views_and_tables_have_relationships(api: Api) -> None:
    selection = "short account { email } writer { name } markCollection { edges { node { value } } }"
    assert nodes(api, "headlineCollection", selection, "(first: 2)") == [
        {
            "short": short,
            "account": {"email": "a@x"},
            "writer": {"name": "ANN"},
            "markCollection": {"edges": [{"node": {"value": each}} for each in values]},
        }
        for short, values in (("on", [5]), ("tw", []))
    ]
    (first, *_) = nodes(api, "writerCollection", "headlineCollection { edges { node { number } } }")
    assert [each["node"]["number"] for each in first["headlineCollection"]["edges"]] == [1, 2]
    (first, *_) = nodes(api, "accountCollection", "storedCollection { edges { node { id } } }")
    assert [each["node"]["id"] for each in first["storedCollection"]["edges"]] == [1, 2]


def test_columns_of_a_join_have_relationships(api: Api) -> None:
    assert nodes(api, "pairCollection", "id account { email }", "(first: 2)") == [
        {"id": 1, "account": {"email": "a@x"}},
        {"id": 2, "account": {"email": "a@x"}},
    ]
    # Nothing says that there is one row of the join for a post, so no key leads there.
    assert "pair" not in members(printed(api), "Mark")
    assert "pairCollection" in members(printed(api), "Account")
    assert "markCollection" not in members(printed(api), "Pair")


def test_keys_of_several_columns_are_inferred(api: Api) -> None:
    assert nodes(api, "noteCollection", "body marked { value }") == [
        {"body": "good", "marked": {"value": 5}},
        {"body": "free", "marked": None},
    ]
    assert nodes(api, "markedCollection", "p noteCollection { edges { node { id } } }") == [
        {"p": 1, "noteCollection": {"edges": [{"node": {"id": 1}}]}},
        {"p": 3, "noteCollection": {"edges": []}},
    ]


def test_columns_of_different_rows_form_no_key(start_api: StartApi) -> None:
    both = "select n.id, n.post_id, m.post_id as other, n.account_id from note n, note m"
    twice = "select id, account_id, account_id as twice from post"
    views = f"create view v as {both}; create view w as {twice}; grant select on all tables in schema public to anon"
    api = start_api(SCHEMA + views, infer_view_keys=True)
    assert "mark" not in members(printed(api), "V")
    assert [each for each in members(printed(api), "W") if each.startswith("account")] == [
        "accountId", "account", "accountByTwice",
    ]  # fmt: skip


def test_inferred_relationships_are_in_filters_and_orders(api: Api) -> None:
    by_writer = (
        '(filter: {writer: {name: {eq: "ANN"}}}, orderBy: [{writer: {email: AscNullsLast}}, {number: DescNullsLast}])'
    )
    assert nodes(api, "headlineCollection", "number", by_writer) == [{"number": 2}, {"number": 1}]


# Directives


def test_directives_take_precedence(start_api: StartApi) -> None:
    api = start_api(
        SCHEMA
        + VIEWS
        + """comment on view writer is '@graphql({"primary_key_columns": ["email"]})';
        comment on view headline is '@graphql({"foreign_keys": [{"local_columns": ["writer_id"],
          "foreign_schema": "public", "foreign_table": "account", "foreign_columns": ["id"],
          "foreign_name": "author", "local_name": "headlines"}]})';""",
        infer_view_keys=True,
    )
    sdl = printed(api)
    assert "writerByPk(email: String!)" in sdl
    assert members(sdl, "WriterKeyInput") == ["nodeId", "email", "id"]
    fields = members(sdl, "Headline")
    assert "author" in fields
    assert not {"account", "writer"} & {*fields}
    assert "headlines" in members(sdl, "Account")
    assert "headlineCollection" not in members(sdl, "Account")
    assert "headlineCollection" not in members(sdl, "Writer")


def test_junctions_are_those_of_constraints(start_api: StartApi) -> None:
    comment = """comment on table mark is '@graphql({"junction": true})';"""
    api = start_api(SCHEMA + VIEWS + comment, infer_view_keys=True)
    assert "AccountMarkPostConnection" in printed(api)


# Rights


def test_a_missing_privilege_removes_the_relationship(start_api: StartApi, postgres: PostgresServer) -> None:
    api = start_api(SCHEMA + VIEWS, infer_view_keys=True)
    changed(postgres, api, "revoke select on account from anon")
    assert "account" not in members(printed(api), "Headline")
    assert "writer" in members(printed(api), "Headline")
    changed(postgres, api, "revoke select on headline from anon; grant select (number) on headline to anon")
    assert "writer" not in members(printed(api), "Headline")
    assert nodes(api, "headlineCollection", "number", "(first: 1)") == [{"number": 1}]
    changed(postgres, api, "revoke select on writer from anon; grant select (id, name) on writer to anon")
    assert members(printed(api), "WriterKeyInput") == ["nodeId", "id"]


def test_rows_hidden_by_a_policy_are_null(start_api: StartApi, postgres: PostgresServer) -> None:
    if int(str(postgres.execute("show server_version_num")[0][0])) < 150000:
        pytest.skip("views that read as the caller came with PostgreSQL 15")
    api = start_api(SCHEMA + VIEWS, infer_view_keys=True)
    changed(
        postgres,
        api,
        """alter table account enable row level security; create policy a on account using (id = 2);
        alter view headline set (security_invoker); alter table post enable row level security;
        create policy p on post using (id > 1)""",
    )
    # The view writer reads as its owner, whom policies do not restrict; headline reads as the caller.
    assert nodes(api, "headlineCollection", "number account { id } writer { id }") == [
        {"number": 2, "account": None, "writer": {"id": 1}},
        {"number": 3, "account": {"id": 2}, "writer": {"id": 2}},
    ]


def test_the_key_of_a_constraint_that_is_violated_is_named(start_api: StartApi, postgres: PostgresServer) -> None:
    api = start_api(SCHEMA + VIEWS, infer_view_keys=True)
    changed(postgres, api, "grant insert on post to anon; revoke select on writer, headline from anon")
    refused = api.ask("mutation { insertIntoPostCollection(objects: [{id: 9, accountId: 9}]) { affectedCount } }")
    assert refused.errors[0]["extensions"]["constraint"] == "post_account_id_fkey"


# When it applies


def test_a_changed_view_has_new_relationships(start_api: StartApi, postgres: PostgresServer) -> None:
    api = start_api(SCHEMA + VIEWS, infer_view_keys=True)
    changed(
        postgres,
        api,
        "create or replace view headline as select id as number, editor_id as writer_id, '' as short from post",
    )
    assert nodes(api, "headlineCollection", "writer { name }", "(first: 2)") == [
        {"writer": {"name": "BEN"}},
        {"writer": None},
    ]
    changed(postgres, api, "alter table post drop constraint post_editor_id_fkey")
    assert "writer" not in members(printed(api), "Headline")


@pytest.mark.parametrize("settings", [{}, {"infer_view_keys": True, "graphql_dialect": "pg_graphql"}])
def test_views_have_no_keys_without_the_setting(reading_api: StartApi, settings: dict[str, Any]) -> None:
    sdl = printed(reading_api(SCHEMA + VIEWS, **settings))
    assert "postCollection" in sdl
    assert "writerCollection" not in sdl
    assert "Headline" not in sdl
