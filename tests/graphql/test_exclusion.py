"""Objects that a comment or API_EXCLUDE hides from all roles, in both dialects."""

from __future__ import annotations

from typing import Any

import pytest

from app.settings import SettingError, load
from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.postgres_server import PostgresServer

SCHEMA = """
create table author (id int primary key, name text not null, notes text);
create table publisher (id int primary key, name text);
create table book (
  id int primary key,
  title text,
  secret int not null default 7,
  author_id int constraint written_by references author,
  publisher_id int constraint published_by references publisher
);
create view shelf as select id, title, author_id from book;
create table tag (book_id int references book, author_id int references author, primary key (book_id, author_id));
create function books() returns setof book language sql stable as 'select * from book';
create function publishers() returns setof publisher language sql stable as 'select * from publisher';
create function version() returns int language sql stable as 'select 1';
create function version(n int) returns int language sql stable as 'select n';
create function loud(a author) returns text language sql stable as 'select upper(a.name)';
insert into author values (1, 'Ursula', 'x');
insert into publisher values (1, 'Harper');
insert into book values (1, 'The Dispossessed', 7, 1, 1);
grant all on all tables in schema public to anon, authenticated, service_role;
"""
PATTERNS = ("public.pub*", "public.book.secret", "public.book.author_id", "public.*.notes", "public.book.written_by")
COMMENTS = """
comment on table publisher is 'Internal. @graphql({"exclude": true})';
comment on column book.secret is '@graphql({"exclude": true})';
comment on column book.author_id is '@graphql({"exclude": true})';
comment on column author.notes is '@graphql({"exclude": true})';
comment on constraint written_by on book is '@graphql({"exclude": true})';
"""
ROLE_NAMES = ("anon", "authenticated", "service_role")


@pytest.fixture(params=["standard", "pg_graphql"])
def dialect(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=["comments", "patterns"])
def hiding(request: pytest.FixtureRequest, start_api: StartApi, dialect: str) -> Api:
    """The same objects are hidden, by comments or by patterns."""
    of_way: dict[str, Any] = {"graphql_dialect": dialect, "infer_view_keys": True}
    if request.param == "comments":
        return start_api(SCHEMA + COMMENTS, **of_way)
    return start_api(SCHEMA, api_exclude=PATTERNS, **of_way)


def types(api: Api, role: str) -> dict[str, set[str]]:
    """The names of the members of each type in a role's schema."""
    schema = api.application.services.engine.role_schemas.of_role(role)
    return {
        each.name: set(getattr(each, "fields", None) or getattr(each, "values", ()))
        for each in schema.passing().each_type()
        if not each.name.startswith("__")
    }


def ids(data: Any, name: str) -> list[int]:
    return [each["node"]["id"] for each in data[name]["edges"]]


def test_no_role_sees_a_hidden_relation(hiding: Api) -> None:
    for role in ROLE_NAMES:
        seen = types(hiding, role)
        assert "publisher" not in seen
        assert not [name for name in {*seen["Query"], *seen["Mutation"]} if "publisher" in name.lower()]
        assert "publisher" not in seen["book"]
        assert "books" in seen["Query"]
        assert "publisherId" not in seen["book"]
        assert "publisher_id" in seen["book"], "only its relationship leads to the hidden table"


def test_a_hidden_column_has_no_part_in_any_type(hiding: Api) -> None:
    for role in ROLE_NAMES:
        seen = types(hiding, role)
        with_hidden = {name for name, members in seen.items() if members & {"secret", "author_id"}}
        assert not [name for name in with_hidden if name.startswith("book")]
        assert {"id", "title", "publisher_id"} <= seen["book"]
    made = hiding.ask(
        'mutation { insertIntobookCollection(objects: [{ id: 2, title: "x" }]) { records { id title } } }'
    )
    assert made.data["insertIntobookCollection"]["records"] == [{"id": 2, "title": "x"}]


def test_a_hidden_relationship_is_absent_on_both_sides_and_of_views(hiding: Api) -> None:
    seen = types(hiding, "service_role")
    assert not {"author", "written_by"} & seen["book"]
    assert "bookCollection" not in seen["author"]
    if "shelf" in seen:
        assert "author" not in seen["shelf"]
        assert "shelfCollection" not in seen["author"]
    assert {"loud", "_loud"} & seen["author"], "a function of the row stays"


@pytest.mark.parametrize("by_comment", [True, False])
def test_a_hidden_overload_does_not_count(start_api: StartApi, dialect: str, by_comment: bool) -> None:
    comment = """comment on function version(int) is '@graphql({"exclude": true})';"""
    shown = start_api(SCHEMA + comment * by_comment, graphql_dialect=dialect)
    assert ("version" in types(shown, "anon")["Query"]) == by_comment


def test_a_pattern_of_a_function_hides_it_and_not_a_table_of_that_name(start_api: StartApi, dialect: str) -> None:
    sql = SCHEMA + "create table books_ (id int primary key); grant select on books_ to anon;"
    seen = types(start_api(sql, graphql_dialect=dialect, api_exclude=("public.books*()",)), "anon")
    assert "books" not in seen["Query"]
    assert "books_Collection" in seen["Query"]


def test_a_hidden_key_column_still_identifies_rows(start_api: StartApi, dialect: str) -> None:
    api = start_api(SCHEMA, graphql_dialect=dialect, api_exclude=("public.author.id", "public.author.notes"))
    query = "{ authorCollection(first: 1) { edges { cursor node { nodeId name } } pageInfo { endCursor } } }"
    (edge,) = api.ask(query).data["authorCollection"]["edges"]
    assert edge["node"]["name"] == "Ursula"
    found = api.ask("query ($id: ID!) { node(nodeId: $id) { ... on author { name } } }", {"id": edge["node"]["nodeId"]})
    assert found.data == {"node": {"name": "Ursula"}}
    after = api.ask("query ($c: Cursor) { authorCollection(after: $c) { edges { cursor } } }", {"c": edge["cursor"]})
    assert after.data == {"authorCollection": {"edges": []}}
    seen = types(api, "anon")
    assert "id" not in seen["author"]
    assert "authorByPk" not in seen["Query"]


def test_a_hidden_key_ends_the_junction_through_it(start_api: StartApi) -> None:
    junction = SCHEMA + """comment on table tag is '@graphql({"junction": true})';"""
    assert "authorCollection" in types(start_api(junction), "anon")["book"]
    hidden = start_api(junction, api_exclude=("public.tag.tag_author_id_fkey",))
    assert "authorCollection" not in types(hidden, "anon")["book"]


def test_an_attribute_of_a_composite_type_is_hidden(start_api: StartApi) -> None:
    sql = """
    create type full_name as (first text, last text);
    comment on column full_name.last is '@graphql({"exclude": true})';
    create table person (id int primary key, called full_name);
    insert into person values (1, ('Ada', 'Lovelace'));
    grant select, insert on person to anon;
    """
    seen = types(start_api(sql), "anon")
    assert seen["full_name"] == {"first"}
    assert "called" not in seen["personInsertInput"], "a value would lack the attribute"


def test_a_comment_takes_effect_at_once_and_ends(start_api: StartApi, postgres: PostgresServer) -> None:
    api = start_api(SCHEMA)
    cache = api.application.services.engine.schema_cache
    for comment, is_shown in (("'@graphql({\"exclude\": true})'", False), ("null", True)):
        postgres.execute(f"comment on table author is {comment}", api.database_url)
        cache.refresh_if_changed()
        assert ("authorCollection" in types(api, "anon")["Query"]) == is_shown


@pytest.mark.parametrize("value", ["false", "null"])
def test_a_comment_that_says_false_hides_nothing(start_api: StartApi, value: str) -> None:
    api = start_api(SCHEMA + f"comment on table author is '@graphql({{\"exclude\": {value}}})';")
    assert "author" in types(api, "anon")


def test_a_misspelt_key_leaves_the_table_in_the_api_and_is_reported(start_api: StartApi) -> None:
    api = start_api(SCHEMA + """comment on table author is '@graphql({"hidden": true})';""")
    schema = api.application.services.engine.role_schemas.of_role("anon")
    assert "author" in types(api, "anon")
    (notice,) = (each for each in schema.notices if each.subject == "relation public.author")
    assert 'unknown key "hidden". The relation stays in the API, as without this key.' in notice.reason
    assert "Known keys: aggregate, description, distribution_column, exclude, " in notice.reason


@pytest.mark.parametrize("text", ["author", "a.b.c.d", "public.f(int)", "public..x", "public.a.f()", "x.()", "."])
def test_a_malformed_pattern_is_refused(text: str) -> None:
    with pytest.raises(SettingError, match=r"API_EXCLUDE: .* is not a pattern, such as public"):
        load({"API_EXCLUDE": f"public.ok,{text}"})
