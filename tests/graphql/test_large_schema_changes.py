"""A large schema that changes while requests run: only requests that a change concerns wait for the new one."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from app.graphql.schema.api_schema import ApiSchema
from app.graphql.schema.relations import ApiRelation
from app.graphql.schema.role_schemas import LARGE
from app.hooks import hookimpl
from app.installation.install import install
from tests.graphql.api import Api
from tests.graphql.conftest import ROLES
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S, until

SCHEMA = f"""{ROLES}
do $$ begin for n in 1..{LARGE} loop
  execute format('create table t%s (id int primary key, name text)', n);
end loop; end $$;
grant select on all tables in schema public to anon;
"""


Execute = Callable[[str], Any]


class Gate:
    """Schemas are made once ``may_make`` is set. Before each flight the next one of ``steps`` is executed."""

    def __init__(self, execute: Execute) -> None:
        self.may_make = threading.Event()
        self.may_make.set()
        self.steps: list[str] = []
        self.flights = 0
        self._execute = execute

    @hookimpl
    def query_fields(self, api: ApiSchema) -> None:
        self.may_make.wait(PATIENCE_S)

    @hookimpl
    def around_stages(self, settings: Any) -> dict[str, Any]:
        return {"execute": self._before_flight}

    def _before_flight(self, run: Callable[..., Any], *arguments: Any) -> Any:
        self.flights += 1
        if self.steps:
            self._execute(self.steps.pop(0))
        return run(*arguments)


@pytest.fixture
def large(postgres: PostgresServer) -> Iterator[tuple[Api, Execute, Gate]]:
    """An api to a database with many tables that counts schema changes, and a function that changes it."""
    url = postgres.create_database(sql=SCHEMA)
    install(url)
    gate = Gate(lambda sql: postgres.execute(sql, url))
    api = Api(url, {"gate": gate})
    yield api, lambda sql: postgres.execute(sql, url), gate
    gate.may_make.set()
    api.close()
    postgres.drop_database(url)


def _page(table: str, fields: str) -> str:
    return f"{{ {table}Collection(first: 1) {{ edges {{ node {{ {fields} }} }} }} }}"


def test_a_request_does_not_wait_for_a_change_of_other_tables(
    large: tuple[Api, Execute, Gate],
) -> None:
    api, execute, gate = large
    assert api.ask(_page("t1", "id")).data
    gate.may_make.clear()
    execute("alter table t3 add column added int")
    for _ in range(3):
        assert api.ask(_page("t1", "id")).data == {"t1Collection": {"edges": []}}
        execute("alter table t4 add column if not exists added int; comment on column t4.added is 'added'")
    with ThreadPoolExecutor(1) as threads:
        changed = threads.submit(api.ask, _page("t3", "added"))
        assert api.ask(_page("t1", "id")).data
        assert not changed.done()
        gate.may_make.set()
        assert changed.result().data == {"t3Collection": {"edges": []}}


@pytest.mark.parametrize(
    "change",
    ["alter table t1 rename column name to label", "alter table t1 rename to renamed", "revoke select on t1 from anon"],
)
def test_a_request_sees_a_change_of_its_own_table_at_once(large: tuple[Api, Execute, Gate], change: str) -> None:
    api, execute, _ = large
    assert api.ask(_page("t1", "name")).data
    assert api.ask(_page("t2", "name")).data
    execute(f"alter table t3 add column added int; {change}")
    assert [each["extensions"]["code"] for each in api.ask(_page("t1", "name")).errors] == ["GRAPHQL_VALIDATION_FAILED"]
    assert api.ask(_page("t2", "name")).data


def test_outdated_schemas_are_freed(large: tuple[Api, Execute, Gate]) -> None:
    api, execute, _ = large
    made: list[weakref.ref[ApiRelation]] = []

    class Watch:
        @staticmethod
        @hookimpl
        def query_fields(api: ApiSchema) -> None:
            made.append(weakref.ref(api.relations[0]))

    api.application.services.plugins.register(Watch)
    gc.disable()
    try:
        for step in range(4):
            execute(f"alter table t1 add column step_{step} int")
            assert api.ask(_page("t1", f"step_{step}")).data
        # Another thread may be about to finish with the one before.
        until(lambda: sum(each() is not None for each in made) == 1)
    finally:
        gc.enable()


def test_one_repetition_is_enough_for_any_number_of_changes(large: tuple[Api, Execute, Gate]) -> None:
    api, _, gate = large
    assert api.ask(_page("t1", "id")).data
    gate.may_make.clear()
    gate.steps = [f"alter table t3 add column step_{step} int" for step in range(10)]
    for flights in (2, 1, 1):
        begun, steps = gate.flights, len(gate.steps)
        assert api.ask(_page("t1", "id")).data == {"t1Collection": {"edges": []}}
        assert steps - len(gate.steps) == gate.flights - begun <= flights


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ("alter table t1 alter name type int using length(name)", "GRAPHQL_VALIDATION_FAILED"),
        ("alter table t1 drop column name", "GRAPHQL_VALIDATION_FAILED"),
        ("alter table t1 alter name type varchar(20)", None),
        ("create function f() returns int language sql return 1", None),
    ],
)
def test_a_change_of_its_own_table_is_noticed_by_the_repeated_flight(
    large: tuple[Api, Execute, Gate], change: str, code: str | None
) -> None:
    api, _, gate = large
    query = '{ t1Collection(filter: { name: { eq: "one" } }) { edges { node { name } } } }'
    assert api.ask(query).data
    gate.steps = ["alter table t3 add column added int", change]
    answer = api.ask(query)
    assert not gate.steps
    assert gate.flights == (3 if code else 4)
    assert {each["extensions"]["code"] for each in answer.errors} == ({code} if code else set())
