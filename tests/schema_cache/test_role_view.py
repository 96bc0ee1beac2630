from __future__ import annotations

import random
from collections.abc import Sequence

import pg8000.exceptions
import pytest

from schema_cache.model import Catalog
from schema_cache.privileges import UnknownRole, role_settings, settable_roles
from schema_cache.role_view import RoleViews, role_view
from tests.schema_cache.conftest import Connect
from tests.schema_cache.loading import load_catalog
from tests.schema_cache.session import Session

SCHEMAS = ("alpha", "beta", "Gam ma")
OBJECTS = """
create schema alpha; create schema beta; create schema "Gam ma";
create table alpha.plain (id int primary key, name text, "od d" int);
create table beta.plain (id int primary key, name text);
create table alpha.divided (id int, at date) partition by range (at);
create view beta.seen as select * from alpha.plain;
create materialized view "Gam ma".kept as select 1 as one, 2 as two;
create type alpha.mood as enum ('sad', 'happy');
create domain beta.short as varchar(3);
create type beta.spread as range (subtype = int4);
create type "Gam ma".pair as (a int, b text);
create function alpha.open() returns int language sql as 'select 1';
create function beta.closed(a int, b text default 'x') returns int language sql as 'select 1';
"""
INSUFFICIENT_PRIVILEGE = "42501"
BUILT_IN = ("pg_read_all_data", "pg_write_all_data")
"""Roles with rights that no list of grants shows, from PostgreSQL 14 on; so is pg_database_owner."""
TYPES = ("alpha.mood", "beta.short", "beta.spread", '"Gam ma".pair')


def mix(session: Session, roles: Sequence[str], choose: random.Random) -> None:
    """Random memberships, grants, revocations and owners."""
    version = session.value("select current_setting('server_version_num')::int")
    builtin = [role for role in BUILT_IN if version >= 140000]
    everybody = [*roles, "public"]
    for position, role in enumerate(roles):
        known = [*roles[:position], *builtin]
        for above in choose.sample(known, k=min(len(known), choose.choice([0, 0, 1, 1, 2])) if position else 0):
            options = ""
            if version >= 160000:
                options = f" with inherit {choose.choice(['true', 'false'])}, set {choose.choice(['true', 'false'])}"
            session.execute(f"grant {above} to {role}{options}")
        if choose.random() < 0.3:
            session.execute(f"alter role {role} noinherit")
    if choose.random() < 0.2:
        session.execute(f"alter role {choose.choice(roles)} superuser")
    if choose.random() < 0.5:
        session.execute(f'alter database "{session.database}" owner to {choose.choice(roles)}')
        if version >= 140000:
            session.execute("grant select on alpha.divided to pg_database_owner")

    relations = ["alpha.plain", "beta.plain", "alpha.divided", "beta.seen", '"Gam ma".kept']
    columns = {
        "alpha.plain": ["id", "name", '"od d"'],
        "beta.plain": ["id", "name"],
        "alpha.divided": ["id", "at"],
        "beta.seen": ["name", '"od d"'],
        '"Gam ma".kept': ["one"],
    }
    quoted = ["alpha", "beta", '"Gam ma"']
    functions = ["alpha.open()", "beta.closed(int, text)"]
    for _ in range(30):
        verb, joined = choose.choice([("grant", "to"), ("grant", "to"), ("revoke", "from")])
        relation, role = choose.choice(relations), choose.choice(everybody)
        what = choose.choice(
            [
                f"{choose.choice(['select', 'insert', 'update', 'delete', 'truncate', 'all'])} on {relation}",
                f"{choose.choice(['select', 'insert', 'update'])} ({choose.choice(columns[relation])}) on {relation}",
                f"{choose.choice(['usage', 'usage', 'create'])} on schema {choose.choice(quoted)}",
                f"usage on type {choose.choice(TYPES)}",
                f"execute on function {choose.choice(functions)}",
            ]
        )
        session.execute(f"{verb} {what} {joined} {role}")
    for kind, names in (("table", relations[:3]), ("schema", quoted), ("type", TYPES[:3]), ("function", functions)):
        if choose.random() < 0.5:
            session.execute(f"alter {kind} {choose.choice(names)} owner to {choose.choice(roles)}")
    if choose.random() < 0.5:
        owned = choose.choice(relations[:2])
        session.execute(f"revoke all on {owned} from {session.value(_OWNER, name=owned)}")


_OWNER = "select pg_get_userbyid(relowner) from pg_class where oid = cast(:name as text)::regclass"


def ask_server(session: Session, role: str) -> dict[str, set[object]]:
    """The rights of the role, by PostgreSQL's own functions."""

    def answers(sql: str) -> set[object]:
        return {tuple(row) if len(row) > 1 else row[0] for row in session.rows(sql, role=role)}

    relation = "pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname in ('alpha', 'beta', 'Gam ma')"
    column = f"{relation} join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped"
    kinds = "c.relkind in ('r', 'p', 'v', 'm')"
    # Without USAGE on a schema nothing in it is shown, so such schemas are left out here too.
    usable = "has_schema_privilege(:role, n.oid, 'usage')"
    return {
        "schemas": answers(
            f"select nspname from pg_namespace n where nspname in ('alpha', 'beta', 'Gam ma') and {usable}"
        ),
        **{
            privilege: answers(
                f"select c.oid, a.attname from {column} where {kinds} and {usable}"
                f" and has_column_privilege(:role, c.oid, a.attnum, '{privilege}')"
            )
            for privilege in ("select", "insert", "update")
        },
        "delete": answers(
            f"select c.oid from {relation} where {kinds} and {usable} and has_table_privilege(:role, c.oid, 'delete')"
        ),
        "select_all": answers(
            f"select c.oid from {relation} where {kinds} and {usable} and has_table_privilege(:role, c.oid, 'select')"
        ),
        "functions": answers(
            "select p.oid from pg_proc p join pg_namespace n on n.oid = p.pronamespace"
            " and n.nspname in ('alpha', 'beta', 'Gam ma')"
            f" where p.prokind = 'f' and {usable} and has_function_privilege(:role, p.oid, 'execute')"
        ),
        "types": answers(
            "select t.oid from pg_type t join pg_namespace n on n.oid = t.typnamespace"
            f" where {usable} and has_type_privilege(:role, t.oid, 'usage') and n.nspname !~ '^pg_(toast|temp)'"
        ),
    }


def ask_view(catalog: Catalog, role: str) -> dict[str, set[object]]:
    view = role_view(catalog, role, SCHEMAS)
    return {
        "schemas": {schema.name for schema in view.schemas},
        "select": {(visible.relation.oid, name) for visible in view.relations for name in visible.select},
        "insert": {(visible.relation.oid, name) for visible in view.relations for name in visible.insert},
        "update": {(visible.relation.oid, name) for visible in view.relations for name in visible.update},
        "delete": {visible.relation.oid for visible in view.relations if visible.delete},
        "select_all": {visible.relation.oid for visible in view.relations if visible.select_all},
        "functions": {function.oid for function in view.functions},
        "types": {type_.oid for type_ in catalog.types if view.usable_type(type_.oid)},
    }


@pytest.mark.parametrize("seed", range(12))
def test_the_view_agrees_with_the_server_about_every_privilege(owner: Session, connect: Connect, seed: int) -> None:
    owner.rows(OBJECTS)
    with owner.roles(6) as roles:
        mix(owner, roles, random.Random(seed))
        try:
            catalog = load_catalog(owner.value)
            for role in (*roles, *(set(catalog.role_by_name) & {"pg_database_owner", "pg_write_all_data"})):
                assert ask_view(catalog, role) == ask_server(owner, role), role
        finally:
            owner.execute(f'alter database "{owner.database}" owner to current_user')


@pytest.mark.parametrize("seed", range(4))
def test_the_roles_of_the_login_are_those_of_set_role(owner: Session, connect: Connect, seed: int) -> None:
    owner.rows(OBJECTS)
    with owner.roles(6) as roles:
        mix(owner, roles, random.Random(seed))
        owner.execute(*(f"alter role {role} login" for role in roles))
        for login in roles:
            session = connect(user=login)
            settable = settable_roles(load_catalog(session.value))
            assert settable.intersection(roles) == {role for role in roles if _set_role_works(session, role)}, login
            session.close()
        owner.execute(f'alter database "{owner.database}" owner to current_user')


def _set_role_works(session: Session, role: str) -> bool:
    try:
        session.execute(f"set role {role}", "reset role")
    except pg8000.exceptions.DatabaseError as error:
        if error.args[0]["C"] != INSUFFICIENT_PRIVILEGE:
            raise
        return False
    return True


def test_roles_with_equal_grants_share_one_view(owner: Session) -> None:
    owner.rows(OBJECTS)
    with owner.roles(3) as (first, second, third):
        owner.execute(
            f"grant usage on schema alpha to {first}, {second}, {third}",
            f"grant select on alpha.plain to {first}, {second}",
            f"grant select (id) on alpha.plain to {third}",
        )
        views = RoleViews(load_catalog(owner.value), ("alpha",))
        assert views.view(first) is views.view(second)
        assert views.view(first) is not views.view(third)
        assert views.view(first).key != views.view(third).key
        owner.execute(f"grant delete on alpha.plain to {second}")
        later = RoleViews(load_catalog(owner.value), ("alpha",))
        assert later.view(first) != later.view(second)
        assert later.view(first) != views.view(first)


def test_the_search_path_decides_about_schemas_and_their_order(owner: Session) -> None:
    owner.rows(OBJECTS)
    with owner.roles(1) as (role,):
        owner.execute(f"create schema {role}", f"grant usage on schema alpha, beta, {role} to {role}")
        catalog = load_catalog(owner.value)

        def names(*path: str) -> list[str]:
            return [schema.name for schema in role_view(catalog, role, path).schemas]

        assert names("beta", "missing", "$user", "alpha", "Gam ma", "beta") == ["beta", role, "alpha"]
        assert names("pg_catalog", "information_schema") == []
        assert names() == []
        assert role_view(catalog, role, ("$user",)).relations == ()


def test_an_unknown_role_is_distinguished_from_a_forbidden_one(owner: Session) -> None:
    catalog = load_catalog(owner.value)
    for question in (
        lambda: role_view(catalog, "nobody there", ("public",)),
        lambda: role_settings(catalog, "nobody there"),
    ):
        with pytest.raises(UnknownRole, match='role "nobody there" does not exist'):
            question()


def test_role_settings_are_those_an_ordinary_user_may_set(owner: Session) -> None:
    with owner.roles(2) as (role, other):
        owner.execute(
            f"alter role {role} set statement_timeout = '3s'",
            f"alter role {role} set work_mem = '8MB'",
            f"alter role {role} in database \"{owner.database}\" set work_mem = '16MB'",
            f"alter role {role} set app.tenant = 'a=b'",
            f"alter role {role} set log_statement = 'all'",
            f"alter role {role} set client_encoding = 'LATIN1'",
            f"alter role {role} set transaction_read_only = 'on'",
            f"alter role {role} set role = '{other}'",
            f"alter role {role} set plpgsql.extra_warnings = 'all'",
        )
        catalog = load_catalog(owner.value)
        assert dict(role_settings(catalog, role)) == {
            "statement_timeout": "3s",
            "work_mem": "16MB",
            "app.tenant": "a=b",
            "plpgsql.extra_warnings": "all",
        }
        assert role_settings(catalog, other) == ()
