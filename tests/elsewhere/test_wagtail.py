"""A database that was not made for this service: Wagtail's, created by its own migrations.

Needs the extra ``elsewhere``; run it with ``python -m pytest tests/elsewhere``.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing

import pytest

from app.commands.diagnosis import examine
from app.commands.security_review import review
from app.database import Database, parse_database_url
from app.installation.install import closed_relations, install
from app.settings import load
from tests.elsewhere.walking import inserted_and_verified
from tests.graphql.api import ANON_KEY, JWT_SECRET, SERVICE_KEY, Api
from tests.postgres_server import PostgresServer
from tests.process.running import REPOSITORY

pytestmark = pytest.mark.long

pytest.importorskip("wagtail")
pytest.importorskip("psycopg")

USERS = "{ auth_userCollection { edges { node { username password } } } }"


@pytest.fixture(scope="module")
def wagtail(postgres: PostgresServer) -> Iterator[str]:
    url = postgres.create_database()
    target = parse_database_url(url)
    place = str(target.socket_path).rpartition("/")[0] if target.socket_path else target.host
    finished = subprocess.run(
        [sys.executable, "-m", "django", "migrate", "--settings=tests.elsewhere.wagtail_site", "--verbosity=0"],
        cwd=REPOSITORY,
        env={
            **os.environ,
            "PGHOST": place,
            "PGPORT": str(target.port),
            "PGDATABASE": target.database,
            "PGUSER": target.user,
            "PGPASSWORD": target.password or "",
        },
        capture_output=True,
        text=True,
    )
    assert finished.returncode == 0, finished.stderr
    postgres.execute(
        "insert into auth_user (username, password, is_superuser, is_staff, is_active, first_name, last_name, email,"
        " date_joined) values ('root', 'pbkdf2$secret', true, true, true, '', '', '', now())",
        url,
    )
    yield url
    postgres.drop_database(url)


@pytest.fixture
def api(wagtail: str) -> Iterator[Api]:
    opened = Api(wagtail)
    yield opened
    opened.close()


def test_init_opens_no_table(wagtail: str, api: Api, postgres: PostgresServer) -> None:
    report = install(wagtail)
    reported = " ".join(f"{lack.what} {lack.fix}" for lack in report.problems)
    assert "public.auth_user" in reported
    assert "public.wagtailcore_page" in reported
    readable = "select count(*) from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'"
    for role in ("anon", "authenticated"):
        theirs = f"{readable} and has_table_privilege('{role}', oid, 'select, insert, update, delete')"
        assert postgres.execute(theirs, wagtail) == [[0]], role
    assert "auth_user" in api.ask(USERS).message
    seen = api.ask(USERS, key=SERVICE_KEY).data["auth_userCollection"]["edges"]
    assert [edge["node"]["username"] for edge in seen] == ["root"]


def test_doctor_reports_problems(wagtail: str) -> None:
    install(wagtail)
    keys = {"jwt_secret": JWT_SECRET, "anon_key": ANON_KEY, "service_role_key": SERVICE_KEY}
    settings = load({}, {"database_url": wagtail, **keys})
    with closing(Database(settings)) as database:
        assert not any(finding.is_fatal for finding in examine(settings, database))
        found = review(settings, database.read)
    assert not any("without row level security" in finding.what for finding in found)


def test_tables_opened_on_request_exclude_those_of_the_framework(
    wagtail: str, api: Api, postgres: PostgresServer
) -> None:
    opened = [each.name for each in closed_relations(wagtail) if each.reason is None]
    assert "public.wagtailcore_page" in opened
    install(wagtail, opened=opened)
    assert api.ask("{ wagtailcore_pageCollection { edges { node { title } } } }").data
    assert api.ask(USERS).errors
    assert postgres.execute("select has_table_privilege('anon', 'django_migrations', 'select')", wagtail) == [[False]]


def test_everything_in_the_schema_works(wagtail: str) -> None:
    install(wagtail)
    assert len(inserted_and_verified(wagtail)) >= 20
