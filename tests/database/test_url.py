"""DATABASE_URL as platforms and libpq write it."""

from __future__ import annotations

import logging

import pytest

from app.database import DatabaseUrlError, Target, parse_database_url
from tests.database.conftest import MakeDatabase


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PGHOST", "PGPORT", "PGUSER", "PGPASSWORD", "PGDATABASE"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+pg8000", "POSTGRES"])
def test_schemes(scheme: str) -> None:
    target = parse_database_url(f"{scheme}://u:p@h:6543/d")
    assert (target.user, target.password, target.host, target.port, target.database) == ("u", "p", "h", 6543, "d")
    assert target.socket_path is None


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("postgres://u@h", ("u", None, "h", 5432, "u")),
        ("postgres://u@h/", ("u", None, "h", 5432, "u")),
        ("postgres://u:@h/d", ("u", None, "h", 5432, "d")),
        ("postgres://u%40x:p%2F%3F%23%25%3A+@h/d%20b", ("u@x", "p/?#%:+", "h", 5432, "d b")),
        ("postgres://u:a@b@h/d", ("u", "a@b", "h", 5432, "d")),
        ("postgres://u:a:b@h/d", ("u", "a:b", "h", 5432, "d")),
        ("postgres://u@[::1]:6000/d", ("u", None, "::1", 6000, "d")),
        ("postgres://u@[fe80::1]/d", ("u", None, "fe80::1", 5432, "d")),
        ("postgres://?host=/run/x&user=u&dbname=d&port=7", ("u", None, "/run/x", 7, "d")),
        ("postgres:///d?host=/run/x/&user=u&password=p%26q", ("u", "p&q", "/run/x", 5432, "d")),
        ("postgres://u@%2Frun%2FPg/d", ("u", None, "/run/Pg", 5432, "d")),
        (" postgres://u@h/d\n", ("u", None, "h", 5432, "d")),
    ],
)
def test_parts(url: str, expected: tuple[str, str | None, str, int, str]) -> None:
    target = parse_database_url(url)
    assert (target.user, target.password, target.host, target.port, target.database) == expected


def test_socket_path() -> None:
    assert parse_database_url("postgres://u@/d?host=/run/x&port=7").socket_path == "/run/x/.s.PGSQL.7"


def test_parameters() -> None:
    target = parse_database_url(
        "postgres://u@h/d?sslmode=verify-full&sslrootcert=/ca.pem&connect_timeout=3&application_name=a%20b"
        "&options=-c%20search_path%3Dx,y"
    )
    assert (target.sslmode, target.sslrootcert) == ("verify-full", "/ca.pem")
    assert (target.connect_timeout_s, target.application_name) == (3.0, "a b")
    assert target.options == "-c search_path=x,y"
    assert target.ignored == ()


def test_defaults() -> None:
    target = parse_database_url("postgres://u@h/d")
    assert (target.sslmode, target.sslrootcert, target.connect_timeout_s, target.options) == (
        "prefer",
        None,
        10.0,
        None,
    )
    assert parse_database_url("postgres://u@h/d?connect_timeout=0").connect_timeout_s is None
    assert parse_database_url("postgres://u@h/d?sslrootcert=system").sslmode == "verify-full"


def test_environment_of_libpq_fills_gaps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGUSER", "eu")
    monkeypatch.setenv("PGPASSWORD", "ep")
    monkeypatch.setenv("PGHOST", "eh")
    target = parse_database_url("postgresql:///d")
    assert (target.user, target.password, target.host) == ("eu", "ep", "eh")


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("host=h dbname=d", "must look like"),
        ("mysql://u:hush@h/d", "mysql"),
        ("postgres://u:hush@h:port/d", "port"),
        ("postgres://u:hush@h:70000/d", "port"),
        ("postgres://u:hu/sh@h/d", "%XX"),
        ("postgres://u:hush%zz@h/d", "%25"),
        ("postgres://u:hush%00@h/d", "%00"),
        ("postgres://u:hush%ff@h/d", "UTF-8"),
        ("postgres://u:hush@h1,h2/d", "several hosts"),
        ("postgres://u:hush@[::1/d", "IPv6"),
        ("postgres://u:hush@h/d?sslmode=yes", "sslmode"),
        ("postgres://u:hush@h/d?sslmode", "without '='"),
        ("postgres://u:hush@h/d?connect_timeout=soon", "connect_timeout"),
        ("postgres://u:hush@h/d?sslcrl=/x", "sslcrl"),
        ("postgres://u:hush@h/d?gssencmode=require", "gssencmode"),
        ("postgres://u:hush@h/d?channel_binding=require&sslmode=prefer", "channel_binding"),
        ("postgres://u:hush@h/d?sslmode=require&sslrootcert=system", "verify-full"),
    ],
)
def test_error_messages_never_contain_the_password(url: str, complaint: str) -> None:
    with pytest.raises(DatabaseUrlError, match=complaint) as raised:
        parse_database_url(url)
    assert "hu" not in str(raised.value).replace("hush/", "")


def test_the_password_is_in_no_text() -> None:
    target = parse_database_url("postgres://u:hush@h/d")
    assert "hush" not in repr(target) + str(target)
    assert isinstance(target, Target)


def test_unknown_parameters_are_ignored_with_a_warning(
    make_database: MakeDatabase, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "portico.database"):
        database = make_database("postgres://u:hush@h/d?pgbouncer=true&gssencmode=disable&schema=x")
    assert database.target.ignored == ("pgbouncer", "schema")
    assert "pgbouncer, schema" in caplog.text
    assert "hush" not in caplog.text


def test_options_and_application_name_reach_the_server(url: str, make_database: MakeDatabase) -> None:
    separator = "&" if "?" in url else "?"
    database = make_database(f"{url}{separator}options=-c%20work_mem%3D5MB%20-c%20geqo%3Doff&application_name=mine")
    assert database.read("select concat_ws(' ', current_setting('work_mem'), current_setting('geqo'),"
                           " current_setting('application_name'))") == b"5MB off mine"  # fmt: skip
