"""Two logins: that of callers cannot become service_role, and both together serve everything."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from app.database.url.url import parse_database_url
from app.hooks import hookimpl
from app.installation.install import InstallationError, install, make_logins
from app.installation.logins import Login, url_of
from app.storage.upkeep.events import EventReceiver, ObjectEvent
from tests.installation.test_hardening import examined
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S
from tests.storage.service import ANON, SERVICE, Service, running, token

SQL = """
create table note (id int primary key, owner text);
alter table note enable row level security;
create policy own on note using (owner = auth.jwt() ->> 'sub');
insert into note values (1, 'ada'), (2, 'ben');
create function injected(command text) returns text language plpgsql as $$
begin
  execute command;
  return current_user;
end $$;
create function peeked(command text) returns int language plpgsql as $$
begin
  execute command;
  return (select count(*) from note);
end $$;
create function replaced() returns int language plpgsql as $$
declare
  each record;
  count int := 0;
begin
  for each in select name, parameter_types from pg_prepared_statements loop
    execute format('deallocate %I', each.name);
    execute format('prepare %I %s as select null', each.name,
                   nullif('(' || array_to_string(each.parameter_types, ', ') || ')', '()'));
    count := count + 1;
  end loop;
  return count;
end $$;
create policy all_of_it on storage.objects using (true) with check (true);
"""
ATTEMPTS = (
    "set local role service_role",
    "set role service_role",
    "select set_config('role', 'service_role', true)",
    "reset role; set role service_role",
    "set session authorization default; set role service_role",
    "set session authorization service_role",
)


@dataclass(frozen=True)
class Pair:
    owner: str
    callers: str
    service: str


class Receiver:
    def __init__(self) -> None:
        self.events: list[ObjectEvent] = []
        self.came = threading.Event()

    @hookimpl
    def object_event_receivers(self) -> list[EventReceiver]:
        return [EventReceiver("test", self.receive)]

    def receive(self, event: ObjectEvent) -> None:
        self.events.append(event)
        self.came.set()


@pytest.fixture
def pair(postgres: PostgresServer, database_url: str) -> Iterator[Pair]:
    install(database_url)
    postgres.execute(SQL, database_url)
    made = make_logins(database_url, "two", ("anon", "authenticated", "service_role"))
    try:
        yield Pair(database_url, made.database_url, made.service_database_url)
    finally:
        database = parse_database_url(database_url).database
        postgres.execute(f'revoke connect on database "{database}" from two_api, two_service')
        postgres.execute("drop role two_api, two_service")


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


@pytest.fixture
def service(postgres: PostgresServer, pair: Pair, receiver: Receiver, tmp_path: Path) -> Iterator[Service]:
    plugins = {"receiver": receiver}
    settings = {"service_database_url": pair.service, "shutdown_grace_s": 0.1}
    with running(postgres, pair.callers, tmp_path, plugins=plugins, **settings) as service:
        yield service


def ask(service: Service, query: str, credential: str, **variables: object) -> dict:
    body = {"query": query, "variables": variables}
    return service.post("/graphql/v1", credential, headers={"apikey": ANON}, json=body).json()


INJECTED = "mutation ($command: String!) { injected(command: $command) }"


@pytest.mark.parametrize("command", ATTEMPTS)
def test_no_code_of_a_caller_reaches_service_role(service: Service, command: str) -> None:
    for credential in (ANON, token("authenticated", sub="ada")):
        answer = ask(service, INJECTED, credential, command=command)
        assert (answer.get("data") or {}).get("injected") != "service_role", answer
        assert answer["errors"][0]["extensions"]["sqlstate"] in ("42501", "0A000", "22023"), answer
    # By way of what the function leaves behind.
    assert ask(service, "{ noteCollection { edges { node { id } } } }", ANON)["data"]["noteCollection"]["edges"] == []


AS_ADA = """select set_config('request.jwt.claims', '{"sub": "ada"}', true); set local role authenticated"""
PEEKED = "mutation ($command: String!) { peeked(command: $command) }"


def test_two_logins_do_not_separate_other_roles(service: Service) -> None:
    """As docs/security.md says: the roles and the claims of other callers can be had by code in a function."""
    assert ask(service, PEEKED, ANON, command="select")["data"]["peeked"] == 0
    assert ask(service, PEEKED, ANON, command=AS_ADA)["data"]["peeked"] == 1
    assert ask(service, INJECTED, ANON, command="set local role authenticated")["data"]["injected"] == "authenticated"


def test_statements_that_a_function_replaces_are_those_of_its_connection(service: Service, pair: Pair) -> None:
    query = "{ noteCollection { edges { node { id } } } }"
    for _ in range(3):
        right = ask(service, query, SERVICE)
    assert len(right["data"]["noteCollection"]["edges"]) == 2
    assert ask(service, "mutation { replaced }", ANON)["data"]["replaced"] > 0
    for _ in range(10):
        assert ask(service, query, SERVICE) == right
    # Its own was replaced, too.
    assert ask(service, "mutation { replaced }", ANON) == {"data": {"replaced": None}}
    revoke = "revoke execute on function pg_catalog.pg_prepared_statement() from public"
    service.postgres.execute(revoke, pair.owner)
    answer = ask(service, PEEKED, ANON, command="select from pg_prepared_statements")
    assert answer["errors"][0]["extensions"]["sqlstate"] == "42501"


def test_each_role_has_its_connections(service: Service, pair: Pair) -> None:
    query = "{ noteCollection { edges { node { id } } } }"
    credentials = {"anon": ANON, "ada": token("authenticated", sub="ada"), "service": SERVICE}
    answers = {name: ask(service, query, credential) for name, credential in credentials.items()}
    seen = {name: len(answer["data"]["noteCollection"]["edges"]) for name, answer in answers.items()}
    assert seen == {"anon": 0, "ada": 1, "service": 2}
    of_both = "datname = current_database() and usename like 'two%'"
    asked = f"select distinct usename from pg_stat_activity where {of_both} order by 1"
    rows = service.postgres.execute(asked, pair.owner)
    assert rows == [["two_api"], ["two_service"]]


def test_the_storage_works_with_two_logins(service: Service, receiver: Receiver) -> None:
    bucket, other, public = service.bucket(), service.bucket(file_size_limit=3), service.bucket(public=True)
    user = token("authenticated", sub="ada")
    assert service.upload(f"{bucket}/a/one.txt", b"one", user).status_code == 200
    assert service.upload(f"{bucket}/a/one.txt", b"again", user).status_code == 400
    assert service.upload(f"{bucket}/a/one.txt", b"two", user, x_upsert="true").status_code == 200
    assert service.get(f"/object/authenticated/{bucket}/a/one.txt", user).text == "two"
    assert service.upload(f"{public}/p.txt", b"all", user).status_code == 200
    assert service.get(f"/object/public/{public}/p.txt", None).text == "all"
    assert service.get(f"/object/authenticated/{public}/p.txt", user).text == "all"
    assert service.get(f"/object/authenticated/{bucket}/none.txt", user).status_code == 400
    move = {"bucketId": bucket, "sourceKey": "a/one.txt", "destinationKey": "b.txt"}
    assert service.post("/object/move", user, json=move).status_code == 200
    over = {**move, "sourceKey": "b.txt", "destinationBucket": other}
    assert service.post("/object/move", user, json=over).status_code == 200
    assert service.upload(f"{bucket}/large.txt", b"large", user).status_code == 200
    refused = service.post("/object/move", user, json={**over, "sourceKey": "large.txt", "destinationKey": "l.txt"})
    assert refused.status_code == 400
    assert "too large" in refused.text.lower() or "exceeded" in refused.text.lower(), refused.text
    assert service.delete(f"/object/{bucket}/large.txt", user).status_code == 200
    reported = {(event.type.partition(":")[2], event.name) for event in wait_for(receiver, 9)}
    assert {name for _, name in reported} >= {"a/one.txt", "b.txt", "large.txt"}
    assert any("Delete" in kind or "Removed" in kind for kind, _ in reported), reported


def wait_for(receiver: Receiver, count: int) -> list[ObjectEvent]:
    for _ in range(count):
        receiver.came.wait(PATIENCE_S)
        receiver.came.clear()
        if len(receiver.events) >= count:
            break
    return receiver.events


def test_a_write_that_policies_forbid_is_refused(service: Service, postgres: PostgresServer, pair: Pair) -> None:
    bucket = service.bucket()
    postgres.execute("drop policy all_of_it on storage.objects", pair.owner)
    user = token("authenticated", sub="ada")
    refused = service.upload(f"{bucket}/one.txt", b"one", user)
    assert json.loads(refused.text)["statusCode"] == "403", refused.text
    assert service.upload(f"{bucket}/one.txt", b"one", SERVICE).status_code == 200
    assert service.get(f"/object/authenticated/{bucket}/one.txt", user).status_code == 400


def test_doctor_checks_both_logins(pair: Pair, postgres: PostgresServer) -> None:
    found = {each.what: each.mark for each in examined(pair.callers, service_database_url=pair.service)}
    assert found["two_api may switch to the role anon"] == "ok"
    assert found["two_service may switch to the role service_role"] == "ok"
    assert found["service_role may use what its requests use"] == "ok"
    assert "WRONG" not in found.values()
    assert [each.what for each in reach(pair.callers, service_database_url=pair.service)] == []
    # Without the second login service_role is missing, and an owner's login can do all.
    assert "two_api may not switch to the role service_role" in {each.what for each in examined(pair.callers)}
    (finding,) = reach(pair.owner)
    assert (finding.mark, "--logins" in finding.fix) == ("note", True)
    postgres.execute("grant service_role to two_api")
    (finding,) = reach(pair.callers, service_database_url=pair.service)
    assert finding.mark == "WRONG"
    postgres.execute("revoke service_role from two_api")


def test_doctor_finds_another_database(pair: Pair, postgres: PostgresServer) -> None:
    elsewhere = parse_database_url(postgres.create_database()).database
    here = parse_database_url(pair.service).database
    other = pair.service.replace(here, elsewhere)
    postgres.execute("grant connect on database postgres to two_service")
    found = examined(pair.callers, service_database_url=other)
    assert "SERVICE_DATABASE_URL names another database than DATABASE_URL" in {each.what for each in found}
    postgres.execute("revoke connect on database postgres from two_service")


def reach(url: str, **settings: object) -> list:
    return [each for each in examined(url, security=True, **settings) if "become" in each.what]


def test_existing_logins_are_not_reused(pair: Pair) -> None:
    with pytest.raises(InstallationError, match='role "two_api" already exists'):
        make_logins(pair.owner, "two", ("anon",))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("postgresql://u:p@host:5433/db?sslmode=require", "postgresql://x_api:pw@host:5433/db?sslmode=require"),
        ("postgres:///db?host=/run/pg&user=u&password=p", "postgres://x_api:pw@/db?host=/run/pg"),
        ("host=h dbname=db user=u", "host=h dbname=db user=u user=x_api password=pw"),
    ],
)
def test_the_urls_differ_only_in_the_login(given: str, expected: str) -> None:
    made = url_of(given, Login("x_api", "pw", ()))
    assert made == expected
    if "://" in given:
        assert urlsplit(made).path == "/db"
    target = parse_database_url(made)
    assert (target.user, target.password, target.database) == ("x_api", "pw", "db")
