"""Documents: operations, fragments, directives, merging, variables and __typename, in both dialects."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.graphql.api import Answer, Api
from tests.graphql.conftest import StartApi

SCHEMA = """
comment on schema public is '@graphql({"inflect_names": true})';
create table account (id int primary key, email text, is_admin bool);
create table blog (id int primary key, owner_id int not null references account, name text);
insert into account values (1, 'a@x', true), (2, 'b@x', false);
insert into blog values (1, 1, 'A'), (2, 1, 'B'), (3, 2, 'C');
grant select on account, blog to anon;
"""


@pytest.fixture
def api(reading_api: StartApi) -> Api:
    return reading_api(SCHEMA)


@pytest.fixture
def loose(reading_api: StartApi) -> Api:
    return reading_api(SCHEMA, graphql_dialect="pg_graphql")


@pytest.fixture(params=["standard", "pg_graphql"])
def either(request: pytest.FixtureRequest, reading_api: StartApi) -> Api:
    return reading_api(SCHEMA, graphql_dialect=request.param)


def no_data(answer: Answer) -> str:
    """The message of a request-level error: one, and no key data."""
    assert "data" not in answer.body
    assert answer.status == 200
    return answer.message


def hint(answer: Answer) -> str:
    """The hint of a request-level error."""
    return answer.errors[0]["extensions"]["hint"]


def null_data(answer: Answer) -> str:
    assert answer.body["data"] is None
    assert answer.status == 200
    return answer.message


# Operations


def test_operation_name_chooses_the_operation(either: Api) -> None:
    two = "query A { accountByPk(id: 1) { email } } query B { accountByPk(id: 2) { email } }"
    assert either.ask(two, operation="A").data == {"accountByPk": {"email": "a@x"}}
    assert either.ask(two, operation="B").data == {"accountByPk": {"email": "b@x"}}
    assert no_data(either.ask(two)) == "Operation not found"
    assert no_data(either.ask(two, operation="C")) == "Operation not found"
    assert hint(either.ask(two)) == "Expected in operationName one of: A, B."
    assert hint(either.ask(two, operation="C")) == "Expected in operationName one of: A, B."
    assert hint(either.ask("{ __typename }", operation="A")) == "Leave operationName out: no operation has a name."
    one = "query A { accountByPk(id: 1) { email } }"
    assert either.ask(one).data == either.ask(one, operation="A").data == {"accountByPk": {"email": "a@x"}}
    assert no_data(either.ask(one, operation="B")) == "Operation not found"
    assert no_data(either.ask("{ accountByPk(id: 1) { email } }", operation="A")) == "Operation not found"
    assert no_data(either.ask("{ __typename } query A { __typename }")) == (
        "Anonymous operations must be the only defined operation"
    )
    assert no_data(either.ask("query A { __typename } query A { __typename }")) == "Operation names must be unique"
    assert no_data(either.ask("subscription { accountCollection { edges { cursor } } }")) == (
        "Subscriptions are not supported"
    )
    assert "docs/live.md" in hint(either.ask("subscription { accountCollection { edges { cursor } } }"))
    assert no_data(either.ask("fragment F on Account { id }")) == "Operation not found"


def test_the_first_failed_check_is_reported(either: Api) -> None:
    cycle = "fragment F on Account { ...F }"
    broken = "{ __typename } { __typename } query A { id } query A { id }" + cycle
    answer = either.ask(broken, [1])
    assert (answer.status, answer.message) == (400, "variables must be an object")
    assert "data" not in answer.body
    assert no_data(either.ask(broken)) == "Anonymous operations must be the only defined operation"
    assert no_data(either.ask("query A { id } query A { id }" + cycle)) == "Operation names must be unique"
    assert no_data(either.ask("query A { id } query B { id }" + cycle)) == "Found a cycle between fragments"


def test_syntax_errors_are_reported(either: Api) -> None:
    answer = either.ask("{ accountCollection { ")
    assert no_data(answer).startswith("Syntax Error")
    assert answer.code == "GRAPHQL_PARSE_FAILED"
    odd = "#comment\n{,,accountByPk(,id:1,){,email,,}} # the end"
    assert either.ask("\ufeff" + odd).data == {"accountByPk": {"email": "a@x"}}


# Fragments


@pytest.mark.parametrize(
    ("query", "repeated"),
    [("{ %s }", 50_000 * "x"), ("{ accountCollection(first: %s) { edges { cursor } } }", 4_000 * "9")],
    ids=["name", "number"],
)
def test_messages_do_not_repeat_long_documents(api: Api, query: str, repeated: str) -> None:
    message = no_data(api.ask(query % repeated))
    assert len(message) < 1100
    assert message.endswith("...")


def test_fragments_can_be_spread_on_every_type(either: Api) -> None:
    query = """
      query { ...Root ... on Query { again: accountCollection(first: 1) { ...Connection } } ... { __typename } }
      fragment Root on Query { accountCollection(first: 1) { ...Connection } }
      fragment Connection on AccountConnection { edges { ...Edge } pageInfo { ...Info } }
      fragment Edge on AccountEdge { ... on AccountEdge { node { ...Row } } }
      fragment Row on Account { id ...More blogCollection(first: 1) { edges { node { ... on Blog { name } } } } }
      fragment More on Account { email }
      fragment Info on PageInfo { hasNextPage }
    """
    connection = {
        "edges": [{"node": {"id": 1, "email": "a@x", "blogCollection": {"edges": [{"node": {"name": "A"}}]}}}],
        "pageInfo": {"hasNextPage": True},
    }
    data = either.ask(query).data
    assert data == {"accountCollection": connection, "again": connection, "__typename": "Query"}
    assert list(data) == ["accountCollection", "again", "__typename"]


def test_fragments_of_another_type_do_not_apply(api: Api, loose: Api) -> None:
    inline = "{ accountByPk(id: 1) { ... on Blog { name } id } }"
    spread = "{ accountByPk(id: 1) { ...F } } fragment F on Blog { name }"
    unknown = "{ accountByPk(id: 1) { ...F } }"
    assert loose.ask(inline).data == {"accountByPk": {"id": 1}}
    assert null_data(loose.ask(spread)) == "no fragment named F on type Account"
    assert null_data(loose.ask(unknown)) == "no fragment named F on type Account"
    assert no_data(loose.ask("{ ...F }")) == "no fragment named F on type Query"
    assert "can never be of type" in no_data(api.ask(inline))
    assert "can never be of type" in no_data(api.ask(spread))
    assert "Unknown fragment" in no_data(api.ask(unknown))
    # An unused fragment is an error of the specification only.
    unused = "{ accountByPk(id: 1) { id } } fragment F on Nothing { x }"
    assert loose.ask(unused).data == {"accountByPk": {"id": 1}}
    assert api.ask(unused).errors


def test_fragments_on_the_interface_apply_to_rows(api: Api, loose: Api) -> None:
    id_ = api.ask("{ accountByPk(id: 1) { nodeId } }").data["accountByPk"]["nodeId"]
    query = f'{{ node(nodeId: "{id_}") {{ __typename ... on Node {{ nodeId }} ... on Account {{ email }} ... on Blog {{ name }} }} }}'  # noqa: E501
    assert api.ask(query).data == {"node": {"__typename": "Account", "nodeId": id_, "email": "a@x"}}
    assert loose.ask(query).data == {"node": {"__typename": "Account", "email": "a@x"}}
    direct = f'{{ node(nodeId: "{id_}") {{ nodeId email }} }}'
    assert loose.ask(direct).data == {"node": {"nodeId": id_, "email": "a@x"}}
    assert "Cannot query field 'email' on type 'Node'" in no_data(api.ask(direct))


def test_cycles_of_fragments_are_refused(either: Api) -> None:
    for query in (
        "{ accountByPk(id: 1) { ...F } } fragment F on Account { id ...F }",
        "{ accountByPk(id: 1) { id } } fragment A on Account { ...B } fragment B on Account { ...A }",
        """{ accountByPk(id: 1) { ...F } } fragment F on Account { blogCollection { edges { node { account { ...F }
           owner { ...F } } } } }""",
    ):
        assert no_data(either.ask(query)) == "Found a cycle between fragments"

    def chain(length: int) -> str:
        links = " ".join(f"fragment F{i} on Account {{ ...F{i + 1} }}" for i in range(length - 1))
        return f"{{ accountByPk(id: 1) {{ ...F0 }} }} {links} fragment F{length - 1} on Account {{ id }}"

    assert either.ask(chain(50)).data == {"accountByPk": {"id": 1}}
    answer = either.ask(chain(60))
    assert no_data(answer) == "Fragment cycle depth is greater than 50"


def test_many_fragments_take_linear_time(either: Api) -> None:
    """Fragments that each spread the next one twice would be 2^30 fields if they were expanded."""
    links = " ".join(f"fragment F{i} on Account {{ ...F{i + 1} ...F{i + 1} }}" for i in range(30))
    answer = either.ask(f"{{ accountByPk(id: 1) {{ ...F0 }} }} {links} fragment F30 on Account {{ id }}")
    assert answer.code == "LIMIT_EXCEEDED"
    assert "fields" in answer.message
    roots = " ".join(f"fragment F{i} on Query {{ ...F{i + 1} ...F{i + 1} }}" for i in range(30))
    answer = either.ask(f"{{ ...F0 }} {roots} fragment F30 on Query {{ __typename }}")
    assert answer.code == "LIMIT_EXCEEDED"
    roots = " ".join(f"fragment F{i} on Query {{ ...F{i + 1} ...F{i + 1} }}" for i in range(40))
    answer = either.ask(f"{{ ...F0 __typename }} {roots} fragment F40 on Query {{ ...Nothing }}")
    assert answer.errors


# Directives


def test_skip_and_include_remove_fields(either: Api) -> None:
    query = """query ($yes: Boolean!, $no: Boolean = false) {
      a: accountByPk(id: 1) @include(if: $yes) { id }
      b: accountByPk(id: 1) @include(if: $no) { id }
      c: accountByPk(id: 1) @skip(if: $no) { id email @skip(if: true) isAdmin @include(if: false) }
      d: accountByPk(id: 1) { ...F @skip(if: $yes) ... @include(if: $yes) { email } ... on Account @skip(if: $yes)
        { isAdmin } }
      e: accountByPk(id: 1) @include(if: true) @skip(if: true) { id }
      f: accountByPk(id: 1) @skip(if: true) @include(if: true) { id }
      g: accountByPk(id: 1) @skip(if: false) @include(if: true) { id }
    } fragment F on Account { id }"""
    assert either.ask(query, {"yes": True}).data == {
        "a": {"id": 1}, "c": {"id": 1}, "d": {"email": "a@x"}, "g": {"id": 1}
    }  # fmt: skip
    assert either.ask(query, {"yes": False, "no": True}).data == {
        "b": {"id": 1}, "d": {"id": 1, "isAdmin": True}, "g": {"id": 1}
    }  # fmt: skip


def test_wrong_directives_are_refused(api: Api, loose: Api) -> None:
    for directive, message in (
        ("@skip", "Incorrect arguments to directive @skip"),
        ("@skip(if: true, unless: false)", "Incorrect arguments to directive @skip"),
        ("@skip(unless: true)", "Unknown argument to @skip: unless"),
        ("@include(iff: true)", "Unknown argument to @include: iff"),
        ("@include(if: 1)", 'Value for "if" in @include directive is required'),
        ("@skip(if: null)", 'Value for "if" in @skip directive is required'),
        ("@skip(if: $missing)", 'Value for "if" in @skip directive is required'),
        ("@uppercase", "Unknown directive uppercase"),
    ):
        inner = f"{{ accountByPk(id: 1) {{ email {directive} }} }}"
        assert null_data(loose.ask(inner)) == message
        assert no_data(loose.ask(f"{{ accountByPk(id: 1) {directive} {{ email }} }}")) == message
        assert no_data_at_least(api.ask(inner))
    text = "query ($x: Boolean) { accountByPk(id: 1) { email @skip(if: $x) } }"
    assert null_data(loose.ask(text, {"x": "true"})) == 'Value for "if" in @skip directive is required'
    # Directives on operations and fragment definitions are ignored.
    ignored = "query @x { accountByPk(id: 1) { ...F } } fragment F on Account @y { id }"
    assert loose.ask(ignored).data == {"accountByPk": {"id": 1}}


def no_data_at_least(answer: Answer) -> bool:
    assert "data" not in answer.body
    assert answer.errors
    assert all(
        error["extensions"]["code"] == "GRAPHQL_VALIDATION_FAILED" and error["locations"] for error in answer.errors
    )
    return True


def test_empty_selections_are_allowed_after_skip(api: Api, loose: Api) -> None:
    assert no_data(loose.ask("{ accountByPk(id: 1) @skip(if: true) { id } }")) == "Selection set must not be empty"
    assert api.ask("{ accountByPk(id: 1) @skip(if: true) { id } }").data == {}
    query = "{ accountByPk(id: 1) { id @skip(if: true) } accountCollection { edges { cursor @skip(if: true) } } }"
    assert api.ask(query).data == loose.ask(query).data == {
        "accountByPk": {}, "accountCollection": {"edges": [{}, {}]}
    }  # fmt: skip


# Merging


def test_equal_fields_are_merged(either: Api) -> None:
    query = """{ accountCollection(first: 1) { edges { node { id } } }
      accountCollection(first: 1) { edges { node { email blogCollection(first: 1) { edges { cursor } } } } }
      ...F ... { accountCollection(first: 1) { edges { node { id id blogCollection(first: 1) { edges { node { id }
        } } } } } } }
      fragment F on Query { accountCollection(first: 1) { pageInfo { hasNextPage } edges { cursor } } }"""
    assert either.ask(query).data == {
        "accountCollection": {
            "edges": [
                {
                    "node": {
                        "id": 1,
                        "email": "a@x",
                        "blogCollection": {"edges": [{"cursor": "WzFd", "node": {"id": 1}}]},
                    },
                    "cursor": "WzFd",
                }
            ],
            "pageInfo": {"hasNextPage": True},
        }
    }


def test_different_fields_under_one_name_are_refused(api: Api, loose: Api) -> None:
    root = "{ a: accountByPk(id: 1) { id } a: blogByPk(id: 1) { id } }"
    assert no_data(loose.ask(root)) == "Fields `blogByPk` and `accountByPk` are different"
    inner = "{ accountByPk(id: 1) { a: id a: email } }"
    assert null_data(loose.ask(inner)) == "Fields `email` and `id` are different"
    root = "{ a: accountByPk(id: 1) { id } a: accountByPk(id: 2) { id } }"
    assert no_data(loose.ask(root)) == "Two fields named `accountByPk` have different arguments"
    inner = (
        "{ accountByPk(id: 1) { blogCollection(first: 1) { edges { cursor } } blogCollection { edges { cursor } } } }"
    )
    assert null_data(loose.ask(inner)) == "Two fields named `blogCollection` have different arguments"
    for query in (root, inner):
        assert "conflict" in no_data(api.ask(query))
    # The order of arguments does not matter.
    same = """{ accountCollection(first: 1, offset: 1) { edges { cursor } }
                accountCollection(offset: 1, first: 1) { edges { node { id } } } }"""
    for each in (api, loose):
        assert each.ask(same).data == {"accountCollection": {"edges": [{"cursor": "WzJd", "node": {"id": 2}}]}}


# Selections that do not fit their type


def test_selections_must_fit_scalars_and_objects(api: Api, loose: Api) -> None:
    assert loose.ask("{ accountByPk(id: 1) }").data == {"accountByPk": {}}
    assert loose.ask("{ accountCollection { edges pageInfo } }").data == {
        "accountCollection": {"edges": [{}, {}], "pageInfo": {}}
    }
    assert loose.ask("{ accountCollection }").data == {"accountCollection": {}}
    assert loose.ask("{ accountByPk(id: 1) { id { x } } }").data == {"accountByPk": {"id": 1}}
    for query in ("{ accountByPk(id: 1) }", "{ accountCollection { edges } }", "{ accountByPk(id: 1) { id { x } } }"):
        assert no_data_at_least(api.ask(query))


def test_every_object_has_typename(either: Api) -> None:
    id_ = either.ask("{ accountByPk(id: 1) { nodeId } }").data["accountByPk"]["nodeId"]
    query = f"""{{ t: __typename accountCollection(first: 1) {{ __typename edges {{ __typename node {{ __typename
        blogCollection(first: 1) {{ __typename }} }} }} pageInfo {{ __typename }} }}
      accountByPk(id: 1) {{ __typename }} node(nodeId: "{id_}") {{ __typename }} }}"""
    assert either.ask(query).data == {
        "t": "Query",
        "accountCollection": {
            "__typename": "AccountConnection",
            "edges": [
                {
                    "__typename": "AccountEdge",
                    "node": {"__typename": "Account", "blogCollection": {"__typename": "BlogConnection"}},
                }
            ],
            "pageInfo": {"__typename": "PageInfo"},
        },
        "accountByPk": {"__typename": "Account"},
        "node": {"__typename": "Account"},
    }
    assert either.ask("{ __typename }").data == {"__typename": "Query"}


def test_key_order_is_that_of_the_selection(either: Api) -> None:
    query = """{ z: __typename b: accountByPk(id: 1) { isAdmin id a: email nodeId }
      a: accountCollection(first: 1) { pageInfo { startCursor hasNextPage } edges { node { email id } cursor } } }"""
    data = either.ask(query).data
    assert json.dumps(data) == json.dumps(
        {
            "z": "Query",
            "b": {"isAdmin": True, "id": 1, "a": "a@x", "nodeId": "WyJwdWJsaWMiLCAiYWNjb3VudCIsIDFd"},
            "a": {
                "pageInfo": {"startCursor": "WzFd", "hasNextPage": True},
                "edges": [{"node": {"email": "a@x", "id": 1}, "cursor": "WzFd"}],
            },
        }
    )


# Variables


def test_defaults_of_variables_apply(either: Api) -> None:
    query = "query ($id: Int! = 2, $filter: AccountFilter = {id: {lt: 2}}) { accountByPk(id: $id) { id } accountCollection(filter: $filter) { edges { node { id } } } }"  # noqa: E501
    assert ids(either.ask(query)) == (2, [1])
    assert ids(either.ask(query, {"id": 1})) == (1, [1])
    assert ids(either.ask(query, {"filter": None})) == (2, [1, 2])
    assert ids(either.ask(query, {"filter": {"id": {"gt": 1}}, "unknown": 1})) == (2, [2])


def ids(answer: Answer) -> tuple[int, list[int]]:
    return answer.data["accountByPk"]["id"], [e["node"]["id"] for e in answer.data["accountCollection"]["edges"]]


def test_pg_graphql_ignores_declarations_of_variables(api: Api, loose: Api) -> None:
    for query, variables in (
        ("query ($f: Int!) { accountCollection(filter: $f) { edges { node { id } } } }", {"f": {"id": {"eq": 1}}}),
        ("{ accountCollection(filter: $f) { edges { node { id } } } }", {"f": {"id": {"eq": 1}}}),
        ("query ($a: Int) { accountCollection(filter: {id: {eq: $b}}) { edges { node { id } } } }", {"b": 1}),
        ("query ($o: String) { accountCollection(first: 1, orderBy: {id: $o}) { edges { node { id } } } }", {"o": "AscNullsLast"}),  # noqa: E501
        ('{ accountCollection(first: 1, orderBy: {id: "AscNullsLast"}) { edges { node { id } } } }', None),
    ):  # fmt: skip
        assert loose.ask(query, variables).data == {"accountCollection": {"edges": [{"node": {"id": 1}}]}}, query
        assert api.ask(query, variables).errors[0]["extensions"]["code"] == "GRAPHQL_VALIDATION_FAILED"
    absent = "query ($f: AccountFilter!) { accountCollection(filter: $f) { edges { node { id } } } }"
    assert len(loose.ask(absent).data["accountCollection"]["edges"]) == 2
    assert "to be provided" in api.ask(absent).message
    assert loose.ask("{ accountByPk(id: $id) { id } }", {"id": "1"}).data == {"accountByPk": {"id": 1}}


def test_lists_may_contain_variables(either: Api) -> None:
    query = """query ($a: Int!, $b: OrderByDirection, $f: AccountFilter!) { accountCollection(
      filter: {or: [{id: {in: [$a, 99]}}, $f]}, orderBy: [{isAdmin: $b}, {id: $b}]) { edges { node { id } } } }"""
    variables = {"a": 1, "b": "DescNullsLast", "f": {"id": {"eq": 2}}}
    assert [e["node"]["id"] for e in either.ask(query, variables).data["accountCollection"]["edges"]] == [1, 2]
    variables = {"a": 1, "b": "AscNullsLast", "f": {"id": {"eq": 3}}}
    assert [e["node"]["id"] for e in either.ask(query, variables).data["accountCollection"]["edges"]] == [1]


def test_invalid_orders_are_refused(loose: Api) -> None:
    for argument, message in (
        ("[{id: Up}]", "Invalid input for OrderByDirection type"),
        ("[{id: AscNullFirst}]", "Invalid input for OrderByDirection type"),
        ("[null]", "Invalid input for NonNull type"),
        ("[1]", "Invalid input for AccountOrderBy type"),
        ("[{x: AscNullsLast}]", 'Input for type AccountOrderBy contains extra keys ["x"]'),
    ):
        assert null_data(loose.ask(f"{{ accountCollection(orderBy: {argument}) {{ edges {{ cursor }} }} }}")) == message


# Errors by place


def test_unknown_names_are_refused(api: Api, loose: Api) -> None:
    id_ = loose.ask("{ accountByPk(id: 1) { nodeId } }").data["accountByPk"]["nodeId"]
    for query, message in (
        ("{ x }", 'Unknown field "x" on type Query'),
        ("{ accountCollection { x } }", "unknown field in connection"),
        ("{ accountCollection { totalCount } }", "unknown field in connection"),
        ("{ accountCollection { aggregate { count } } }", "enable the aggregate directive to use aggregates"),
        ("{ accountCollection { edges { x } } }", "unknown field in edge"),
        ("{ accountCollection { pageInfo { x } } }", "unknown field in pageInfo"),
        ("{ accountCollection { edges { node { x } } } }", "Unknown field 'x' on type 'Account'"),
        ("{ accountCollection { edges { node { blogCollection { edges { node { x } } } } } } }", "Unknown field 'x' on type 'Blog'"),  # noqa: E501
        ("{ accountByPk(id: 1) { x } }", 'Unknown field "x" on type Account'),
        ("{ blogByPk(id: 1) { owner { x } } }", "Unknown field 'x' on type 'Account'"),
        (f'{{ node(nodeId: "{id_}") {{ x }} }}', "Unknown field 'x' on type 'Account'"),
        ("{ accountCollection(x: 1) { edges { cursor } } }", 'Input contains extra keys ["x"]'),
        ("{ accountCollection(x: 1, first: -1, y: 2) { edges { cursor } } }", 'Input contains extra keys ["x", "y"]'),
        ("{ accountByPk { id } }", "Missing primary key column(s): id"),
        ("{ accountByPk(id: null) { id } }", "Missing primary key column(s): id"),
        ("{ node { nodeId } }", "Invalid input for NonNull type"),
        ("{ node(nodeId: null) { nodeId } }", "Invalid input for NonNull type"),
        ('{ node(nodeId: "") { nodeId } }', "Invalid value passed to nodeId argument. Error 4"),
        ("{ accountCollection(first: 1.5) { edges { cursor } } }", "Invalid input for Int type"),
        ("{ __schema { types { name } } }", 'Unknown field "__schema" on type Query'),
        ('{ __type(name: "Account") { name } }', 'Unknown field "__type" on type Query'),
    ):  # fmt: skip
        answer = loose.ask(query)
        assert null_data(answer) == message, query
        if "__" not in query:
            first = api.ask(query).errors[0]
            assert first["extensions"]["code"] in ("GRAPHQL_VALIDATION_FAILED", "BAD_USER_INPUT"), query
    # The error suggests the nearest name.
    assert "Did you mean 'email'?" in api.ask("{ accountByPk(id: 1) { emial } }").message
    assert "Did you mean 'accountCollection'" in api.ask("{ acountCollection { edges { cursor } } }").message
    assert "Did you mean 'first'" in api.ask("{ accountCollection(frist: 1) { edges { cursor } } }").message


def test_all_errors_are_reported_at_once(api: Api) -> None:
    answer = api.ask("{ accountCollection { edges { node { x y } } z } }")
    assert [error["message"].split("'")[1] for error in answer.errors] == ["x", "y", "z"]
    assert [error["locations"] for error in answer.errors] == [
        [{"line": 1, "column": 38}], [{"line": 1, "column": 40}], [{"line": 1, "column": 46}]
    ]  # fmt: skip


def test_root_fields_fail_independently_in_pg_graphql(loose: Api) -> None:
    answer = loose.ask(
        "{ a: accountByPk(id: 1) { id } b: accountByPk(id: 1) { x } c: y t: __typename d: accountCollection(first: -1) { edges { cursor } } }"  # noqa: E501
    )
    assert answer.body["data"] == {"a": {"id": 1}, "t": "Query"}
    assert [error["message"] for error in answer.errors] == [
        'Unknown field "x" on type Account', 'Unknown field "y" on type Query', "`first` must be an unsigned integer"
    ]  # fmt: skip
    answer = loose.ask("{ x y }")
    assert answer.body["data"] is None
    assert len(answer.errors) == 2


def test_an_error_of_the_database_fails_the_whole_request(either: Api) -> None:
    query = '{ a: accountByPk(id: 1) { id } accountCollection(filter: {email: {regex: "("}}) { edges { cursor } } }'
    answer = either.ask(query)
    assert "invalid regular expression" in null_data(answer)
    assert answer.errors[0]["extensions"]["sqlstate"] == "2201B"


def test_absent_rows_are_null(either: Api) -> None:
    gone = "WyJwdWJsaWMiLCAiYWNjb3VudCIsIDk5XQ=="
    assert either.ask(f'{{ accountByPk(id: 99) {{ id }} node(nodeId: "{gone}") {{ nodeId }} }}').data == {
        "accountByPk": None, "node": None
    }  # fmt: skip
    other = "WyJwdWJsaWMiLCAibm90aGluZyIsIDk5XQ=="
    assert null_data(either.ask(f'{{ node(nodeId: "{other}") {{ nodeId }} }}')) == (
        "Collection referenced by nodeId did not match any known collection"
    )


def test_extra_arguments_of_a_key_are_ignored(loose: Api) -> None:
    assert loose.ask('{ accountByPk(id: "1", x: 2) { id } }').data == {"accountByPk": {"id": 1}}


@pytest.mark.parametrize(
    ("type_", "value", "ending"),
    [
        ("Int!", None, "not to be null."),
        ("Int", True, "value: true"),
        ("Int", False, "value: false"),
        ("Int", "None", "value: 'None'"),
        ("AccountFilter", True, "found: true."),
        ("AccountFilter", "be True", "found: 'be True'."),
    ],
)
def test_messages_have_the_words_of_json(api: Api, type_: str, value: Any, ending: str) -> None:
    argument = "filter" if type_ == "AccountFilter" else "first"
    query = f"query ($value: {type_}) {{ accountCollection({argument}: $value) {{ edges {{ cursor }} }} }}"
    assert api.ask(query, {"value": value}).message.endswith(ending)


def test_unknown_members_of_a_request_are_ignored(either: Api) -> None:
    assert either.ask("{ __typename }", None).data == either.ask("{ __typename }", {}).data == {"__typename": "Query"}
    body = json.dumps({"query": "{ __typename }", "extensions": {"x": 1}, "other": 2})
    assert either.post(body).data == {"__typename": "Query"}


def test_a_schema_without_mutations_refuses_them(api: Api, loose: Api) -> None:
    query = "mutation { deleteFromAccountCollection { affectedCount } }"
    assert no_data(loose.ask(query)) == "Unknown type Mutation"
    answer: Any = api.ask(query)
    assert "data" not in answer.body
    assert answer.errors
