"""DATABASE_URL as platforms and libpq write it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.database import DatabaseUrlError, Target, parse_database_url
from tests.database.conftest import MakeDatabase


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("PG")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))


def places(url: str) -> list[tuple[str, int]]:
    return [(each.host, each.port) for each in parse_database_url(url).per_host()]


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+pg8000", "POSTGRES"])
def test_both_schemes_are_read(scheme: str) -> None:
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
def test_the_parts_of_a_url_are_read(url: str, expected: tuple[str, str | None, str, int, str]) -> None:
    target = parse_database_url(url)
    assert (target.user, target.password, target.host, target.port, target.database) == expected


def test_a_socket_directory_gives_the_socket_path() -> None:
    assert parse_database_url("postgres://u@/d?host=/run/x&port=7").socket_path == "/run/x/.s.PGSQL.7"


def test_parameters_of_a_url_are_read() -> None:
    target = parse_database_url(
        "postgres://u@h/d?sslmode=verify-full&sslrootcert=/ca.pem&connect_timeout=3&application_name=a%20b"
        "&options=-c%20search_path%3Dx,y"
    )
    assert (target.sslmode, target.sslrootcert) == ("verify-full", "/ca.pem")
    assert (target.connect_timeout_s, target.application_name) == (3.0, "a b")
    assert target.options == "-c search_path=x,y"
    assert target.ignored == ()


def test_absent_parameters_have_defaults() -> None:
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
    ("url", "expected"),
    [
        ("postgres://u@h1:1,h2:2/d", [("h1", 1), ("h2", 2)]),
        ("postgres://u@h1,h2:2/d", [("h1", 5432), ("h2", 2)]),
        ("postgres://u@[::1]:1,[::2]/d", [("::1", 1), ("::2", 5432)]),
        ("postgres://u@/d?host=h1,/run/x&port=7", [("h1", 7), ("/run/x", 7)]),
        ("host=h1,h2 port=1,2 user=u", [("h1", 1), ("h2", 2)]),
        ("hostaddr=10.0.0.1,10.0.0.2 user=u", [("10.0.0.1", 5432), ("10.0.0.2", 5432)]),
    ],
)
def test_several_hosts_are_read(url: str, expected: list[tuple[str, int]]) -> None:
    assert places(url) == expected


def test_connect_timeout_is_short_with_several_hosts() -> None:
    assert parse_database_url("postgres://u@h1,h2/d").connect_timeout_s == 2.0
    assert parse_database_url("postgres://u@h1,h2/d?connect_timeout=9").connect_timeout_s == 9.0


@pytest.mark.parametrize("words", ["any", "read-write", "read-only", "primary", "standby", "prefer-standby"])
def test_target_session_attrs_is_read(words: str) -> None:
    assert parse_database_url(f"postgres://u@h/d?target_session_attrs={words}").session_attrs == words


@pytest.mark.parametrize(
    ("text", "password"),
    [
        ("host=h user=u dbname=d password=p", "p"),
        ("  host = h user=u\n dbname=d password = 'p q' ", "p q"),
        (r"host=h user=u dbname=d password='it\'s \\'", "it's \\"),
        (r"password=a\ b'c host=h user=u dbname=d", "a b'c"),
        ("host=h user=u dbname=d password=''", None),
        ("host=h user=u dbname=d password=a://b", "a://b"),
    ],
)
def test_keywords_are_read(text: str, password: str | None) -> None:
    target = parse_database_url(text)
    assert (target.host, target.user, target.database, target.password) == ("h", "u", "d", password)


def test_hostaddr_replaces_the_host_name() -> None:
    target = parse_database_url("host=db.example.com hostaddr=10.0.0.1 user=u")
    assert (target.host, target.address) == ("db.example.com", "10.0.0.1")


def test_a_service_file_fills_gaps_before_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "services"
    file.write_text("# ours\n[other]\nhost=no\n[shop]\nhost=sh\nport=6000\nuser=su\n\n[last]\nuser=no\n")
    monkeypatch.setenv("PGSERVICEFILE", str(file))
    monkeypatch.setenv("PGUSER", "eu")
    monkeypatch.setenv("PGDATABASE", "ed")
    target = parse_database_url("service=shop port=7000")
    assert (target.host, target.port, target.user, target.database) == ("sh", 7000, "su", "ed")
    assert target.ignored == ()
    monkeypatch.setenv("PGSERVICE", "shop")
    assert parse_database_url("postgresql://").host == "sh"
    with pytest.raises(DatabaseUrlError, match="no service file has the service 'shopp'"):
        parse_database_url("service=shopp")


def test_a_service_of_the_system_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "pg_service.conf").write_text("[shop]\nhost=sh\nuser=su\n")
    monkeypatch.setenv("PGSYSCONFDIR", str(tmp_path))
    assert parse_database_url("postgresql://?service=shop").host == "sh"


def test_a_password_file_has_one_for_each_host(tmp_path: Path) -> None:
    file = tmp_path / ".pgpass"
    file.write_text("# a comment\nh1:1:d:u:one\nh1:*:*:*:not this\n*:2:d:u:t\\:wo\nlocalhost:5432:d:u:here\nbroken\n")
    file.chmod(0o600)
    both = parse_database_url("postgres://u@h1:1,h2:2,h3:3/d").per_host()
    assert [each.password for each in both] == ["one", "t:wo", None]
    assert parse_database_url("postgres://u@/d?host=/var/run/postgresql").password == "here"
    assert parse_database_url("postgres://u:mine@h1:1/d").password == "mine"


def test_a_password_file_that_others_can_read_is_not_used(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "passwords"
    file.write_text("*:*:*:*:hush\n")
    file.chmod(0o644)
    assert parse_database_url(f"host=h user=u passfile={file}").password is None
    assert "chmod 600" in caplog.text


def test_variables_of_libpq_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "PGHOST": "a,b", "PGPORT": "1,2", "PGSSLMODE": "require", "PGCONNECT_TIMEOUT": "4", "PGAPPNAME": "mine",
        "PGOPTIONS": "-c geqo=off", "PGTARGETSESSIONATTRS": "primary", "PGUSER": "u", "PGLOADBALANCEHOSTS": "random",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    target = parse_database_url("postgresql://")
    assert places("postgresql://") == [("a", 1), ("b", 2)]
    assert (target.sslmode, target.connect_timeout_s, target.application_name) == ("require", 4.0, "mine")
    assert (target.options, target.session_attrs, target.balanced) == ("-c geqo=off", "primary", True)
    monkeypatch.setenv("PGREQUIREAUTH", "scram-sha-256")
    with pytest.raises(DatabaseUrlError, match="require_auth"):
        parse_database_url("postgresql://")


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("h/d", "must look like"),
        ("host=h password=hush dbname", "must look like"),
        ("host=h password='hush", "must look like"),
        ("mysql://u:hush@h/d", "mysql"),
        ("postgres://u:hush@h:port/d", "port"),
        ("postgres://u:hush@h:70000/d", "port"),
        ("postgres://u:hu/sh@h/d", "%XX"),
        ("postgres://u:hush%zz@h/d", "%25"),
        ("postgres://u:hush%00@h/d", "%00"),
        ("postgres://u:hush%ff@h/d", "UTF-8"),
        ("postgres://u:hush@h1,h2,h3/d?port=1,2", "2 ports for 3 hosts"),
        ("postgres://u:hush@h1,h2/d?hostaddr=10.0.0.1", "1 addresses for 2 hosts"),
        ("postgres://u:hush@h1,h2/d?target_session_attrs=writable", "target_session_attrs"),
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


def test_unknown_parameters_are_ignored() -> None:
    target = parse_database_url("postgres://u:hush@h/d?pgbouncer=true&gssencmode=disable&schema=x")
    assert target.ignored == ("pgbouncer", "schema")


def test_options_and_application_name_reach_the_server(url: str, make_database: MakeDatabase) -> None:
    separator = "&" if "?" in url else "?"
    database = make_database(f"{url}{separator}options=-c%20work_mem%3D5MB%20-c%20geqo%3Doff&application_name=mine")
    assert database.read("select concat_ws(' ', current_setting('work_mem'), current_setting('geqo'),"
                           " current_setting('application_name'))") == b"5MB off mine"  # fmt: skip
