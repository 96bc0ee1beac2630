"""Settings: variables, options, documentation and attributes agree."""

from __future__ import annotations

import dataclasses
import socket
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest

from app.commands.settings import settings_page
from app.database.url.url import parse_database_url
from app.discovery import declared_settings, plugin_manager
from app.settings import SETTINGS, Setting, SettingError, Settings, load, shown
from app.settings.kinds import MASK, SECRET, SECRET_URL, Number
from app.storage.bytes.backend import BackendUnusable, open_backend
from tests.postgres_server import PostgresServer
from tests.process.conftest import Portico
from tests.process.running import REPOSITORY, started

DECLARED = (*SETTINGS, *declared_settings(plugin_manager()))
"""The settings of the service and of the built-in plugins."""


def test_the_table_and_the_attributes_are_the_same() -> None:
    attributes = [each.name for each in dataclasses.fields(Settings)]
    assert attributes == [*(each.name for each in SETTINGS), "of_plugins"]
    assert len({each.env for each in DECLARED}) == len(DECLARED)


def test_the_documentation_is_current() -> None:
    is_current = (REPOSITORY / "docs" / "settings.md").read_text() == settings_page(DECLARED)
    assert is_current, "run .venv/bin/portico settings --markdown > docs/settings.md"


def test_the_help_of_serve_has_each_option_once_below_its_heading(portico: Portico) -> None:
    headings, heading = dict[str, str](), ""
    for line in portico("serve", "--help").stdout.splitlines():
        if line and not line.startswith(" "):
            heading = line.removesuffix(":")
        elif line.startswith("  --"):
            option = line.split()[0]
            assert option not in headings
            headings[option] = heading
    options = {each.option: each for each in DECLARED if each.is_option}
    assert headings.keys() == {*options, "--demo"}
    assert headings["--demo"] == "Options"
    assert {name: each.section for name, each in options.items()} == {name: headings[name] for name in options}
    assert headings["--documents"] == headings["--max-rows"] == "GraphQL requests"
    # A heading in two spellings, or for a single option, is a mistake.
    sections = Counter(each.section for each in DECLARED)
    assert min(sections.values()) > 1
    assert {each.section for each in DECLARED} == {each.section for each in SETTINGS}


def test_defaults_depend_on_other_settings() -> None:
    assert load({"THREADS": "7"}).pool_size == 7
    assert load({"THREADS": "7", "POOL_SIZE": "2"}).pool_size == 2
    assert 1 <= load({}).workers <= 4


def test_an_option_takes_precedence_over_a_variable_and_empty_is_absent() -> None:
    assert load({"PORT": "81"}, {"port": "82"}).port == 82
    assert load({"PORT": "81"}, {"port": None}).port == 81
    assert load({"PORT": ""}).port == 8000


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("UPLOAD_SIZE_LIMIT", "50MB", 50 * 1024 * 1024),
        ("UPLOAD_SIZE_LIMIT", "5GiB", 5 * 1024**3),
        ("BODY_LIMIT", "1000", 1000),
        ("API_SCHEMAS", " a, b ,", ("a", "b")),
        ("PREPARED_STATEMENTS", "No", False),
        ("SHUTDOWN_GRACE_S", "2.5", 2.5),
        ("GRAPHQL_DIALECT", "PG_GRAPHQL", "pg_graphql"),
        ("PROJECT_REF", "abcdefghijklmnopqrst", "abcdefghijklmnopqrst"),
        ("TRUSTED_PROXY", "::ffff:10.0.0.1", "::ffff:10.0.0.1"),
        ("TRUSTED_PROXY", "*", "*"),
        ("PUBLIC_URL", "https://api.example.com/base", "https://api.example.com/base"),
        ("CORS_ORIGINS", "*, null, https://a.example.com/", ("*", "null", "https://a.example.com/")),
    ],
)
def test_texts_are_converted_to_values(name: str, text: str, value: object) -> None:
    attribute = next(each.name for each in SETTINGS if each.env == name)
    assert getattr(load({name: text}), attribute) == value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("PORT", "http"),
        ("PORT", "70000"),
        ("WEB_CONCURRENCY", "0"),
        ("UPLOAD_SIZE_LIMIT", "much"),
        ("API_SCHEMAS", ","),
        ("SHOW_SQL", "maybe"),
        ("SHUTDOWN_GRACE_S", "nan"),
        ("POOL_TIMEOUT_S", "99999999999999999999"),
        ("POOL_TIMEOUT_S", "9" * 400),
        ("BODY_LIMIT", "9" * 5000),
        ("LOG_LEVEL", "loud"),
        ("PROJECT_REF", "short"),
        ("TRUSTED_PROXY", "nginx"),
        ("PUBLIC_URL", "api.example.com"),
        ("CORS_ORIGINS", "https://a.example.com,b.example.com"),
    ],
)
def test_a_bad_value_is_reported_in_one_line_that_names_the_variable(name: str, text: str) -> None:
    with pytest.raises(SettingError, match=f"^{name}: ") as caught:
        load({name: text})
    assert "\n" not in str(caught.value)


def test_a_misspelt_name_is_reported(portico: Portico, database_url: str) -> None:
    finished = portico("doctor", DATABASE_URL=database_url, ANON_KEY="k", JTW_SECRET="s" * 32, ANON_KEYS="k")
    assert "note  JTW_SECRET is not a setting, but JWT_SECRET is\n" in finished.stdout
    assert "ANON_KEYS" not in finished.stdout
    reported = portico("serve", DATABASE_URL=database_url, JTW_SECRET="s" * 32).stderr
    assert "JTW_SECRET is not a setting, but JWT_SECRET is." in reported


@pytest.mark.parametrize(
    "url", ["postgresql://u:p@h:port/d", "mysql://h/d", "postgresql://h/d?sslmode=verify-full&sslrootcert=/nowhere"]
)
def test_a_bad_url_of_a_replica_is_not_called_the_databases(portico: Portico, database_url: str, url: str) -> None:
    finished = portico("doctor", DATABASE_URL=database_url, DATABASE_READ_URLS=url, ANON_KEY="k")
    assert finished.returncode == 1
    assert finished.stderr.startswith("portico: DATABASE_READ_URLS: ")
    assert finished.stderr.count("\n") == 1


@pytest.mark.parametrize("url", ["mysql://h/d", "postgresql://h/d?sslmode=verify-full&sslrootcert=/nowhere"])
def test_a_bad_url_of_the_second_login_is_named(portico: Portico, database_url: str, url: str) -> None:
    finished = portico("doctor", DATABASE_URL=database_url, SERVICE_DATABASE_URL=url, ANON_KEY="k")
    assert finished.returncode == 1
    assert finished.stderr.startswith("portico: SERVICE_DATABASE_URL: ")


def test_a_folder_as_storage_url_is_refused_with_its_url(tmp_path: Path) -> None:
    with pytest.raises(BackendUnusable, match="serves the scheme") as raised:
        open_backend(plugin_manager(), str(tmp_path))
    assert "file:///srv/objects" in str(raised.value.hint)


def test_an_unusable_folder_for_temporary_files_is_reported(portico: Portico) -> None:
    wrong = {"TMPDIR": "/no/such/folder", "DATABASE_URL": "no url", "ANON_KEY": "k"}
    assert "TMPDIR is /no/such/folder, where no file can be written" in portico("serve", "--port=0", **wrong).stderr


def test_unreadable_keys_are_reported_at_the_start(portico: Portico) -> None:
    away = {"JWT_JWKS": "/no/such/keys.json", "DATABASE_URL": "no url", "ANON_KEY": "k"}
    assert (
        "The keys of JWT_JWKS cannot be read: [Errno 2]" in portico("serve", "--port=0", "--workers=1", **away).stderr
    )


def test_a_key_server_without_http_is_reported_at_the_start(portico: Portico) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            with server.accept()[0] as connection:
                connection.recv(1 << 16)
                connection.sendall(b"garbage\r\n\r\n")

        answering = threading.Thread(target=answer)
        answering.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/keys"
        reported = portico("serve", "--port=0", JWT_JWKS=url, DATABASE_URL="no url", ANON_KEY="k").stderr
        answering.join()
    assert "The keys of JWT_JWKS cannot be read: the response is not HTTP" in reported
    assert "Traceback" not in reported


IGNORED = "postgresql://nobody:hush@127.0.0.1:1/none?pgbouncer=true&gssencmode=disable&schema=x"


@pytest.mark.parametrize(
    ("variable", "value", "reported"),
    [
        ("JWT_SECRET", "short", "JWT_SECRET is shorter than 32 bytes"),
        ("STORAGE_URL", "s4://objects", "serves the scheme 's4'"),
        ("DATABASE_URL", IGNORED, "without effect: pgbouncer, schema."),
    ],
)
def test_a_wrong_setting_is_reported_once_for_all_workers(
    tmp_path: Path, variable: str, value: str, reported: str
) -> None:
    base = {
        "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none",
        "ANON_KEY": "k",
        "STORAGE_URL": f"file://{tmp_path}",
    }
    program = [sys.executable, "-m", "app", "serve", "--port=0", "--workers=3"]
    with started(program, tmp_path, **base | {variable: value}) as process:
        assert process.stdout
        said = ""
        # Each worker that starts reports the database, which is down.
        while said.count("the schema cannot be read") < 3 and (line := process.stdout.readline()):
            said += line
        process.terminate()
        said += process.stdout.read()
    assert said.count(reported) == 1
    assert "hush" not in said


def test_a_key_set_without_keys_is_reported_at_the_start(portico: Portico, tmp_path: Path) -> None:
    (tmp_path / "keys.json").write_text('{"keys": []}')
    empty = {"JWT_JWKS": str(tmp_path / "keys.json"), "DATABASE_URL": "no url", "ANON_KEY": "k"}
    assert "JWT_JWKS has no key that can verify tokens" in portico("serve", "--port=0", **empty).stderr


def test_a_server_that_is_too_old_is_reported_at_the_start(
    portico: Portico, monkeypatch: pytest.MonkeyPatch, database_url: str
) -> None:
    # No server is old enough for any other way.
    monkeypatch.setattr("app.installation.state.OLDEST_SUPPORTED", 990000)
    variables = {"DATABASE_URL": database_url, "ANON_KEY": "k", "STORAGE_URL": "s4://ends-it"}
    reported = portico("serve", "--port=0", "--workers=1", **variables).stderr
    assert "is not supported; use PostgreSQL 14 or newer" in reported


def test_a_read_only_database_is_reported(portico: Portico, postgres: PostgresServer, database_url: str) -> None:
    name = parse_database_url(database_url).database
    postgres.execute(f'alter database "{name}" set default_transaction_read_only = on')
    variables = {"DATABASE_URL": database_url, "ANON_KEY": "k"}
    ended = portico("serve", "--port=0", "--workers=1", STORAGE_URL="s4://ends-it", **variables)
    assert ended.stderr.count("transactions are read-only, so all changes are refused; to allow them, reset") == 1
    assert "note  the database's transactions are read-only" in portico("doctor", **variables).stdout


def test_a_blank_value_is_absent() -> None:
    assert load({"DATABASE_URL": " ", "JWT_SECRET": "\t"}) == load({})


def test_a_value_that_is_not_utf_8_is_reported_by_its_name() -> None:
    with pytest.raises(SettingError, match="JWT_SECRET: the value is not UTF-8"):
        load({"JWT_SECRET": "\udcff" * 40})


def test_the_name_of_an_option_is_not_that_of_its_variable(portico: Portico, database_url: str) -> None:
    reported = portico("doctor", DATABASE_URL=database_url, ANON_KEY="k", WORKERS="0").stdout
    assert "note  WORKERS is not a setting, but WEB_CONCURRENCY is\n" in reported


def test_a_bad_value_ends_a_command_without_a_traceback(portico: Portico) -> None:
    finished = portico("serve", PORT="http")
    assert finished.returncode == 1
    assert finished.stderr == "portico: PORT: 'http' is not a whole number from 0 to 65535\n"


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://user:hunter2@host/database",
        "postgresql://user:hunter2@hunter2@host/database",
        "postgresql://user@host/database?password=hunter2&sslmode=require",
        "postgresql://user:hunter2@host1:1,host2:2/database",
        "postgresql://user:pass/hunter2@host/database",
        "postgresql://user:pass?hunter2#hunter2@host/database",
        "postgresql://user:p@ss/hunter2@host/database",
        "host=h password=hunter2 dbname=d",
        "host=h user=u password='a&hunter2 hunter2'",
        "s3://key:hunter2@bucket/prefix",
    ],
)
def test_secrets_are_masked(url: str) -> None:
    keys = {"JWT_SECRET": "hunter2" * 5, "ANON_KEY": "hunter2", "SERVICE_ROLE_KEY": "hunter2"}
    settings = load({"DATABASE_URL": url, "STORAGE_URL": url, **keys})
    values = {setting.env: value for setting, value in shown(settings)}
    assert not any("hunter2" in value for value in values.values()), values
    assert values["JWT_SECRET"] == MASK
    assert "hunter2" not in repr(settings)


@pytest.mark.parametrize("path", ["/hunter2", "/services/hunter2?to=hunter2", "?hunter2"])
def test_the_path_of_a_webhook_is_masked(portico: Portico, path: str) -> None:
    """Many receivers know their senders by it alone."""
    said = portico("settings", WEBHOOK_URL=f"https://hooks.example.com:8443{path}").stdout
    assert f"https://hooks.example.com:8443/{MASK}" in said
    assert "hunter2" not in said
    refused = portico("settings", WEBHOOK_URL=f"hooks.example.com{path}").stderr
    assert "WEBHOOK_URL: it is not an http:// or https:// URL" in refused
    assert "hunter2" not in refused


def test_a_long_value_is_separated_from_its_origin(portico: Portico) -> None:
    url = "postgresql://somebody@database.example.com:5432/a_long_name"
    assert f"{url} environment " in portico("settings", DATABASE_URL=url).stdout


def test_a_blank_variable_is_not_shown_as_an_origin(portico: Portico) -> None:
    line = next(each for each in portico("settings", MAX_ROWS=" ").stdout.splitlines() if each.startswith("MAX_ROWS"))
    assert line.split()[:3] == ["MAX_ROWS", "30", "default"]


COLOURS = Setting("colours", Number(1, 9), 3, "How many colours.")
COLOUR_KEY = Setting("colour_key", SECRET, None, "The key of the colours.", env="COLOURS_SECRET")
COLOUR_URL = Setting("colour_url", SECRET_URL, None, "Where colours are.")
SHADES = Setting("shades", Number(), 0, "Shades.", derive=lambda values: values["colours"] * values["threads"])


def test_plugins_declare_settings() -> None:
    settings = load({"COLOURS_SECRET": "hunter2", "THREADS": "5"}, {"colours": "4"}, [COLOURS, COLOUR_KEY, SHADES])
    assert (settings[COLOURS], settings[COLOUR_KEY], settings[SHADES]) == (4, "hunter2", 20)
    assert [(each.env, value) for each, value in shown(settings)][-3:] == [
        ("COLOURS", "4"),
        ("COLOURS_SECRET", MASK),
        ("SHADES", "20"),
    ]
    assert "hunter2" not in repr(settings)
    assert dataclasses.replace(settings, port=1)[COLOURS] == 4


def test_a_setting_of_a_plugin_is_checked_like_any_other() -> None:
    with pytest.raises(SettingError, match=r"^COLOURS: '10' is not a whole number from 1 to 9$"):
        load({"COLOURS": "10"}, None, [COLOURS])


def test_a_setting_that_no_loaded_plugin_declares_is_named() -> None:
    with pytest.raises(SettingError, match=r"^COLOURS: no loaded plugin declares this setting$"):
        load({"COLOURS": "4"})[COLOURS]


@pytest.mark.parametrize("other", [Setting("port", Number(), 1, ""), Setting("harbour", Number(), 1, "", env="PORT")])
def test_two_declarations_of_one_name_or_variable_are_refused(other: Setting[int]) -> None:
    with pytest.raises(SettingError, match=f"^{'port' if other.name == 'port' else 'PORT'} is declared 2 times"):
        load({}, None, [other])


def test_secrets_have_no_option() -> None:
    secret = {
        "DATABASE_URL", "DATABASE_READ_URLS", "SERVICE_DATABASE_URL", "JWT_SECRET", "ANON_KEY", "SERVICE_ROLE_KEY",
        "WEBHOOK_KEY", "S3_PROTOCOL_ACCESS_KEY_SECRET",
    }  # fmt: skip
    assert {each.env for each in DECLARED if not each.is_option} == secret
    assert not COLOUR_URL.is_option
