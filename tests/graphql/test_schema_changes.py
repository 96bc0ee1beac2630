"""A schema that changes while requests run: the next response uses the new one, on a busy server too."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from app.graphql.schema.api_schema import ApiSchema
from app.hooks import hookimpl
from app.installation.install import install
from tests.graphql.api import Answer, Api
from tests.graphql.conftest import ROLES
from tests.postgres_server import PostgresServer, connect
from tests.process.running import until

SCHEMA = """
create table item (id int primary key, name text, extra int);
insert into item values (1, 'one', 7), (2, 'two', 8);
grant select on item to anon;
"""
Execute = Callable[[str], Any]


@pytest.fixture
def watched(postgres: PostgresServer) -> Iterator[tuple[Api, Execute]]:
    """A api to a database that counts schema changes, and a function that changes it."""
    yield from _api(postgres, installed=True)


@pytest.fixture
def unwatched(postgres: PostgresServer) -> Iterator[tuple[Api, Execute]]:
    """A api to a database without the support objects."""
    yield from _api(postgres, installed=False)


def _api(postgres: PostgresServer, installed: bool) -> Iterator[tuple[Api, Execute]]:
    url = postgres.create_database(sql=ROLES + SCHEMA)
    if installed:
        install(url)
    api = Api(url)
    yield api, lambda sql: postgres.execute(sql, url)
    api.close()
    postgres.drop_database(url)


NAMES = "{ itemCollection { edges { node { name } } } }"


def test_every_service_sees_a_change_at_once(watched: tuple[Api, Execute]) -> None:
    api, execute = watched
    other = Api(api.database_url)
    try:
        for each in (api, other):
            assert each.ask(NAMES).data == each.ask(NAMES).data
        for change, is_there in (
            ("alter table item rename name to label", False),
            ("alter table item rename label to name", True),
            ("revoke select on item from anon", False),
        ):
            execute(change)
            assert [not each.ask(NAMES).errors for each in (api, other, api, other)] == [is_there] * 4
    finally:
        other.close()


def test_each_change_is_seen_by_the_next_request(watched: tuple[Api, Execute]) -> None:
    api, execute = watched
    assert api.application.services.engine.schema_cache.current().counted
    query = '{ __type(name: "item") { fields { name description type { name } } } }'

    def fields() -> dict[str, Any]:
        return {
            each["name"]: (each["type"]["name"], each["description"])
            for each in api.ask(query).data["__type"]["fields"]
        }

    def asked() -> Any:
        return api.ask(NAMES).body

    before = asked()
    assert before["data"]["itemCollection"]["edges"][0] == {"node": {"name": "one"}}
    # Each change is queried with data, which the database answers, and twice, so that plans are cached.
    execute("alter table item add added int")
    assert api.ask("{ itemCollection { edges { node { added } } } }").data
    execute("alter table item rename name to label")
    assert api.ask(NAMES).errors
    assert api.ask(NAMES).errors
    assert api.ask("{ itemCollection { edges { node { label } } } }").data
    execute("alter table item rename label to name")
    assert asked() == asked() == before
    execute("alter table item alter name type int using length(name)")
    assert api.ask(NAMES).data["itemCollection"]["edges"] == [{"node": {"name": 3}}, {"node": {"name": 3}}]
    execute("""comment on column item.name is '@graphql({"name": "title", "description": "d"})'""")
    assert api.ask("{ itemCollection { edges { node { title } } } }").data
    assert fields()["title"] == ("Int", "d")
    execute("revoke select on item from anon")
    assert api.ask("{ itemCollection { edges { node { title } } } }").errors
    execute("grant select (id) on item to anon")
    assert api.ask("{ itemCollection { edges { node { id } } } }").data
    assert api.ask("{ itemCollection { edges { node { title } } } }").errors
    execute("grant select on item to anon")
    assert api.ask("{ itemCollection { edges { node { title } } } }").data
    execute("""comment on schema public is '@graphql({"inflect_names": true, "max_rows": 1})'""")
    assert len(api.ask("{ itemCollection { edges { node { title } } } }").data["itemCollection"]["edges"]) == 1
    execute("create table late (id int primary key, item_id int references item); grant select on late to anon")
    assert api.ask("{ lateCollection { edges { node { item { id } } } } }").data
    execute("drop table late")
    assert "lateCollection" in api.ask("{ lateCollection { edges { node { id } } } }").errors[0]["message"]
    execute(
        "drop table item; create table item (id text primary key); insert into item values ('x'); grant select on item to anon"  # noqa: E501
    )
    assert api.ask("{ itemCollection { edges { node { id } } } }").data == {
        "itemCollection": {"edges": [{"node": {"id": "x"}}]}
    }


def test_a_change_that_is_rolled_back_does_not_count(watched: tuple[Api, Execute]) -> None:
    api, execute = watched
    before = api.ask(NAMES).data
    version = api.application.services.engine.schema_cache.current().version
    with pytest.raises(Exception, match="division"):
        execute("begin; alter table item drop name; select 1 / 0; commit")
    assert api.ask(NAMES).data == before
    assert api.application.services.engine.schema_cache.current().version == version


def test_responses_on_a_busy_server_are_of_one_schema(watched: tuple[Api, Execute]) -> None:
    """While the schema changes back and forth, each response is entirely from one schema or the other, and
    a request that begins after a change sees it."""
    api, execute = watched
    stop = threading.Event()
    generation: list[int | None] = [0]
    faults: list[Any] = []
    answered = [0]

    def read() -> None:
        while not stop.is_set():
            begun = generation[0]  # None while a change is under way
            answer = api.ask("{ itemCollection(first: 1) { edges { node { name extra } } } }")
            ended = generation[0]
            answered[0] += 1
            if answer.status != 200:
                faults.append(answer)
            elif "errors" in answer.body:
                # Only a schema without the column may say so.
                codes = {error["extensions"]["code"] for error in answer.errors}
                if begun is not None and begun == ended and begun % 2 == 0:
                    faults.append(answer)
                if not codes <= {"GRAPHQL_VALIDATION_FAILED", "SCHEMA_OUTDATED"}:
                    faults.append(answer)
            elif begun is not None and begun == ended and begun % 2 == 1:
                faults.append(answer)

    with ThreadPoolExecutor(4) as threads:
        running = [threads.submit(read) for _ in range(4)]
        try:
            for change in range(12):
                before = answered[0]
                # Odd generations have no column extra. While a change is under way either answer is right.
                generation[0] = None
                execute(
                    "alter table item rename extra to gone"
                    if change % 2 == 0
                    else "alter table item rename gone to extra"
                )
                generation[0] = change + 1
                until(lambda least=before + 12: answered[0] >= least or any(each.done() for each in running))
        finally:
            stop.set()
        for each in running:
            each.result()
    assert not faults, faults[:3]
    assert answered[0] > 100


def test_a_migration_of_many_steps_is_followed(watched: tuple[Api, Execute]) -> None:
    """Each step commits while a request is about to be answered from the schema of the previous step."""
    api, execute = watched
    steps = iter(range(8))

    class Migration:
        @staticmethod
        @hookimpl
        def query_fields(api: ApiSchema) -> None:
            for step in steps:
                execute(f"alter table item add step_{step} int")
                return

    assert api.ask(NAMES).data
    api.application.services.plugins.register(Migration)
    execute("alter table item drop extra")
    assert len(api.ask(NAMES).data["itemCollection"]["edges"]) == 2
    assert next(steps, None) is None
    assert api.ask("{ itemCollection { edges { node { step_7 } } } }").data


def test_changes_are_seen_soon_without_support_objects(unwatched: tuple[Api, Execute]) -> None:
    api, execute = unwatched
    assert not api.application.services.engine.schema_cache.current().counted
    assert api.ask(NAMES).data
    for change, query in (
        ("alter table item add added int", "{ itemCollection { edges { node { added } } } }"),
        ("create table late (id int primary key); grant select on late to anon", "{ lateCollection { edges { cursor } } }"),  # noqa: E501
        ("""comment on table item is '@graphql({"name": "Thing"})'""", "{ thingCollection { edges { node { added } } } }"),  # noqa: E501
        ("revoke select on late from anon; grant select (id) on late to anon; create role only_here_x; drop role only_here_x",  # noqa: E501
         "{ lateCollection { edges { node { id } } } }"),
    ):  # fmt: skip
        execute(change)
        until(lambda query=query: "errors" not in api.ask(query).body)


def test_a_failed_statement_shows_a_change_without_support_objects(unwatched: tuple[Api, Execute]) -> None:
    api, execute = unwatched
    assert api.ask(NAMES).data
    for change in ("alter table item rename name to label", "alter table item rename label to name"):
        execute(change)
        query = NAMES if "to label" in change else "{ itemCollection { edges { node { label } } } }"
        answer = api.ask(query)
        # The cached plan fails for the missing column; the error is that of the new schema.
        assert all(error["extensions"]["code"] == "GRAPHQL_VALIDATION_FAILED" for error in answer.errors)
        assert answer.errors
        right = NAMES if "to name" in change else "{ itemCollection { edges { node { label } } } }"
        assert api.ask(right).data
    execute("drop table item")
    answer = api.ask(NAMES)
    assert answer.errors[0]["extensions"]["code"] == "GRAPHQL_VALIDATION_FAILED"
    assert "itemCollection" in answer.message


def answered_across(api: Api, change: str, query: str) -> Answer:
    """The answer to a request that waits for the lock of a change of the schema, which is then committed."""
    session = connect(api.database_url)
    try:
        session.run("begin")
        session.execute_simple(change)
        with ThreadPoolExecutor(1) as thread:
            answer = thread.submit(api.ask, query)
            until(lambda: session.run("select exists (select from pg_locks where not granted)")[0][0] or answer.done())
            assert not answer.done()
            session.run("commit")
            return answer.result()
    finally:
        session.close()


@pytest.mark.parametrize(
    ("change", "mutation"),
    [
        ("alter table item alter name type int using length(name)",
         'mutation { insertIntoitemCollection(objects: [{id: 3, name: "x"}]) { affectedCount } }'),
        ("alter table item drop extra; alter table item add extra int generated always as (id) stored",
         "mutation { insertIntoitemCollection(objects: [{id: 3, extra: 1}]) { affectedCount } }"),
        ("create rule nothing as on insert to item do instead nothing",
         "mutation { insertIntoitemCollection(objects: [{id: 3}]) { affectedCount } }"),
        ("alter table item rename to base; create view item as select id, name || '' as name, extra from base;"
         "grant all on item to anon; comment on view item is '@graphql({\"primary_key_columns\": [\"id\"]})'",
         'mutation { insertIntoitemCollection(objects: [{id: 3, name: "x"}]) { affectedCount } }'),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["watched", "unwatched"])
def test_a_revoked_right_is_reported_by_the_new_schema(
    request: pytest.FixtureRequest, kind: str, change: str, mutation: str
) -> None:
    api, execute = request.getfixturevalue(kind)
    execute("grant insert on item to anon")
    api.application.services.engine.schema_cache.refresh_if_changed()
    assert api.ask(mutation).data
    execute("delete from item where id = 3")
    assert answered_across(api, change, mutation).code == "GRAPHQL_VALIDATION_FAILED"
    assert api.ask(mutation).code == "GRAPHQL_VALIDATION_FAILED"


FUNCTIONS = {
    "inlined": "returns setof item language sql stable as 'select * from item'",
    "called": "returns setof item language sql stable as 'select * from item offset 0'",
    "programmed": "returns setof item language plpgsql stable as 'begin return query select * from item; end'",
    "one": "returns item language sql stable as 'select i from item i order by id limit 1'",
    "one_programmed": "returns item language plpgsql stable as"
    " 'declare one item; begin select * into one from item order by id limit 1; return one; end'",
    "changing": "returns item language sql volatile as 'select i from item i order by id limit 1'",
}
ROW_CHANGES = (
    "alter table item add column added text default 'x'",
    "alter table item drop column added",
    "alter table item alter extra type bigint",
    "alter table item alter extra type int",
    "alter table item alter name type varchar(20)",
    "alter table item drop column extra, add column extra int",
)


@pytest.mark.parametrize("installed", [True, False])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_return_rows_of_the_new_type(postgres: PostgresServer, name: str, installed: bool) -> None:
    """PostgreSQL keeps the plan of a prepared statement although the row type changes that a function in it returns."""
    url = postgres.create_database(sql=f"{ROLES}{SCHEMA}create function f() {FUNCTIONS[name]};")
    if installed:
        install(url)
    api = Api(url, pool_size=1)
    is_set = "setof" in FUNCTIONS[name]
    selection = "{ edges { node { id name } } }" if is_set else "{ id name }"
    query = f"{'mutation' if name == 'changing' else 'query'} {{ f {selection} }}"
    before = api.ask(query).data
    for change in ROW_CHANGES:
        postgres.execute(change, url)
        for _ in range(2):
            assert api.ask(query).data == before, change
    api.close()
    postgres.drop_database(url)
