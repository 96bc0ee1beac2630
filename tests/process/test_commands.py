"""The commands, as an operator runs them."""

from __future__ import annotations

import configparser
import json
import os
import signal
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import click
import jwt
import pytest
import requests
from graphql import build_schema, parse, validate

from app.cli import cli
from app.embedded.cluster import EmbeddedPostgres
from tests.database.proxy import Proxy
from tests.graphql.conftest import ROLES
from tests.postgres_server import PostgresServer, connect
from tests.process.conftest import Portico
from tests.process.running import PATIENCE_S, REPOSITORY, environment, open_directory, started


def test_every_command_has_a_help_text(portico: Portico) -> None:
    expected = {
        "docs",
        "doctor",
        "init",
        "keys",
        "plan",
        "plugins",
        "schema",
        "serve",
        "settings",
        "uninstall",
        "upgrade",
        "version",
    }
    context = click.Context(cli)
    commands = {name: cli.get_command(context, name) for name in cli.list_commands(context)}
    assert expected <= set(commands)
    assert all(command is not None and command.help for command in commands.values())
    assert portico("--help").returncode == 0


def test_wrong_usage_is_exit_code_2(portico: Portico) -> None:
    assert portico("nonsense").returncode == 2
    assert portico("plan").returncode == 2
    assert portico("storage", "keys", "create", "for ever", "--expires-in", "9999999").returncode == 2
    deep = portico("plan", "{__typename}", "--variables", "[" * 100_000)
    assert (deep.returncode, deep.stderr.count("too many levels")) == (2, 1)


@pytest.mark.parametrize("option", ["--port=http", "--workers=0", "--log-format=yaml", "--data-dir=", "--host= "])
def test_a_wrong_or_blank_value_of_an_option_is_wrong_usage(portico: Portico, option: str) -> None:
    finished = portico("serve", option)
    assert finished.returncode == 2
    assert f"Invalid value for '{option.partition('=')[0]}': " in finished.stderr


def test_a_removed_current_directory_is_reported_in_one_line(portico: Portico, tmp_path: Path) -> None:
    tmp_path.rmdir()
    finished = portico("serve", "--port", "0")
    assert finished.returncode == 1
    assert finished.stderr == "portico: the current directory was removed; start from another one\n"


def test_the_version_is_a_command_and_an_option(portico: Portico) -> None:
    # The option prints the version of the software only, so that it needs no database.
    finished = portico("--version", DATABASE_URL="postgresql://u@127.0.0.1:1/d")
    assert finished.returncode == 0
    assert finished.stdout.startswith("portico ")
    assert portico("version").stdout == finished.stdout


def test_keys_are_signed_with_their_secret(portico: Portico) -> None:
    finished = portico("keys")
    keys = dict(line.split("=", 1) for line in finished.stdout.splitlines())
    assert len(keys["JWT_SECRET"]) >= 32
    for name, role in (("ANON_KEY", "anon"), ("SERVICE_ROLE_KEY", "service_role")):
        claims = jwt.decode(keys[name], keys["JWT_SECRET"], ["HS256"])
        assert claims["role"] == role
        assert 9 < (claims["exp"] - claims["iat"]) / (365 * 24 * 3600) < 11
    short = portico("keys", JWT_SECRET="short")
    assert (short.returncode, short.stdout) == (1, "")
    assert "unset it, and run this again" in short.stderr
    again = portico("keys", JWT_SECRET=keys["JWT_SECRET"]).stdout
    assert f"JWT_SECRET={keys['JWT_SECRET']}\n" in again
    assert portico("keys").stdout != finished.stdout


def test_keys_are_made_from_the_secret_that_the_service_has(portico: Portico) -> None:
    secret = "s" * 40
    made = portico("keys", JWT_SECRET=f" {secret}\n").stdout
    assert made.startswith(f"JWT_SECRET={secret}\nANON_KEY=")
    assert jwt.decode(made.split("ANON_KEY=")[1].split("\n")[0], secret, ["HS256"])["role"] == "anon"
    blank = portico("keys", JWT_SECRET="  ")
    assert (blank.returncode, blank.stderr) == (0, "")
    refused = portico("keys", JWT_SECRET=os.fsdecode(b"\xe9" * 40))
    assert (refused.returncode, refused.stderr) == (1, "portico: JWT_SECRET: the value is not UTF-8\n")


def run_with(redirection: str, *arguments: str, url: str) -> subprocess.CompletedProcess[str]:
    """Runs a command whose standard streams are as a shell redirects them."""
    line = [sys.executable, "-m", "app", *arguments]
    return subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {redirection}', "sh", *line],
        cwd=REPOSITORY, env=environment() | {"DATABASE_URL": url, "ANON_KEY": "k"},
        capture_output=True, text=True, timeout=PATIENCE_S,
    )  # fmt: skip


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has /dev/full")
@pytest.mark.parametrize("command", [["keys"], ["settings"], ["doctor"]])
def test_a_full_output_is_reported_in_one_line(database_url: str, command: list[str]) -> None:
    finished = run_with(">/dev/full", *command, url=database_url)
    assert finished.returncode == 1
    assert finished.stderr == "portico: the output cannot be written: No space left on device\n"


def test_standard_streams_may_be_closed(database_url: str) -> None:
    assert run_with("<&-", "init", url=database_url).returncode == 0
    doctor = run_with(">&-", "doctor", url=database_url)
    assert (doctor.returncode, doctor.stderr) == (0, "")
    plan = run_with("<&-", "plan", "-", url=database_url)
    assert plan.returncode == 1
    assert plan.stderr.startswith("portico: The request has no ")


@pytest.mark.parametrize("command", [["doctor"], ["init"], ["upgrade"], ["schema", "print"], ["plan", "{__typename}"]])
def test_an_unreachable_database_is_reported_in_one_line(portico: Portico, command: list[str]) -> None:
    url = "postgresql://somebody:hunter2@127.0.0.1:1/nothing"
    finished = portico(*command, DATABASE_URL=url, ANON_KEY="k")
    assert finished.returncode == 1
    assert finished.stderr.count("\n") == 1
    assert finished.stderr.startswith("portico: ")
    assert "hunter2" not in finished.stderr


def test_a_missing_database_is_reported(portico: Portico, tmp_path: Path) -> None:
    finished = portico("doctor")
    assert finished.returncode == 1
    assert finished.stderr.startswith("portico: set DATABASE_URL, ")
    assert not (tmp_path / ".portico").exists()


@pytest.mark.parametrize("command", [["version"], ["doctor"], ["init"], ["token"]])
def test_an_unreadable_data_dir_is_reported_in_one_line(portico: Portico, command: list[str]) -> None:
    # Nor can one of another user, but root can read all of them.
    finished = portico(*command, DATA_DIR="x" * 300)
    assert finished.returncode == 1
    assert finished.stderr == f"portico: DATA_DIR: {'x' * 300} cannot be read: File name too long\n"


def test_serve_refuses_a_database_without_keys(portico: Portico, database_url: str) -> None:
    finished = portico("serve", "--port", "0", DATABASE_URL=database_url)
    assert finished.returncode == 1
    assert "run `portico keys`" in finished.stderr


def test_the_demonstration_never_touches_a_database_of_yours(portico: Portico, database_url: str) -> None:
    finished = portico("serve", "--demo", DATABASE_URL=database_url, ANON_KEY="k")
    assert finished.returncode == 1
    assert "unset DATABASE_URL" in finished.stderr


def test_doctor_reads_the_key_set(portico: Portico, database_url: str, tmp_path: Path) -> None:
    keys = tmp_path / "keys.json"
    asked = {"DATABASE_URL": database_url, "ANON_KEY": "k", "JWT_JWKS": str(keys)}
    missing = portico("doctor", **asked)
    assert missing.returncode == 1
    assert "WRONG the key set of JWT_JWKS cannot be read: " in missing.stdout
    assert "No such file" in missing.stdout
    keys.write_text('{"keys": []}')
    assert "WRONG JWT_JWKS has no key that can verify tokens" in portico("doctor", **asked).stdout
    keys.write_text('{"keys": [{"kty": "oct", "k": "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3JldA", "alg": "HS256"}]}')
    assert "ok    JWT_JWKS has 1 key" in portico("doctor", **asked).stdout


def test_doctor_reports_damage_of_the_storage(portico: Portico, database_url: str, postgres: PostgresServer) -> None:
    assert portico("init", DATABASE_URL=database_url).returncode == 0
    postgres.execute("alter table storage.objects disable row level security", database_url)
    damaged = portico("doctor", DATABASE_URL=database_url, ANON_KEY="k")
    assert damaged.returncode == 1
    assert "WRONG the table storage.objects has row level security disabled" in damaged.stdout
    assert portico("init", DATABASE_URL=database_url).returncode == 0
    assert "row level security disabled" not in portico("doctor", DATABASE_URL=database_url, ANON_KEY="k").stdout


def test_doctor_reports_whether_init_was_run(
    portico: Portico, postgres: PostgresServer, database_url: str, tmp_path: Path
) -> None:
    before = portico("doctor", DATABASE_URL=database_url, ANON_KEY="k")
    assert before.returncode == 0, before.stderr
    assert "portico init was not run here" in before.stdout
    assert "have no effect" not in before.stdout
    assert f"STORAGE_URL is not set, so objects are stored in file://{tmp_path}/.portico/objects" in before.stdout
    assert portico("init", DATABASE_URL=database_url).returncode == 0
    postgres.execute(
        """create table open (id int primary key); grant select on open to anon;
           revoke create on schema public from public""",
        database_url,
    )
    after = portico("doctor", DATABASE_URL=database_url, ANON_KEY="k")
    assert "portico init was not run here" not in after.stdout
    assert "anon may read 1 of 1 relations in schema public" in after.stdout
    assert "anon may write to tables in schema public without row level security: open\n" in after.stdout
    assert "may create functions" not in after.stdout
    postgres.execute("grant create on schema public to public", database_url)
    after = portico("doctor", DATABASE_URL=database_url, ANON_KEY="k")
    assert "anon may create functions in schema public" in after.stdout
    wrong = portico("doctor", DATABASE_URL=database_url, ANON_KEY="k", API_SCHEMAS="public,no'where")
    assert wrong.returncode == 1
    assert "WRONG there is no schema no'where" in wrong.stdout


@pytest.mark.parametrize(("roles", "unknown"), [("anon,annon", "annon"), ("*", ""), ("anon", "")])
def test_doctor_finds_a_misspelt_role_that_would_be_restricted(
    portico: Portico, postgres: PostgresServer, database_url: str, roles: str, unknown: str
) -> None:
    postgres.execute(ROLES, database_url)
    reported = portico("doctor", DATABASE_URL=database_url, ANON_KEY="k", DOCUMENTS_ONLY=roles).stdout
    wrong = f"WRONG DOCUMENTS_ONLY names roles that do not exist: {unknown}\n"
    assert (wrong in reported) == bool(unknown), reported
    assert ("DOCUMENTS_ONLY" in reported) == bool(unknown)


def test_doctor_checks_the_roles_of_the_api(portico: Portico, postgres: PostgresServer, database_url: str) -> None:
    postgres.execute(
        "create role painter; create table picture (id int primary key); grant select on picture to painter",
        database_url,
    )
    variables = {"DATABASE_URL": database_url, "ANON_KEY": "k"}
    reported = portico("doctor", API_ROLES="painter,no'body", **variables).stdout
    postgres.execute("drop owned by painter; drop role painter", database_url)
    assert "may switch to the role painter" in reported
    assert "note  the role no'body does not exist\n      create role" in reported
    assert "painter may read 1 of 1 relations in schema public" in reported
    assert "no role of the API may read" not in reported
    assert "anon" not in reported
    assert (
        "no role of the API may read these relations in schema public: picture"
        in portico("doctor", API_ROLES="service_role", **variables).stdout
    )


def test_uninstall_removes_the_extension(portico: Portico, postgres: PostgresServer, database_url: str) -> None:
    assert portico("uninstall", DATABASE_URL=database_url).stdout == "Nothing is installed.\n"
    assert portico("init", DATABASE_URL=database_url).returncode == 0
    postgres.execute("insert into storage.buckets (id, name) values ('b', 'b')", database_url)
    assert "Version 1.1.0 was removed" in portico("uninstall", DATABASE_URL=database_url).stdout
    reported = portico("doctor", DATABASE_URL=database_url, ANON_KEY="k").stdout
    assert "note  schema changes are detected by polling every second, since portico uninstall\n" in reported
    assert "portico init was not run here" not in reported
    assert postgres.execute("select to_regnamespace('graphql') is null", database_url) == [[True]]
    assert portico("init", DATABASE_URL=database_url).returncode == 0
    assert postgres.execute("select id from storage.buckets", database_url) == [["b"]]


def test_schema_and_plan_print_their_texts(portico: Portico, postgres: PostgresServer, database_url: str) -> None:
    portico("init", DATABASE_URL=database_url)
    postgres.execute("create table shelf (id int primary key); grant select on shelf to anon", database_url)
    sdl = portico("schema", "print", "--role", "anon", DATABASE_URL=database_url)
    assert "type shelf" in sdl.stdout, sdl.stderr
    # Older tools do not know it by themselves.
    assert " @oneOf {" in sdl.stdout
    assert "directive @oneOf on INPUT_OBJECT" in sdl.stdout
    # Nor a schema with a description.
    assert "\nschema {" not in sdl.stdout
    schema = build_schema(sdl.stdout)
    assert schema.query_type is not None
    assert schema.subscription_type is None
    live = build_schema(portico("schema", "print", "--subscriptions", DATABASE_URL=database_url).stdout)
    assert live.subscription_type is not None
    assert live.subscription_type.fields.keys() == schema.query_type.fields.keys()
    assert validate(live, parse("subscription { shelfCollection(first: 1) { edges { node { id } } } }")) == []
    plan = portico("plan", "{shelfCollection{edges{node{id}}}}", DATABASE_URL=database_url)
    assert "public.shelf" in plan.stdout, plan.stderr
    wrong = portico("plan", "{nothing}", DATABASE_URL=database_url)
    assert wrong.returncode == 1
    assert wrong.stderr.startswith("portico: ")


def test_serve_makes_a_database_and_keeps_its_keys() -> None:
    program = [sys.executable, "-m", "app", "serve", "--port", "0", "--workers", "1"]
    keys = []
    with open_directory() as here:
        for _ in range(2):
            with started(program, here) as process:
                assert process.stdout
                said = [process.stdout.readline() for _ in range(4)]
                assert f"keeps its data in {here}/.portico/postgres/data" in said[0], said
                address, key = said[1].split()[-1], said[2].split()[-1]
                asked = {"json": {"query": "{__typename}"}, "headers": {"apiKey": key}}
                answer = requests.post(address, **asked, timeout=PATIENCE_S)
                assert answer.json() == {"data": {"__typename": "Query"}}
                process.terminate()
                assert process.wait(PATIENCE_S) == 0
                keys.append(key)
        assert keys[0] == keys[1]
        kept = here / ".portico" / "keys.json"
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        assert json.loads(kept.read_text())["anon_key"] == keys[0]


def test_the_service_is_no_superuser_of_the_embedded_database(portico: Portico) -> None:
    program = [sys.executable, "-m", "app", "serve", "--port", "0", "--workers", "1"]
    with open_directory() as here:
        variables = {"DATA_DIR": str(here / "data"), "API_ROLES": "anon,authenticated,service_role,editor,absent"}
        with EmbeddedPostgres(here / "data" / "postgres") as cluster:
            # As versions before this login left it, and with a role that the service shall become.
            with closing(connect(cluster.url())) as connection:
                connection.run("create role editor")
            with started(program, here, **variables) as process:
                assert process.stdout
                said = [process.stdout.readline() for _ in range(4)]
                assert f"{cluster.url('portico')}\n" in said[3], said
                doctor = portico("doctor", **variables).stdout
                assert "portico_login is connected to the database portico" in doctor
                assert "portico_login may switch to the role editor" in doctor
                review = portico("doctor", "--security", **variables)
                assert (review.returncode, "WRONG" in review.stdout) == (0, False), review.stdout
                assert portico("storage", "keys", "create", "mine", **variables).returncode == 0
                assert portico("init", **variables).returncode == 0
                process.terminate()
                assert process.wait(PATIENCE_S) == 0


def test_the_program_and_the_modules_are_the_same() -> None:
    programs = (
        [str(Path(sys.executable).with_name("portico"))],
        [sys.executable, "-m", "portico"],
        [sys.executable, "-m", "app"],
    )
    said = [
        subprocess.run([*program, "plugins"], env=environment(), capture_output=True, text=True, check=True)
        for program in programs
    ]
    first, *others = [(each.stdout, each.stderr) for each in said]
    assert "Collections: " in first[0]
    assert "The plugin" not in first[0]
    assert others == [first, first]


@pytest.mark.parametrize("program", ["app", "portico"])
def test_an_interrupt_leaves_no_traceback_while_a_command_is_imported(tmp_path: Path, program: str) -> None:
    # It runs before the program, as a file of site-packages would.
    (tmp_path / "sitecustomize.py").write_text("""
import signal, sys, time

signal.signal(signal.SIGINT, signal.default_int_handler)

class Slow:
    def find_spec(self, name, *_):
        if name == "app.commands.failure":
            print("importing", flush=True)
            # Until the interrupt.
            time.sleep(100)

sys.meta_path.insert(0, Slow())
""")
    with subprocess.Popen(
        [sys.executable, "-m", program, "version"],
        env=environment(PYTHONPATH=f"{tmp_path}:{REPOSITORY}"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            assert process.stdout.readline() == "importing\n"
            process.send_signal(signal.SIGINT)
            assert process.wait(PATIENCE_S) == -signal.SIGINT
            assert process.stderr.read() == ""
        finally:
            process.kill()


def test_an_interrupted_command_cleans_up() -> None:
    start = """
import signal, time
import app.commands.version
from app.cli import main
from app.interrupt import end_at_interrupt

signal.signal(signal.SIGINT, signal.default_int_handler)
end_at_interrupt()

def slow():
    try:
        print("running", flush=True)
        # Until the interrupt.
        time.sleep(100)
    finally:
        print("left", flush=True)

app.commands.version.command.callback = slow
main(["version"])
"""
    with subprocess.Popen([sys.executable, "-c", start], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "running\n"
            process.send_signal(signal.SIGINT)
            assert process.stdout.readline() == "left\n"
            assert process.wait(PATIENCE_S) == 130
        finally:
            process.kill()


@pytest.mark.parametrize("command", ["serve", "live"])
def test_an_interrupt_ends_an_import_that_catches_it(command: str) -> None:
    start = f"""
import signal, sys, time
from app.cli import main

# As on a terminal, even if the tests run without one.
signal.signal(signal.SIGINT, signal.default_int_handler)

class Stubborn:
    def find_spec(self, name, *_):
        if name == "app.commands.{command}":
            print("importing", flush=True)
            while True:
                try:
                    # Until the interrupt.
                    time.sleep(60)
                except BaseException:
                    pass

sys.meta_path.insert(0, Stubborn())
main(["{command}"])
"""
    with subprocess.Popen([sys.executable, "-c", start], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "importing\n"
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(PATIENCE_S) == -signal.SIGINT
        finally:
            process.kill()


def test_the_readme_and_the_continuous_integration_run_the_same_command() -> None:
    readme = (REPOSITORY / "README.md").read_text()
    assert "\n```sh\nsh demo.sh\n```\n" in readme
    assert "\n```sh\nsh test.sh\n```\n" in readme
    assert "exec sh test.sh" in (REPOSITORY / ".ci" / "run").read_text()
    assert os.access(REPOSITORY / ".ci" / "run", os.X_OK)


def test_docs_prints_the_address_of_the_distribution(portico: Portico, monkeypatch: pytest.MonkeyPatch) -> None:
    configuration = configparser.ConfigParser()
    configuration.read(REPOSITORY / "setup.cfg")
    urls = dict(line.split(" = ") for line in configuration["metadata"]["project_urls"].strip().splitlines())
    assert portico("docs").stdout == urls["Documentation"] + "\n"
    opened: list[str] = []
    # No browser is started.
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url) or True)
    assert portico("docs", "--open").returncode == 0
    assert opened == [urls["Documentation"]]
    # As without any browser.
    monkeypatch.setattr("webbrowser.open", lambda url: False)
    without = portico("docs", "--open")
    assert (without.returncode, without.stderr) == (
        1,
        f"portico: no browser was found; open {urls['Documentation']} yourself\n",
    )


LEFT_OUT = """
create table guarded (id int primary key); alter table guarded enable row level security;
create table keyless (id int); grant select on keyless to anon;
create table ungranted (id int primary key);
revoke all on ungranted from anon, authenticated, service_role;
create table ruled (id int primary key); grant select, insert on ruled to anon;
create rule also as on insert to ruled do also notify ruled;
create view told as select 1 as id; grant select on told to anon;
comment on view told is '@graphql({"primary_key_columns": ["id"], "totalCont": {"enabled": true}})';
create function theirs() returns int language sql as 'select 1'; alter extension plpgsql add function theirs();
create table plain (id int primary key); grant select on plain to anon;
create function noted(plain) returns int language sql as 'select 1';
create function calls() returns int language sql stable as 'select noted(null)';
create view writing as select calls() as id; grant select on writing to anon;
"""
READ_ONLY = (
    "note  queries of these run in a transaction that is read-only and rolled back: view public.writing (it calls"
    " calls, which calls noted, which is volatile), function public.calls (it calls noted, which is volatile)\n"
)


def test_doctor_lists_objects_that_are_not_in_the_api(
    portico: Portico, database_url: str, postgres: PostgresServer
) -> None:
    assert portico("init", DATABASE_URL=database_url).returncode == 0
    postgres.execute(LEFT_OUT, database_url)
    said = portico("doctor", DATABASE_URL=database_url, ANON_KEY="k").stdout
    assert "have row level security and no policy, so only service_role sees their rows: guarded\n" in said
    assert "table public.keyless: it has no primary key, which identifies rows\n" in said
    assert "table public.ruled: some changes of its rows are left out: because of a rule" in said
    assert 'relation public.told: its comment directive is left out: unknown key "totalCont"; did you mean' in said
    assert "no role of the API may read these relations in schema public: ungranted\n" in said
    assert "1 relations and functions in schema public belong to extensions" in said
    assert "function public.noted: it is volatile, so it is not a field of a row\n" in said
    assert READ_ONLY in said
    assert READ_ONLY in portico("doctor", "--security", DATABASE_URL=database_url, ANON_KEY="k").stdout


def test_doctor_lists_what_should_be_closed(portico: Portico, database_url: str, postgres: PostgresServer) -> None:
    assert portico("init", DATABASE_URL=database_url).returncode == 0
    postgres.execute(
        """create table open (id int primary key); create view around as select * from open;
           create function mighty() returns int language sql security definer as 'select 1'""",
        database_url,
    )
    weak = {"DATABASE_URL": database_url, "ANON_KEY": "k", "SERVICE_ROLE_KEY": "k", "JWT_SECRET": "short"}
    finished = portico("doctor", "--security", **weak, CORS_ORIGINS="*")
    assert finished.returncode == 1
    for expected in (
        "WRONG JWT_SECRET is shorter than 32 bytes",
        "WRONG ANON_KEY is shorter than 20 characters",
        "WRONG ANON_KEY and SERVICE_ROLE_KEY are the same",
        "has SUPERUSER, which it does not need",
        "WRONG anon may write to tables in schema public without row level security: open\n",
        "note  anon reads views in schema public with the rights of their owners: around\n",
        "have no search_path of their own: mighty()\n",
        "note  anon may read the GraphQL schema made from schema public (introspection)",
        "note  pages of every origin may use the APIs",
        "note  callers' functions can list the statements prepared on a shared connection",
    ):
        assert expected in finished.stdout, expected


def test_doctor_checks_replicas_and_unknown_parameters(portico: Portico, database_url: str) -> None:
    url = f"{database_url}{'&' if '?' in database_url else '?'}keepalive=1"
    away = "postgresql://u@127.0.0.1:1/d"
    finished = portico("doctor", DATABASE_URL=url, DATABASE_READ_URLS=f"{database_url} {away}", ANON_KEY="k")
    assert "note  parameters of DATABASE_URL have no effect: keepalive\n" in finished.stdout
    assert "is left out: it is not a standby\n" in finished.stdout
    assert "note  the replica 127.0.0.1:1 is left out: 127.0.0.1:1: " in finished.stdout
    assert finished.returncode == 0


def test_doctor_uses_one_connection(portico: Portico, database_url: str) -> None:
    with closing(Proxy(database_url)) as proxy:
        for opened, options in enumerate(([], ["--security"]), start=1):
            portico("doctor", *options, DATABASE_URL=proxy.url(), ANON_KEY="k" * 20)
            assert proxy.opened == opened


def test_doctor_compares_numbers_of_connections(portico: Portico, database_url: str) -> None:
    asked = {"DATABASE_URL": database_url, "ANON_KEY": "k", "WEB_CONCURRENCY": "2"}
    assert "the service opens up to" not in portico("doctor", **asked, POOL_SIZE="2").stdout
    assert "the service opens up to 2002 connections" in portico("doctor", **asked, POOL_SIZE="1000").stdout


def test_a_database_that_does_not_exist_is_named(portico: Portico, database_url: str) -> None:
    for command in ("init", "doctor"):
        finished = portico(command, DATABASE_URL=database_url.replace("/test", "/absent_test"), ANON_KEY="k")
        assert "Create the database" in finished.stderr, finished.stderr
        assert "Try again" not in finished.stderr


UNREACHABLE = {
    "postgresql://u@127.0.0.1:1/d": ("127.0.0.1:1", "Start PostgreSQL there, or correct host and port"),
    "postgresql://u@no-such-host.invalid:5432/d": ("no-such-host.invalid:5432", "Correct the host name"),
    "postgresql://u@/d?host=/no/such/directory": ("/no/such/directory", "Start PostgreSQL there, or correct the dir"),
}


@pytest.mark.parametrize("url", UNREACHABLE)
def test_a_database_that_cannot_be_reached_is_named(portico: Portico, url: str) -> None:
    place, advice = UNREACHABLE[url]
    finished = portico("doctor", DATABASE_URL=url, ANON_KEY="k")
    assert place in finished.stderr
    assert advice in finished.stderr
    assert "Try again" not in finished.stderr
