"""Several statements in one flight: results, errors, prepared statements, large messages."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from app.database import Context, Database, Statement, StatementError
from schema_cache.fingerprint import BETWEEN_STATEMENTS
from tests.database.conftest import READER, WRITER, MakeDatabase

AsRole = Callable[..., Context]
PREPARED = Statement("select count(*) from pg_prepared_statements where not from_sql")
INSERT = Statement("insert into entry (body) values ($1) returning body")
ECHO = Statement("select $1::text")
COUNT = Statement("select count(*) from entry")


def value(database: Database, sql: str, *parameters: bytes | None) -> bytes | None:
    return database.run(None, [(Statement(sql), parameters)], read_only=True)[0][0][0]


def test_values_are_bytes_in_text_form_or_none(database: Database) -> None:
    statement = Statement("select $1::int + 1, null::text, ''::text, true, $2::jsonb -> 'a', 'ü'")
    assert database.run(None, [(statement, [b"41", b'{"a": [1]}'])], read_only=True) == [
        [(b"42", None, b"", b"t", b"[1]", "ü".encode())]
    ]


def test_a_null_parameter_is_sent_as_null(database: Database) -> None:
    assert value(database, "select coalesce($1::text, 'none')", None) == b"none"


def test_each_call_has_its_rows(database: Database) -> None:
    rows = Statement("select g from generate_series(1, $1::int) g")
    nothing = Statement("create temp table if not exists one (a int)")
    assert database.run(None, [(rows, [b"2"]), (nothing, []), (rows, [b"0"]), (rows, [b"1"])], read_only=False) == [
        [(b"1",), (b"2",)],
        [],
        [],
        [(b"1",)],
    ]


@pytest.mark.parametrize("prepared", [True, False])
def test_a_failed_call_rolls_everything_back(
    url: str, make_database: MakeDatabase, as_role: AsRole, prepared: bool
) -> None:
    database = make_database(url, prepared_statements=prepared)
    failing = Statement("select 1 / $1::int")
    with pytest.raises(StatementError, match="division by zero") as raised:
        database.run(as_role(WRITER), [(INSERT, [b"a"]), (INSERT, [b"b"]), (failing, [b"0"])], read_only=False)
    assert raised.value.statement_index == 3
    assert raised.value.diagnosis.sqlstate == "22012"
    assert value(database, COUNT.sql) == b"0"
    database.run(as_role(WRITER), [(INSERT, [b"a"]), (failing, [b"1"])], read_only=False)
    assert value(database, COUNT.sql) == b"1"


def test_an_error_at_commit_comes_after_all_statements(database: Database, as_role: AsRole) -> None:
    with pytest.raises(StatementError) as raised:
        database.run(as_role(WRITER), [(INSERT, [b"same"]), (INSERT, [b"same"])], read_only=False)
    assert raised.value.statement_index == 3
    assert raised.value.diagnosis.constraint == "entry_body_key"
    assert value(database, COUNT.sql) == b"0"


def test_an_error_of_a_call_without_context_is_counted_from_one(database: Database) -> None:
    with pytest.raises(StatementError) as raised:
        database.run(None, [(Statement("select 1"), []), (Statement("select nope"), [])], read_only=True)
    assert raised.value.statement_index == 2


def test_a_statement_that_could_not_be_parsed_works_once_it_can(own_url: str, make_database: MakeDatabase) -> None:
    database = make_database(own_url, pool_size=1)
    statement = Statement("select a from later")
    for _ in range(2):
        with pytest.raises(StatementError, match="later"):
            database.run(None, [(statement, [])], read_only=True)
    database.read("create table later as select 7 as a")
    assert database.run(None, [(statement, [])], read_only=True) == [[(b"7",)]]


def test_a_new_statement_may_occur_twice_in_one_flight(database: Database) -> None:
    statement = Statement("select $1::text || '!'")
    assert database.run(None, [(statement, [b"a"]), (statement, [b"b"])], read_only=True) == [[(b"a!",)], [(b"b!",)]]


def test_notices_and_parameter_changes_do_not_disturb(database: Database) -> None:
    noisy = Statement("do $$ begin raise notice 'hello'; raise warning 'world'; end $$")
    zone = Statement("select set_config('timezone', 'Asia/Tokyo', true)")
    assert database.run(None, [(noisy, []), (zone, [])], read_only=True) == [[], [(b"Asia/Tokyo",)]]
    assert value(database, "select current_setting('timezone') = 'Asia/Tokyo'") == b"f"


def test_a_changed_client_encoding_ends_the_connection(url: str, make_database: MakeDatabase) -> None:
    database = make_database(url, pool_size=1)
    value(database, "select set_config('client_encoding', 'LATIN1', false)")
    assert value(database, "select $1::text", "ü€".encode()) == "ü€".encode()


def test_prepared_statements_are_bounded(url: str, make_database: MakeDatabase) -> None:
    database = make_database(url, pool_size=1, prepared_statement_limit=10)
    for number in range(40):
        assert value(database, f"select {number}") == str(number).encode()
    assert int(database.run(None, [(PREPARED, [])], read_only=True)[0][0][0] or 0) == 10


def test_a_flight_may_have_more_statements_than_the_limit_of_prepared_ones(
    url: str, make_database: MakeDatabase
) -> None:
    database = make_database(url, pool_size=1, prepared_statement_limit=3)
    calls = [(Statement(f"select {number}"), ()) for number in range(8)]
    for _ in range(2):
        assert [rows[0][0] for rows in database.run(None, calls, read_only=True)] == [b"%d" % n for n in range(8)]


def test_the_least_recently_used_statement_is_dropped(url: str, make_database: MakeDatabase) -> None:
    database = make_database(url, pool_size=1, prepared_statement_limit=3 + 1)
    names = Statement(
        "select string_agg(statement, ',' order by statement) from pg_prepared_statements"
        " where name not like 'session_%'"
    )
    for sql in ("select 1", "select 2", "select 1", "select 3"):
        value(database, sql)
    assert database.run(None, [(names, [])], read_only=True)[0][0][0] == b",".join(
        [b"select 1", b"select 3", names.sql.encode()]
    )


def test_no_statement_stays_prepared_if_they_are_off(url: str, make_database: MakeDatabase, as_role: AsRole) -> None:
    database = make_database(url, pool_size=1, prepared_statements=False)
    database.run(as_role(READER), [(Statement("select 1"), [])], read_only=True)
    assert database.run(None, [(PREPARED, [])], read_only=True) == [[(b"0",)]]


@pytest.mark.parametrize("forgetting", ["discard all", "deallocate all"])
def test_forgotten_statements_are_prepared_again(
    url: str, make_database: MakeDatabase, as_role: AsRole, forgetting: str
) -> None:
    database = make_database(url, pool_size=1)
    calls = [(INSERT, [b"a"]), (COUNT, [])]
    database.run(as_role(WRITER), calls, read_only=False)
    # DISCARD ALL has to be the first statement of its transaction.
    database.read(f"commit{BETWEEN_STATEMENTS}{forgetting}")
    assert database.run(as_role(WRITER), [(INSERT, [b"b"]), (COUNT, [])], read_only=False) == [[(b"b",)], [(b"2",)]]


def test_connections_whose_statements_are_all_forgotten_prepare_them_again(
    url: str, make_database: MakeDatabase, as_role: AsRole
) -> None:
    """Each connection forgets them after each request, and others take its place meanwhile."""
    database = make_database(url, pool_size=4)
    forgets = Statement("do $$ begin execute 'deallocate all'; end $$")

    def ask(number: int) -> bytes | None:
        rows = database.run(as_role(READER), [(ECHO, [b"%d" % number]), (forgets, ())], read_only=True)
        return rows[0][0][0]

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(ask, range(400))) == [b"%d" % number for number in range(400)]


def test_a_function_that_fails_like_a_forgotten_statement_is_repeated_once(
    own_url: str, make_database: MakeDatabase
) -> None:
    database = make_database(own_url, pool_size=4)
    # A rollback does not reset a sequence.
    database.read("create sequence calls")
    statement = Statement(
        "do $$ begin perform nextval('calls'); raise 'unknown' using errcode = 'invalid_sql_statement_name'; end $$"
    )
    for _ in range(2):
        with pytest.raises(StatementError, match="unknown"):
            database.run(None, [(statement, ())], read_only=True)
    assert int(database.read("select last_value from calls") or 0) <= 4


def test_a_changed_result_type_is_prepared_again(own_url: str, make_database: MakeDatabase) -> None:
    database = make_database(own_url, pool_size=1)
    statement = Statement("select * from note where id = $1::int")
    database.run(None, [(statement, [b"1"])], read_only=True)
    database.read("alter table note add column more text default 'm'")
    assert database.run(None, [(statement, [b"1"])], read_only=True) == [[(b"1", b"user1", b"note 1", b"m")]]


@pytest.mark.parametrize("read_only", [True, False])
def test_answers_with_the_same_beginning_are_distinguished(
    url: str, make_database: MakeDatabase, as_role: AsRole, read_only: bool
) -> None:
    """A connection recognises how answers usually begin and end, and reads the others message by message."""
    database = make_database(url, pool_size=1)
    answers: dict[str, list[list[tuple[bytes | None, ...]]]] = {
        "select 'one'": [[(b"one",)]],
        "select ''": [[(b"",)]],
        "select null": [[(None,)]],
        "select 1 where false": [[]],
        "select generate_series(1, 2)": [[(b"1",), (b"2",)]],
        "select 1, 2": [[(b"1", b"2")]],
        "select 'C' || chr(1) || 'SELECT 1'": [[(b"C\1SELECT 1",)]],
        "select repeat('long', 50000)": [[(b"long" * 50000,)]],
        "set local search_path to pg_catalog": [[]],
    }
    for context in (None, as_role(READER), as_role(WRITER), as_role(READER)):
        for _ in range(3):
            for sql, rows in answers.items():
                assert database.run(context, [(Statement(sql), ())], read_only=read_only) == rows
            with pytest.raises(StatementError, match="division by zero"):
                database.run(context, [(Statement("select 1 / 0"), ())], read_only=read_only)
            together = [(Statement(sql), ()) for sql in answers]
            assert database.run(context, together, read_only=read_only) == [rows[0] for rows in answers.values()]


def test_a_large_answer_is_read(database: Database) -> None:
    assert value(database, "select repeat('x', 30000000)") == b"x" * 30_000_000
    rows = database.run(
        None, [(Statement("select g, repeat('y', 50) from generate_series(1, 100000) g"), [])], read_only=True
    )
    assert len(rows[0]) == 100_000
    assert rows[0][-1] == (b"100000", b"y" * 50)


def test_large_parameters_and_large_answers_do_not_block_each_other(database: Database) -> None:
    """If neither side read while it writes, this would hang."""
    large = b"z" * 10_000_000
    calls = [(Statement("select repeat($1::text, 10000000)"), [b"a"]), (Statement("select $1::text"), [large])] * 2
    answers = database.run(None, calls, read_only=True)
    assert [len(rows[0][0] or b"") for rows in answers] == [10_000_000] * 4
    assert answers[3] == [(large,)]


def test_more_parameters_than_the_protocol_allows_are_refused(database: Database) -> None:
    with pytest.raises(ValueError, match="65535"):
        database.run(None, [(Statement("select 1"), [b"1"] * 65536)], read_only=True)
    assert value(database, "select 1") == b"1"


def test_read_returns_the_single_value(database: Database) -> None:
    assert database.read(f"select 'one'{BETWEEN_STATEMENTS}select 'two'") == b"two"
    assert database.read("select null") is None
    assert database.read("select 1 where false") is None
    with pytest.raises(StatementError, match="nope"):
        database.read("select nope")
    assert database.read("select 1") == b"1"


def test_equal_statements_compare_equal() -> None:
    assert Statement("select 1") == Statement("select 1", "hint")
    assert len({Statement("select 1"), Statement("select 1"), Statement("select 2")}) == 2
    with pytest.raises(AttributeError):
        Statement("select 1").sql = "select 2"
    with pytest.raises(ValueError, match="NUL"):
        Statement("select '\0'")
