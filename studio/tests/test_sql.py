"""The endpoint that runs SQL: its results and limits, and who may use it."""

from __future__ import annotations

import logging

import pytest
from test_server import TABLES

NOTES = TABLES + "insert into note values (1, 'authenticated', 'mine'), (2, 'another', 'theirs');"


@pytest.fixture
def run(ask):
    """Runs SQL through the endpoint; returns status and JSON."""

    def run_(service, sql, role=None, claims=None, **options):
        return ask(service, "POST", "sql", json={"sql": sql, "role": role, "claims": claims}, **options)

    return run_


def test_statements_run_as_the_login_with_the_names_of_columns(studio, run):
    service = studio(NOTES, development=True)
    status, answer = run(
        service, "do $$ begin raise notice 'hello'; end $$; update note set body = 'x'; select id, null from note"
    )
    assert status == 200
    assert [each["tag"] for each in answer["results"]] == ["DO", "UPDATE 2", "SELECT 2"]
    assert answer["results"][2] == {
        "tag": "SELECT 2",
        "columns": ["id", "?column?"],
        "rows": [["1", None], ["2", None]],
        "is_partial": False,
    }
    assert (answer["notices"], answer["failure"], answer["was_open"]) == (["NOTICE: hello"], None, False)
    assert service.sql("select distinct body from note") == [["x"]]


def test_a_chosen_role_has_its_rights_policies_and_claims(studio, run):
    service = studio(NOTES, development=True)
    sql = "select current_user, auth.uid(), (select count(*) from note)"
    subject = "00000000-0000-4000-8000-000000000001"
    answer = run(service, sql, "authenticated", {"sub": subject})[1]
    assert answer["results"][0]["rows"] == [["authenticated", subject, "1"]]
    refused = run(service, "delete from note", "anon")[1]["failure"]
    assert refused["diagnosis"]["message"] == "permission denied for table note"
    assert run(service, "select 1", "no such role")[0] == 403


def test_the_roles_are_the_login_and_then_those_of_the_api(studio, ask):
    answer = ask(studio(development=True), "GET", "sql")[1]
    assert answer["login"]
    assert answer["roles"][:3] == ["anon", "authenticated", "service_role"]


def test_an_error_has_its_position_and_undoes_the_text(studio, run):
    service = studio(NOTES, development=True)
    sql = "update note set body = 'é🙂';\nselect nothing from note"
    failure = run(service, sql)[1]["failure"]
    assert failure["diagnosis"]["sqlstate"] == "42703"
    assert failure["position"] == sql.index("nothing") + 1
    assert service.sql("select body from note where id = 1") == [["mine"]]
    assert run(service, "begin; update note set body = 'y'")[1]["was_open"]
    assert service.sql("select body from note where id = 1") == [["mine"]]


def test_rows_beyond_the_limits_are_left_out_and_take_effect(studio, run):
    service = studio("create table number (n int)", development=True)
    many_rows = "insert into number select generate_series(1, 3000) returning n"
    sql = f"{many_rows}; select repeat('x', 5000000) union all select 'y'"
    many, large = run(service, sql)[1]["results"]
    assert (many["tag"], len(many["rows"]), many["is_partial"]) == ("INSERT 0 3000", 1000, True)
    assert (large["tag"], large["rows"], large["is_partial"]) == ("SELECT 2", [], True)
    assert service.sql("select count(*) from number") == [["3000"]]


def test_a_long_statement_is_cancelled(studio, run):
    service = studio(development=True, statement_timeout_ms=200)
    failure = run(service, "select pg_sleep(60)")[1]["failure"]
    assert failure["diagnosis"]["sqlstate"] == "57014"


def test_texts_that_would_keep_or_end_the_connection_are_answered(studio, run):
    service = studio("create table number (n int)", development=True)
    assert run(service, "copy number from stdin")[1]["failure"]["diagnosis"]["sqlstate"] == "57014"
    assert run(service, "insert into number values (1); copy number to stdout")[1]["results"][1]["tag"] == "COPY 1"
    ended = run(service, "select pg_terminate_backend(pg_backend_pid())")[1]["failure"]
    assert ended["diagnosis"]["sqlstate"] == "57P01"
    assert run(service, "")[1]["results"] == []
    assert run(service, "set role anon; listen x; notify x; select 1")[1]["results"][3]["rows"] == [["1"]]


@pytest.mark.parametrize(
    "body",
    [
        "",
        "[]",
        "{}",
        '{"sql": 1}',
        '{"sql": "\\u0000"}',
        '{"sql": "\\ud800"}',
        '{"sql": "", "role": ""}',
        '{"sql": "", "role": 5}',
        '{"sql": "", "claims": []}',
        "x" * 2_000_000,
    ],
)
def test_other_bodies_are_refused(studio, ask, body):
    status, answer = ask(studio(development=True), "POST", "sql", body=body)
    assert (status, answer["error"]["code"]) == (400, "BAD_REQUEST")


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_outside_development_the_endpoint_does_not_exist(studio, ask, method):
    service = studio(NOTES)
    unknown = service.client.simulate_request(method, "/studio/api/nothing")
    found = service.client.simulate_request(
        method, "/studio/api/sql", headers={"X-Studio-Page": "the token of the page"}
    )
    assert (found.status_code, found.text) == (unknown.status_code, unknown.text.replace("nothing", "sql"))
    assert found.status_code in (404, 405)
    assert ask(service, "GET", "session")[1]["canRunSql"] is False


@pytest.mark.parametrize(
    "away",
    [
        {"page": "another"},
        {"start": ""},
        {"start": "a guess"},
        {"host": "studio.example"},
        {"remote_addr": "192.0.2.1"},
        {"extras": {"HTTP_X_FORWARDED_FOR": "127.0.0.1"}},
        {"extras": {"SERVER_PROTOCOL": "HTTP/1.0"}},
    ],
)
def test_requests_from_elsewhere_are_refused(studio, run, ask, away):
    service = studio(NOTES, development=True)
    for status, answer in (run(service, "delete from note", **away), ask(service, "GET", "sql", **away)):
        assert status == 403
        assert answer["error"]["code"] in ("DEVELOPMENT_ONLY", "STUDIO_PAGE_REQUIRED")
    assert service.sql("select count(*) from note") == [["2"]]


def test_behind_a_trusted_proxy_sql_is_refused(studio, run):
    service = studio(NOTES, development=True, trusted_proxy="127.0.0.1")
    assert run(service, "delete from note")[0] == 403


def test_neither_the_service_nor_the_server_logs_texts(studio, run, caplog):
    service = studio(NOTES, development=True)
    service.sql("alter system set log_statement = 'all'; ")
    service.sql("select pg_reload_conf()")
    try:
        with caplog.at_level(logging.DEBUG):
            run(service, "select 'a secret value', 1 / 0")
        settings = run(service, "show log_statement; show log_min_error_statement; show log_min_messages")[1]
    finally:
        service.sql("alter system reset log_statement")
        service.sql("select pg_reload_conf()")
    assert "secret" not in caplog.text
    assert [each["rows"][0][0] for each in settings["results"]] == ["none", "panic", "panic"]
