"""Mistakes in a plugin's resolver are reported as the plugin's, and never give an invalid JSON response."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from graphql import GraphQLField, GraphQLString
from sqlalchemy import func, literal_column

from portico import Fields, hookimpl
from tests.graphql.api import Api

TABLE = "create table thing (id int primary key); insert into thing values (1); grant select on thing to anon"


TEXT = literal_column("'say \"hi\"'::text")


class Texts:
    @hookimpl
    def query_fields(self) -> Fields:
        return Fields(
            100,
            {
                "text": GraphQLField(GraphQLString, resolve=lambda field, scope: TEXT),
                "json": GraphQLField(GraphQLString, resolve=lambda field, scope: func.to_json(TEXT)),
            },
        )

    @hookimpl
    def node_fields(self) -> Fields:
        return Fields(
            100,
            {
                "nothing": GraphQLField(GraphQLString, resolve=lambda field, rows: None),
                "broken": GraphQLField(GraphQLString, resolve=lambda field, rows: rows.relation.by_name["absent"]),
            },
        )


@pytest.fixture
def api(start_api: Callable[..., Api]) -> Api:
    return start_api(TABLE, plugins={"texts": Texts})


def test_values_that_are_not_json_become_json(api: Api) -> None:
    assert api.ask("{ text json }").data == {"text": 'say "hi"', "json": 'say "hi"'}


@pytest.mark.parametrize(
    ("field", "reason"), [("nothing", "it returned NoneType, which is not an SQL expression"), ("broken", "absent")]
)
def test_a_resolver_that_fails_is_named(api: Api, field: str, reason: str, caplog: pytest.LogCaptureFixture) -> None:
    answer = api.ask("{ thingCollection { edges { node { %s } } } }" % field)  # noqa: UP031
    assert (answer.status, answer.code) == (500, "RESOLVER_FAILED")
    assert answer.message == f"The field thing.{field} failed because of an error in the service; its log says why."
    (answered,) = (each for each in caplog.records if each.name == "portico.plugins")
    assert answered.message == f"the resolver of thing.{field} in module {__name__} failed"
    assert answered.exc_info is not None
    cause: Any = answered.exc_info[1]
    assert reason in str(cause)
