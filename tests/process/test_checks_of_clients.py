"""The commands that find out whether a change of the database breaks clients."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.graphql.conftest import ROLES
from tests.postgres_server import PostgresServer
from tests.process.conftest import Finished, Portico

TABLES = """
create table shelf (id int primary key, name text not null);
create table secret (id int primary key);
grant select on shelf to anon, authenticated, service_role;
grant select on secret to authenticated, service_role;
"""
SHELVES = "query Shelves { shelfCollection { edges { node { id name } } } }"


@pytest.fixture
def url(postgres: PostgresServer, database_url: str) -> str:
    postgres.execute(ROLES + TABLES, database_url)
    return database_url


def printed(portico: Portico, url: str, path: Path, *options: str) -> str:
    """The path of a file with the schema of anon."""
    path.write_text(portico("schema", "print", *options, DATABASE_URL=url).stdout)
    return str(path)


@pytest.fixture
def before(portico: Portico, url: str, tmp_path: Path) -> str:
    return printed(portico, url, tmp_path / "anon.graphql")


def test_an_unchanged_schema_has_no_changes(portico: Portico, url: str, before: str, tmp_path: Path) -> None:
    live = printed(portico, url, tmp_path / "live.graphql", "--subscriptions")
    for path in (before, live):
        finished = portico("schema", "diff", path, DATABASE_URL=url)
        assert (finished.returncode, finished.stdout) == (0, "0 breaking, 0 dangerous, 0 safe\n")


def test_a_removed_column_is_breaking_and_a_new_one_is_not(
    portico: Portico, postgres: PostgresServer, url: str, before: str
) -> None:
    postgres.execute("alter table shelf add width int", url)
    added = portico("schema", "diff", before, DATABASE_URL=url)
    assert added.returncode == 0, added.stderr
    assert "\nsafe       Field shelf.width was added.\n" in f"\n{added.stdout}"
    assert "dangerous  An optional field shelfFilter.width was added." in added.stdout
    postgres.execute("alter table shelf drop name", url)
    removed = portico("schema", "diff", before, "--json", DATABASE_URL=url)
    assert removed.returncode == 1
    changes = json.loads(removed.stdout)
    assert {"type": "FIELD_REMOVED", "description": "Field shelf.name was removed."} in changes["breaking"]
    assert {"type": "FIELD_ADDED", "description": "Field shelf.width was added."} in changes["safe"]


def test_changes_of_live_queries_count_if_the_old_schema_has_them(
    portico: Portico, postgres: PostgresServer, url: str, tmp_path: Path
) -> None:
    live = printed(portico, url, tmp_path / "live.graphql", "--subscriptions")
    postgres.execute("drop table shelf", url)
    changes = portico("schema", "diff", live, DATABASE_URL=url).stdout
    assert "breaking   Field Subscription.shelfCollection was removed.\n" in changes
    assert "Type Subscription was removed" not in changes


def test_a_role_that_sees_nothing_more_has_lost_everything(
    portico: Portico, postgres: PostgresServer, url: str, before: str
) -> None:
    postgres.execute("revoke all on shelf from anon", url)
    finished = portico("schema", "diff", before, DATABASE_URL=url)
    assert finished.returncode == 1, finished.stderr
    assert "Field Query.shelfCollection was removed" in finished.stdout
    # Without --role the schema is that of anon.
    assert portico("schema", "diff", before, "--role", "authenticated", DATABASE_URL=url).returncode == 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"type Query {", "{path}, line 1: Syntax Error: Expected Name, found <EOF>."),
        (b"", "{path}, line 1: Syntax Error: Unexpected <EOF>."),
        (b"type Query { a: Nothing }", "{path} is not a schema: Unknown type 'Nothing'."),
        (b"query { a }", "{path} is not a schema: it has no type Query"),
        (b"type Query { a: " + b"[" * 10_000, "{path}, line 1: Syntax Error: Document is nested too deeply."),
        (b"\xff", "{path} cannot be read as text in UTF-8: "),
    ],
)
def test_a_file_that_is_not_a_schema_is_reported_in_one_line(
    portico: Portico, url: str, tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "old.graphql"
    path.write_bytes(content)
    finished = portico("schema", "diff", str(path), DATABASE_URL=url)
    assert (finished.returncode, finished.stdout) == (1, "")
    assert finished.stderr.startswith(f"portico: {message.format(path=path)}")
    assert finished.stderr.count("\n") == 1


def test_an_absent_file_is_wrong_usage_and_an_absent_role_a_failure(portico: Portico, url: str, before: str) -> None:
    absent = portico("schema", "diff", "absent.graphql", DATABASE_URL=url)
    assert (absent.returncode, "No such file" in absent.stderr) == (2, True)
    role = portico("schema", "diff", before, "--role", "no'body", DATABASE_URL=url)
    assert (role.returncode, "no'body" in role.stderr) == (1, True)


OWN_ROLES = {"anon", "authenticated", "service_role"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "queries"
    path.mkdir()
    (path / "Shelves.graphql").write_text(SHELVES)
    (path / "Secrets.graphql").write_text(
        "query A { secretCollection { edges { node { id } } } } query B { __typename }"
    )
    (path / "Live.graphql").write_text("subscription { shelfCollection { edges { node { name } } } }")
    return path


@pytest.mark.parametrize("dialect", ["standard", "pg_graphql"])
def test_each_document_is_valid_for_some_role(portico: Portico, url: str, folder: Path, dialect: str) -> None:
    service = {"DATABASE_URL": url, "DOCUMENTS": str(folder), "GRAPHQL_DIALECT": dialect, "ANON_KEY": "k"}
    finished = portico("documents", "check", **service)
    assert finished.returncode == 0, finished.stderr
    # Roles that other tests have granted to the API's are listed too: roles belong to the whole server.
    lines = finished.stdout.splitlines()
    valid = dict(re.fullmatch(r"ok    (\w+) is valid for (.+)", each).groups() for each in lines if each[0] != " ")  # type: ignore[union-attr]
    roles = {name: set(listed.split(", ")) & OWN_ROLES for name, listed in valid.items()}
    assert list(roles.items()) == [("Live", OWN_ROLES), ("Secrets", OWN_ROLES - {"anon"}), ("Shelves", OWN_ROLES)]
    reason = "      anon: line 1: Cannot query field 'secretCollection' on type 'Query'."
    assert any(each.startswith(reason) for each in lines)
    assert "ok    registered documents are valid for a role of the API: 3\n" in portico("doctor", **service).stdout


def test_named_roles_must_be_able_to_run_each_document(portico: Portico, url: str, folder: Path) -> None:
    def checked(*roles: str) -> Finished:
        options = (option for role in roles for option in ("--role", role))
        return portico("documents", "check", "--json", *options, DATABASE_URL=url, DOCUMENTS=str(folder))

    assert checked("authenticated").returncode == 0
    finished = checked("authenticated", "anon")
    assert finished.returncode == 1
    (secrets,) = (each for each in json.loads(finished.stdout) if each["id"] == "Secrets")
    assert (secrets["valid_for"], list(secrets["errors"])) == (["authenticated"], ["anon"])
    assert checked("nobody").returncode == 1


def test_a_document_that_is_valid_for_no_role_is_wrong(
    portico: Portico, postgres: PostgresServer, url: str, folder: Path
) -> None:
    postgres.execute("alter table shelf drop name", url)
    service = {"DATABASE_URL": url, "DOCUMENTS": str(folder), "ANON_KEY": "k"}
    finished = portico("documents", "check", **service)
    assert finished.returncode == 1
    assert "WRONG Shelves is valid for no role\n" in finished.stdout
    assert "      anon: line 1: Cannot query field 'name' on type 'shelf'." in finished.stdout
    doctor = portico("doctor", **service)
    assert doctor.returncode == 1
    assert "WRONG registered documents are valid for no role of the API: Live, Shelves\n" in doctor.stdout


def test_a_deeper_document_than_a_role_may_run_is_not_valid_for_it(
    portico: Portico, postgres: PostgresServer, url: str, folder: Path
) -> None:
    postgres.execute("comment on role anon is '@graphql({\"depth_limit\": 2})'", url)
    try:
        finished = portico("documents", "check", DATABASE_URL=url, DOCUMENTS=str(folder))
    finally:
        postgres.execute("comment on role anon is null", url)
    assert "ok    Shelves is valid for authenticated, service_role\n      anon: " in finished.stdout


def test_documents_that_cannot_be_read_are_reported(portico: Portico, url: str, folder: Path) -> None:
    none = portico("documents", "check", DATABASE_URL=url)
    assert (none.returncode, none.stderr) == (1, "portico: no document is registered; set DOCUMENTS\n")
    (folder / "Broken.graphql").write_text("query {")
    service = {"DATABASE_URL": url, "DOCUMENTS": str(folder), "ANON_KEY": "k"}
    finished = portico("documents", "check", **service)
    assert finished.returncode == 1
    assert finished.stderr.startswith("portico: the document 'Broken' cannot be used: Syntax Error")
    assert "WRONG the registered documents cannot be used: the document 'Broken'" in portico("doctor", **service).stdout


def test_doctor_compares_kept_schemas(portico: Portico, postgres: PostgresServer, url: str, before: str) -> None:
    folder = Path(before).parent / "kept"
    folder.mkdir()
    service = {"DATABASE_URL": url, "ANON_KEY": "k"}

    def lines() -> list[str]:
        return [
            line
            for line in portico("doctor", "--schemas", str(folder), **service).stdout.splitlines()
            if "/kept" in line
        ]

    assert lines() == [f"WRONG no file in {folder} is the printed schema of a role, <role>.graphql"]
    kept = Path(before).rename(folder / "anon.graphql")
    assert lines() == [f"ok    the schema of anon has no breaking change since {kept}"]
    postgres.execute("alter table shelf drop name", url)
    changed, fix = lines()
    assert changed.startswith(f"WRONG breaking changes of the schema of anon since {kept}: ")
    assert fix.lstrip().startswith(f"portico schema diff {kept} --role anon lists them")
    kept.rename(folder / "nobody.graphql")
    (unknown,) = lines()
    assert unknown.startswith("WRONG the schema of nobody cannot be compared with ")
