"""An operand that is missing or null leaves what is there, in every operator."""

from __future__ import annotations

from typing import Any

import pytest

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi

SCHEMA = """
create table page (
  id int primary key, slug text unique, hits int, paid numeric(8,2) default 3, won int default 4,
  seen int not null default 2,  tags text[], doc jsonb, made_by text);
create unique index page_shouted on page (upper(slug));
create table author (name text primary key, hits int not null default 7);
alter table page add foreign key (made_by) references author;
create table renamed (slug text primary key, hits int default 1);
create function lowered() returns trigger language plpgsql as $$ begin new.slug := lower(new.slug); return new; end $$;
create trigger lowered before insert on renamed for each row execute function lowered();
create table keyed (id uuid primary key default gen_random_uuid(), hits int default 5);
grant all on all tables in schema public to anon;
"""
ROWS = """
truncate page, author, renamed, keyed;
insert into page values (1, 'a', 41, 10, 6, 5, '{x}', '{"a": 1}'), (2, 'b', 5, 20, 7, 6, null, null),
  (3, 'c', null, null, null, 0, null, null);
insert into author values ('ann', 20);
insert into renamed values ('a', 10), ('b', 20);
insert into keyed values ('00000000-0000-0000-0000-000000000001', 10);
"""
UPSERT = """mutation ($objects: [pageInsertInput!]!, $add: [pageUpdateColumn!]) {
  insertIntopageCollection(objects: $objects, onConflict: {addColumns: $add}) {
    insertedCount records { id hits paid won seen } } }"""
ALL = ["hits", "paid", "won", "seen"]
ONE = {"id": 1, "hits": 41, "paid": "10.00", "won": 6, "seen": 5}
TWO = {"id": 2, "hits": 5, "paid": "20.00", "won": 7, "seen": 6}


@pytest.fixture
def api(writing_api: StartApi) -> Api:
    return writing_api(SCHEMA, ROWS)


def added(api: Api, objects: Any, add: list[str] = ALL) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = api.ask(UPSERT, {"objects": objects, "add": add}).data["insertIntopageCollection"][
        "records"
    ]
    return records


@pytest.mark.parametrize("given", [{}, {"hits": None}, {"paid": None, "won": None}])
def test_a_counter_stays_without_a_value(api: Api, given: dict[str, Any]) -> None:
    assert added(api, [{"id": 1, **given}]) == [ONE]
    assert added(api, [{"id": 1, **given}, {"id": 2, **given}]) == [ONE, TWO]


def test_objects_may_have_values_for_different_columns(api: Api) -> None:
    objects = [
        {"id": 1, "hits": 1},
        {"id": 2, "slug": "y"},
        {"id": 3, "seen": 3, "won": None},
        {"id": 9, "slug": "new"},
    ]
    assert added(api, objects) == [
        {**ONE, "hits": 42},
        TWO,
        {"id": 3, "hits": None, "paid": None, "won": None, "seen": 3},
        {"id": 9, "hits": None, "paid": "3.00", "won": 4, "seen": 2},
    ]
    assert added(api, [{"id": 2, "paid": "1.005"}, {"id": 1}, {"id": 3, "paid": "1"}], ["paid"]) == [
        {**TWO, "paid": "21.01"},
        {**ONE, "hits": 42},
        {"id": 3, "hits": None, "paid": None, "won": None, "seen": 3},
    ]


def test_literals_are_like_variables(api: Api) -> None:
    query = """mutation ($none: Int) { insertIntopageCollection(
        objects: [{id: 1, hits: 1, seen: $none}, {id: 2, won: null, seen: 4}, {id: 3}],
        onConflict: {addColumns: [hits, won, seen]}) { records { id hits won seen } } }"""
    assert api.ask(query).data["insertIntopageCollection"]["records"] == [
        {"id": 1, "hits": 42, "won": 6, "seen": 5},
        {"id": 2, "hits": 5, "won": 7, "seen": 10},
        {"id": 3, "hits": None, "won": None, "seen": 0},
    ]


@pytest.mark.parametrize("constraint", ["page_slug_key", "page_shouted"])
def test_rows_are_found_by_other_keys(api: Api, constraint: str) -> None:
    query = """mutation ($objects: [pageInsertInput!]!, $constraint: pageConstraint!) {
      insertIntopageCollection(objects: $objects, onConflict: {constraint: $constraint, addColumns: [seen]}) {
        records { slug seen } } }"""
    objects = [{"id": 8, "slug": "a"}, {"id": 9, "slug": "b", "seen": 1}]
    answer = api.ask(query, {"objects": objects, "constraint": constraint}).data
    assert answer["insertIntopageCollection"]["records"] == [{"slug": "a", "seen": 5}, {"slug": "b", "seen": 7}]


def test_nested_objects_may_lack_operands(api: Api) -> None:
    query = """mutation ($pages: [pageInsertInput!]!) {
      insertIntopageCollection(objects: $pages, onConflict: {addColumns: [hits, seen]}) {
        records { id hits seen author { name hits } } } }"""
    ann = {"object": {"name": "ann"}, "onConflict": {"addColumns": ["hits"]}}
    ben = {"object": {"name": "ben"}, "onConflict": {"addColumns": ["hits"]}}
    pages = [{"id": 1, "hits": 1, "author": ann}, {"id": 2, "seen": 1}, {"id": 3, "author": ben}]
    assert api.ask(query, {"pages": pages}).data["insertIntopageCollection"]["records"] == [
        {"id": 1, "hits": 42, "seen": 5, "author": None},
        {"id": 2, "hits": 5, "seen": 7, "author": None},
        {"id": 3, "hits": None, "seen": 0, "author": None},
    ]
    authors = api.ask("{ authorCollection { edges { node { name hits } } } }").data["authorCollection"]["edges"]
    assert [each["node"] for each in authors] == [{"name": "ann", "hits": 20}, {"name": "ben", "hits": 7}]


def test_rows_with_keys_from_triggers_are_never_changed_by_a_guess(api: Api) -> None:
    query = """mutation ($objects: [renamedInsertInput!]!) {
      insertIntorenamedCollection(objects: $objects, onConflict: {addColumns: [hits]}) { records { slug hits } } }"""
    refused = api.ask(query, {"objects": [{"slug": "A", "hits": 1}, {"slug": "B"}]})
    assert (
        refused.message
        == "The service cannot determine whether the object has a value for hits, as its key was changed"
    )
    assert refused.code == "BAD_USER_INPUT"
    objects = [{"slug": "a", "hits": 1}, {"slug": "b"}]
    records = api.ask(query, {"objects": objects}).data["insertIntorenamedCollection"]["records"]
    assert records == [{"slug": "a", "hits": 11}, {"slug": "b", "hits": 20}]
    # With values in all objects, or in none, there is nothing to find.
    both = [{"slug": "A", "hits": 1}, {"slug": "B", "hits": 1}]
    records = api.ask(query, {"objects": both}).data["insertIntorenamedCollection"]["records"]
    assert [each["hits"] for each in records] == [12, 21]
    records = api.ask(query, {"objects": [{"slug": "A"}, {"slug": "B"}]}).data["insertIntorenamedCollection"]["records"]
    assert [each["hits"] for each in records] == [12, 21]


def test_objects_with_keys_from_defaults_are_new(api: Api) -> None:
    query = """mutation ($objects: [keyedInsertInput!]!) {
      insertIntokeyedCollection(objects: $objects, onConflict: {addColumns: [hits]}) { records { hits } } }"""
    objects: list[dict[str, Any]] = [{"hits": 1}, {"id": "00000000-0000-0000-0000-000000000001"}, {}]
    records = api.ask(query, {"objects": objects}).data["insertIntokeyedCollection"]["records"]
    assert [each["hits"] for each in records] == [1, 10, 5]


@pytest.mark.parametrize(
    "operator",
    [
        "inc: {hits: null}", "inc: {hits: $number}", "append: {tags: null}", "append: {tags: $list}",
        "prepend: {tags: $list}", "remove: {tags: null}", "remove: {tags: $list}", "merge: {doc: null}",
        "merge: {doc: $doc}", 'setPath: [{column: doc, path: ["a"]}]',
        'setPath: [{column: doc, path: ["a"], value: $doc}]',
    ],
)  # fmt: skip
@pytest.mark.parametrize("by", ["updatepageCollection(filter: {id: {eq: 1}},", "updatepageByKey(key: {id: 1},"])
def test_operators_without_an_operand_change_nothing(api: Api, operator: str, by: str) -> None:
    kept = "hits tags doc"
    query = f"""mutation ($number: Int, $list: [String], $doc: JSON, $slug: String = "z") {{
      {by} set: {{slug: $slug}}, {operator}) {{ {f"records {{ {kept} }}" if "Collection" in by else kept} }} }}"""
    answer = next(iter(api.ask(unused_left_out(query)).data.values()))
    row = answer["records"][0] if "records" in answer else answer
    assert row == {"hits": 41, "tags": ["x"], "doc": '{"a": 1}'}


def unused_left_out(query: str) -> str:
    """The operation without the variables that it does not use."""
    head, _, body = query.partition(") {")
    declared = [each for each in head.partition("(")[2].split(", ") if each.split(":")[0] in body]
    return f"mutation ({', '.join(declared)}) {{{body}"


def test_null_for_a_path_is_the_null_of_json(api: Api) -> None:
    query = """mutation { updatepageByKey(key: {id: 1}, setPath: [{column: doc, path: ["a"], value: null}]) { doc } }"""
    assert api.ask(query).data["updatepageByKey"] == {"doc": '{"a": null}'}
    nothing = """mutation { updatepageByKey(key: {id: 1}, setPath: [{column: doc, path: ["a"]}]) { doc } }"""
    assert api.ask(nothing).message == "At least one mapping must be provided to set argument"


def test_bulk_updates_may_set_different_columns(api: Api) -> None:
    query = """mutation ($updates: [pageKeyedUpdateInput!]!) {
      updatepageCollectionByKey(updates: $updates) { records { id hits seen } } }"""
    updates = [{"key": {"id": 1}, "set": {"hits": 1}}, {"key": {"id": 2}, "set": {"seen": 9}}]
    assert api.ask(query, {"updates": updates}).data["updatepageCollectionByKey"]["records"] == [
        {"id": 1, "hits": 1, "seen": 5},
        {"id": 2, "hits": 5, "seen": 9},
    ]
