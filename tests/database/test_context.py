"""The values that a request can read about its caller, and that none is left for the next request."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from app.database import (
    Context,
    ContextBuilder,
    Database,
    RoleRefused,
    SchemaOutdated,
    Statement,
    StatementError,
    StatementTimeout,
)
from app.identity import Caller
from tests.database.conftest import READER, WRITER, MakeDatabase
from tests.postgres_server import PostgresServer

AsRole = Callable[..., Context]
OWN_NOTES = Statement("select count(*), min(owner), max(owner) from note")


@pytest.fixture
def database(url: str, make_database: MakeDatabase) -> Database:
    """A database with one connection, so that each request inherits what the previous one left."""
    return make_database(url, pool_size=1)


def ask(database: Database, context: Context | None, sql: str) -> bytes | None:
    return database.run(context, [(Statement(sql), [])], read_only=True)[0][0][0]


def setting(database: Database, context: Context | None, name: str) -> str:
    value = database.run(context, [(Statement("select current_setting($1, true)"), [name.encode()])], read_only=True)
    return (value[0][0][0] or b"").decode()


def test_row_level_security_holds_from_the_first_request(database: Database, as_role: AsRole) -> None:
    for role in (READER, WRITER, READER):
        for user in ("user1", "user2", "user1"):
            rows = database.run(as_role(role, sub=user), [(OWN_NOTES, [])], read_only=True)
            assert rows == [[(b"10", user.encode(), user.encode())]]
    assert database.run(None, [(OWN_NOTES, [])], read_only=True)[0][0][0] == b"30"


def test_role_and_claims_are_set(database: Database, as_role: AsRole) -> None:
    context = as_role(READER, sub="u1", email="a@b.c", level=3, verified=True, nested={"a": [1]}, nothing=None)
    assert ask(database, context, "select current_user") == READER.encode()
    assert json.loads(setting(database, context, "request.jwt.claims")) == {
        "sub": "u1", "email": "a@b.c", "level": 3, "verified": True, "nested": {"a": [1]}, "nothing": None,
        "role": READER,
    }  # fmt: skip
    expected = {"role": READER, "sub": "u1", "email": "a@b.c", "level": "3", "verified": "true", "nested": ""}
    for claim, value in expected.items():
        assert setting(database, context, f"request.jwt.claim.{claim}") == value
    assert setting(database, context, "request.method") == "POST"
    assert setting(database, context, "request.path") == "/graphql/v1"


LEFTOVERS = (
    "select concat_ws(',', current_user = session_user, nullif(current_setting('request.jwt.claims', true), ''),\
 nullif(current_setting('request.jwt.claim.sub', true), ''), nullif(current_setting('request.path', true), ''))"
)


def test_no_state_is_left_after_a_request(database: Database, as_role: AsRole) -> None:
    ask(database, as_role(READER, sub="u1"), "select 1")
    assert ask(database, None, LEFTOVERS) == b"t"


def test_no_state_is_left_after_an_error(database: Database, as_role: AsRole) -> None:
    for sql in ("select 1/0", "select syntax error", "select * from pg_authid"):
        with pytest.raises(StatementError):
            ask(database, as_role(READER, sub="u1"), sql)
        assert ask(database, None, LEFTOVERS) == b"t"


SESSION_STATE = """
select concat_ws(',', current_user = session_user, nullif(current_setting('app.secret', true), ''),
                 current_setting('search_path'), current_setting('statement_timeout'), to_regclass('pg_temp.scratch'),
                 current_setting('transaction_read_only'), current_setting('transaction_isolation'),
                 current_setting('transaction_deferrable'), (select count(*) from pg_cursors where is_holdable),
                 (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()))"""


@pytest.mark.parametrize("as_somebody", [True, False])
@pytest.mark.parametrize(
    "left",
    [
        "select set_config('app.secret', 'of the caller before', false)",
        "select set_config('search_path', 'elsewhere', false)",
        "select set_config('statement_timeout', '0', false)",
        f"select set_config('role', '{WRITER}', false)",
        "do $$ begin reset role; set session authorization wire_writer; end $$",
        "create temporary table scratch as select 'of the caller before' as secret",
        "select pg_advisory_lock(42)",
        "declare kept cursor with hold for select 'of the caller before'",
    ],
)
def test_session_state_of_a_function_is_removed(
    database: Database, as_role: AsRole, left: str, as_somebody: bool
) -> None:
    def context() -> Context | None:
        return as_role(READER) if as_somebody else None

    clean = ask(database, context(), SESSION_STATE)
    process = ask(database, None, "select pg_backend_pid()")
    database.run(as_role(WRITER), [(Statement(left), [])], read_only=False)
    assert ask(database, context(), SESSION_STATE) == clean
    with database.transaction(context()) as transaction:
        assert transaction.run(Statement(SESSION_STATE))[0][0] == clean
    database.run(as_role(WRITER), [(Statement(left), [])], read_only=False)
    with pytest.raises(StatementError):
        ask(database, context(), "select 1/0")
    assert ask(database, context(), SESSION_STATE) == clean
    assert ask(database, None, "select pg_backend_pid()") == process


@pytest.mark.parametrize("as_somebody", [True, False])
@pytest.mark.parametrize(
    "left",
    [
        "select set_config('default_transaction_read_only', 'on', false)",
        "select set_config('default_transaction_isolation', 'serializable', false)",
        "select set_config('default_transaction_deferrable', 'on', false)",
    ],
)
def test_a_session_that_cannot_be_cleaned_is_replaced(
    database: Database, as_role: AsRole, left: str, as_somebody: bool
) -> None:
    context = as_role(WRITER) if as_somebody else None
    insert = [(Statement("insert into entry (body) values ('x') returning id"), [])]
    clean = ask(database, context, SESSION_STATE)
    database.run(as_role(WRITER), [(Statement(left), [])], read_only=False)
    assert ask(database, context, SESSION_STATE) == clean
    database.run(as_role(WRITER), [(Statement(left), [])], read_only=False)
    assert len(database.run(context, insert, read_only=False)[0]) == 1
    database.run(as_role(WRITER), [(Statement(left), [])], read_only=False)
    with database.transaction(context) as transaction:
        assert transaction.run(Statement(SESSION_STATE))[0][0] == clean
    assert database.pool_state().open == 1


def test_all_sessions_that_cannot_be_cleaned_are_replaced(
    url: str, make_database: MakeDatabase, as_role: AsRole
) -> None:
    """The next caller notices nothing, however many connections were spoilt meanwhile."""
    database = make_database(url, pool_size=4)
    spoil = Statement("select set_config('default_transaction_read_only', 'on', false)")

    def spoil_all() -> None:
        with contextlib.ExitStack() as stack:
            for _ in range(4):
                stack.enter_context(database.transaction(as_role(WRITER))).run(spoil)

    insert = Statement("insert into entry (body) values ($1) returning id")
    spoil_all()
    assert len(database.run(as_role(WRITER), [(insert, [b"x"])], read_only=False)[0]) == 1
    spoil_all()
    with database.transaction(as_role(WRITER)) as transaction:
        assert len(transaction.run(insert, [b"y"])) == 1
    assert database.run(None, [(Statement("select count(*) from entry"), [])], read_only=True) == [[(b"2",)]]


REPLACES_PREPARED_STATEMENTS = """
do $$ declare each record; begin
  perform set_config('app.secret', 'of the caller before', false);
  for each in select name, statement, parameter_types from pg_prepared_statements loop
    continue when each.statement like 'do %' or each.statement ~ 'concat_ws';
    execute format('deallocate %I', each.name);
    execute format('prepare %I %s as select set_config(''app.stolen'', current_user, false)', each.name,
                   nullif('(' || array_to_string(each.parameter_types, ', ') || ')', '()'));
  end loop;
end $$"""


def test_no_prepared_statement_runs_with_the_rights_of_the_service(database: Database, as_role: AsRole) -> None:
    """A statement that a function puts in the place of a prepared one runs as a caller at most."""
    state = "select concat_ws(',', current_setting('app.secret', true), current_setting('app.stolen', true))"
    for _ in range(2):
        ask(database, as_role(READER), state)
        database.run(as_role(WRITER), [(Statement(REPLACES_PREPARED_STATEMENTS), [])], read_only=False)
        assert ask(database, as_role(READER), state) in (b",", b"," + READER.encode())


def test_names_of_prepared_statements_cannot_be_guessed(url: str, make_database: MakeDatabase) -> None:
    names = Statement("select string_agg(name, ',') from pg_prepared_statements")
    first, second = (make_database(url).run(None, [(names, [])], read_only=True)[0][0][0] for _ in range(2))
    assert first != second


def test_a_sequence_reveals_nothing_of_the_previous_caller(database: Database, as_role: AsRole) -> None:
    database.run(as_role(WRITER), [(Statement("insert into entry (body) values ('x')"), [])], read_only=False)
    with pytest.raises(StatementError, match="lastval is not yet defined"):
        database.run(as_role(WRITER), [(Statement("select lastval()"), [])], read_only=False)


def test_the_services_own_queries_run_as_the_service(database: Database, as_role: AsRole) -> None:
    leave = "do $$ begin set session authorization wire_writer; end $$"
    login = database.read("select current_user")
    database.run(as_role(WRITER), [(Statement(leave), [])], read_only=False)
    assert database.read("select current_user") == login


def test_defaults_of_the_database_stay(own_url: str, make_database: MakeDatabase, as_role: AsRole) -> None:
    make_database(own_url).read("""
        do $$ begin execute format('alter database %I set default_transaction_isolation = serializable',
                                   current_database()); end $$
    """)
    database = make_database(own_url, pool_size=1)
    for _ in range(2):
        assert ask(database, as_role(READER), "select current_setting('transaction_isolation')") == b"serializable"


def test_a_connection_on_which_a_function_listens_is_closed(database: Database, as_role: AsRole) -> None:
    process = ask(database, None, "select pg_backend_pid()")
    database.run(as_role(WRITER), [(Statement("listen news"), []), (Statement("notify news"), [])], read_only=False)
    assert ask(database, None, "select pg_backend_pid()") != process


def test_a_claim_of_the_previous_caller_is_gone(database: Database, as_role: AsRole) -> None:
    ask(database, as_role(READER, sub="u1", tenant="t1"), "select 1")
    context = as_role(READER)
    assert setting(database, context, "request.jwt.claim.sub") == ""
    assert setting(database, context, "request.jwt.claim.tenant") == ""


@pytest.mark.parametrize(
    "name", ["a b", "a-b", "1a", "", ".", "a.", ".a", "a..b", "ä", "a'b", 'a"b', "a;b", "a=b", "x" * 64, "a\0b", "\n"]
)
def test_claims_that_cannot_be_settings_are_only_in_the_json(database: Database, as_role: AsRole, name: str) -> None:
    context = as_role(READER, **{name: "v", "good.part_$1": "w"})
    assert json.loads(setting(database, context, "request.jwt.claims"))[name] == "v"
    assert setting(database, context, "request.jwt.claim.good.part_$1") == "w"


def test_names_of_claims_do_not_collide_in_any_case(database: Database, as_role: AsRole) -> None:
    """Names of settings are case-insensitive."""
    context = as_role(READER, ROLE="postgres", Role="postgres", SUB="u9", sub="u1", Tenant="t1", tenant="t2")
    assert setting(database, context, "request.jwt.claim.role") == READER
    assert setting(database, context, "request.jwt.claim.sub") == "u1"
    assert setting(database, context, "request.jwt.claim.tenant") == "t1"
    assert setting(database, as_role(READER, SUB="u9"), "request.jwt.claim.sub") == ""


def test_characters_that_text_cannot_hold_are_removed(database: Database, contexts: ContextBuilder) -> None:
    caller = Caller.of({"sub": "a\0b", "name": "\ud800"}, default_role=READER)
    context = contexts.build(caller, path="/a\0\udcff")
    assert setting(database, context, "request.jwt.claim.sub") == "ab"
    assert setting(database, context, "request.path") == "/a?"


def test_many_claims_and_settings_fit_into_one_context(database: Database, contexts: ContextBuilder) -> None:
    caller = Caller.of({f"c{number}": number for number in range(500)}, default_role=READER)
    settings = tuple((f"app.s{number}", str(number)) for number in range(120))
    context = contexts.build(caller, role_settings=settings)
    assert setting(database, context, "app.s119") == "119"
    assert json.loads(setting(database, context, "request.jwt.claims"))["c499"] == 499


def test_headers_and_further_settings_can_be_read(database: Database, contexts: ContextBuilder) -> None:
    caller = Caller.of({}, default_role=READER)
    context = contexts.build(caller, headers={"X-Thing": "é"}, extra=[("storage.operation", "object.get")])
    assert json.loads(setting(database, context, "request.headers")) == {"x-thing": "é"}
    assert setting(database, context, "storage.operation") == "object.get"


def test_credentials_are_set_only_with_the_setting(database: Database) -> None:
    headers = {"Authorization": "Bearer secret", "apiKey": "secret", "Cookie": "secret", "X-Thing": "x"}
    caller = Caller.of({}, default_role=READER)
    context = ContextBuilder().build(caller, headers=headers, token="secret")
    assert json.loads(setting(database, context, "request.headers")) == {"x-thing": "x"}
    assert setting(database, context, "request.jwt") == ""
    context = ContextBuilder(with_tokens=True).build(caller, headers=headers, token="secret")
    assert json.loads(setting(database, context, "request.headers")) == {k.lower(): v for k, v in headers.items()}
    assert setting(database, context, "request.jwt") == "secret"


def test_an_unknown_role_is_refused(database: Database, as_role: AsRole) -> None:
    with pytest.raises(RoleRefused, match="wire_nobody") as raised:
        ask(database, as_role("wire_nobody"), "select 1")
    assert (raised.value.status, raised.value.code) == (403, "ROLE_NOT_ALLOWED")
    assert raised.value.diagnosis.sqlstate == "22023"


@pytest.fixture
def modest_url(postgres: PostgresServer, url: str) -> Iterator[str]:
    """The database of ``url`` for a login role that is a member of the reader only."""
    postgres.execute(
        "drop role if exists wire_login; create role wire_login login noinherit password 'pw/@ %'; "
        f"grant {READER} to wire_login"
    )
    address = url.partition("://")[2].rpartition("@")[2]
    separator = "&" if "?" in address else "?"
    yield f"postgres://wire_login:pw%2F%40%20%25@{address}{separator}application_name=modest"
    postgres.execute("drop owned by wire_login; drop role wire_login")


def test_a_role_without_membership_of_the_service_is_refused(
    modest_url: str, make_database: MakeDatabase, as_role: AsRole
) -> None:
    database = make_database(modest_url)
    assert ask(database, as_role(READER), "select current_user") == READER.encode()
    for role in (WRITER, "postgres"):
        with pytest.raises(RoleRefused) as raised:
            ask(database, as_role(role), "select 1")
        assert raised.value.diagnosis.sqlstate == "42501"


def test_a_forbidden_setting_is_not_reported_as_a_refused_role(
    modest_url: str, make_database: MakeDatabase, contexts: ContextBuilder
) -> None:
    context = contexts.build(Caller.of({}, default_role=READER), role_settings=(("log_statement", "none"),))
    with pytest.raises(StatementError, match="log_statement") as raised:
        ask(make_database(modest_url), context, "select 1")
    assert raised.value.statement_index == 0


def test_the_role_none_is_never_set(contexts: ContextBuilder) -> None:
    """In SET ROLE it means the login role, which may do everything."""
    caller = Caller("none", {}, "{}", None, "key")
    with pytest.raises(ValueError, match="none"):
        contexts.build(caller)


@pytest.mark.parametrize("settings", [(), (("statement_timeout", "100"),), (("Statement_Timeout", "100ms"),)])
def test_statement_timeout_ends_a_statement(database: Database, settings: tuple[tuple[str, str], ...]) -> None:
    contexts = ContextBuilder(statement_timeout_ms=100 if not settings else 20_000)
    context = contexts.build(Caller.of({}, default_role=READER), role_settings=settings)
    before = ask(database, None, "select pg_backend_pid()")
    with pytest.raises(StatementTimeout) as raised:
        ask(database, context, "select pg_sleep(20)")
    assert raised.value.statement_index == 1
    assert ask(database, None, "select pg_backend_pid()") == before


def test_the_roles_own_timeout_may_be_longer(database: Database) -> None:
    contexts = ContextBuilder(statement_timeout_ms=50)
    context = contexts.build(Caller.of({}, default_role=READER), role_settings=(("statement_timeout", "20s"),))
    assert ask(database, context, "select 'slept' from pg_sleep(0.2)") == b"slept"


def test_an_outdated_schema_is_reported(
    own_url: str, make_database: MakeDatabase, contexts: ContextBuilder, postgres: PostgresServer
) -> None:
    database = make_database(own_url, pool_size=1)
    counter = """
        create schema graphql;
        create table graphql.counter as select 7::bigint as version;
        create function graphql.assert_schema_version(expected bigint) returns void language plpgsql stable as $$
          begin
            if (select version from graphql.counter) <> expected then
              raise exception using errcode = 'PTSCH', message = 'the schema of the database has changed';
            end if;
          end $$;
        grant usage on schema graphql to public;
        grant select on graphql.counter to public;
    """
    postgres.execute(counter, own_url)
    caller = Caller.of({}, default_role=READER)
    writes = [(Statement("create table made ()"), [])]
    current = contexts.build(caller, schema_version=7)
    assert ask(database, current, "select current_user") == READER.encode()
    for _ in range(2):
        with pytest.raises(SchemaOutdated) as raised:
            database.run(contexts.build(caller, schema_version=6), writes, read_only=False)
        assert raised.value.statement_index == 0
    assert ask(database, current, "select to_regclass('made') is null") == b"t"


def test_callers_with_equally_many_settings_share_a_statement(contexts: ContextBuilder) -> None:
    def context(role: str, **claims: Any) -> Context:
        return contexts.build(Caller.of(claims, default_role=role), path="/x")

    assert settings_of(context("a", sub="1")) is settings_of(context("b", email="2"))
    assert settings_of(context("a", sub="1")) is not settings_of(context("a"))


def settings_of(context: Context) -> Statement:
    return context.steps[-1][0]
