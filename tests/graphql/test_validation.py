"""Validation finds what graphql-core's own ``validate`` finds, in the same order."""

from __future__ import annotations

import pytest
from graphql import GraphQLError, build_schema, parse, specified_rules
from graphql import validate as validate_of_graphql_core

from app.graphql.documents.quick_validation import is_certainly_valid
from app.graphql.documents.validation import validate

SCHEMA = build_schema(
    """
    enum Color { RED GREEN }
    input Filter { id: Int, color: Color, and: [Filter!] }
    interface Named { name: String }
    type Author implements Named { id: Int! name: String books(first: Int = 5, filter: Filter): [Book!]! }
    type Book implements Named { id: Int! name: String author: Author color(like: Color!): Color }
    union Found = Author | Book
    type Query { author(id: Int!): Author authors(filter: Filter, first: Int): [Author] find: Found named: Named }
    type Mutation { rename(id: Int!, name: String!): Author }
    """
)

DOCUMENTS = [
    "{ author(id: 1) { id name books(first: 2, filter: {and: [{id: 1}, {color: RED}]}) { id author { name } } } }",
    "query Q($id: Int!, $f: Filter = {id: 1}) { author(id: $id) { ...A } authors(filter: $f) { ...A } }"
    " fragment A on Author { id books(filter: $f) { ...B } } fragment B on Book { name author { id } }",
    "mutation ($id: Int!) { rename(id: $id, name: 7) { id } }",
    "{ author { id } }",
    "{ author(id: 1, id: 2, ix: 3) { nme books { color } } authro { id } }",
    "query ($a: Int, $a: String, $unused: Boolean) { author(id: $a) { id @include(if: $missing) @skip } }",
    "query ($x: Author, $y: Nothing) { author(id: 1) { id } }",
    '{ authors(filter: {id: "x", id: 3, other: 1, color: BLUE, and: {id: null}}) { id { x } name } find }',
    "{ find { ... on Author { x: id } ... on Book { x: name } ... on Int { id } ... on Query { find } } }",
    "{ find { __typename ... on Author { n: name } ... on Book { n: id } } named { ... on Author { n: name n: id } } }",
    "{ ...Missing ...Cycle ...Other } fragment Cycle on Query { ...Other } fragment Other on Query { ...Cycle }"
    " fragment Unused on Author { id } fragment Unused on Color { id }",
    "query One { author(id: 1) { id } } query One { authors { id } } { find { __typename } }",
    "query ($c: Color, $d: Color!) { author(id: 1) { books { color(like: $c) o: color(like: $d) color(like: 1) } } }",
    "query @include(if: true) { author(id: 1) @unknown @skip(if: false) @skip(if: true) { id @skip(if: 1) } }",
    "type Extra { id: Int } { author(id: 1) { id } }",
    "subscription { anything }",
    'query ($unused: Int = true, $deep: [Filter] = [{and: [{id: "no"}]}]) { authors(filter: $deep) { id } }',
]


USUAL = [
    "{ author(id: 1) { id n: name __typename books(first: 2, filter: {and: [{id: 1}, {color: RED}]}) { id } } }",
    "query Q($id: Int!, $f: [Filter!] = [{id: 1}]) { author(id: $id) { ...A } authors(filter: {and: $f}) { ...A id } }"
    " fragment A on Author { id ... on Author { id } books(filter: {and: $f}) { ...B } } fragment B on Book { name }",
    "query ($c: Color!, $n: Int) { author(id: 1) { books(first: $n) { color(like: $c) } } }",
    'mutation ($id: Int!) { rename(id: $id, name: "n") { id } }',
    "{ authors(filter: null) { ... { id } } }",
]
"""Documents that are valid, and recognized as such without the rules."""

ALMOST_USUAL = [
    "{ author(id: 1) }",
    "{ author(id: 1) { id { name } } }",
    "{ author(id: null) { id } }",
    "{ author(id: 2147483648) { id } }",
    "{ author(id: 1) { id } author(id: 2) { id } }",
    "{ author(id: 1) { a: id a: name } }",
    "{ author(id: 1) { ... on Book { name } } }",
    "{ author(id: 1) { __typename(a: 1) } }",
    "{ author(id: $id) { id } }",
    "query ($id: Int) { author(id: $id) { id } }",
    "query ($id: Int!, $id: Int!) { author(id: $id) { id } }",
    "query ($id: Int!) { author(id: 1) { id } }",
    "query ($c: [Color!]) { author(id: 1) { books { color(like: $c) } } }",
    'query ($f: Filter = {id: "x"}) { authors(filter: $f) { id } }',
    "query ($f: Filter) { authors(filter: {and: [$f]}) { id } }",
    "{ authors(filter: {id: 1, id: 2}) { id } }",
    "{ authors(filter: [{id: 1}]) { id } }",
    "{ authors { ...A } } fragment A on Author { books { author { ...A } } }",
    "{ authors { ...A } } fragment A on Book { id }",
    "{ authors { id } } fragment A on Author { id }",
    "{ authors { ...A } } fragment A on Author { id } fragment A on Author { name }",
    "{ authors { id } } query Q { authors { id } }",
]
"""Each breaks one rule."""


def _reported(errors: list[GraphQLError]) -> list[tuple[str, object]]:
    return [(each.message, each.locations) for each in errors]


@pytest.mark.parametrize("document", [*DOCUMENTS, *ALMOST_USUAL])
@pytest.mark.parametrize("hide_suggestions", [False, True])
def test_errors_equal_those_of_graphql_core(document: str, hide_suggestions: bool) -> None:
    syntax = parse(document)
    expected = validate_of_graphql_core(SCHEMA, syntax, specified_rules, 50, hide_suggestions)
    assert _reported(validate(SCHEMA, syntax, max_errors=50, hide_suggestions=hide_suggestions)) == _reported(expected)


def test_common_documents_need_no_rules() -> None:
    for document in USUAL:
        assert is_certainly_valid(SCHEMA, parse(document))
        assert not validate_of_graphql_core(SCHEMA, parse(document))


def test_other_documents_break_a_rule() -> None:
    assert all(validate_of_graphql_core(SCHEMA, parse(document)) for document in ALMOST_USUAL)


def test_validation_stops_at_the_limit_of_errors() -> None:
    syntax = parse("{ " + " ".join(f"missing{number}" for number in range(9)) + " }")
    expected = validate_of_graphql_core(SCHEMA, syntax, specified_rules, 5)
    errors = validate(SCHEMA, syntax, max_errors=5, hide_suggestions=False)
    assert _reported(errors) == _reported(expected)
    assert len(errors) == 6


def test_only_the_first_errors_suggest_names() -> None:
    syntax = parse("{ " + " ".join(f"author{number}" for number in range(9)) + " }")
    errors = validate(SCHEMA, syntax, max_errors=50, hide_suggestions=False)
    assert ["Did you mean" in each.message for each in errors] == [True] * 5 + [False] * 4
