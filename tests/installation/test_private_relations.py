"""Databases of other programs: init proposes neither writes nor private relations, and doctor names what is open."""

from __future__ import annotations

import pytest

from app.commands.finding import Finding
from app.installation.install import closed_relations, install
from tests.installation.conftest import Session
from tests.installation.test_hardening import examined
from tests.postgres_server import PostgresServer

FRAMEWORKS = {
    "Django": "auth_user auth_group auth_user_groups django_session django_admin_log django_migrations authtoken_token"
    " account_emailaddress wagtailcore_apitoken wagtailadmin_formstate",
    "Rails": "active_storage_blobs active_storage_attachments action_mailbox_inbound_emails good_jobs",
    "Laravel": "failed_jobs password_reset_tokens personal_access_tokens telescope_entries",
    "Quartz": "qrtz_triggers qrtz_job_details",
    "ASP.NET": '"AspNetUsers" "AspNetUserTokens" "DataProtectionKeys"',
    "Spring": "spring_session batch_job_execution",
    "Camunda": "act_ru_task act_id_user",
    "Keycloak": "keycloak_role realm client user_entity web_origins",
    "Hangfire": "job jobparameter jobqueue state",
    "Strapi": "strapi_api_tokens admin_users",
    "a migration tool": '_prisma_migrations alembic_version flyway_schema_history databasechangelog'
    ' knex_migrations_lock migrations typeorm_metadata "SequelizeMeta" goose_db_version schema_migrations'
    ' "__EFMigrationsHistory" __drizzle_migrations ar_internal_metadata',
    "a job queue": "oban_jobs procrastinate_jobs river_job",
}  # fmt: skip
"""Tables by whose names a framework is known."""
SHAPES = {
    "sessions": "id text, payload text, last_activity int",
    "jobs": "id int, queue text, payload text, attempts int",
    "versions": "id int, item_type text, item_id int, object text",
    "session": "sid text, sess json, expire timestamptz",
    "verification": "id text, identifier text, value text",
    "user": 'id text, name text, email text, "emailVerified" boolean',
}
"""Tables by whose columns a framework is known."""
CREDENTIALS = (
    "password text", '"passwordHash" text', "encrypted_password text", "pass_hash bytea", "pwd text",
    "passwd varchar(80)",
    "secret text", '"clientSecret" text', "token text", "token uuid", '"refreshToken" text', "reset_token text",
    "api_key text", '"apiKey" text', "apikey text", "private_key text", "otp text", "otp integer", "totp_secret text",
    "recovery_codes text[]", "salt bytea", "ssn bigint", "social_security_number text", "credit_card_number text",
    "hashed_token text", "session_token text", "csrf_token text", "email text, hash text", "credentials jsonb",
    "remember_token text", "secret_answer text", "pin text", "key_hash text", '"PASSWORD" text',
)  # fmt: skip
HARMLESS = (
    "token_count integer", "max_tokens text", "tokens_used bigint", "tokens tsvector", "next_page_token text",
    "is_secret boolean", "password_changed_at timestamptz", "has_password boolean", "token_type text", "secretary text",
    "salt_g numeric", "content_hash text", "hash text", "passenger text", "compass text", "monkey text", "keyword text",
    "primary_key text", "public_key text", "api_key_id uuid", "secret_name text", "otp_enabled boolean",
    "pinned boolean", "session_id text", "postal_code text", "hotel text", "spin numeric", "key text", "code text",
)  # fmt: skip


def named(names: str) -> list[str]:
    return names.split()


def reasons(url: str) -> dict[str, str | None]:
    return {each.name.removeprefix("public.").strip('"'): each.reason for each in closed_relations(url)}


@pytest.mark.parametrize("maker", FRAMEWORKS)
def test_tables_of_frameworks_are_private(database_url: str, session: Session, maker: str) -> None:
    owner = session(database_url)
    for name in named(FRAMEWORKS[maker]):
        owner.run(f"create table {name} (id int)")
    owner.run("create table article (id int); create table client_orders (id int); create table job_advert (id int)")
    found = reasons(database_url)
    assert {name: found.pop(name.strip('"')) for name in named(FRAMEWORKS[maker])} == dict.fromkeys(
        named(FRAMEWORKS[maker]), f"{maker} uses it"
    )
    expected = {"article": None, "client_orders": None, "job_advert": None}
    if maker == "Keycloak":
        # It cannot be distinguished from Keycloak's own client_attributes, client_scope and so on.
        expected["client_orders"] = "Keycloak uses it"
    assert found == expected


def test_tables_with_columns_of_a_framework_are_private(database_url: str, session: Session) -> None:
    owner = session(database_url)
    for name, columns in SHAPES.items():
        owner.run(f'create table "{name}" ({columns})')
    found = reasons(database_url)
    assert found.keys() == SHAPES.keys()
    assert all(reason and reason.endswith(" uses it") for reason in found.values())
    for name in SHAPES:
        owner.run(f'drop table "{name}"')
        owner.run(f'create table "{name}" (id int, title text, starts timestamptz)')
    assert reasons(database_url) == dict.fromkeys(SHAPES)


def test_tables_with_columns_like_credentials_are_private(database_url: str, session: Session) -> None:
    owner = session(database_url)
    for number, column in enumerate(CREDENTIALS):
        owner.run(f"create table private_{number} (id int, {column})")
    for number, column in enumerate(HARMLESS):
        owner.run(f"create table harmless_{number} (id int, {column})")
    found = reasons(database_url)
    open_ones = [CREDENTIALS[int(name.split("_")[1])] for name, why in found.items() if "private" in name and not why]
    closed_ones = [HARMLESS[int(name.split("_")[1])] for name, why in found.items() if "harmless" in name and why]
    assert (open_ones, closed_ones) == ([], [])
    assert len(found) == len(CREDENTIALS) + len(HARMLESS)


def test_views_of_credentials_are_private(database_url: str, session: Session) -> None:
    owner = session(database_url)
    owner.run("create table account (id int, name text, password text)")
    owner.run("create view account_name as select id, name from account")
    owner.run("create view account_login as select name, password as p from account")
    found = reasons(database_url)
    assert found["account_name"] is None
    assert found["account_login"] == "it reads public.account.password"


DJANGO = """
create table auth_user (id serial primary key, username text, password text);
create table django_session (session_key text primary key, session_data text);
create table blog_post (id serial primary key, title text);
create table "Guest's book" (id serial primary key, line text);
create table guarded (id int, note text);
alter table guarded enable row level security;
create table guarded_secret (id int, api_key text);
alter table guarded_secret enable row level security;
create policy everybody on guarded_secret using (true);
insert into auth_user (username, password) values ('root', 'pbkdf2$secret');
"""
PRIVILEGES = ("select", "insert", "update", "delete")


def rights(owner, role: str, table: str) -> set[str]:
    asked = f"select has_table_privilege('{role}', :table, :privilege)"
    return {each for each in PRIVILEGES if owner.run(asked, table=table, privilege=each)[0][0]}


@pytest.mark.parametrize("as_extension", [True, False])
def test_proposed_grants_are_reads_of_relations_that_are_not_private(
    request, session: Session, as_extension: bool
) -> None:
    url = request.getfixturevalue("extension_url" if as_extension else "database_url")
    owner = session(url)
    owner.run(DJANGO)
    report = install(url, as_extension=as_extension)
    reported = [f"{each.what}\n{each.fix}" for each in report.problems]
    proposed = [line for each in reported for line in each.splitlines() if line.startswith("grant select on")]
    assert proposed == [
        'grant select on public."Guest\'s book" to anon, authenticated;',
        "grant select on public.blog_post to anon, authenticated;",
    ]
    assert not [line for line in proposed if "insert" in line or "all" in line.split()]
    assert [
        each for each in reported if "public.auth_user (Django uses it)" in each and "public.django_session" in each
    ]
    assert not any("insert" in each for each in reported)
    for role in ("anon", "authenticated"):
        for table in ("auth_user", "django_session", "blog_post", "guarded_secret"):
            assert rights(owner, role, table) == set(), (role, table)
        assert rights(owner, role, "guarded") == set(PRIVILEGES)
        assert owner.run(f"select has_sequence_privilege('{role}', 'auth_user_id_seq', 'usage')") == [[False]]
    assert rights(owner, "service_role", "auth_user") == set(PRIVILEGES)


def test_later_tables_stay_closed_beside_unprotected_ones(database_url: str, session: Session) -> None:
    owner = session(database_url)
    owner.run(DJANGO)
    lacks = [each.what for each in install(database_url).problems]
    assert "relations that you create in schema public later are closed to anon and authenticated too" in lacks
    owner.run("create table authtoken_token (key text, user_id int)")
    assert rights(owner, "anon", "authtoken_token") == rights(owner, "authenticated", "authtoken_token") == set()
    assert rights(owner, "service_role", "authtoken_token") == set(PRIVILEGES)


def test_later_tables_are_open_if_all_tables_have_row_security(database_url: str, session: Session) -> None:
    owner = session(database_url)
    owner.run("create table note (id int); alter table note enable row level security")
    owner.run("create table schema_migrations (version text)")
    install(database_url)
    owner.run("create table later (id int)")
    assert rights(owner, "anon", "later") == set(PRIVILEGES)
    assert rights(owner, "anon", "schema_migrations") == set()


def test_opened_tables_are_read_by_anon_and_written_by_users(database_url: str, session: Session) -> None:
    owner = session(database_url)
    owner.run(DJANGO)
    names = [each.name for each in closed_relations(database_url) if each.reason is None]
    assert names == ['public."Guest\'s book"', "public.blog_post"]
    install(database_url, opened=names)
    for table in ("blog_post", '"Guest\'s book"'):
        assert rights(owner, "anon", table) == {"select"}
        assert rights(owner, "authenticated", table) == set(PRIVILEGES)
    owner.run("set role authenticated")
    owner.run("insert into blog_post (title) values ('a')")
    owner.run("reset role")
    assert rights(owner, "anon", "auth_user") == set()
    assert [each.name for each in closed_relations(database_url)] == ["public.auth_user", "public.django_session"]


def reviewed(url: str) -> list[Finding]:
    return [each for each in examined(url, security=True) if "look private" in each.what]


def test_doctor_names_private_relations_that_are_open(
    database_url: str, session: Session, postgres: PostgresServer
) -> None:
    owner = session(database_url)
    install(database_url)
    # Default privileges open what is made later.
    owner.run(DJANGO)
    (finding,) = reviewed(database_url)
    assert finding.is_fatal
    assert "anon may read relations in schema public that look private" in finding.what
    assert "auth_user (Django uses it)" in finding.what
    assert "django_session" in finding.what
    # Policies decide there.
    assert "guarded_secret" not in finding.what
    owner.run("revoke all on auth_user, django_session from anon")
    (finding,) = reviewed(database_url)
    assert (finding.is_fatal, finding.what.partition(" ")[0]) == (False, "authenticated")
    owner.run("revoke all on auth_user, django_session from authenticated")
    owner.run("grant select (id, username) on auth_user to anon")
    assert reviewed(database_url) == []
    owner.run("create table account (id int, password text); revoke all on account from anon, authenticated")
    owner.run("grant select (id) on account to anon")
    assert reviewed(database_url) == []
    owner.run("grant select (password) on account to anon")
    assert "account (columns that look like credentials: password)" in reviewed(database_url)[0].what
