"""pg_dump and restore: everything is as it was, and no role has more rights than before."""

from __future__ import annotations

import re
import subprocess

import pytest

from app.installation.install import install
from tests.installation.catalog import describe
from tests.installation.conftest import Session, show_files
from tests.postgres_server import PostgresServer
from tests.servers import own_programs


def run(program: str, *arguments: str, sql: str | None = None) -> str:
    path = own_programs() / program
    if not path.exists():
        pytest.skip(f"needs the program {program} of the server's version")
    finished = subprocess.run(
        [str(path), "--no-psqlrc", *arguments] if program == "psql" else [str(path), *arguments],
        input=sql, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert finished.returncode == 0, finished.stderr
    return re.sub(r"^\\(un)?restrict .*\n", "", finished.stdout, flags=re.M)


@pytest.mark.parametrize("as_extension", [True, False])
def test_a_restored_dump_works(fresh_server: PostgresServer, files, session: Session, as_extension: bool) -> None:
    urls = [fresh_server.create_database(), fresh_server.create_database()]
    for url in urls:
        show_files(fresh_server, url, files)
    owner = session(urls[0])
    owner.run("create table note (id int generated always as identity primary key, body text)")
    owner.run("create table secret (id int)")
    owner.run("alter table note enable row level security; alter table secret enable row level security")
    owner.run("create function f(int default 3) returns int language sql as 'select 1'")
    install(urls[0], as_extension=as_extension)
    owner.run("revoke all on secret from anon, authenticated")
    owner.run("revoke insert on storage.objects from anon")
    owner.run("create policy p on storage.objects using ((storage.foldername(name))[1] = auth.uid()::text)")
    owner.run("insert into storage.buckets (id, name) values ('b', 'b')")
    owner.run("insert into storage.objects (bucket_id, name, version) values ('b', 'n', 'v')")
    if as_extension:
        owner.run("drop extension portico")
        owner.run("create extension portico")
    dump = run("pg_dump", urls[0])
    assert "GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.note TO anon;" in dump
    assert "public.secret TO anon" not in dump

    run("psql", "--quiet", "--variable=ON_ERROR_STOP=1", urls[1], sql=dump)
    restored = session(urls[1])
    assert run("pg_dump", urls[1]) == dump
    assert describe(restored) == describe(owner)
    assert restored.run("select * from graphql.missing") == []
    assert install(urls[1]).problems == ()
    assert describe(restored) == describe(owner)
    assert restored.run("select has_table_privilege('anon', 'secret', 'select')") == [[False]]
    before = restored.run("select graphql.schema_version()")[0][0]
    restored.run("create table more (id int)")
    assert restored.run("select graphql.schema_version()")[0][0] > before
    for url in urls:
        fresh_server.drop_database(url)
