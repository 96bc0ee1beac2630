"""Runs each command on the pages about the database, in order."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import pg8000.exceptions

from app.installation.install import closed_relations, install, uninstall, upgrade
from app.installation.version import VERSION
from tests.docs.blocks import REPOSITORY, blocks
from tests.installation.conftest import Session, show_files
from tests.postgres_server import PostgresServer

BLOCKS = [
    *blocks("docs/database.md", "sql", "sh"),
    *blocks("docs/roles-and-policies.md", "sql", "sh"),
    *blocks("docs/upgrading.md", "sql", "sh"),
    *blocks("docs/operations.md", "sql"),
]
# They belong to the cluster, and exist after the installation.
ROLES = "create role anon nologin noinherit;"


def test_all_documented_commands_work(fresh_server: PostgresServer, files, session: Session) -> None:
    url, elsewhere = fresh_server.create_database(), fresh_server.create_database()
    for database in (url, elsewhere):
        show_files(fresh_server, database, files)
    owner = session(url)
    # The block that is run in the other database.
    assert sum("portico.grant_public" in each.text for each in BLOCKS) == 1
    for language, text in ((each.language, each.text) for each in BLOCKS):
        if language == "sql" and "portico.grant_public" in text:
            other = session(elsewhere)
            other.run(text)
            assert other.run("select has_schema_privilege('anon', 'storage', 'usage')") == [[True]]
            assert other.run("select count(*) from pg_default_acl") == [[0]]
        elif language == "sql" and text.startswith(ROLES):
            for command in filter(None, text.split("\n")):
                try:
                    owner.run(command)
                except pg8000.exceptions.DatabaseError as error:
                    if error.args[0]["C"] != "42710":
                        raise
        elif language == "sql":
            owner.run(text)
        else:
            _shell(text.strip(), url)
    assert owner.run("select version from graphql.installation") == [[VERSION]]

    can = "select has_table_privilege('{}', '{}', 'select')"
    assert owner.run(can.format("anon", "customer")) == [[False]]
    assert owner.run(can.format("anon", "customer_name")) == [[True]]
    assert owner.run("select has_column_privilege('authenticated', 'customer', 'credit_limit', 'select')") == [[False]]
    assert owner.run("select has_column_privilege('authenticated', 'customer', 'name', 'select')") == [[True]]
    assert owner.run("select has_function_privilege('anon', 'close_accounts()', 'execute')") == [[False]]
    owner.run("create table hidden (id int)")
    assert owner.run(can.format("anon", "hidden")) == [[False]]
    assert owner.run(can.format("authenticated", "hidden")) == [[True]]
    owner.run("create function hidden() returns int language sql as 'select 1'")
    assert owner.run("select has_function_privilege('anon', 'hidden()', 'execute')") == [[False]]
    owner.run("create table shop.article (id int)")
    assert owner.run(can.format("anon", "shop.article")) == [[True]]
    owner.run("set role migrator")
    owner.run("create table migrated (id int)")
    owner.run("reset role")
    assert owner.run(can.format("anon", "migrated")) == [[True]]
    owner.run("set role portico_login; set role anon; reset role")
    for database in (url, elsewhere):
        fresh_server.drop_database(database)
    fresh_server.execute("drop role migrator, portico_login")


def _shell(command: str, url: str) -> None:
    if command == "portico init":
        assert install(url).after == VERSION
    elif command == "portico uninstall":
        assert uninstall(url).after is None
        assert install(url).after == VERSION
    elif command == "portico upgrade":
        assert upgrade(url).after == VERSION
    elif command == "portico init --no-grants-on-public":
        assert install(url, grants_on_public="none").after == VERSION
    elif command == "portico init --grants-on-public=all":
        assert (
            install(url, opened=[each.name for each in closed_relations(url) if each.reason is None]).after == VERSION
        )
    elif command.startswith("export API_SCHEMAS="):
        assert command.split("=")[1].split(",") == ["public", "shop"]
    elif command.startswith("cp "):
        with tempfile.TemporaryDirectory() as share:
            (Path(share) / "extension").mkdir()
            here = command.replace("$(pg_config --sharedir)", share)
            subprocess.run(["sh", "-c", here], cwd=REPOSITORY, check=True)
            assert (Path(share) / "extension" / "portico.control").is_file()
    else:
        raise AssertionError(f"no test runs this command: {command}")
