"""The directive ``deprecated``: fields of columns, functions and relationships say what to use instead."""

from __future__ import annotations

import pytest

from tests.graphql.conftest import StartApi
from tests.graphql.test_rights import printed

SCHEMA = """
create table account (id int primary key, name text, nick text);
create table post (id int primary key, account_id int constraint writer references account);
create function shown(account) returns text stable language sql as 'select $1.name';
create function one() returns int stable language sql as 'select 1';
comment on column account.nick is '@graphql({"deprecated": "use name"})';
comment on function shown is '@graphql({"deprecated": "use \\"name\\""})';
comment on function one is '@graphql({"deprecated": "count"})';
comment on constraint writer on post is '@graphql({"deprecated": "gone in May"})';
grant select on all tables in schema public to anon;
create view shown_post as select * from post;
comment on view shown_post is '@graphql({"primary_key_columns": ["id"], "foreign_keys": [{
  "local_columns": ["account_id"], "foreign_schema": "public", "foreign_table": "account", "foreign_columns": ["id"],
  "deprecated": "use post"}]})';
grant select on shown_post to anon;
insert into account values (1, 'Ann', 'A');
"""


def test_fields_are_deprecated(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA)
    query = """{ __type(name: "%s") { fields(includeDeprecated: true) { name isDeprecated deprecationReason } } }"""
    reported = {}
    for type_ in ("account", "post", "shown_post", "Query"):
        fields = api.ask(query % type_).data["__type"]["fields"]
        reported |= {f"{type_}.{each['name']}": each["deprecationReason"] for each in fields if each["isDeprecated"]}
    assert reported == {
        "account.nick": "use name",
        "account.shown": 'use "name"',
        "account.postCollection": "gone in May",
        "account.shown_postCollection": "use post",
        "shown_post.account": "use post",
        "post.account": "gone in May",
        "Query.one": "count",
    }
    assert api.ask("{ one accountCollection { edges { node { nick shown } } } }").data == {
        "one": 1,
        "accountCollection": {"edges": [{"node": {"nick": "A", "shown": "Ann"}}]},
    }


@pytest.mark.parametrize("comment", ["1", "{}", '["x"]'])
def test_a_malformed_reason_is_left_out(start_api: StartApi, comment: str) -> None:
    api = start_api(SCHEMA + f"comment on column account.nick is '@graphql({{\"deprecated\": {comment}}})'")
    assert '@deprecated(reason: "use name")' not in printed(api)


def test_pg_graphql_ignores_deprecations(reading_api: StartApi) -> None:
    assert "@deprecated" not in printed(reading_api(SCHEMA, graphql_dialect="pg_graphql")).replace(
        '@deprecated(reason: "Use', ""
    )
