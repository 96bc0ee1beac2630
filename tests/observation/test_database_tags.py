"""Tags of SQL statements and sessions with the operation and the request."""

from __future__ import annotations

from collections.abc import Callable

from tests.graphql.conftest import open_door as open_door
from tests.graphql.door import Door

SCHEMA = """
create table thing (id int primary key, by text default current_setting('application_name'));
create function statement() returns text language sql stable as 'select current_query()';
grant select, insert on thing to anon;
"""
TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
INSERT = "mutation Add($id: Int!) { insertIntothingCollection(objects: [{ id: $id }]) { records { by } } }"


def added(door: Door, number: int, **headers: str) -> str:
    data = door.ask(INSERT, {"id": number}, headers=headers).data
    return data["insertIntothingCollection"]["records"][0]["by"]


def test_the_statement_names_its_operation_and_stays_prepared(open_door: Callable[..., Door]) -> None:
    door = open_door(SCHEMA, sql_comments=True, pool_size=1)
    ask = "query Ask { statement }"
    for text, comment in (
        (ask, "/*application='portico',operation='Ask'*/"),
        ("query " + "A" * 300 + " { statement }", f"/*application='portico',operation='{'A' * 100}'*/"),
        ("{ statement }", "/*application='portico'*/"),
    ):
        assert door.ask(text).data["statement"].endswith(comment)
    engine = door.application.services.engine
    before = len(engine.plans)
    assert door.ask(ask, headers={"traceparent": TRACE}).data
    assert len(engine.plans) == before


def test_nothing_is_tagged_without_the_settings(open_door: Callable[..., Door]) -> None:
    door = open_door(SCHEMA)
    assert "/*" not in door.ask("query Ask { statement }").data["statement"]
    assert added(door, 1, traceparent=TRACE) == "portico"


def test_the_application_name_is_that_of_the_request(open_door: Callable[..., Door]) -> None:
    door = open_door(SCHEMA, request_ids_in_database=True, pool_size=1)
    assert added(door, 1, traceparent=TRACE) == TRACE[3:35]
    assert added(door, 2, **{"X-Request-Id": "r" * 100}) == "r" * 63
    assert added(door, 3) == "portico"
