"""The databases and services that a siege attacks. The services use a login that is not a superuser."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

from app.embedded.cluster import EmbeddedPostgres
from app.installation.scripts import install_script
from app.installation.version import VERSION
from bench.service import serving, workers_of
from bench.siege.client import ANON, S3_KEY, S3_SECRET, SECRET, SERVICE, Address, Answer, ask, graphql
from tests.postgres_server import PostgresServer

WORKERS, THREADS = 2, 4
PROBE_QUERY = "{ itemCollection(first: 1) { edges { node { id } } } }"
STATEMENT_TIMEOUT_S, CLIENT_TIMEOUT_S, CONNECTIONS, WAITING = 4, 2, 100, 20
SETTINGS = {
    "JWT_SECRET": SECRET,
    "ANON_KEY": ANON,
    "SERVICE_ROLE_KEY": SERVICE,
    "S3_PROTOCOL_ACCESS_KEY_ID": S3_KEY,
    "S3_PROTOCOL_ACCESS_KEY_SECRET": S3_SECRET,
    "STATEMENT_TIMEOUT_MS": str(STATEMENT_TIMEOUT_S * 1000),
    "DATABASE_MARGIN_S": "1",
    "POOL_TIMEOUT_S": "2",
    "HEADER_TIMEOUT_S": str(CLIENT_TIMEOUT_S),
    "BODY_TIMEOUT_S": str(CLIENT_TIMEOUT_S),
    "SEND_TIMEOUT_S": str(CLIENT_TIMEOUT_S),
    "CONNECTION_LIMIT": str(CONNECTIONS),
    "WAITING_LIMIT": str(WAITING),
    "SHUTDOWN_GRACE_S": "1",
    "TRANSFER_SPACE": "400M",
}
"""The limits are lower than the defaults, so that attacks reach them quickly."""

SCHEMA = """
create table item (id bigint generated always as identity primary key, name text, rank int, tags text[]);
insert into item (name, rank) select 'item ' || n, n % 7 from generate_series(1, 500) n;
create table note (id int primary key, owner text not null, body text not null);
insert into note select n, 'user ' || n % 20, 'of user ' || n % 20 from generate_series(1, 400) n;
alter table note enable row level security;
create policy own on note using (owner = auth.jwt() ->> 'sub') with check (owner = auth.jwt() ->> 'sub');
create table entry (id bigint generated always as identity primary key, number int not null);
create function slow(seconds float8) returns text language sql volatile as $$ select pg_sleep(seconds)::text $$;
create function spoil() returns text language sql volatile as
  $$ select set_config('default_transaction_read_only', 'on', false) || set_config('search_path', 'nowhere', false)
    || set_config('default_transaction_isolation', 'serializable', false) $$;
create function replace_prepared() returns void language plpgsql as $$ declare each record; begin
  for each in select name, parameter_types from pg_prepared_statements loop
    execute format('deallocate %I', each.name);
    execute format('prepare %I %s as select set_config(''app.stolen'', current_user, false)', each.name,
                   nullif('(' || array_to_string(each.parameter_types, ', ') || ')', '()'));
  end loop; end $$;
create function state() returns text language sql stable as
  $$ select concat_ws(' ', current_setting('transaction_read_only'), current_setting('search_path'),
    current_setting('transaction_isolation'), current_setting('app.stolen', true)) $$;
create function claims_seen() returns text language sql stable as
  $$ select concat_ws(' ', current_setting('request.headers', true), current_setting('request.jwt', true),
    current_setting('request.jwt.claims', true)) $$;
create table unseen (item_id bigint constraint unseen_item references item);
insert into unseen select id from item where id <= 100;
revoke all on unseen from anon, authenticated;
grant usage on schema public to anon, authenticated;
grant select, insert, update, delete on item, note, entry to anon, authenticated;
grant execute on function slow, spoil, replace_prepared, state, claims_seen to anon;
"""


def with_plugins(site: Path) -> dict[str, str]:
    """The variables with which a service also finds the distributions in a folder."""
    return {"PYTHONPATH": os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH", ""))))}


@dataclass(frozen=True)
class Besieged:
    """A running service. ``database_url`` is that of a superuser; ``folder`` has the bytes of its objects."""

    address: Address
    pid: int
    database_url: str
    folder: Path
    server: PostgresServer

    def ask(self, method: str, path: str, *more: Any, **headers: Any) -> Answer:
        """One request, by default to the storage as service_role."""
        return ask(self.address, method, path, *more, **headers)

    def graphql(self, query: str, *more: Any, **options: Any) -> Answer:
        """One GraphQL request, by default as anon."""
        return graphql(self.address, query, *more, **options)

    def sql(self, statements: str) -> list[list[Any]]:
        """Query the database as its superuser."""
        return self.server.execute(statements, self.database_url)

    def bucket(self, **settings: Any) -> str:
        """Create a bucket and return its name."""
        name = f"b{secrets.token_hex(6)}"
        answer = self.ask("POST", "/bucket", {"name": name, **settings})
        assert answer.status == 200, answer
        return name

    def is_responsive(self, within_s: float = 5.0) -> bool:
        """Whether a simple query is answered within ``within_s`` seconds."""
        answer = self.graphql(PROBE_QUERY, patience_s=within_s)
        return answer.status == 200 and b'"errors"' not in answer.body

    def cpu_s(self) -> float:
        """The CPU time that the workers have used, in seconds."""
        ticks = 0
        for pid in self.workers():
            with suppress(OSError):
                ticks += sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def memory(self) -> int:
        """The resident memory of the largest worker, in bytes."""
        pages = [int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in self.workers()]
        return max(pages) * os.sysconf("SC_PAGE_SIZE")

    def workers(self) -> list[int]:
        return workers_of(self.pid)


class Grounds:
    """A PostgreSQL server, on which attacks create databases and start services."""

    def __init__(self, server: PostgresServer, place: Path, cluster: EmbeddedPostgres | None, stack: ExitStack) -> None:
        self.server, self.place, self.cluster = server, place, cluster
        self._stack = stack
        self.login = f"siege_{secrets.token_hex(4)}"
        self._password = secrets.token_hex(16)
        server.execute(f"create role {self.login} login noinherit password '{self._password}'")

    @cached_property
    def service(self) -> Besieged:
        """The service that most attacks share."""
        return self._stack.enter_context(self.serving())

    def database(self, sql: str = SCHEMA) -> str:
        """Create a database with Portico installed and ``sql`` applied. Returns its URL for a superuser."""
        return self.server.create_database(
            sql=install_script(VERSION) + f";grant anon, authenticated, service_role to {self.login};" + sql
        )

    def login_url(self, database_url: str) -> str:
        """The URL of the same database for the service's login, which is not a superuser."""
        parts = urlsplit(database_url)
        credentials = f"{self.login}:{quote(self._password)}"
        return urlunsplit(parts._replace(netloc=f"{credentials}@{parts.netloc.rpartition('@')[2]}"))

    @contextmanager
    def serving(
        self, database_url: str | None = None, through: str | None = None, program: str = "app", **settings: str
    ) -> Iterator[Besieged]:
        """Runs ``portico serve`` on a database, by default a new one. The service connects to ``through`` if it is
        given, such as a proxy in front of the database."""
        database_url = database_url or self.database()
        folder = Path(tempfile.mkdtemp(dir=self.place))
        located = {"DATABASE_URL": through or self.login_url(database_url), "STORAGE_URL": folder.as_uri()}
        with serving(SETTINGS | located | settings, WORKERS, THREADS, program) as (address, pid):
            yield Besieged(address, pid, database_url, folder, self.server)
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def grounds(*, durable: bool = False) -> Iterator[Grounds]:
    """Yields the server of TEST_DATABASE_URL (as a superuser), or an embedded one. At the end, the databases and roles
    that were created on it are dropped.

    With ``durable``, an embedded server loses no committed transaction if it is killed, and is slower.
    """
    test_url = os.environ.get("TEST_DATABASE_URL")
    with tempfile.TemporaryDirectory(prefix="portico-siege-", ignore_cleanup_errors=True) as name, ExitStack() as stack:
        place = Path(name)
        place.chmod(0o755)
        cluster = (
            None
            if test_url
            else stack.enter_context(EmbeddedPostgres(place / "postgres", durable=durable, temporary=True))
        )
        server = PostgresServer(test_url or cluster.url())  # type: ignore[union-attr]
        created = Grounds(server, place, cluster, stack)
        if test_url:
            # An embedded server is deleted as a whole, and an attack may have stopped it.
            stack.callback(server.execute, f"drop role {created.login}")
            stack.callback(server.close)
        yield created
