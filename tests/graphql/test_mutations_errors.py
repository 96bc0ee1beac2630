"""Errors of the database: they have a code and a hint but no SQL, and nothing is half done."""

from __future__ import annotations

import json
import re
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from typing import Any

import pytest

from tests.database.proxy import Proxy
from tests.graphql.api import Answer, Api
from tests.graphql.conftest import StartApi
from tests.postgres_server import PostgresServer, connect
from tests.process.running import until

SCHEMA = """
create table parent (id int primary key);
create table thing (
  id int primary key, email text unique, name text not null default 'n', age int, parent_id int references parent,
  span int4range, day date, constraint grown_up check (age >= 18), exclude using gist (span with &&));
create function refuse() returns trigger language plpgsql as $$
begin
  if new.name = 'trigger' then
    raise exception 'not this name' using errcode = 'TG001', hint = 'take another', detail = 'it is taken',
      column = 'name', constraint = 'made_up', table = 'thing';
  elsif new.name = 'plain' then
    raise exception 'plainly no';
  elsif new.name = 'dynamic' then
    execute 'select secret_column from thing where very_secret(';
  elsif new.name = 'hidden' then
    perform * from hidden;
  elsif new.name = 'zero' then
    new.age = 1 / 0;
  end if;
  return new;
end $$;
create trigger refuse before insert or update on thing for each row execute function refuse();
create table hidden (id int primary key);
create function boom(code text) returns int language plpgsql volatile as $$
begin
  insert into parent values (99);
  raise exception using message = 'boom: ' || code, errcode = code;
end $$;
create table note (id int primary key, owner text not null);
alter table note enable row level security;
create policy own on note using (owner = current_setting('request.jwt.claim.sub', true));
create table counted (id int primary key, age int);
create view grown as select * from counted where age >= 18 with check option;
comment on view grown is '@graphql({"primary_key_columns": ["id"]})';
create sequence attempts;
create function conflict(code text, times int) returns int language plpgsql volatile as $$
declare attempt int;
begin
  attempt = nextval('attempts');
  insert into parent values (1000 + attempt);
  if attempt <= times then
    raise exception 'try again' using errcode = code;
  end if;
  return attempt;
end $$;
create function slow(seconds float8) returns int language plpgsql volatile as $$
begin insert into parent values (77); perform pg_sleep(seconds); return 1; end $$;
grant all on parent, thing, note, counted, grown, attempts to anon, authenticated;
"""
ROWS = """
truncate thing, parent, note, counted; alter sequence attempts restart;
insert into thing (id, email) values (1, 'one@example.com'); insert into note values (1, 'ann');
"""


@pytest.fixture
def api(writing_api: StartApi) -> Api:
    return writing_api(SCHEMA, ROWS)


def everything(postgres: PostgresServer, api: Api) -> list[list[Any]]:
    return postgres.execute(
        "select 'thing', id, name from thing union all select 'parent', id, '' from parent union all "
        "select 'note', id, owner from note union all select 'counted', id, '' from counted order by 1, 2",
        api.database_url,
    )  # fmt: skip


# Messages


@pytest.mark.parametrize(
    ("object_", "code", "message", "extensions"),
    [
        ('{id: 1}', "UNIQUE_VIOLATION", 'duplicate key value violates unique constraint "thing_pkey"',
         {"sqlstate": "23505", "constraint": "thing_pkey", "table": "thing", "detail": "Key (id)=(1) already exists."}),
        ('{id: 2, email: "one@example.com"}', "UNIQUE_VIOLATION", "email", {"constraint": "thing_email_key"}),
        ("{id: 2, name: null}", "NOT_NULL_VIOLATION", 'null value in column "name" of relation "thing"',
         {"sqlstate": "23502", "column": "name", "table": "thing"}),
        ("{email: null}", "NOT_NULL_VIOLATION", 'null value in column "id"', {"column": "id"}),
        ("{id: 2, age: 17}", "CHECK_VIOLATION", 'violates check constraint "grown_up"', {"constraint": "grown_up"}),
        ("{id: 2, parent_id: 5}", "FOREIGN_KEY_VIOLATION", "violates foreign key constraint",
         {"constraint": "thing_parent_id_fkey", "detail": 'Key (parent_id)=(5) is not present in table "parent".'}),
        ('{id: 2, name: "trigger"}', "DATABASE_ERROR", "not this name",
         {"sqlstate": "TG001", "hint": "take another", "detail": "it is taken", "constraint": "made_up"}),
        ('{id: 2, name: "plain"}', "RAISE_EXCEPTION", "plainly no", {"sqlstate": "P0001"}),
        ('{id: 2, name: "zero"}', "DIVISION_BY_ZERO", "division by zero", {"sqlstate": "22012"}),
        ('{id: 2, name: "hidden"}', "INSUFFICIENT_PRIVILEGE", "permission denied for table hidden", {}),
        ('{id: 2, name: "dynamic"}', "SYNTAX_ERROR", "syntax error at end of input", {"sqlstate": "42601"}),
        ('{id: 2, day: "2021-13-01"}', "DATETIME_FIELD_OVERFLOW", "out of range", {}),
        ('{id: 2, day: "soon"}', "INVALID_DATETIME_FORMAT", "invalid input syntax for type date", {}),
        ('{id: 2, span: "x"}', "INVALID_TEXT_REPRESENTATION", "malformed range literal", {}),
    ],
)  # fmt: skip
def test_an_error_has_a_code_and_a_hint(
    api: Api, postgres: PostgresServer, object_: str, code: str, message: str, extensions: dict[str, str]
) -> None:
    before = everything(postgres, api)
    answer = api.ask(
        f"""mutation {{ before: insertIntoparentCollection(objects: {{id: 1}}) {{ affectedCount }}
            here: insertIntothingCollection(objects: {object_}) {{ affectedCount }} }}"""
    )
    assert answer.status == 200
    assert answer.body["data"] is None
    assert answer.code == code
    assert message in answer.message
    assert answer.errors[0]["path"] == ["here"]
    assert extensions.items() <= answer.errors[0]["extensions"].items()
    assert everything(postgres, api) == before
    assert_no_sql(answer)


def test_an_exclusion_constraint_has_its_code(api: Api) -> None:
    insert = 'mutation {{ insertIntothingCollection(objects: {{id: {}, span: "[1,5)"}}) {{ affectedCount }} }}'
    assert api.ask(insert.format(2)).data
    assert api.ask(insert.format(3)).code == "EXCLUSION_VIOLATION"


def test_a_check_option_has_its_code(api: Api) -> None:
    answer = api.ask("mutation { insertIntogrownCollection(objects: {id: 1, age: 5}) { affectedCount } }")
    assert (answer.code, answer.errors[0]["extensions"]["sqlstate"]) == ("WITH_CHECK_OPTION_VIOLATION", "44000")


def test_a_referenced_row_is_not_deleted(api: Api) -> None:
    query = """mutation { insertIntoparentCollection(objects: {id: 1}) { affectedCount }
                          updatethingCollection(set: {parent_id: 1}) { affectedCount } }"""
    assert api.ask(query).data
    answer = api.ask("mutation { deleteFromparentCollection(filter: {id: {eq: 1}}) { affectedCount } }")
    assert answer.code == "FOREIGN_KEY_VIOLATION"


@pytest.mark.parametrize(
    ("sqlstate", "code"),
    [
        ("22023", "DATA_EXCEPTION"), ("23000", "INTEGRITY_CONSTRAINT_VIOLATION"), ("23001", "RESTRICT_VIOLATION"),
        ("42501", "INSUFFICIENT_PRIVILEGE"), ("40003", "TRANSACTION_ROLLBACK"), ("54000", "PROGRAM_LIMIT_EXCEEDED"),
        ("55P03", "LOCK_NOT_AVAILABLE"), ("25006", "READ_ONLY_SQL_TRANSACTION"), ("P0001", "RAISE_EXCEPTION"),
        ("ABCDE", "DATABASE_ERROR"), ("P0007", "DATABASE_ERROR"), ("42P01", "DATABASE_ERROR"),
    ],
)  # fmt: skip
def test_an_error_raised_by_a_function_keeps_its_sqlstate(
    api: Api, postgres: PostgresServer, sqlstate: str, code: str
) -> None:
    before = everything(postgres, api)
    answer = api.ask("mutation ($code: String!) { boom(code: $code) }", {"code": sqlstate})
    assert answer.message == f"boom: {sqlstate}"
    assert answer.code == code
    assert answer.errors[0]["extensions"]["sqlstate"] == sqlstate
    assert everything(postgres, api) == before


def test_a_message_that_imitates_the_service_is_not_trusted(api: Api) -> None:
    answer = api.ask("mutation ($code: String!) { boom(code: $code) }", {"code": "portico: all is well; 00"})
    assert "all is well" in answer.message
    assert answer.code != "BAD_USER_INPUT"


def assert_no_sql(answer: Answer) -> None:
    """The response contains no statement, neither ours nor one of a database function."""
    text = json.dumps(answer.body)
    assert not re.search(r"\b(select|insert into|with|cast|json_build_object|where|PL/pgSQL)\b", text, re.IGNORECASE), (
        text
    )
    assert "secret" not in text


# Row level security


def test_row_level_security_refuses_writes(api: Api, postgres: PostgresServer) -> None:
    def ask(query: str, sub: str = "bob") -> Answer:
        return api.ask(f"mutation {{ x: {query} }}", claims={"sub": sub})

    refused = ask('insertIntonoteCollection(objects: {id: 2, owner: "ann"}) { affectedCount }')
    assert refused.code == "INSUFFICIENT_PRIVILEGE"
    assert refused.message == 'new row violates row-level security policy for table "note"'
    assert "policies for SELECT" in refused.errors[0]["extensions"]["hint"]
    for change in ('updatenoteCollection(set: {owner: "bob"})', "deleteFromnoteCollection"):
        assert ask(f"{change} {{ affectedCount records {{ id }} }}").data == {"x": {"affectedCount": 0, "records": []}}
    assert ask('updatenoteCollection(set: {owner: "bob"}) { affectedCount }', "ann").code == "INSUFFICIENT_PRIVILEGE"
    assert postgres.execute("select * from note", api.database_url) == [[1, "ann"]]
    assert ask('insertIntonoteCollection(objects: {id: 2, owner: "bob"}) { records { id } }').data == {
        "x": {"records": [{"id": 2}]}
    }
    assert ask("deleteFromnoteCollection { records { owner } }").data == {"x": {"records": [{"owner": "bob"}]}}
    assert postgres.execute("select * from note", api.database_url) == [[1, "ann"]]


# Conflicts


@pytest.mark.parametrize("sqlstate", ["40001", "40P01"])
@pytest.mark.parametrize(("times", "attempts"), [(1, 2), (2, 3), (9, 3)])
def test_a_conflict_is_retried_a_few_times(
    api: Api, postgres: PostgresServer, sqlstate: str, times: int, attempts: int
) -> None:
    answer = api.ask(
        """mutation ($code: String!, $times: Int!) {
          insertIntoparentCollection(objects: {id: 1}) { affectedCount } conflict(code: $code, times: $times) }""",
        {"code": sqlstate, "times": times},
    )
    if times < 3:
        assert answer.data == {"insertIntoparentCollection": {"affectedCount": 1}, "conflict": attempts}
        assert [id_ for _, id_, _ in everything(postgres, api)[1:3]] == [1, 1000 + attempts]
    else:
        assert answer.code == {"40001": "SERIALIZATION_FAILURE", "40P01": "DEADLOCK_DETECTED"}[sqlstate]
        assert answer.body["data"] is None
        assert everything(postgres, api) == [["note", 1, "ann"], ["thing", 1, "n"]]
    assert postgres.execute("select last_value from attempts", api.database_url) == [[attempts]]


def test_other_errors_are_not_retried(api: Api, postgres: PostgresServer) -> None:
    assert api.ask('mutation { conflict(code: "23505", times: 1) }').code == "UNIQUE_VIOLATION"
    assert postgres.execute("select last_value from attempts", api.database_url) == [[1]]


def waits_for_a_lock(postgres: PostgresServer, api: Api) -> int:
    """The number of sessions of the API's database that wait for a lock."""
    return len(postgres.execute(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        api.database_url,
    ))  # fmt: skip


def test_a_serialization_failure_is_retried(start_api: StartApi, postgres: PostgresServer) -> None:
    api = start_api(SCHEMA + ROWS)
    postgres.execute(
        "do $$ begin execute format('alter database %I set default_transaction_isolation = ''repeatable read''', "
        "current_database()); end $$", api.database_url
    )  # fmt: skip
    with closing(connect(api.database_url)) as other, ThreadPoolExecutor() as pool:
        other.run("start transaction")
        other.run("update thing set age = 30 where id = 1")
        asked: Future[Answer] = pool.submit(
            api.ask, 'mutation { updatethingCollection(set: {name: "ours"}) { records { age name } } }'
        )
        until(lambda: waits_for_a_lock(postgres, api))
        other.run("commit")
        answer = asked.result()
    assert answer.data == {"updatethingCollection": {"records": [{"age": 30, "name": "ours"}]}}


def test_a_deadlock_is_retried(start_api: StartApi, postgres: PostgresServer) -> None:
    api = start_api(SCHEMA + ROWS + "insert into counted values (1, 0), (2, 0), (3, 0)")
    query = """mutation {
      one: updatecountedCollection(set: {age: 10}, filter: {id: {eq: 1}}) { affectedCount }
      two: updatecountedCollection(set: {age: 10}, filter: {id: {eq: 2}}) { affectedCount }
      three: updatecountedCollection(set: {age: 10}, filter: {id: {eq: 3}}) { affectedCount }
    }"""
    update = "update counted set age = age + 1 where id = "
    with (
        closing(connect(api.database_url)) as gate,
        closing(connect(api.database_url)) as other,
        ThreadPoolExecutor() as pool,
    ):
        gate.run("start transaction")
        gate.run(f"{update} 2")
        # So that never the other one detects the deadlock.
        other.run("set deadlock_timeout = '1d'")
        other.run("start transaction")
        other.run(f"{update} 3")
        asked = pool.submit(api.ask, query)
        until(lambda: waits_for_a_lock(postgres, api) == 1)
        updating = pool.submit(other.run, f"{update} 1")
        until(lambda: waits_for_a_lock(postgres, api) == 2)
        # Now the other one waits for the service, which goes on until it waits for the other one.
        gate.run("rollback")
        updating.result()
        other.run("commit")
        answer = asked.result()
    assert answer.data == {name: {"affectedCount": 1} for name in ("one", "two", "three")}
    assert postgres.execute("select * from counted order by id", api.database_url) == [[1, 10], [2, 10], [3, 10]]


# Time, and lost connections


def test_a_slow_statement_times_out(start_api: StartApi, postgres: PostgresServer) -> None:
    api = start_api(SCHEMA + ROWS, statement_timeout_ms=150)
    answer = api.ask("mutation { __typename slow(seconds: 30) }")
    assert (answer.status, answer.code, answer.body["data"]) == (200, "STATEMENT_TIMEOUT", None)
    assert answer.errors[0]["extensions"]["sqlstate"] == "57014"
    assert everything(postgres, api) == [["note", 1, "ann"], ["thing", 1, "n"]]
    # On a busy machine this sometimes times out too.
    until(lambda: api.ask("mutation { slow(seconds: 0) }").body == {"data": {"slow": 1}})


INSERT_PARENT = "mutation { insertIntoparentCollection(objects: {id: 5}) { affectedCount } }"


def test_an_answer_lost_on_its_way_leaves_the_outcome_unknown(api: Api, postgres: PostgresServer) -> None:
    proxy = Proxy(api.database_url)
    with closing(Api(proxy.url(), pool_size=1)) as through, closing(proxy):
        through.ask("{ thingCollection { edges { node { id } } } }").data  # noqa: B018
        proxy.cut_next_answer_after = 0
        answer = through.ask(INSERT_PARENT)
        assert (answer.status, answer.code) == (503, "OUTCOME_UNKNOWN")
        assert "unknown whether the change was saved" in answer.message
        assert "Read what was to be changed" in answer.errors[0]["extensions"]["hint"]
        # It must not be sent again automatically.
        assert "retry-after" not in {name.lower() for name in answer.headers}
        # It was applied, and once.
        assert postgres.execute("select id from parent", api.database_url) == [[5]]
        # A query that only reads is sent again silently.
        parents = "{ parentCollection { edges { node { id } } } }"
        first = through.ask(parents).data
        proxy.cut_next_answer_after = 0
        assert through.ask(parents).data == first == {"parentCollection": {"edges": [{"node": {"id": 5}}]}}


def test_a_request_lost_on_its_way_leaves_the_outcome_unknown(api: Api, postgres: PostgresServer) -> None:
    proxy = Proxy(api.database_url)
    with closing(Api(proxy.url(), pool_size=1)) as through, closing(proxy):
        through.ask("{ thingCollection { edges { node { id } } } }").data  # noqa: B018
        proxy.cut_next_request = True
        assert through.ask(INSERT_PARENT).code == "OUTCOME_UNKNOWN"
        assert postgres.execute("select id from parent", api.database_url) == []
        assert through.ask(INSERT_PARENT).data == {"insertIntoparentCollection": {"affectedCount": 1}}


def test_a_session_ended_by_the_operator_is_reported(api: Api, postgres: PostgresServer) -> None:
    before = everything(postgres, api)
    with ThreadPoolExecutor() as pool:
        asked = pool.submit(api.ask, "mutation { slow(seconds: 30) }")
        sleeping = "from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'"
        until(lambda: postgres.execute(f"select 1 {sleeping}", api.database_url))
        postgres.execute(f"select pg_terminate_backend(pid) {sleeping}", api.database_url)
        answer = asked.result()
    assert answer.status == 503
    assert answer.code in ("OUTCOME_UNKNOWN", "DATABASE_UNAVAILABLE")
    assert everything(postgres, api) == before
    assert api.ask(INSERT_PARENT).data


def test_an_error_of_a_foreign_key_does_not_name_hidden_tables(start_api: StartApi) -> None:
    api = start_api("""
        create table seen (id int primary key);
        create table concealed (id int primary key, seen_id int constraint concealing references seen);
        insert into seen values (1); insert into concealed values (1, 1);
        grant all on seen to anon, authenticated; grant select on concealed to authenticated;
    """)
    delete = "mutation { deleteFromseenCollection(atMost: 1) { affectedCount } }"
    answer = api.ask(delete)
    assert answer.code == "FOREIGN_KEY_VIOLATION"
    assert "conceal" not in str(answer.body)
    assert "concealed" in str(api.ask(delete, role="authenticated").body)


@pytest.mark.parametrize(
    ("body", "code"), [("null", "NOT_NULL_VIOLATION"), ('"bad"', "CHECK_VIOLATION"), ('"b"', "UNIQUE_VIOLATION")]
)
def test_errors_show_no_row_that_a_trigger_writes_to_a_hidden_table(start_api: StartApi, body: str, code: str) -> None:
    api = start_api("""
        create table doc (id int primary key, body text);
        create table audit (body text not null unique check (body <> 'bad'), token text default 'hidden value');
        create function keep() returns trigger language plpgsql security definer set search_path = public as
          $$ begin insert into audit (body) values (new.body || '' ); return new; end $$;
        create trigger keep before insert on doc for each row execute function keep();
        grant insert, select on doc to anon;
        insert into audit values ('b');
    """)
    answer = api.ask(f"mutation {{ insertIntodocCollection(objects: [{{id: 1, body: {body}}}]) {{ affectedCount }} }}")
    reported = answer.errors[0]["extensions"]
    assert (reported["code"], reported.get("detail")) == (code, None)


def test_errors_of_triggers_show_no_key_of_a_hidden_row(start_api: StartApi) -> None:
    api = start_api("""
        create table doc (id int primary key, body text);
        create table seen (body text primary key, token text unique default 'hidden value');
        alter table seen enable row level security;
        create function keep() returns trigger language plpgsql security definer set search_path = public as
          $$ begin insert into seen (body) values (new.body); return new; end $$;
        create trigger keep before insert on doc for each row execute function keep();
        grant insert, select on doc, seen to anon;
        insert into seen values ('a');
    """)
    answer = api.ask('mutation { insertIntodocCollection(objects: [{id: 1, body: "b"}]) { affectedCount } }')
    reported = answer.errors[0]["extensions"]
    assert (reported["code"], reported.get("detail")) == ("UNIQUE_VIOLATION", None)
    assert "hidden value" not in str(answer.body)
