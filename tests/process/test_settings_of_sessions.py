"""Settings of a database, the login and a role of the API change no answer, except by what docs/roles-and-policies.md
says they are for.

All settings that PostgreSQL lets one of the three have are tried with unusual values, many at once; a difference is
narrowed down to the setting that causes it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any
from urllib.parse import quote

import pytest

from app.database.url.url import parse_database_url
from app.installation.scripts import install_script
from app.installation.version import VERSION
from tests.graphql.conftest import ROLES
from tests.postgres_server import PostgresServer, connect
from tests.process.running import PATIENCE_S, until
from tests.storage.service import Service, running, token

MINIMUM_FOR_STORAGE = 140_000
LOGIN = "settings_login"
SCHEMA = f"""
do $$ begin
  if to_regrole('{LOGIN}') is null then create role {LOGIN} login superuser; end if;
end $$;
create type place as (x float8, name text);
create type mood as enum ('sad', 'glad');
create table reading (k float8 primary key, v float4, n numeric(9, 3), i interval, at timestamptz, day date, b bytea,
  j json, jb jsonb, list float8[], names text[], during tstzrange, spot place, mood mood, "Order" text);
comment on table reading is '@graphql({{"totalCount": {{"enabled": true}}, "aggregate": {{"enabled": true}}}})';
insert into reading values
  (0.1, 0.1, 1.5, '1 year 2 days 03:04:05.6', '2024-01-02 03:04:05.678+00', '2024-02-01', '\\x00ff5c', '{{"a": 0.10}}',
   '{{"a": 1.10}}', '{{0.30000000000000004,null}}', '{{a,null,"null"}}', '[2024-01-02 00:00+00,2024-01-03 00:00+00)',
   '(0.30000000000000004,"a b")', 'glad', 'ä'),
  (0.30000000000000004, 16777217, -2, '-1 day', '1999-12-31 23:59:59+00', '1999-12-31', '\\x41', 'null', '[]', '{{}}',
   '{{}}', '(,)', null, 'sad', E'back\\\\slash'),
  (0.5, 3.4028235e38, null, '-00:00:01', 'infinity', '0044-03-15 BC', '', '[1e3]', '1e3', null, null, 'empty', '(,)',
   null, null);
create table guarded (id int primary key, owner text);
alter table guarded enable row level security;
create policy own on guarded using (owner is null);
insert into guarded values (1, null), (2, 'x');
create index on reading using gin (names);
create function shifted(reading) returns float8 language sql stable as 'select $1.k + 0.1';
grant all on reading, guarded to anon, service_role;
"""

OPERATORS = {
    "timezone": "the zone that times are printed in",
    "intervalstyle": "how intervals are printed",
    "bytea_output": "how bytea is printed",
    "datestyle": "the order of day and month that is read",
    "lc_monetary": "how money is printed",
    "xmlbinary": "how functions put bytea into XML",
    "default_transaction_read_only": "no writes",
    "restrict_nonsystem_relation_kind": "no views",
    "session_replication_role": "no triggers and no foreign keys",
    "statement_timeout": "a limit of time",
    "lock_timeout": "a limit of time",
    "transaction_timeout": "a limit of time",
    "idle_in_transaction_session_timeout": "a limit of time",
    "idle_session_timeout": "a limit of time",
    "temp_file_limit": "a limit of space",
    "max_stack_depth": "a limit of space",
}
"""Settings that mean to change what is answered."""
UNTRIED = {
    "transaction_isolation", "transaction_read_only", "transaction_deferrable", "seed",  # of a transaction
    "client_encoding", "session_authorization", "role",  # the next test has these
    "post_auth_delay",  # waits
    "geqo_pool_size", "geqo_generations", "commit_delay",  # takes as long as they say
    "log_min_messages", "log_min_error_statement", "trace_sort", "trace_notify",  # fill the server's log
    "temp_buffers",  # more memory than there is
    "tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_keepalives_count", "tcp_user_timeout",
    "client_connection_check_interval",  # refused for sockets of other kinds
    "application_name",
    "wal_consistency_checking", "allow_system_table_mods", "ignore_system_indexes",
}  # fmt: skip
TEXTS = {
    "search_path": ("nowhere", "public, pg_catalog"),
    "default_text_search_config": ("pg_catalog.german",),
    "lc_messages": ("C",),
    "lc_numeric": ("C",),
    "lc_time": ("C",),
    "timezone_abbreviations": ("Australia",),
    "default_tablespace": ("pg_default",),
    "createrole_self_grant": ("set",),
}

PAGE = """query ($after: Cursor) {
  readingCollection(orderBy: [{v: DescNullsLast}, {k: AscNullsLast}], first: 1, after: $after) { totalCount
    pageInfo { hasNextPage endCursor }
    edges { cursor node { nodeId k v n i at day b j jb list names during mood Order shifted } } } }"""
FILTERS: tuple[dict[str, Any], ...] = (
    {"k": {"eq": 0.30000000000000004}}, {"v": {"gt": 1}}, {"k": {"in": [0.1, 0.5]}}, {"n": {"neq": "1.5"}},
    {"at": {"lt": "2024-01-02T00:00:00Z"}}, {"names": {"contains": ["a"]}}, {"Order": {"eq": "back\\slash"}},
    {"Order": {"ilike": "Ä"}}, {"k": {"is": "NOT_NULL"}}, {"day": {"eq": "1999-12-31"}},
)  # fmt: skip
WRITTEN = ("v", "n", "i", "at", "day", "b", "j", "jb", "list", "names", "during", "Order")
INSERT = "insertIntoreadingCollection(objects: %s) { records { k " + " ".join(WRITTEN) + " } }"
DELETE = "mutation { deleteFromreadingCollection(filter: {k: {eq: 7.1}}) { affectedCount } }"


@pytest.fixture(scope="module")
def service(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    installed = install_script(VERSION) if has_storage(postgres) else ROLES
    url = postgres.create_database(sql=installed + SCHEMA)
    with running(postgres, as_login(url), tmp_path_factory.mktemp("objects"), pool_size=2) as service:
        yield service
    postgres.drop_database(url)
    postgres.execute(f"alter role anon reset all; alter role {LOGIN} reset all")


def has_storage(postgres: PostgresServer) -> bool:
    return int(str(postgres.execute("show server_version_num")[0][0])) >= MINIMUM_FOR_STORAGE


def as_login(url: str) -> str:
    target = parse_database_url(url)
    return f"postgresql://{LOGIN}@/{quote(target.database)}?host={quote(target.host)}&port={target.port}"


class Probe:
    """Asks a service the same each time."""

    def __init__(self, service: Service, key: str = "anon") -> None:
        self.service = service
        self.credential = token(key)
        self.has_storage = has_storage(service.postgres)
        self.bucket = service.bucket() if self.has_storage else ""

    def renewed(self) -> None:
        """Make the service reconnect and read the catalog again."""
        name = parse_database_url(self.service.database_url).database
        ours = f"from pg_stat_activity where datname = '{name}' and usename = '{LOGIN}'"
        ended = [str(pid) for pid, _ in self.service.postgres.execute(f"select pid, pg_terminate_backend(pid) {ours}")]
        still = f"select from pg_stat_activity where pid in ({', '.join(['0', *ended])})"
        until(lambda: not self.service.postgres.execute(still))
        self.service.application.services.engine.schema_cache.reload()

    def answers(self) -> dict[str, Any]:
        """The answers, by request."""
        reported: dict[str, Any] = {"pages": self._pages()}
        for each in FILTERS:
            for name, document, variables in (
                ("literals", f"{{ found(filter: {literal(each)}) {{ edges {{ node {{ k }} }} }} }}", None),
                ("variables", "query ($f: readingFilter) { found(filter: $f) { edges { node { k } } } }", each),
            ):
                asked = document.replace("found(", "found: readingCollection(")
                reported[f"{name} {json.dumps(each)}"] = self._ask(asked, {"f": variables})
        for page in reported["pages"][:2] if "edges" in reported["pages"][-1] else ():
            node = page["edges"][0]["node"]
            reported[f"node {node['nodeId']}"] = self._ask(
                "query ($id: ID!) { node(nodeId: $id) { nodeId ... on reading { k v } } }", {"id": node["nodeId"]}
            )
            row = {"k": 7.1, **{name: node[name] for name in WRITTEN}}
            reported[f"insert {node['k']}"] = self._ask(f"mutation {{ {INSERT % literal([row])} }}")
            reported[f"delete {node['k']}"] = self._ask(DELETE)
            document = f"mutation ($rows: [readingInsertInput!]!) {{ {INSERT % '$rows'} }}"
            reported[f"insert by variables {node['k']}"] = self._ask(document, {"rows": [row]})
            reported[f"delete again {node['k']}"] = self._ask(DELETE)
        reported["policy"] = self._ask("{ guardedCollection { edges { node { id } } } }")
        if self.has_storage:
            reported["storage"] = self._storage()
        return reported

    def _pages(self) -> list[Any]:
        pages, after = [], None
        while len(pages) < 6:
            answer = self._ask(PAGE, {"after": after})
            page = (answer.get("data") or {}).get("readingCollection")
            if page is None:
                return [*pages, answer]
            pages.append(page)
            if not page["pageInfo"]["hasNextPage"]:
                break
            after = page["pageInfo"]["endCursor"]
        return pages

    def _ask(self, document: str, variables: Any = None) -> Any:
        body = {"query": document, "variables": variables}
        answer = self.service.post("/graphql/v1", self.credential, json=body, headers={"apiKey": self.credential})
        return answer.json()

    def _storage(self) -> list[Any]:
        service, path = self.service, f"{self.bucket}/a/ö.txt"
        put = service.upload(path, b"bytes", x_upsert="true").status_code
        listed = service.post(f"/object/list/{self.bucket}", json={"prefix": "a", "limit": 5}).json()
        return [put, service.get(f"/object/{path}").content, [each["name"] for each in listed]]


def literal(value: Any) -> str:
    """A value as a constant of GraphQL."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {literal(each)}" for name, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    return "NOT_NULL" if value == "NOT_NULL" else json.dumps(value)


Setting = tuple[str, str]
_VALUES = """
select name, vartype, setting, min_val, max_val, array_to_json(enumvals)::text, context from pg_settings
where context in ('user', 'superuser', 'superuser-backend', 'backend')"""


def unusual(postgres: PostgresServer, *, only_users: bool) -> list[list[Setting]]:
    """Rounds of settings: each has every setting once, with one of its unusual values."""
    rounds: list[list[Setting]] = [[] for _ in range(4)]
    for name, kind, now, least, most, named, context in postgres.execute(_VALUES):
        folded = str(name).lower()
        if folded in OPERATORS or folded in UNTRIED or str(context).endswith("backend"):
            continue
        if only_users and context != "user":
            continue
        values: Sequence[str] = TEXTS.get(folded, ())
        if kind == "bool":
            values = ["off" if now == "on" else "on"]
        elif kind == "enum":
            values = [each for each in json.loads(str(named)) if each != now]
        elif kind in ("integer", "real"):
            values = [str(each) for each in (least, most) if each != now]
        for number, value in enumerate(values[-4:]):
            rounds[number].append((str(name), value))
    return [each for each in rounds if each]


PLACES = ("alter database {database}", f"alter role {LOGIN}", "alter role anon in database {database}")


@pytest.mark.parametrize("place", PLACES, ids=["database", "login", "role"])
def test_no_setting_changes_an_answer(service: Service, postgres: PostgresServer, place: str) -> None:
    probe = Probe(service)
    name = parse_database_url(service.database_url).database
    alter = place.format(database=f'"{name}"')

    def differs(settings: Sequence[Setting]) -> list[str]:
        """How the answers differ while the settings are there."""
        commands = [f"{alter} set {each} = {quoted(value, each)}" for each, value in settings]
        try:
            # A separate command for each: some values exclude each other only once they are in force.
            for command in commands:
                postgres.execute(command)
            probe.renewed()
            reported = probe.answers()
        finally:
            postgres.execute(f"{alter} reset all")
        return [
            f"{key}: {reported.get(key)} instead of {usual[key]}" for key in usual if reported.get(key) != usual[key]
        ]

    def culprits(settings: Sequence[Setting]) -> list[str]:
        """Those of the settings that change an answer."""
        found = differs(settings)
        if not found or len(settings) == 1:
            return [f"{settings[0]}: {found[0][:600]}"] if found else []
        half = len(settings) // 2
        return [*culprits(settings[:half]), *culprits(settings[half:])]

    probe.renewed()
    usual = probe.answers()
    assert [each for each in usual.values() if "'errors'" in str(each)] == []
    assert [page["edges"][0]["node"]["k"] for page in usual["pages"]] == [0.5, 0.30000000000000004, 0.1]
    for settings in unusual(postgres, only_users="role anon" in place):
        assert culprits(settings) == []


def quoted(value: str, name: str) -> str:
    # A list of names is a list, not a name.
    return value if name == "search_path" else "'" + value.replace("'", "''") + "'"


@pytest.mark.parametrize(
    "settings",
    [
        ("intervalstyle = 'sql_standard'", "bytea_output = 'escape'", "timezone = 'Asia/Kolkata'"),
        ("intervalstyle = 'iso_8601'", "datestyle = 'german, dmy'", "timezone = 'America/New_York'"),
    ],
)
@pytest.mark.parametrize("place", PLACES, ids=["database", "login", "role"])
def test_values_printed_under_any_setting_are_read_back(
    service: Service, postgres: PostgresServer, place: str, settings: Sequence[str]
) -> None:
    probe = Probe(service)
    alter = place.format(database=f'"{parse_database_url(service.database_url).database}"')
    try:
        for each in settings:
            postgres.execute(f"{alter} set {each}")
        probe.renewed()
        reported = probe.answers()
    finally:
        postgres.execute(f"{alter} reset all")
    assert [page["edges"][0]["node"]["k"] for page in reported["pages"]] == [0.5, 0.30000000000000004, 0.1]
    for page in reported["pages"][:2]:
        node = page["edges"][0]["node"]
        for kind in ("insert", "insert by variables"):
            (row,) = reported[f"{kind} {node['k']}"]["data"]["insertIntoreadingCollection"]["records"]
            assert {name: row[name] for name in WRITTEN} == {name: node[name] for name in WRITTEN}


def test_limits_of_the_database_do_not_prevent_reading_the_catalog(service: Service, postgres: PostgresServer) -> None:
    probe = Probe(service)
    alter = f'alter database "{parse_database_url(service.database_url).database}"'
    schema_cache = service.application.services.engine.schema_cache
    try:
        postgres.execute(f"{alter} set statement_timeout = '20ms'; {alter} set lock_timeout = '1ms'")
        probe.renewed()
        # A table that is locked, which reading its definition waits for
        with closing(connect(service.database_url)) as locking:
            # Both limits are meant for others: it waits until no one reads the table.
            locking.execute_simple("set lock_timeout = 0; set statement_timeout = 0")
            locking.execute_simple("begin; lock pg_catalog.pg_proc in access exclusive mode")
            with ThreadPoolExecutor(1) as threads:
                reading = threads.submit(schema_cache.reload)
                with pytest.raises(TimeoutError):
                    reading.result(0.3)
                locking.execute_simple("commit")
                assert reading.result(PATIENCE_S).relations
        assert (
            service.application.services.engine.database.read("select current_setting('statement_timeout')") == b"5min"
        )
    finally:
        postgres.execute(f"{alter} reset all")
        probe.renewed()
