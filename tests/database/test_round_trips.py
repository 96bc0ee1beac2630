"""A request takes one round trip to the database."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from app.database import Context, Statement
from tests.database.conftest import READER, WRITER, MakeDatabase
from tests.database.proxy import Proxy

AsRole = Callable[..., Context]
NOTES = [
    (Statement(f"select json_agg(n)::text from note n where id > $1::int and {n} = {n}"), [b"3"]) for n in range(5)
]


@pytest.mark.parametrize("claims", [{}, {"sub": "user1", "email": "a@b.c"}], ids=["anon", "user"])
@pytest.mark.parametrize("calls", [1, 5])
@pytest.mark.parametrize("prepared", [True, False])
def test_a_request_costs_one_round_trip(
    proxy: Proxy, make_database: MakeDatabase, as_role: AsRole, claims: dict[str, str], calls: int, prepared: bool
) -> None:
    database = make_database(proxy.url(), prepared_statements=prepared)
    database.read("select 1")
    for _ in range(3):  # also the first time, when statements are prepared
        before = proxy.flights
        database.run(as_role(READER, **claims), NOTES[:calls], read_only=True)
        assert proxy.flights - before == 1


def test_replacing_prepared_statements_costs_no_round_trip(
    proxy: Proxy, make_database: MakeDatabase, as_role: AsRole
) -> None:
    database = make_database(proxy.url(), prepared_statement_limit=2)
    database.read("select 1")
    before = proxy.flights
    for calls in (NOTES[:2], NOTES[2:4], NOTES[:2]):
        database.run(as_role(READER), calls, read_only=True)
    assert proxy.flights - before == 3


def test_a_transaction_needs_one_for_each_statement_and_one_to_commit(
    proxy: Proxy, make_database: MakeDatabase, as_role: AsRole
) -> None:
    database = make_database(proxy.url())
    database.read("select 1")
    before = proxy.flights
    with database.transaction(as_role(WRITER)) as transaction:
        transaction.run(Statement("insert into entry (body) values ($1) returning id"), [b"a"])
        transaction.run(Statement("select count(*) from entry"))
    assert proxy.flights - before == 3
