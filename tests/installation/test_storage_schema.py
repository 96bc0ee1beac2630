"""Schema storage: guards, triggers, the work list, and functions for policies."""

from __future__ import annotations

import pg8000.exceptions
import pytest

from app.installation.install import install
from tests.installation.conftest import Session
from tests.postgres_server import PostgresServer


@pytest.fixture(scope="module")
def installed(postgres: PostgresServer):
    url = postgres.create_database()
    install(url)
    yield url
    postgres.drop_database(url)


@pytest.fixture
def service(installed: str, session: Session):
    """A transaction as service_role with a bucket and an object; rolled back by closing."""
    caller = session(installed)
    caller.run("begin; set local role service_role")
    caller.run("insert into storage.buckets (id, name) values ('b', 'b')")
    caller.run("insert into storage.objects (bucket_id, name, version) values ('b', 'a/b/c.tar.gz', 'v1')")
    return caller


def refused(session, sql: str) -> tuple[str, str]:
    session.run("savepoint s")
    with pytest.raises(pg8000.exceptions.DatabaseError) as caught:
        session.run(sql)
    session.run("rollback to s")
    return caught.value.args[0]["C"], caught.value.args[0]["M"]


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        ("foldername('a/b/c.txt')", ["a", "b"]),
        ("foldername('c.txt')", []),
        ("foldername('a//c')", ["a", ""]),
        ("foldername('a/')", ["a"]),
        ("foldername(null)", None),
        ("filename('a/b/c.txt')", "c.txt"),
        ("filename('a/')", ""),
        ("extension('a.b/c.tar.gz')", "gz"),
        ("extension('a.b/c')", "c"),
        ("extension('a/.hidden')", "hidden"),
        ("operation()", None),
        ("allow_only_operation('object.list')", False),
    ],
)
def test_functions_for_policies_return_parts_of_names(
    installed: str, session: Session, call: str, answer: object
) -> None:
    caller = session(installed)
    caller.run("set role anon")
    assert caller.run(f"select storage.{call}") == [[answer]]


@pytest.mark.parametrize(
    ("current", "only", "answer"),
    [
        ("storage.object.list", "object.list", True),
        ("storage.object.list", "storage.object.list", True),
        ("object.head_authenticated_info", "storage.object.head_authenticated_info", True),
        ("storage.object.list_v2", "object.list", False),
        ("", "object.list", False),
    ],
)
def test_operations_can_be_tested(installed: str, session: Session, current: str, only: str, answer: bool) -> None:
    caller = session(installed)
    caller.run("select set_config('storage.operation', :o, false)", o=current)
    assert caller.run("select storage.operation()") == [[current]]
    assert caller.run("select storage.allow_only_operation(:o)", o=only) == [[answer]]
    assert caller.run("select storage.allow_any_operation(array['object.x', :o])", o=only) == [[answer]]
    assert caller.run("select storage.allow_any_operation(array['object.x'])") == [[False]]


def test_other_roles_have_no_access_without_policies(service) -> None:
    for role in ("anon", "authenticated"):
        service.run(f"set local role {role}")
        assert service.run("select count(*) from storage.buckets") == [[0]]
        assert service.run("select count(*) from storage.objects") == [[0]]
        assert refused(service, "insert into storage.objects (bucket_id, name) values ('b', 'x')")[0] == "42501"
        assert refused(service, "select * from storage.work")[0] == "42501"
        assert refused(service, "select * from storage.installation")[0] == "42501"
    assert service.run("select count(*) from pg_policy where polrelid::regclass::text like 'storage.%'") == [[0]]
    assert (
        service.run(
            "select relname from pg_class"
            " where relnamespace = 'storage'::regnamespace and relkind = 'r' and not relrowsecurity"
        )
        == []
    )


@pytest.mark.parametrize("relation", ["buckets", "objects"])
def test_rows_cannot_be_deleted_by_plain_sql(service, relation: str) -> None:
    message = "Direct deletion from storage tables is not allowed. Use the Storage API instead."
    assert refused(service, f"delete from storage.{relation}") == ("42501", message)
    service.run("set local storage.allow_delete_query = 'true'")
    service.run("delete from storage.objects")
    service.run("delete from storage.buckets")


def test_bytes_without_a_row_are_listed(service) -> None:
    listed = (
        "select kind, bucket_id, name, version, attempts, due_at <= clock_timestamp() from storage.work order by id"
    )
    assert service.run(listed) == []
    service.run("update storage.objects set metadata = '{}', user_metadata = '{}'")
    service.run("insert into storage.objects (bucket_id, name) values ('b', 'without bytes')")
    assert service.run(listed) == []
    service.run("update storage.objects set version = 'v2' where version = 'v1'")
    service.run("update storage.objects set version = 'v3', name = 'moved' where version = 'v2'")
    service.run("set local storage.allow_delete_query = 'true'")
    service.run("delete from storage.objects")
    assert service.run(listed) == [
        ["delete_blob", "b", "a/b/c.tar.gz", "v1", 0, True],
        ["delete_blob", "b", "a/b/c.tar.gz", "v2", 0, True],
        ["delete_blob", "b", "moved", "v3", 0, True],
    ]


def test_bytes_are_listed_for_deletions_of_any_role(service) -> None:
    service.run("reset role; create policy all_of_it on storage.objects using (true); set local role anon")
    service.run("set local storage.allow_delete_query = 'true'")
    service.run("delete from storage.objects")
    service.run("set local role service_role")
    assert service.run("select version from storage.work") == [["v1"]]


def test_other_tables_cannot_list_bytes(installed: str, postgres: PostgresServer, session: Session) -> None:
    forger = "create table mine (bucket_id text, name text, version text)"
    trigger = "create trigger mine after delete on mine for each row execute function storage.list_replaced_blob()"
    owner = session(installed)
    owner.run("create schema mine authorization authenticated; set role authenticated; set search_path to mine")
    owner.run(forger)
    assert refused_now(owner, trigger) == "42501"
    # Not even for roles that may execute it.
    owner.run("reset role")
    owner.run(trigger)
    owner.run("insert into mine values ('b', 'n', 'of a victim')")
    assert refused_now(owner, "delete from mine") == "42501"
    assert owner.run("select count(*) from storage.work where version = 'of a victim'") == [[0]]


def test_security_definer_functions_are_not_public(installed: str, session: Session) -> None:
    theirs = (
        "select p.oid::regprocedure::text from pg_proc p join pg_namespace n on n.oid = p.pronamespace"
        " where n.nspname in ('graphql', 'auth', 'storage') and p.prosecdef and {}"
    )
    asker = session(installed)
    assert len(asker.run(theirs.format("true"))) == 8
    assert asker.run(theirs.format("has_function_privilege('anon', p.oid, 'execute')")) == []
    assert asker.run(theirs.format("not 'search_path=pg_catalog, pg_temp' = any (coalesce(p.proconfig, '{}'))")) == []


def refused_now(session, sql: str) -> str:
    with pytest.raises(pg8000.exceptions.DatabaseError) as caught:
        session.run(sql)
    return caught.value.args[0]["C"]


def test_only_the_service_may_set_the_bytes_of_an_object(service) -> None:
    service.run("reset role; create policy all_of_it on storage.objects using (true); set local role anon")
    for sql in (
        "insert into storage.objects (bucket_id, name, version) values ('b', 'mine', 'v1')",
        "update storage.objects set version = 'of another object'",
        "update storage.objects set version = null",
        "insert into storage.objects (bucket_id, name) values ('b', 'a/b/c.tar.gz')"
        " on conflict (bucket_id, name) do update set version = 'of another object'",
    ):
        assert refused(service, sql) == ("42501", "Only the storage API says which bytes an object has.")
    service.run("insert into storage.objects (bucket_id, name) values ('b', 'mine')")
    service.run("update storage.objects set version = version, metadata = '{}'")
    service.run("reset role")
    service.run("update storage.objects set version = 'v2' where name = 'mine'")


def test_the_work_list_refuses_incomplete_entries(service) -> None:
    entry = "insert into storage.work (kind, bucket_id, name, version, event) values "
    service.run(entry + "('post_event', 'b', 'n', null, '{}')")
    for half in (
        "('delete_blob', 'b', 'n', null, null)",
        "('post_event', 'b', 'n', 'v', null)",
        "('x', 'b', 'n', 'v', '{}')",
    ):
        assert refused(service, entry + half)[0] == "23514"


def test_times_of_change_are_maintained(service) -> None:
    service.run("update storage.objects set updated_at = 'epoch', last_accessed_at = 'epoch'")
    service.run("update storage.buckets set updated_at = 'epoch'")
    changed = "select updated_at > '2000-01-01' from storage."
    service.run("update storage.objects set last_accessed_at = now()")
    assert service.run(changed + "objects") == [[False]]
    service.run("update storage.objects set metadata = '{}'")
    service.run("update storage.buckets set public = true")
    assert service.run(changed + "objects") == [[True]]
    assert service.run(changed + "buckets") == [[True]]


def test_names_of_buckets_are_checked(service) -> None:
    service.run("insert into storage.buckets (id, name) values ('long', repeat('x', 100))")
    assert refused(service, "insert into storage.buckets (id, name) values ('longer', repeat('x', 101))")[0] == "22001"
    assert refused(service, "update storage.buckets set name = repeat('x', 101)")[0] == "22001"
    assert refused(service, "insert into storage.buckets (id, name) values ('other', 'b')")[0] == "23505"
    assert refused(service, "update storage.buckets set versioning_status = 'OTHER'")[0] == "23514"
    assert service.run("select type::text, versioning_status, public from storage.buckets where id = 'b'") == [
        ["STANDARD", "DISABLED", False]
    ]


def test_constraints_of_objects_hold(service) -> None:
    assert service.run("select path_tokens from storage.objects") == [[["a", "b", "c.tar.gz"]]]
    assert refused(service, "insert into storage.objects (bucket_id, name) values ('b', 'a/b/c.tar.gz')")[0] == "23505"
    assert refused(service, "insert into storage.objects (bucket_id, name) values ('nowhere', 'x')")[0] == "23503"
    service.run("update storage.objects set metadata = '{\"size\": 7}'")
    assert service.run("select bucket_id, size from storage.get_size_by_bucket()") == [["b", 7]]
    trial = "select storage.can_insert_object('b', :n, null, null)"
    service.run("savepoint s")
    with pytest.raises(pg8000.exceptions.DatabaseError, match="PT200"):
        service.run(trial, n="fresh")
    service.run("rollback to s")
    with pytest.raises(pg8000.exceptions.DatabaseError, match="23505"):
        service.run(trial, n="a/b/c.tar.gz")


@pytest.mark.parametrize(
    ("query", "index"),
    [
        (
            "bucket_id = 'b' and name collate \"C\" >= 'f7/' order by name collate \"C\" limit 10",
            "idx_objects_bucket_id_name",
        ),
        (
            "bucket_id = 'b' and lower(name) collate \"C\" >= 'f7/' order by lower(name) collate \"C\" limit 10",
            "idx_objects_bucket_id_name_lower",
        ),
    ],
)
def test_listing_has_an_index(service, query: str, index: str) -> None:
    service.run(
        "insert into storage.objects (bucket_id, name)"
        " select 'b', 'f' || n % 50 || '/' || n from generate_series(1, 3000) n"
    )
    service.run(
        "reset role; analyze storage.objects; set local enable_seqscan = off; set local enable_bitmapscan = off"
    )
    plan = " ".join(row[0] for row in service.run(f"explain select name from storage.objects where {query}"))
    assert index in plan
    assert "Sort" not in plan


def test_existing_storage_tables_are_adopted(database_url: str, session: Session) -> None:
    owner = session(database_url)
    owner.run(
        """
        create schema storage;
        create table storage.buckets (id text primary key, name text not null, owner uuid,
          created_at timestamptz default now(), updated_at timestamptz default now(), public boolean default false);
        create table storage.objects (id uuid primary key default gen_random_uuid(),
          bucket_id text references storage.buckets, name text, owner uuid,
          created_at timestamptz default now(), updated_at timestamptz default now(),
          last_accessed_at timestamptz default now(), metadata jsonb,
          path_tokens text[] generated always as (string_to_array(name, '/')) stored);
        alter table storage.buckets enable row level security;
        alter table storage.objects enable row level security;
        insert into storage.buckets (id, name) values ('old', 'old');
        insert into storage.objects (bucket_id, name) values ('old', 'a'), ('old', 'b');
        """
    )
    install(database_url)
    columns = "select count(*) from pg_attribute where attnum > 0 and attrelid = 'storage.%s'::regclass"
    assert owner.run("select count(*) from storage.objects where version is null and not is_versioned") == [[2]]
    assert owner.run(columns % "objects") == [[16]]
    assert owner.run(
        "insert into storage.objects (bucket_id, name, version, owner_id, user_metadata)"
        " values ('old', 'c', 'v', 'me', '{}') returning path_tokens"
    ) == [[["c"]]]
    assert refused_delete(owner)


def refused_delete(owner) -> bool:
    with pytest.raises(pg8000.exceptions.DatabaseError, match="Direct deletion"):
        owner.run("delete from storage.objects")
    return True
