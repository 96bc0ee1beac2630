from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from app.database import Context, ContextBuilder, Database
from app.identity import Caller
from tests.database.proxy import Proxy
from tests.postgres_server import PostgresServer

READER, WRITER = "wire_reader", "wire_writer"

ROLES = f"""
do $$ begin
  if to_regrole('{READER}') is null then create role {READER}; end if;
  if to_regrole('{WRITER}') is null then create role {WRITER}; end if;
end $$;
"""
SCHEMA = f"""
create table note (id int primary key, owner text not null, body text);
alter table note enable row level security;
create policy own on note using (owner = current_setting('request.jwt.claim.sub', true));
insert into note select g, 'user' || g % 3, 'note ' || g from generate_series(0, 29) g;
create table entry (id int generated always as identity, body text unique deferrable initially deferred);
grant select on note to {READER}, {WRITER};
grant select, insert on entry to {WRITER};
"""


@dataclass
class DatabaseOptions:
    database_url: str
    pool_size: int = 2
    pool_timeout_s: float = 60.0
    prepared_statements: bool = True
    prepared_statement_limit: int = 200
    statement_timeout_ms: int = 30_000
    database_margin_s: float = 60.0
    database_read_urls: Sequence[str] = ()
    service_database_url: str | None = None
    read_max_lag_s: float = 5.0


MakeDatabase = Callable[..., Database]


@pytest.fixture
def make_database() -> Iterator[MakeDatabase]:
    made: list[Database] = []

    def make(url: str, **options: Any) -> Database:
        made.append(Database(DatabaseOptions(url, **options)))
        return made[-1]

    yield make
    for database in made:
        database.close()


@pytest.fixture(scope="module")
def shared_url(postgres: PostgresServer) -> Iterator[str]:
    yield from _made(postgres)


@pytest.fixture
def url(postgres: PostgresServer, shared_url: str) -> str:
    """A database with a few tables and two roles that see it differently. ``entry`` is empty; no DDL, please."""
    postgres.execute("truncate entry restart identity", shared_url)
    return shared_url


@pytest.fixture
def own_url(postgres: PostgresServer) -> Iterator[str]:
    """The same as ``url``, for a test that changes the schema."""
    yield from _made(postgres)


def _made(postgres: PostgresServer) -> Iterator[str]:
    postgres.execute(ROLES)
    made = postgres.create_database(sql=SCHEMA)
    yield made
    postgres.drop_database(made)


@pytest.fixture
def database(url: str, make_database: MakeDatabase) -> Database:
    return make_database(url)


@pytest.fixture
def proxy(url: str) -> Iterator[Proxy]:
    made = Proxy(url)
    yield made
    made.close()


@pytest.fixture
def contexts() -> ContextBuilder:
    return ContextBuilder(statement_timeout_ms=30_000)


@pytest.fixture
def as_role(contexts: ContextBuilder) -> Callable[..., Context]:
    def build(role: str, /, **claims: Any) -> Context:
        return contexts.build(Caller.of(claims, default_role=role), method="POST", path="/graphql/v1")

    return build
