"""Text search: the filter member ``search`` and the order ``searchRank`` of relations whose comment enables them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphql import GraphQLInputField, GraphQLInputObjectType, GraphQLString
from sqlalchemy import ColumnElement

from app.errors import OverLimit, RequestError
from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.fields import Fields
from app.graphql.schema.relations import ApiRelation, OwnName
from app.graphql.values.types import ToText
from app.graphql.values.values import Leaf
from app.hooks import hookimpl
from app.query.filter.conditions import Condition, relation_filter_type
from app.query.filter.text_search import DIRECTIVE, Searched, searched_of
from app.query.plan.planning import OF_A_SEARCH, Planning
from app.query.plan.rows import Rows, TableRows
from app.query.plan.walk import Field
from app.query.read.order_terms import Expression, Term, TermOfField
from app.query.read.ordering import OrderKey, direction, direction_type
from app.query.sql.comparison import USUAL_OPERATORS, Comparison, compared
from app.query.sql.constructs import builtin
from app.query.sql.texts import StringText
from schema_cache.directive_values import ListOf, Object, String, ValueKind
from schema_cache.directives import Directive

SEARCH, RANK = "search", "searchRank"

RANKS = Comparison("real", USUAL_OPERATORS, by_text=False, printed_as_text=False)


@hookimpl
def features() -> Sequence[str]:
    return ("search",)


@hookimpl
def comment_directives() -> Sequence[Directive]:
    members: Mapping[str, ValueKind] = {"columns": ListOf(String()), "config": String(), "vector": String()}
    return (Directive("relation", DIRECTIVE, Object({}, members)),)


MAX_SEARCH_LENGTH = 1000
"""The longest search text, in characters: the time for a rank grows with the square of the number of words."""

_string = StringText("String")


def _text(value: Any) -> str | None:
    """The search text. Raises OverLimit if it is too long."""
    text = _string(value)
    if text is not None and len(text) > MAX_SEARCH_LENGTH:
        raise OverLimit(f"A text search has at most {MAX_SEARCH_LENGTH} characters")
    return text


def _prefixes(value: Any) -> str | None:
    """The text of a tsquery that, for each word of a search text, requires a word with that prefix."""
    text = _text(value)
    return None if text is None else " & ".join(f"{_literally(word)}:*" for word in text.split())


def _literally(word: str) -> str:
    return "'" + re.sub(r"(['\\])", r"\1\1", word) + "'"


@dataclass(frozen=True)
class QueryKind:
    """A syntax for searches. ``to_text`` converts the search text, and ``function`` makes a tsquery from the result."""

    function: str
    to_text: ToText
    description: str


QUERIES: Mapping[str, QueryKind] = {
    "websearch": QueryKind("websearch_to_tsquery", _text, 'As search engines read it: words, "phrases", or, -without'),
    "plain": QueryKind("plainto_tsquery", _text, "All of these words"),
    "phrase": QueryKind("phraseto_tsquery", _text, "These words, one after the other"),
    "prefix": QueryKind("to_tsquery", _prefixes, "For each of these, a word that begins with it"),
}


def _query(planning: Planning, searched: Searched, search: Mapping[str, Leaf]) -> ColumnElement[Any]:
    ((name, leaf),) = search.items()
    kind = QUERIES[name]
    return searched.call(kind.function, planning.bind(leaf, kind.to_text, "text"))


# Members


OWN_NAME: OwnName = ("filter", SEARCH), "SearchFilter"


@hookimpl
def own_type_names(api: ApiSchema) -> Sequence[OwnName]:
    return (OWN_NAME,)


@hookimpl
def filter_fields(api: ApiSchema, relation: ApiRelation) -> Fields | None:
    searched = searched_of(api, relation)
    if searched is None:
        return None

    def matching(planning: Planning, rows: Rows, search: Mapping[str, Leaf] | None) -> Condition | None:
        if search is None:
            return None
        planning.count_conditions(OF_A_SEARCH)
        return compared(searched.document(rows), "@@", _query(planning, searched, search))

    member = GraphQLInputField(_search_type(api), description="A text search", extensions={"condition": matching})
    return Fields(70, {SEARCH: member})


def _search_type(api: ApiSchema) -> GraphQLInputObjectType:
    members = {name: GraphQLInputField(GraphQLString, description=each.description) for name, each in QUERIES.items()}
    return api.named(
        api.own_type_name(*OWN_NAME),
        lambda name: GraphQLInputObjectType(name, members, is_one_of=True),
    )


@hookimpl
def order_fields(api: ApiSchema, relation: ApiRelation) -> Fields | None:
    searched = searched_of(api, relation)
    if searched is None:
        return None

    def order(leaf: Leaf | None) -> Sequence[OrderKey]:
        if leaf is None:
            return ()
        rank = TermOfField(lambda field: _rank(api, relation, searched, field), without=_not_searched)
        return (OrderKey(rank, RANKS, *direction(api, leaf)),)

    member = GraphQLInputField(
        direction_type(api),
        description=f"How well rows match {SEARCH}, at the top of the filter",
        extensions={"order": order},
    )
    return Fields(70, {RANK: member})


def _rank(api: ApiSchema, relation: ApiRelation, searched: Searched, field: Field) -> Term:
    search = (field.arguments.get("filter") or {}).get(SEARCH)
    # Another feature may have given the filter a member of this name.
    member = relation_filter_type(api, relation).fields.get(SEARCH)
    if search is None or member is None or member.type is not _search_type(api):
        raise _not_searched()
    query = _query(field.planning, searched, search)

    def value(rows: TableRows) -> ColumnElement[Any]:
        return builtin.ts_rank(searched.document(rows), query)

    # The rank is never null, because the filter finds no row whose vector is null.
    return Expression(value, not_null=True)


def _not_searched() -> RequestError:
    message = f"{RANK} needs {SEARCH} at the top of the filter of the same collection"
    return RequestError(message, code="BAD_USER_INPUT")
