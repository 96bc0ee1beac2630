"""Mutations: what insert, update and delete change in the database, and their results."""

from __future__ import annotations

from typing import Any

import pytest

from tests.graphql.api import Api
from tests.graphql.conftest import StartApi
from tests.graphql.counted import counted
from tests.postgres_server import PostgresServer

SCHEMA = """
create table parent (id int primary key, name text);
create table thing (
  id serial primary key, a int default 7, b text default 'd', parent_id int references parent on delete cascade);
create function siblings(t thing) returns bigint language sql stable as
  'select count(*) from thing where parent_id is not distinct from t.parent_id';
create function fresh_siblings(t thing) returns bigint language sql volatile as
  'select count(*) from thing where parent_id is not distinct from t.parent_id';
grant all on all tables in schema public to anon;
grant usage on all sequences in schema public to anon;
"""
ROWS = """
truncate thing, parent restart identity;
insert into parent values (1, 'one'), (2, 'two');
insert into thing (a, b, parent_id) values (1, 'first', 1), (2, 'second', 1), (3, 'third', 2);
"""
INSERT = """mutation ($objects: [thingInsertInput!]!) {
  insertIntothingCollection(objects: $objects) { affectedCount records { a b } }
}"""
DIALECTS = pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])


@pytest.fixture
def api(writing_api: StartApi) -> Api:
    return writing_api(SCHEMA, ROWS)


def rows(postgres: PostgresServer, api: Api, sql: str = "select a, b from thing order by id") -> list[list[Any]]:
    return postgres.execute(sql, api.database_url)


def inserted(api: Api, objects: Any) -> list[list[Any]]:
    answer = api.ask(INSERT, {"objects": objects}).data["insertIntothingCollection"]
    assert answer["affectedCount"] == len(answer["records"])
    return [[each["a"], each["b"]] for each in answer["records"]]


# Insert


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        ([{}], [[7, "d"]]),
        ({}, [[7, "d"]]),
        ([{}, {}, {}], [[7, "d"]] * 3),
        ([{"a": 1}, {}], [[1, "d"], [7, "d"]]),
        ({"a": 1, "b": "x"}, [[1, "x"]]),
        ([{"a": 1}], [[1, "d"]]),
        ([{"a": None}], [[None, "d"]]),
        ([{"a": 1}, {"b": None}, {"a": None, "b": "x"}], [[1, "d"], [7, None], [None, "x"]]),
        ([{"a": 1, "b": "x"}, {"b": "y", "a": None}, {"a": 3, "b": None}], [[1, "x"], [None, "y"], [3, None]]),
        ([{"a": i} for i in range(100)], [[i, "d"] for i in range(100)]),
    ],
)
@DIALECTS
def test_missing_members_get_defaults_and_null_is_null(
    writing_api: StartApi, postgres: PostgresServer, dialect: str, objects: Any, expected: list[list[Any]]
) -> None:
    api = writing_api(SCHEMA, ROWS, graphql_dialect=dialect)
    assert inserted(api, objects) == expected
    assert rows(postgres, api)[3:] == expected


def test_literals_may_contain_variables_everywhere(api: Api, postgres: PostgresServer) -> None:
    query = """mutation ($object: thingInsertInput!, $a: Int, $b: String, $none: String) {
      insertIntothingCollection(objects: [$object, {a: $a, b: $b}, {a: 5, b: $none}, {b: null}]) { affectedCount }
    }"""
    answer = api.ask(query, {"object": {"a": 1, "b": "o"}, "a": 2, "b": None})
    assert answer.data["insertIntothingCollection"] == {"affectedCount": 4}
    assert rows(postgres, api)[3:] == [[1, "o"], [2, None], [5, "d"], [7, None]]


def test_a_default_of_the_operation_counts_as_given(api: Api) -> None:
    query = 'mutation ($b: String = "op") { insertIntothingCollection(objects: {b: $b}) { records { b } } }'
    assert api.ask(query).data["insertIntothingCollection"]["records"] == [{"b": "op"}]
    assert api.ask(query, {"b": None}).data["insertIntothingCollection"]["records"] == [{"b": None}]


@pytest.mark.parametrize("objects", [[], None])
@DIALECTS
def test_an_insert_needs_an_object(writing_api: StartApi, postgres: PostgresServer, dialect: str, objects: Any) -> None:
    api = writing_api(SCHEMA, ROWS, graphql_dialect=dialect)
    answer = api.ask(INSERT, {"objects": objects})
    if objects is None and dialect == "standard":
        assert "non-null type" in answer.message
    else:
        assert answer.message == "At least one record must be provided to objects"
    assert len(rows(postgres, api)) == 3


def test_records_come_in_the_order_of_insertion(api: Api) -> None:
    query = """mutation ($objects: [thingInsertInput!]!) {
      insertIntothingCollection(objects: $objects) { records { id a } } }"""
    cases: list[list[dict[str, Any]]] = [[{"a": i} for i in range(20, 0, -1)], [{"a": 3, "b": "x"}, {"a": 2}, {"a": 1}]]
    for objects in cases:
        records = api.ask(query, {"objects": objects}).data["insertIntothingCollection"]["records"]
        assert [each["a"] for each in records] == [each["a"] for each in objects]
        assert [each["id"] for each in records] == sorted(each["id"] for each in records)


def test_a_plan_of_a_bulk_insert_serves_any_number_of_objects(api: Api) -> None:
    cache = api.application.services.engine.plans
    inserted(api, [{"a": 1, "b": "x"}, {"a": 2, "b": None}])
    planned = len(cache)
    for count in (2, 3, 50):
        inserted(api, [{"b": None, "a": i} if i % 2 else {"a": None, "b": "y"} for i in range(count)])
    assert len(cache) == planned
    inserted(api, [{"a": 1}, {"a": 2}])
    assert len(cache) == planned + 1


def test_members_without_a_default_may_be_missing_in_a_bulk_insert(writing_api: StartApi) -> None:
    api = writing_api(SCHEMA, ROWS)
    cache = api.application.services.engine.plans
    query = INSERT.replace("records { a b }", "records { a parent_id }")
    planned = set()
    cases: list[list[dict[str, Any]]] = [
        [{"a": 1, "parent_id": 1}, {"a": 2}],
        [{"a": 1}, {"a": None}, {"parent_id": 2, "a": 3}],
    ]
    for objects in cases:
        answer = api.ask(query, {"objects": objects}).data["insertIntothingCollection"]["records"]
        assert answer == [{"a": each["a"], "parent_id": each.get("parent_id")} for each in objects]
        planned.add(len(cache))
    assert len(planned) == 1


@pytest.mark.parametrize(
    "sql",
    [
        "create domain lucky as int default 7; create table t (id serial primary key, a lucky, b int)",
        "create table base (id serial primary key, a int default 7, b int); create view t as select * from base;"
        """comment on view t is '@graphql({"primary_key_columns": ["id"]})'""",
        "create table t (id serial primary key, a int default 7, b int) partition by range (id);"
        "create table part partition of t default",
        "create table base (id serial primary key, a int default 7);"
        "create table t (b int, primary key (id)) inherits (base)",
    ],
)
def test_defaults_that_are_not_the_columns_own_are_kept_in_a_bulk_insert(start_api: StartApi, sql: str) -> None:
    api = start_api(sql + "; grant all on all tables in schema public to anon; grant usage on sequence "
                     + ("base_id_seq" if "base" in sql else "t_id_seq") + " to anon")  # fmt: skip
    query = "mutation ($objects: [tInsertInput!]!) { insertIntotCollection(objects: $objects) { records { a b } } }"
    answer = api.ask(query, {"objects": [{"a": 1}, {"b": 1}, {"a": None, "b": 2}]})
    assert answer.data["insertIntotCollection"]["records"] == [
        {"a": 1, "b": None},
        {"a": 7, "b": 1},
        {"a": None, "b": 2},
    ]


def test_a_plan_for_many_objects_is_not_used_for_other_shapes(api: Api) -> None:
    same: list[dict[str, Any]] = [{"a": 1}, {"a": 2}]
    cases: list[list[dict[str, Any]]] = [
        same,
        [{"a": 1}, {"b": "x"}],
        [{"a": 5}],
        [{}, {}],
        same,
        [{"a": None}, {"a": 1}],
    ]
    for objects in cases:
        expected = [[each.get("a", 7), each.get("b", "d")] for each in objects]
        assert inserted(api, objects) == expected
    unknown = api.ask(INSERT, {"objects": [{"a": 1, "z": 1}, {"a": 2, "z": 2}]})
    assert "z" in unknown.errors[0]["message"]
    wrong = api.ask(INSERT, {"objects": [{"a": 1}, {"a": "no"}]})
    assert wrong.code == "BAD_USER_INPUT"


def test_one_variable_may_serve_two_inserts(start_api: StartApi) -> None:
    api = start_api(
        "create table one (id int primary key, x text); create table two (id int primary key, x varchar(2));"
        "grant all on one, two to anon"
    )
    query = """mutation ($objects: [oneInsertInput!]!) {
      insertIntooneCollection(objects: $objects) { affectedCount }
      insertIntotwoCollection(objects: $objects) { affectedCount }
    }"""
    relaxed = Api(api.database_url, graphql_dialect="pg_graphql")
    try:
        assert relaxed.ask(query, {"objects": [{"id": 1, "x": "a"}, {"id": 2, "x": "b"}]}).data
        assert relaxed.ask(query, {"objects": [{"id": 3, "x": "a"}, {"id": 4, "x": "bcd"}]}).code == "BAD_USER_INPUT"
        assert relaxed.ask("{ oneCollection { edges { node { id } } } }").data == {
            "oneCollection": {"edges": [{"node": {"id": 1}}, {"node": {"id": 2}}]}
        }
    finally:
        relaxed.close()


def test_more_values_than_a_statement_takes_are_refused_and_named(api: Api, postgres: PostgresServer) -> None:
    many: list[dict[str, Any]] = [{"a": 1} if i % 2 else {"b": "x"} for i in range(6_000)]
    answer = api.ask(INSERT, {"objects": many})
    assert answer.code == "LIMIT_EXCEEDED"
    assert "10000" in answer.message
    assert "same keys" in answer.errors[0]["extensions"]["hint"]
    assert len(rows(postgres, api)) == 3
    assert len(inserted(api, [{"a": 1} for _ in range(20_000)])) == 20_000


# Update


def test_update_sets_and_keeps(api: Api, postgres: PostgresServer) -> None:
    query = """mutation ($b: String, $none: Int) {
      updatethingCollection(set: {b: $b, a: $none}, filter: {id: {eq: 1}}) { affectedCount records { id a b } } }"""
    answer = api.ask(query, {"b": None}).data["updatethingCollection"]
    assert answer == {"affectedCount": 1, "records": [{"id": 1, "a": 1, "b": None}]}
    answer = api.ask(query, {"b": "new", "none": 9}).data["updatethingCollection"]
    assert answer["records"] == [{"id": 1, "a": 9, "b": "new"}]
    assert rows(postgres, api) == [[9, "new"], [2, "second"], [3, "third"]]


@pytest.mark.parametrize(("set_", "variables"), [("{}", {}), ("{a: $none}", {}), ("$set", {"set": {}})])
@DIALECTS
def test_an_update_needs_a_value(writing_api: StartApi, dialect: str, set_: str, variables: dict[str, Any]) -> None:
    declared = {"{a: $none}": "($none: Int)", "$set": "($set: thingUpdateInput!)"}.get(set_, "")
    api = writing_api(SCHEMA, ROWS, graphql_dialect=dialect)
    answer = api.ask(f"mutation {declared} {{ updatethingCollection(set: {set_}) {{ affectedCount }} }}", variables)
    assert answer.message == "At least one mapping must be provided to set argument"
    missing = api.ask("mutation { updatethingCollection(filter: {id: {eq: 1}}) { affectedCount } }")
    assert missing.body.get("data") is None


@pytest.mark.parametrize("verb", ["update", "delete"])
def test_a_filter_that_matches_nothing_is_not_an_error(api: Api, verb: str) -> None:
    field = "updatethingCollection(set: {a: 1}, " if verb == "update" else "deleteFromthingCollection("
    answer = api.ask(f"mutation {{ x: {field} filter: {{id: {{eq: 99}}}}) {{ affectedCount records {{ id }} }} }}")
    assert answer.data == {"x": {"affectedCount": 0, "records": []}}


# atMost


def changing(verb: str, arguments: str) -> str:
    """A mutation that would affect the first two of the three rows."""
    chosen = "filter: {id: {lt: 3}}"
    if verb == "update":
        return f'updatethingCollection(set: {{b: "u"}}, {chosen} {arguments}) {{ affectedCount }}'
    return f"deleteFromthingCollection({chosen} {arguments}) {{ affectedCount }}"


@pytest.mark.parametrize("verb", ["update", "delete"])
@pytest.mark.parametrize("arguments", ["", "atMost: 0", "atMost: 1", "atMost: $n"])
@DIALECTS
def test_more_than_at_most_is_an_error_and_changes_nothing(
    writing_api: StartApi, postgres: PostgresServer, dialect: str, verb: str, arguments: str
) -> None:
    api = writing_api(SCHEMA, ROWS, graphql_dialect=dialect)
    declared = "($n: Int)" if "$" in arguments else ""
    answer = api.ask(f"mutation {declared} {{ {changing(verb, arguments)} }}")
    assert answer.message == f"{verb} impacts too many records"
    assert answer.code == "BAD_USER_INPUT"
    assert answer.errors[0]["extensions"]["hint"] == (
        'Expected in atMost how many rows may be affected, 1 without it: docs/graphql.md, "Changes".'
    )
    assert answer.body["data"] is None
    assert answer.errors[0]["path"] == ["updatethingCollection" if verb == "update" else "deleteFromthingCollection"]
    assert rows(postgres, api) == [[1, "first"], [2, "second"], [3, "third"]]


@pytest.mark.parametrize("verb", ["update", "delete"])
@pytest.mark.parametrize("at_most", [2, 3, 2**31 - 1])
def test_as_many_as_at_most_may_be_affected(api: Api, verb: str, at_most: int) -> None:
    answer = api.ask(f"mutation {{ x: {changing(verb, f'atMost: {at_most}')} }}")
    assert answer.data == {"x": {"affectedCount": 2}}


@pytest.mark.parametrize("verb", ["update", "delete"])
def test_at_most_zero_is_allowed_where_nothing_matches(api: Api, verb: str) -> None:
    field = changing(verb, "atMost: 0").replace("lt: 3", "lt: 0")
    assert api.ask(f"mutation {{ x: {field} }}").data == {"x": {"affectedCount": 0}}


@pytest.mark.parametrize("verb", ["update", "delete"])
@DIALECTS
def test_a_negative_at_most_is_refused(
    writing_api: StartApi, postgres: PostgresServer, dialect: str, verb: str
) -> None:
    api = writing_api(SCHEMA, ROWS, graphql_dialect=dialect)
    for filtered in ("lt: 3", "lt: 0"):
        field = changing(verb, "atMost: -1").replace("lt: 3", filtered)
        assert api.ask(f"mutation {{ {field} }}").message == "`atMost` must be an unsigned integer"
    assert len(rows(postgres, api)) == 3


@pytest.mark.parametrize("at_most", ["null", '"x"', "1.5", "true", "[3]", "$n"])
@pytest.mark.parametrize("verb", ["update", "delete"])
def test_an_unreadable_at_most_counts_as_one_where_values_are_not_validated(
    writing_api: StartApi, postgres: PostgresServer, verb: str, at_most: str
) -> None:
    declared = "($n: Int)" if at_most == "$n" else ""
    query = f"mutation {declared} {{ x: {changing(verb, f'atMost: {at_most}')} }}"
    variables = {"n": None} if declared else None
    api = writing_api(SCHEMA, ROWS, graphql_dialect="pg_graphql")
    assert api.ask(query, variables).message == f"{verb} impacts too many records"
    assert api.ask(query.replace("lt: 3", "eq: 1"), variables).data == {"x": {"affectedCount": 1}}
    strict = writing_api(SCHEMA, ROWS)
    assert strict.ask(query.replace("lt: 3", "eq: 1"), variables).body.get("data") is None
    assert len(rows(postgres, strict)) == 3


@pytest.mark.parametrize("verb", ["update", "delete"])
def test_without_a_filter_all_rows_are_meant_and_at_most_guards_them(
    api: Api, postgres: PostgresServer, verb: str
) -> None:
    for filtered in ("", "filter: null", "filter: {}", "filter: $f"):
        declared = "($f: thingFilter)" if "$" in filtered else ""
        field = changing(verb, "").replace("filter: {id: {lt: 3}}", filtered).replace("( )", "")
        answer = api.ask(f"mutation {declared} {{ {field} }}")
        assert answer.message == f"{verb} impacts too many records"
    assert len(rows(postgres, api)) == 3
    field = changing(verb, "atMost: 3").replace("filter: {id: {lt: 3}}", "")
    assert api.ask(f"mutation {{ x: {field} }}").data == {"x": {"affectedCount": 3}}


# Results


def test_records_have_all_fields_of_a_query(api: Api) -> None:
    query = """mutation {
      updatethingCollection(set: {a: 10}, filter: {id: {eq: 1}}) {
        __typename n: affectedCount
        records { ...Thing again: a parent { id thingCollection(first: 1) { edges { cursor node { a } } } } }
      }
    }
    fragment Thing on thing { __typename nodeId a siblings }"""
    answer = api.ask(query).data["updatethingCollection"]
    record = answer["records"][0]
    assert (answer["__typename"], answer["n"], record["__typename"], record["again"]) == (
        "thingUpdateResponse",
        1,
        "thing",
        10,
    )
    assert record["nodeId"] == "WyJwdWJsaWMiLCAidGhpbmciLCAxXQ=="
    # Related rows are read as they were before the statement.
    assert record["parent"] == {"id": 1, "thingCollection": {"edges": [{"cursor": "WzFd", "node": {"a": 1}}]}}


def test_nested_reads_see_the_rows_from_before_the_statement(api: Api) -> None:
    query = """mutation { deleteFromparentCollection(filter: {id: {eq: 1}}) {
      records { name thingCollection { edges { node { b parent { name } } } } } } }"""
    record = api.ask(query).data["deleteFromparentCollection"]["records"][0]
    assert record["name"] == "one"
    assert [each["node"]["b"] for each in record["thingCollection"]["edges"]] == ["first", "second"]
    assert api.ask("{ thingCollection { edges { node { b } } } }").data["thingCollection"]["edges"] == [
        {"node": {"b": "third"}}
    ]


def test_a_stable_function_sees_the_rows_before_and_a_volatile_one_those_after(writing_api: StartApi) -> None:
    api = writing_api(SCHEMA, ROWS, graphql_dialect="pg_graphql")
    query = """mutation { insertIntothingCollection(objects: {parent_id: 2}) {
      records { siblings fresh_siblings } } }"""
    record = api.ask(query).data["insertIntothingCollection"]["records"][0]
    assert record == {"siblings": "1", "fresh_siblings": "2"}


@pytest.mark.parametrize(
    "selection", ["__typename", "x: __typename y: __typename", "... on thingInsertResponse { __typename }"]
)
def test_a_response_may_be_only_its_type_name(api: Api, postgres: PostgresServer, selection: str) -> None:
    answer = api.ask(
        f"mutation {{ __typename insertIntothingCollection(objects: [{{a: 1}}, {{a: 2}}]) {{ {selection} }} }}"
    )
    assert answer.data["__typename"] == "Mutation"
    assert set(answer.data["insertIntothingCollection"].values()) == {"thingInsertResponse"}
    assert len(rows(postgres, api)) == 5


def test_all_responses_have_type_names(api: Api) -> None:
    query = """mutation {
      a: insertIntothingCollection(objects: {}) { __typename }
      b: updatethingCollection(set: {a: 1}, filter: {id: {eq: 1}}) { __typename }
      c: deleteFromthingCollection(filter: {id: {eq: 99}}) { __typename }
    }"""
    answer = api.ask(query).data
    assert [answer[key]["__typename"] for key in "abc"] == [
        "thingInsertResponse", "thingUpdateResponse", "thingDeleteResponse"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("insertIntothingCollection(objects: {}) { zz }", "unknown field in insert"),
        ("updatethingCollection(set: {a: 1}) { zz }", "unknown field in update"),
        ("deleteFromthingCollection { zz }", "unknown field in delete"),
        ("deleteFromthingCollection { records { zz } }", "Unknown field 'zz' on type 'thing'"),
        ("insertIntothingCollection(objects: {}, foo: 1) { affectedCount }", 'Input contains extra keys ["foo"]'),
        ("updatethingCollection(set: {a: 1}, x: 1, y: 2) { affectedCount }", 'Input contains extra keys ["x", "y"]'),
        ("insertIntothingCollection { affectedCount }", "Invalid input for NonNull type"),
        ("updatethingCollection { affectedCount }", "Invalid input for NonNull type"),
        ("insertIntothingCollection(objects: [1]) { affectedCount }", "Invalid input for thingInsertInput type"),
        ("insertIntothingCollection(objects: [null]) { affectedCount }", "Invalid input for NonNull type"),
        ('insertIntothingCollection(objects: {dne: 1}) { affectedCount }',
         'Input for type thingInsertInput contains extra keys ["dne"]'),
        ('updatethingCollection(set: {id: 1}) { affectedCount }',
         'Input for type thingUpdateInput contains extra keys ["id"]'),
        ("insertIntoNothing { x }", 'Unknown field "insertIntoNothing" on type Mutation'),
    ],
)  # fmt: skip
def test_pg_graphql_has_its_own_messages(
    writing_api: StartApi, postgres: PostgresServer, field: str, message: str
) -> None:
    api = writing_api(SCHEMA, ROWS, graphql_dialect="pg_graphql")
    answer = api.ask(
        f'mutation {{ insertIntothingCollection(objects: {{b: "before"}}) {{ affectedCount }} x: {field} }}'
    )
    assert answer.message == message
    assert answer.body["data"] is None
    assert len(rows(postgres, api)) == 3


# Several mutations


def test_mutations_run_in_order_in_one_transaction_and_round_trip(
    start_api: StartApi, postgres: PostgresServer
) -> None:
    api = start_api(SCHEMA + ROWS + "alter table thing add column xact xid8 default pg_current_xact_id()")
    query = """mutation {
      first: insertIntothingCollection(objects: {a: 100}) { records { xact } }
      second: updatethingCollection(set: {b: "of the first"}, filter: {a: {eq: 100}}) { affectedCount }
      third: insertIntothingCollection(objects: {a: 101}) { records { xact } }
      fourth: deleteFromthingCollection(filter: {a: {lt: 100}}, atMost: 5) { affectedCount }
    }"""
    with counted(api.database_url) as (through, proxy):
        through.ask(query).data  # noqa: B018
        flights = proxy.flights
        answer = through.ask(query.replace("100", "200").replace("101", "201")).data
        assert proxy.flights == flights + 1
    assert list(answer) == ["first", "second", "third", "fourth"]
    assert answer["second"] == {"affectedCount": 1}
    assert answer["fourth"] == {"affectedCount": 2}
    assert answer["first"]["records"] == answer["third"]["records"]
    assert rows(postgres, api) == [[200, "of the first"], [201, "d"]]


@pytest.mark.parametrize("position", [0, 1, 2])
@DIALECTS
def test_the_first_error_undoes_everything_and_is_the_only_one(
    writing_api: StartApi, postgres: PostgresServer, dialect: str, position: int
) -> None:
    api = writing_api(SCHEMA, ROWS, graphql_dialect=dialect)
    fields = [f'i{i}: insertIntothingCollection(objects: {{b: "{i}"}}) {{ affectedCount }}' for i in range(2)]
    fields.insert(position, "bad: insertIntothingCollection(objects: {parent_id: 77}) { affectedCount }")
    fields.append("alsobad: updatethingCollection(set: {a: 1}) { affectedCount }")
    answer = api.ask(f"mutation {{ {' '.join(fields)} }}")
    assert answer.body["data"] is None
    assert answer.code == "FOREIGN_KEY_VIOLATION"
    assert answer.errors[0]["path"] == ["bad"]
    assert rows(postgres, api) == [[1, "first"], [2, "second"], [3, "third"]]


def test_an_error_at_commit_undoes_everything(start_api: StartApi, postgres: PostgresServer) -> None:
    api = start_api(SCHEMA + ROWS + "alter table thing add constraint late unique (a) deferrable initially deferred; ")
    answer = api.ask("mutation { insertIntothingCollection(objects: {a: 1}) { affectedCount } __typename }")
    assert (answer.code, answer.body["data"]) == ("UNIQUE_VIOLATION", None)
    assert answer.errors[0]["extensions"]["constraint"] == "late"
    assert len(rows(postgres, api)) == 3


def test_aliases_repeat_a_mutation(api: Api, postgres: PostgresServer) -> None:
    fields = " ".join(f"m{i}: insertIntothingCollection(objects: {{a: {i}}}) {{ records {{ a }} }}" for i in range(10))
    answer = api.ask(f"mutation {{ {fields} }}").data
    assert [answer[f"m{i}"]["records"] for i in range(10)] == [[{"a": i}] for i in range(10)]
    assert [a for a, _ in rows(postgres, api)][3:] == list(range(10))


def test_equal_mutations_under_one_name_run_once(api: Api, postgres: PostgresServer) -> None:
    api.ask("""mutation { insertIntothingCollection(objects: {a: 1}) { affectedCount }
                insertIntothingCollection(objects: {a: 1}) { records { a } } }""").data  # noqa: B018
    assert len(rows(postgres, api)) == 4


def test_skipped_mutations_do_not_run(api: Api, postgres: PostgresServer) -> None:
    query = """mutation ($yes: Boolean!) {
      a: insertIntothingCollection(objects: {a: 50}) @include(if: $yes) { affectedCount }
      b: insertIntothingCollection(objects: {a: 51}) @skip(if: $yes) { affectedCount }
    }"""
    assert list(api.ask(query, {"yes": True}).data) == ["a"]
    assert list(api.ask(query, {"yes": False}).data) == ["b"]
    assert [a for a, _ in rows(postgres, api)][3:] == [50, 51]


def test_a_mutation_by_get_is_refused(api: Api, postgres: PostgresServer) -> None:
    result = api.client.simulate_get(
        "/graphql/v1",
        params={"query": "mutation { insertIntothingCollection(objects: {}) { affectedCount } }"},
        headers={"apiKey": "anon-key-of-the-tests"},
    )
    assert result.status_code == 405
    assert len(rows(postgres, api)) == 3


@DIALECTS
def test_a_role_without_mutations_has_no_mutation_type(start_api: StartApi, dialect: str) -> None:
    api = start_api("create table t (id int primary key); grant select on t to anon", graphql_dialect=dialect)
    answer = api.ask("mutation { insertIntotCollection(objects: {}) { affectedCount } }")
    assert "data" not in answer.body
    if dialect == "pg_graphql":
        assert answer.message == "Unknown type Mutation"
