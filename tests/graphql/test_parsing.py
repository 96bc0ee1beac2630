"""Documents are parsed as graphql-core's own ``parse`` does it."""

from __future__ import annotations

from typing import Any

import pytest
from graphql import DocumentNode, GraphQLError, parse
from graphql.utilities import ast_to_dict

from app.graphql.documents import parsing
from app.graphql.documents.parsing import parsed

USUAL = [
    "{ a }",
    "\ufeff\t{ a, b\r\n c # a comment é\n }  # the end",
    "query Q($a: [Int!]! = [1, -2], $b: F) @d(x: true) { k: a(x: $a, y: {z: 1.5e-3, w: RED, v: null}) { ...F"
    " ... on T { b } } }"
    ' fragment F on T { c(s: "é 😀 \t \x00", t: "", u: 0, v: -0.0) @skip(if: $b) ... @include(if: false) { d } }',
    "mutation { a_1(x: [[]]) { __typename } }",
]
OTHERS = [
    '{ a(s: "\\u0041\\n") }',
    '{ a(s: """block "quoted" """) }',
    '"described" query Q { a }',
    "type T { a: Int } extend schema @d",
    "",
    "# nothing",
    "{ a",
    "{ a(x: 01) }",
    "{ a(x: 1.) }",
    "{ a(x: 1a) }",
    "{ a(x: 1.5.5) }",
    "{ a .. b }",
    "{ a ? }",
    "{ é }",
    "{ a \x0b b }",
    '{ a(s: "not\nclosed") }',
    '{ a(s: "\ud800") }',
    "{ a # \ud800\n }",
    "{ a(x: {b: ) }",
    "{ a } }",
    "{" * 300,
]


def _reported(read: Any, text: str, max_tokens: int) -> object:
    try:
        document: DocumentNode = read(text, max_tokens=max_tokens)
    except GraphQLError as ex:
        return ex.message, ex.locations
    return ast_to_dict(document, locations=True), document.token_count


@pytest.mark.parametrize("max_tokens", [1000, 12, 1])
@pytest.mark.parametrize("text", [*USUAL, *OTHERS])
def test_documents_are_parsed_as_by_graphql_core(text: str, max_tokens: int) -> None:
    assert _reported(parsed, text, max_tokens) == _reported(parse, text, max_tokens)


def test_usual_documents_are_not_read_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(parsing, "parse")
    assert [parsed(each, max_tokens=1000).kind for each in USUAL] == ["document"] * len(USUAL)
