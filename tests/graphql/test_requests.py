"""HTTP requests: a bad one gets a clear error, and the service goes on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.graphql.api import ANON_KEY, JWT_SECRET, SERVICE_KEY, Answer, Api, token
from tests.graphql.conftest import StartApi

SCHEMA = """
create table item (id int primary key, name text, parent_id int references item);
insert into item values (1, 'one', null), (2, 'two', 1);
create table private (id int primary key);
grant select on item to anon, authenticated, service_role;
grant select on private to service_role;
"""
ITEMS = "{ itemCollection { edges { node { id } } } }"
FOUND = {"itemCollection": {"edges": [{"node": {"id": 1}}, {"node": {"id": 2}}]}}
LEAKS = ("Traceback", 'File "', "SELECT", "select ", "json_build", "pg8000", "/app/", "sqlalchemy")


@pytest.fixture
def api(reading_api: StartApi) -> Iterator[Api]:
    api = reading_api(SCHEMA)
    yield api
    assert api.ask(ITEMS).data == FOUND, "the service goes on"


def is_clear(answer: Answer, status: int, code: str, *words: str) -> None:
    assert answer.status == status, answer.body
    assert set(answer.body) in ({"errors"}, {"errors", "data"})
    assert answer.body.get("data") is None
    assert answer.errors
    assert all(error["message"] and error["extensions"]["code"] for error in answer.errors)
    assert answer.errors[0]["extensions"]["code"] == code, answer.body
    for word in words:
        assert word in answer.errors[0]["message"], answer.body
    assert not [leak for leak in LEAKS if leak in json.dumps(answer.body)], answer.body
    assert answer.headers["content-type"].startswith("application/")


@pytest.mark.parametrize(
    ("body", "status", "code", "words"),
    [
        ("", 400, "BAD_REQUEST", ["JSON"]),
        ("{", 400, "BAD_REQUEST", ["JSON"]),
        ("query { __typename }", 400, "BAD_REQUEST", ["JSON"]),
        (b"\xff\xfe\x00", 400, "BAD_REQUEST", ["JSON"]),
        ('{"query": "{ __typename }", "variables": {"a": NaN}}', 400, "BAD_REQUEST", ["JSON"]),
        ("[" * 100_000, 400, "BAD_REQUEST", ["JSON"]),
        ("[]", 400, "BAD_REQUEST", ["object"]),
        ("null", 400, "BAD_REQUEST", ["object"]),
        ('"x"', 400, "BAD_REQUEST", ["object"]),
        ("{}", 400, "BAD_REQUEST", ["query"]),
        ('{"query": null}', 400, "BAD_REQUEST", ["query"]),
        ('{"query": 1}', 400, "BAD_REQUEST", ["query"]),
        ('{"query": ""}', 400, "BAD_REQUEST", ["query"]),
        ('{"query": "  "}', 400, "BAD_REQUEST", ["query"]),
        ('{"query": "{ __typename }", "variables": []}', 400, "BAD_REQUEST", ["variables"]),
        ('{"query": "{ __typename }", "variables": "{}"}', 400, "BAD_REQUEST", ["variables"]),
        ('{"query": "{ __typename }", "operationName": 1}', 400, "BAD_REQUEST", ["operationName"]),
        ('{"query": "{ x"}', 200, "GRAPHQL_PARSE_FAILED", ["Syntax Error"]),
        ('{"query": "\\ud800"}', 200, "GRAPHQL_PARSE_FAILED", ["Syntax Error"]),
        ('{"query": "#"}', 200, "GRAPHQL_PARSE_FAILED", ["Syntax Error"]),
        ('{"query": "{ itemCollektion { edges { cursor } } }"}', 200, "GRAPHQL_VALIDATION_FAILED", ["Did you mean 'itemCollection"]),  # noqa: E501
        ('{"query": "{ itemCollection(frist: 1) { edges { cursor } } }"}', 200, "GRAPHQL_VALIDATION_FAILED", ["'first'"]),  # noqa: E501
        ('{"query": "{ itemCollection(first: true) { edges { cursor } } }"}', 200, "GRAPHQL_VALIDATION_FAILED", ["Int"]),  # noqa: E501
        ('{"query": "{ itemCollection(orderBy: {id: Up}) { edges { cursor } } }"}', 200, "GRAPHQL_VALIDATION_FAILED", ["Up"]),  # noqa: E501
        ('{"query": "query A { __typename }", "operationName": "B"}', 200, "OPERATION_RESOLUTION_FAILURE", ["Operation not found"]),  # noqa: E501
        ('{"query": "subscription { x }"}', 200, "OPERATION_RESOLUTION_FAILURE", ["Subscriptions"]),
        ('{"query": "{ ...F } fragment F on Query { ...F }"}', 200, "GRAPHQL_VALIDATION_FAILED", ["cycle"]),
        ('{"query": "{ itemCollection(after: \\"x\\") { edges { cursor } } }"}', 200, "BAD_USER_INPUT", ["cursor"]),
        ('{"query": "{ node(nodeId: \\"x\\") { nodeId } }"}', 200, "BAD_USER_INPUT", ["nodeId"]),
        ('{"query": "{ itemCollection(first: -1) { edges { cursor } } }"}', 200, "BAD_USER_INPUT", ["unsigned"]),
        ('{"query": "{ itemCollection(first: 1, last: 1) { edges { cursor } } }"}', 200, "BAD_USER_INPUT", ["only one of"]),  # noqa: E501
        ('{"query": "{ privateCollection { edges { cursor } } }"}', 200, "GRAPHQL_VALIDATION_FAILED", ["privateCollection"]),  # noqa: E501
        ('{"query": "mutation { deleteFromitemCollection { affectedCount } }"}', 200, "GRAPHQL_VALIDATION_FAILED", []),
    ],
)  # fmt: skip
def test_malformed_requests_have_clear_errors(
    api: Api, body: str | bytes, status: int, code: str, words: list[str]
) -> None:
    is_clear(api.post(body), status, code, *words)


def test_strings_that_the_database_cannot_hold(api: Api) -> None:
    query = "query ($x: String) { itemCollection(filter: {name: {eq: $x}}) { edges { cursor } } }"
    for text in ("\x00", "a\x00b", "\ud800"):
        answer = api.ask(query, {"x": text})
        assert answer.status == 200 and answer.errors, answer.body  # noqa: PT018
        assert not [leak for leak in LEAKS if leak in json.dumps(answer.body)]
    assert api.ask(query, {"x": "\U0001f600 ' \\ \" %s $1 :x"}).data == {"itemCollection": {"edges": []}}


def test_only_json_is_accepted(api: Api) -> None:
    body = json.dumps({"query": ITEMS})
    for content_type in ("application/json", "application/json; charset=utf-8", "APPLICATION/JSON"):
        assert api.post(body, headers={"Content-Type": content_type}).data == FOUND
    for content_type in (
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/graphql",
    ):
        is_clear(api.post(body, headers={"Content-Type": content_type}), 415, "UNSUPPORTED_MEDIA_TYPE")


def test_the_accept_header_decides_the_response_type(api: Api) -> None:
    plain = api.ask(ITEMS)
    assert plain.headers["content-type"].startswith("application/json")
    wanted = {"Accept": "application/graphql-response+json, application/json;q=0.9"}
    answer = api.ask(ITEMS, headers=wanted)
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("application/graphql-response+json")
    # With GraphQL's own media type a request without data is a client error; otherwise the status is 200.
    assert api.ask("{ x }", headers=wanted).status == 400
    assert api.ask("{ x }").status == 200
    assert api.ask("{", headers=wanted).status == 400
    assert api.ask("{ itemCollection(first: -1) { edges { cursor } } }", headers=wanted).status == 200


def get(api: Api, query_string: str, key: str | None = ANON_KEY) -> Answer:
    result = api.client.simulate_get("/graphql/v1", query_string=query_string, headers={"apiKey": key} if key else {})
    return Answer(result.status_code, json.loads(result.content), result.headers)


def test_queries_can_be_sent_by_get(api: Api) -> None:
    from urllib.parse import quote, urlencode

    assert get(api, urlencode({"query": ITEMS})).data == FOUND
    text = "query A($n: Int) { itemCollection(first: $n) { edges { node { id } } } } query B { __typename }"
    asked = {"query": text, "variables": '{"n": 1}', "operationName": "A"}
    assert get(api, urlencode(asked)).data == {"itemCollection": {"edges": [{"node": {"id": 1}}]}}
    assert get(api, urlencode({**asked, "operationName": "B", "variables": ""})).data == {"__typename": "Query"}
    assert get(api, f"query={quote(ITEMS)}&query=x").status == 400
    is_clear(get(api, ""), 400, "BAD_REQUEST", "query")
    is_clear(get(api, "query="), 400, "BAD_REQUEST", "query")
    is_clear(get(api, f"query={quote(ITEMS)}&variables=x"), 400, "BAD_REQUEST", "variables")
    is_clear(get(api, f"query={quote(ITEMS)}&variables=[]"), 400, "BAD_REQUEST", "variables")
    is_clear(get(api, f"query={quote(ITEMS)}&variables=1&variables=2"), 400, "BAD_REQUEST", "variables")
    is_clear(get(api, urlencode({"query": ITEMS}), key=None), 401, "MISSING_API_KEY")
    mutation = get(api, urlencode({"query": "mutation { deleteFromitemCollection { affectedCount } }"}))
    is_clear(mutation, 405, "METHOD_NOT_ALLOWED", "GET")
    assert mutation.headers.get("allow") == "POST"


def test_other_methods_and_paths_are_refused(api: Api) -> None:
    for method in ("PUT", "DELETE", "PATCH"):
        result = api.client.simulate_request(method, "/graphql/v1", headers={"apiKey": ANON_KEY})
        assert result.status_code == 405
        assert json.loads(result.content)["errors"][0]["extensions"]["code"]
    result = api.client.simulate_post("/graphql/v2", body="{}", headers={"apiKey": ANON_KEY})
    assert result.status_code == 404
    assert json.loads(result.content)["errors"][0]["message"]


# Limits


def limits(reading_api: StartApi) -> Api:
    return reading_api(
        SCHEMA, body_limit=3000, token_limit=200, depth_limit=5, alias_limit=4, root_field_limit=6, field_limit=12
    )


@pytest.mark.parametrize(
    ("query", "word"),
    [
        (f"{{ {'itemCollection(first: 1) ' * 60} }}", "200 tokens"),
        ("{ itemCollection { edges { node { item { item { id } } } } } }", "5 levels"),
        (
            "{ ...A } fragment A on Query { itemCollection { edges { ...B } } } fragment B on itemEdge { node { item { item { id } } } }",  # noqa: E501
            "5 levels",
        ),
        ("{ a: __typename b: __typename c: __typename d: __typename e: __typename }", "4 aliases"),
        ("{ " + "__typename " * 7 + "}", "6 root fields"),
        ("{ ...A ...A } fragment A on Query { __typename x: __typename __typename __typename }", "6 root fields"),
        ("{ itemCollection { edges { node { " + "id " * 10 + "} } } }", "12 fields"),
        ("query A { __typename } query B { itemCollection { edges { node { " + "id " * 10 + "} } } }", "12 fields"),
    ],
)
def test_documents_are_limited(reading_api: StartApi, query: str, word: str) -> None:
    api = limits(reading_api)
    is_clear(api.ask(query, operation="A" if "query A" in query else None), 200, "LIMIT_EXCEEDED", word)
    assert api.ask("{ a: itemCollection { edges { node { item { id } } } } }").data["a"]


LONG = "9" * 4301


@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
@pytest.mark.parametrize(
    "query",
    [
        "{ itemCollection(filter: {id: {eq: %s}}) { edges { node { id } } } }",
        "{ itemCollection(filter: {id: {in: [1, -%s]}}) { edges { node { id } } } }",
        '{ itemCollection(first: %s, filter: {name: {eq: """a"""}}) { edges { node { id } } } }',
        "query ($n: Int = %s) { itemCollection(first: $n) { edges { node { id } } } }",
        "{ __typename itemCollection(first: %s) @skip(if: true) { edges { node { id } } } }",
    ],
)
def test_whole_numbers_with_too_many_digits_are_refused(reading_api: StartApi, dialect: str, query: str) -> None:
    api = reading_api(SCHEMA, graphql_dialect=dialect)
    for _ in range(2):
        answer = api.ask(query % LONG)
        is_clear(answer, 200, "LIMIT_EXCEEDED", "The document has a whole number of more than 4300 digits")
        assert answer.errors[0]["locations"] == [{"line": 1, "column": query.replace("-%s", "%s").index("%s") + 1}]


def test_numbers_in_json_with_too_many_digits_are_refused(api: Api) -> None:
    query = "query ($n: Int) { itemCollection(first: $n) { edges { node { id } } } }"
    words = "has a whole number of more than 4300 digits"
    body = json.dumps({"query": query, "variables": {"n": 0}})
    is_clear(api.post(body.replace('"n": 0', f'"n": {LONG}')), 400, "LIMIT_EXCEEDED", f"The body {words}")
    result = api.client.simulate_get(
        "/graphql/v1", params={"query": query, "variables": f'{{"n": -{LONG}}}'}, headers={"apiKey": ANON_KEY}
    )
    assert result.status_code == 400
    assert json.loads(result.content)["errors"][0]["message"] == f"The variables {words}"
    # One less is a number, which does not fit; a string has as many as it likes.
    is_clear(api.post(body.replace('"n": 0', f'"n": {LONG[1:]}')), 200, "BAD_USER_INPUT", "Int cannot represent")
    assert api.ask(f'{{ itemCollection(filter: {{name: {{eq: "{LONG}"}}}}) {{ edges {{ node {{ id }} }} }} }}').data


def test_bodies_above_the_limit_are_refused(reading_api: StartApi) -> None:
    api = limits(reading_api)
    big = json.dumps({"query": "{ __typename }", "variables": {"x": "y" * 4000}})
    is_clear(api.post(big), 413, "LIMIT_EXCEEDED", "3000 bytes (BODY_LIMIT)")
    # Also if the length is not declared.
    result = api.client.simulate_post(
        "/graphql/v1", body=big, headers={"apiKey": ANON_KEY, "Content-Type": "application/json", "Content-Length": ""}
    )
    assert result.status_code in (400, 413)
    assert api.post(big[:2000].ljust(2500).replace('"y', '"y', 1)).status == 400
    assert api.ask("{ __typename }").data == {"__typename": "Query"}


def test_values_of_any_size_and_depth_are_answered(api: Api) -> None:
    query = "query ($f: itemFilter) { itemCollection(filter: $f) { edges { node { id } } } }"
    deep: Any = {"id": {"eq": 1}}
    for depth in (200, 200):
        for _ in range(depth):
            deep = {"not": deep}
        text = json.dumps({"query": query, "variables": {"f": deep}})
        is_clear(api.post(text), 200, "LIMIT_EXCEEDED", "deep")
    nested = '{{"query": "{{ __typename }}", "variables": {{"x": {}1{}}}}}'.format("[" * 500, "]" * 500)
    assert api.post(nested).status in (200, 400)
    wide = {"or": [{"id": {"eq": n}} for n in range(1000)]}
    assert api.ask(query, {"f": wide}).data == FOUND
    many = {"id": {"in": [*range(20_000)]}}
    assert api.ask(query, {"f": many}).data == FOUND


@pytest.mark.timing
def test_equal_fields_are_not_compared_with_each_other_for_long(api: Api) -> None:
    import time

    began = time.perf_counter()
    answer = api.ask("{ itemCollection { edges { node { " + "id " * 1900 + "} } } }")
    is_clear(answer, 200, "LIMIT_EXCEEDED", "same name")
    assert api.ask("{ itemCollection { edges { node { " + "id " * 500 + "} } } }").data == FOUND
    assert time.perf_counter() - began < 4


# Keys and tokens


def test_api_keys_are_checked(api: Api) -> None:
    assert api.ask(ITEMS, key=ANON_KEY).data == FOUND
    assert api.ask("{ privateCollection { edges { cursor } } }", key=SERVICE_KEY).data == {
        "privateCollection": {"edges": []}
    }
    for key, code in ((None, "MISSING_API_KEY"), ("", "MISSING_API_KEY"), ("x", "INVALID_API_KEY"), (ANON_KEY + "x", "INVALID_API_KEY"),  # noqa: E501
                      (token({"sub": "u"}), "INVALID_API_KEY")):  # fmt: skip
        is_clear(api.ask(ITEMS, key=key), 401, code)
    assert api.ask(ITEMS, key=token({"role": "anon"})).data == FOUND


def test_bearer_tokens_are_checked(api: Api) -> None:
    for authorization in (
        f"Bearer {token({'sub': 'u'})}",
        f"bearer  {token({'role': 'authenticated'})}",
        f"Bearer {ANON_KEY}",
        "",
        " ",
    ):
        assert api.ask(ITEMS, headers={"Authorization": authorization}).data == FOUND, authorization
    service = {"Authorization": f"Bearer {token({'role': 'service_role'})}"}
    assert api.ask("{ privateCollection { edges { cursor } } }", headers=service).data == {
        "privateCollection": {"edges": []}
    }
    import jwt

    forged = [
        "Bearer x", "Bearer", "Basic dTpw", "x", f"Bearer {token({'exp': 1})}", f"Bearer {token({'nbf': 2**40})}",
        f"Bearer {jwt.encode({'role': 'service_role'}, 'another secret that is long enough', 'HS256')}",
        f"Bearer {jwt.encode({'role': 'service_role'}, '', 'none')}",
        f"Bearer {token({'role': 5})}", f"Bearer {token({})[:-2]}", "Bearer " + "a" * 20_000,
    ]  # fmt: skip
    for authorization in forged:
        answer = api.ask(ITEMS, headers={"Authorization": authorization})
        assert answer.status == 401 and answer.errors[0]["extensions"]["code"], (authorization, answer.body)  # noqa: PT018
        assert JWT_SECRET not in json.dumps(answer.body)
        assert "data" not in answer.body
    # A token does not replace the key.
    is_clear(api.ask(ITEMS, key=None, headers=service), 401, "MISSING_API_KEY")


def test_roles_that_do_not_exist_or_are_not_allowed(api: Api, postgres: Any) -> None:
    is_clear(api.ask(ITEMS, role="nobody_of_that_name"), 403, "UNKNOWN_ROLE", "nobody_of_that_name")
    for odd in ("none", "", 'pg_monitor"; drop table item; --', "a" * 100, "ANON", "public"):
        answer = api.ask(ITEMS, claims={"role": odd})
        assert answer.status in (401, 403) and "data" not in answer.body, (odd, answer.body)  # noqa: PT018


def test_responses_have_server_timing(api: Api) -> None:
    answer = api.ask(ITEMS)
    assert [part.split(";")[0] for part in answer.headers["server-timing"].split(", ")] == [
        "parse",
        "authorize",
        "plan",
        "execute",
        "shape",
    ]
    assert api.ask("{").headers["server-timing"].startswith("parse;dur=")


@pytest.mark.parametrize("show_sql", [False, True])
def test_the_log_shows_failed_statements_only_with_show_sql(
    start_api: StartApi, caplog: pytest.LogCaptureFixture, show_sql: bool
) -> None:
    sql = "create function fail() returns int language sql stable as 'select 1/0'"
    answer = start_api(sql, show_sql=show_sql).ask("{ fail }")
    assert answer.message == "division by zero"
    assert "SELECT" not in str(answer.body)
    assert ("SELECT" in caplog.text) is show_sql
