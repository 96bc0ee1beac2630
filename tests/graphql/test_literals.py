"""Documents that differ only in literals share a plan; each is answered as if it were the first of its shape."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from graphql import GraphQLError, parse, print_ast
from graphql.language import Lexer, Source, TokenKind
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from app.bounded_cache import BoundedCache
from app.graphql.documents.shape import MAX_LITERALS, lifted, shape_of
from app.identity.further_credentials import RequestHead
from app.pipeline import run
from app.pipeline.engine import Engine
from app.pipeline.parse import parse as read
from app.pipeline.records import GraphQLRequest
from tests.graphql.api import ANON_KEY, Api
from tests.graphql.conftest import StartApi

SCHEMA = """
create table few (id int primary key, name text, price float8, big bigint, day date, tags int[], extra jsonb);
comment on table few is '@graphql({"totalCount": {"enabled": true}})';
insert into few select i, 'n' || i, i / 2.0, i * 1000000000000, date '2026-01-01' + i, array[i, i + 1], null
from generate_series(1, 30) i;
insert into few (id, name) values (40, 'a"b'), (41, E'line\\nbreak'), (42, '');
grant select, insert, update on few to anon;
"""
EDGES = "{ edges { node { id name } } }"


@pytest.fixture(scope="module")
def api(reading_api: StartApi) -> Api:
    return reading_api(SCHEMA)


@pytest.fixture(scope="module")
def loose(reading_api: StartApi) -> Api:
    return reading_api(SCHEMA, graphql_dialect="pg_graphql")


def cold(api: Api, query: str, variables: Any = None) -> Any:
    """The response of the same service with empty caches."""
    engine: Engine = api.application.services.engine
    names = ("documents", "shapes", "valid_documents", "steering", "plans")
    forgetful = replace(engine, **{name: BoundedCache[Any](1) for name in names})
    head = RequestHead("POST", "/graphql/v1", {"apikey": ANON_KEY}.get)
    return json.loads(run(GraphQLRequest(query, variables, head=head), forgetful).response.body)


SHARING = [
    ("{ fewCollection(filter: {id: {eq: %s}}) " + EDGES + " }", ["1", "2", "-3", "0", "2147483647"]),
    (
        "{ fewCollection(filter: {name: {eq: %s}}) " + EDGES + " }",
        ['"n1"', '"a\\"b"', '"line\\nbreak"', '""', '"\\u006e2"'],
    ),
    ("{ fewCollection(filter: {price: {lt: %s}}) " + EDGES + " }", ["1.5", "2.0e0", "-0.0", "7E-1"]),
    ("{ fewCollection(filter: {big: {eq: %s}}) " + EDGES + " }", ['"1000000000000"', '"2000000000000"']),
    ("{ fewCollection(filter: {id: {in: [%s, 3]}}) " + EDGES + " }", ["1", "2"]),
    ("{ fewCollection(filter: {tags: {contains: [%s]}}) " + EDGES + " }", ["1", "2"]),
    ("{ a: fewCollection(filter: {id: {gt: %s}}, first: 2) " + EDGES + ' } # 5 "', ["1", "20"]),
    ("query ($n: Int) { fewCollection(filter: {id: {gt: %s}}, first: $n) " + EDGES + " }", ["1", "3"]),
]


@pytest.mark.parametrize(("query", "literals"), SHARING)
def test_documents_that_differ_in_literals_share_a_plan(api: Api, query: str, literals: list[str]) -> None:
    engine: Engine = api.application.services.engine
    variables = {"n": 3} if "$n" in query else None
    assert api.ask(query % literals[0], variables).body == cold(api, query % literals[0], variables)
    before = len(engine.plans), len(engine.documents)
    for literal in literals * 2:
        assert api.ask(query % literal, variables).body == cold(api, query % literal, variables), literal
    assert (len(engine.plans), len(engine.documents)) == before


@pytest.mark.parametrize(
    ("query", "literals"),
    [
        # Values that steer: page sizes, conditions of @skip, defaults.
        ("{ fewCollection(first: %s) " + EDGES + " }", ["1", "2", "1", "0", "-1", "31"]),
        ("query ($n: Int = %s) { fewCollection(first: $n) " + EDGES + " }", ["1", "2", "1", '"1"']),
        # Not the default of the document that was read last, though 0 and -0 are equal.
        ("query ($n: Int = %s) { fewCollection(filter: {id: {eq: $n}}) " + EDGES + " }", ["0", "1", "-0", "2", "0"]),
        ("query ($s: String = %s) { fewCollection(filter: {name: {eq: $s}}) " + EDGES + " }", ['"n1"', '"n2"', "1"]),
        ("{ fewCollection(filter: {id: {eq: %s}}) " + EDGES + " few: __typename @skip(if: true) }", ["1", "2"]),
        (
            "{ fewCollection(first: 1) @skip(if: true) " + EDGES + " a: fewCollection(offset: %s) { totalCount } }",
            ["1", "-1"],
        ),
        (
            "{ __typename fewCollection(filter: {day: {eq: %s}}) @skip(if: true) " + EDGES + " }",
            ['"2026-01-02"', "1", '""'],
        ),
        # Introspection
        ("{ __type(name: %s) { name kind } }", ['"few"', '"Query"', '"nothing"']),
        # One field twice, with the same arguments or not.
        ("{ f: fewCollection(first: %s) " + EDGES + " f: fewCollection(first: 1) { totalCount } }", ["1", "2", "1"]),
        (
            "{ f: fewCollection(filter: {name: {eq: %s}}) "
            + EDGES
            + ' f: fewCollection(filter: {name: {eq: "a"}}) { totalCount } }',
            ['"a"', '"b"', '"\\u0061"', '"""a"""'],
        ),
        # An invalid literal is reported as usual, with its location.
        (
            "{ fewCollection(filter: {id: {eq: %s}}) " + EDGES + " }",
            ["1", "2147483648", "1.0", '"1"', "12345678901234567890", "true", "2"],
        ),
        (
            "{ fewCollection(filter: {big: {eq: %s}}) " + EDGES + " }",
            ['"1"', '"one"', "1", '"9223372036854775808"', '"2"'],
        ),
        ("{ fewCollection(filter: {day: {eq: %s}}) " + EDGES + " }", ['"2026-01-02"', '"no day"', '"2026-01-03"']),
        ("{ fewCollection(filter: {price: {eq: %s}}) " + EDGES + " }", ["1.5", "1e999", "1", '"1.5"', "0.5"]),
        (
            "{ fewCollection(first: 1, filter: {id: {eq: 1}}) { edges { node { %s } } } }",
            ["id", "nothing", "1", '"id"'],
        ),
        (
            "{ fewCollection(filter: {name: {eq: %s}}) " + EDGES + " }",
            ['"n1"', '"\\q"', '"""n2"""', '"\\u{6e}3"', '"\ud800"', '"n\\ud83d\\ude00"', '"n'],
        ),
    ],
)
def test_literals_that_decide_the_sql_have_their_own_plans(
    api: Api, loose: Api, query: str, literals: list[str]
) -> None:
    for each in (api, loose):
        for literal in [*literals, *reversed(literals)]:
            assert each.ask(query % literal).body == cold(each, query % literal), literal


def test_variables_of_a_client_cannot_replace_literals(api: Api) -> None:
    query = "{ fewCollection(filter: {id: {eq: 1}}) { edges { node { id } } } }"
    for _ in range(2):
        answer = api.ask(query.replace("1", "2"), {"0": 5, "1": 6})
        assert answer.data["fewCollection"]["edges"] == [{"node": {"id": 2}}]


def test_a_document_shape_is_no_document(api: Api) -> None:
    """No request gets the answer to another document."""
    query = '{ fewCollection(filter: {name: {eq: "n7"}}) { edges { node { id } } } }'
    api.ask(query)
    answer = api.ask(shape_of(query).text)
    assert "n7" not in json.dumps(answer.body)
    assert "Syntax Error" in answer.message


def test_a_mutation_uses_its_own_literals(writing_api: StartApi) -> None:
    api = writing_api(SCHEMA, "delete from few where id > 100")
    before = len(api.application.services.engine.plans)
    insert = "mutation { insertIntofewCollection(objects: [{id: %d, name: %s}]) { records { id name } } }"
    for number, name in ((101, '"x"'), (102, '"y\\n"'), (103, '"x"')):
        (record,) = api.ask(insert % (number, name)).data["insertIntofewCollection"]["records"]
        assert record == {"id": number, "name": json.loads(name)}
    update = "mutation { updatefewCollection(set: {price: %s}, filter: {id: {eq: %d}}) { records { id price } } }"
    for number, price in ((101, "1.5"), (102, "2.5")):
        (record,) = api.ask(update % (price, number)).data["updatefewCollection"]["records"]
        assert record == {"id": number, "price": float(price)}
    assert len(api.application.services.engine.plans) == before + 2


def test_an_operation_replaced_by_a_plugin_has_its_own_plan(api: Api) -> None:
    """Its text identifies it, even if documents with other literals have the same operation."""
    engine: Engine = api.application.services.engine
    query = "{ fewCollection(filter: {id: {eq: %d}}) { edges { node { name } } } }"
    texts = [query % 11, query % 12]
    documents = [read(GraphQLRequest(each), engine).document for each in texts]
    assert documents[0].shape == documents[1].shape not in texts
    assert [replace(each, text="another").shape for each in documents] == ["another"] * 2


def test_a_document_of_many_literals_has_no_shape() -> None:
    some, many = (f"{{ f(x: [{', '.join('7' * count)}]) }}" for count in (MAX_LITERALS, MAX_LITERALS + 1))
    assert shape_of(some).literals == {"0": 7}
    assert shape_of(many).text == many


def _tokens(text: str) -> list[tuple[TokenKind, str | None]]:
    """The tokens of a document by graphql-core. Raises GraphQLError."""
    lexer, found = Lexer(Source(text)), []
    while (token := lexer.advance()).kind is not TokenKind.EOF:
        found.append((token.kind, token.value))
    return found


_LITERALS = [
    "1",
    "-1",
    "0",
    "-0",
    "12",
    "1.5",
    "1e5",
    "-2E-7",
    '""',
    '"a"',
    '"\\n"',
    '"\\u0061"',
    '"""b"""',
    '""" "" """',
]
_BETWEEN = [" ", ",", "[", "]", "{", "}", ":", "name", "e5", '# 1 "\n', "\n", "$v", "_1", "!", "@"]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(_LITERALS + _BETWEEN), max_size=8))
def test_the_shape_has_the_tokens_of_the_document(parts: list[str]) -> None:
    """A document has each literal where its shape has a mark, with any neighbouring text."""
    text = "".join(parts)
    form = shape_of(text)
    try:
        tokens = _tokens(text)
    except GraphQLError:
        reject()
    literal = {TokenKind.INT: False, TokenKind.FLOAT: False, TokenKind.STRING: True}
    names = [form.names[literal[kind], str(value)] for kind, value in tokens if kind in literal]
    marked = [part[1:] for part in form.text.split("\0")[1::2]]
    assert marked == names


def test_lifted_literals_are_variables() -> None:
    text = 'query ($a: Int = 1) { f(x: 1, y: {z: ["s", 2.5, 1]}) @d(if: "s") }'
    reported = print_ast(lifted(parse(text).definitions[0], shape_of(text)))
    assert " ".join(reported.split()) == "query ($a: Int = 1) { f(x: $0, y: { z: [$1, $2, $0] }) @d(if: $1) }"
