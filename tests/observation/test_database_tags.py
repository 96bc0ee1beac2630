"""Tags of SQL statements and sessions with the operation and the request."""

from __future__ import annotations

from collections.abc import Callable

from tests.graphql.api import Api
from tests.graphql.conftest import start_api as start_api

SCHEMA = """
create table thing (id int primary key, by text default current_setting('application_name'));
create function statement() returns text language sql stable as 'select current_query()';
grant select, insert on thing to anon;
"""
TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
INSERT = "mutation Add($id: Int!) { insertIntothingCollection(objects: [{ id: $id }]) { records { by } } }"


def added(api: Api, number: int, **headers: str) -> str:
    data = api.ask(INSERT, {"id": number}, headers=headers).data
    return data["insertIntothingCollection"]["records"][0]["by"]


def test_the_statement_names_its_operation_and_stays_prepared(start_api: Callable[..., Api]) -> None:
    api = start_api(SCHEMA, sql_comments=True, pool_size=1)
    ask = "query Ask { statement }"
    for text, comment in (
        (ask, "/*application='portico',operation='Ask'*/"),
        ("query " + "A" * 300 + " { statement }", f"/*application='portico',operation='{'A' * 100}'*/"),
        ("{ statement }", "/*application='portico'*/"),
    ):
        assert api.ask(text).data["statement"].endswith(comment)
    engine = api.application.services.engine
    before = len(engine.plans)
    assert api.ask(ask, headers={"traceparent": TRACE}).data
    assert len(engine.plans) == before


def test_nothing_is_tagged_without_the_settings(start_api: Callable[..., Api]) -> None:
    api = start_api(SCHEMA)
    assert "/*" not in api.ask("query Ask { statement }").data["statement"]
    assert added(api, 1, traceparent=TRACE) == "portico"


def test_the_application_name_is_that_of_the_request(start_api: Callable[..., Api]) -> None:
    api = start_api(SCHEMA, request_ids_in_database=True, pool_size=1)
    assert added(api, 1, traceparent=TRACE) == TRACE[3:35]
    assert added(api, 2, **{"X-Request-Id": "r" * 100}) == "r" * 63
    assert added(api, 3) == "portico"
