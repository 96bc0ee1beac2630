"""Writing through the GraphQL door: ``python -m bench.mutations [--seconds N]``.

A single insert, 100 rows in one insert, and an update by key are asked of a real service (two workers of two threads, 8
connections), beside pgbench running the same statements with the same parameters, the one that sets role and claims
included, in one pipeline as well; then both with one client, the service without HTTP. They take turns, and the best
round of each counts: others may use the machine as well. The server does not wait for the disk, which is not what is
measured here. Needs pgbench on the PATH.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.database import session
from app.database.context import context_statement
from app.database.url import parse_database_url
from app.discovery import configure, plugin_manager
from app.embedded import EmbeddedPostgres
from app.embedded.binaries import wheel_programs
from app.graphql.values import Steering
from app.identity.identification import RequestHead
from app.pipeline import run
from app.pipeline.engine import Engine
from app.pipeline.parse import parse
from app.pipeline.plan import make_plan
from app.pipeline.records import GraphQLRequest
from app.settings import Settings
from app.wsgi import create_app
from bench.load import http_request, run_load
from bench.service import serving

SCHEMA = """
do $$ begin create role anon; exception when duplicate_object then null; end $$;
create table person (
  id bigint generated always as identity primary key, name text not null, email varchar(80), age int,
  extra jsonb, created_at timestamptz not null default now());
insert into person (name, email, age)
  select 'Person ' || i, i || '@example.com', i % 90 from generate_series(1, 10000) i;
alter table person enable row level security;
create policy everybody on person using (true) with check (age >= 0);
grant select, insert, update on person to anon;
analyze person;
"""
INSERT = """mutation ($objects: [personInsertInput!]!) {
  insertIntopersonCollection(objects: $objects) { affectedCount records { id name createdAt: created_at } } }"""
UPDATE = """mutation ($id: BigInt!, $set: personUpdateInput!) {
  updatepersonCollection(set: $set, filter: {id: {eq: $id}}) { affectedCount records { id name age } } }"""
KEYS = {
    "JWT_SECRET": "a secret that only this benchmark uses",
    "ANON_KEY": "anon-key",
    "SERVICE_ROLE_KEY": "service-key",
}
CONTEXT = (
    ("statement_timeout", "30000"),
    ("request.jwt.claims", '{"role":"anon"}'),
    ("request.jwt.claim.role", "anon"),
    ("request.method", "POST"),
    ("request.path", "/graphql/v1"),
)
"""What the service sets for each request."""

CONNECTIONS, WORKERS, THREADS = 8, 2, 2


@dataclass(frozen=True)
class Case:
    """A mutation with the variables of one client after the other."""

    name: str
    query: str
    variables: list[dict[str, Any]]


def person(number: int) -> dict[str, Any]:
    extra = json.dumps({"number": number, "tags": ["a", "b"]})
    return {"name": f"Person {number}", "email": f"{number}@example.com", "age": number % 90, "extra": extra}


CASES = (
    Case("a single insert", INSERT, [{"objects": [person(1)]}]),
    Case("100 rows in one insert", INSERT, [{"objects": [person(number) for number in range(100)]}]),
    # Each client has a row of its own: how they wait for each other is not what is measured.
    Case("an update by key", UPDATE, [{"id": str(id_), "set": {"age": 30}} for id_ in range(1, CONNECTIONS + 1)]),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0, help="how long each of the rounds takes")
    parser.add_argument("--rounds", type=int, default=3, help="of how many rounds the best is told")
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as place,
        EmbeddedPostgres(Path(place) / "postgres", durable=False, temporary=True) as cluster,
    ):
        os.chmod(place, 0o755)
        _psql(cluster.url())
        given = {name.lower(): value for name, value in KEYS.items()}
        settings, _ = configure({}, {"database_url": cluster.url(), "threads": THREADS, **given})
        for case in CASES:
            _measure(case, settings, place, options.seconds, options.rounds)


def _measure(case: Case, settings: Settings, place: str, seconds: float, rounds: int) -> None:
    bench = PgBench(case, settings, place)
    found = [
        (
            _serve(case, settings, seconds),
            bench.per_second(CONNECTIONS, seconds),
            _alone(case, settings, seconds),
            bench.per_second(1, seconds),
        )
        for _ in range(rounds)
    ]
    served, told, alone, told_alone = map(max, zip(*found, strict=True))
    print(
        f"{case.name:24} {served:6.0f} per second, pgbench {told:6.0f}: {served / told:4.0%}; one client without HTTP: "
        f"{1e6 / alone:5.0f} us, pgbench {1e6 / told_alone:5.0f} us: {told_alone / alone:.2f} times",
        flush=True,
    )


def _psql(url: str) -> None:
    from tests.postgres_server import connect

    connection = connect(url)
    connection.execute_simple(SCHEMA)
    connection.close()


def _serve(case: Case, settings: Settings, seconds: float) -> float:
    headers = {"apiKey": KEYS["ANON_KEY"], "Content-Type": "application/json"}
    requests = [
        http_request("/graphql/v1", json.dumps({"query": case.query, "variables": each}).encode(), headers)
        for each in case.variables
    ]
    with serving(KEYS | {"DATABASE_URL": settings.database_url or ""}, WORKERS, THREADS) as (address, _):
        run_load(address, *requests, connections=CONNECTIONS, seconds=1)
        found = run_load(address, *requests, connections=CONNECTIONS, seconds=seconds)
    assert not found.failures
    return found.per_second


def _alone(case: Case, settings: Settings, seconds: float) -> float:
    """Mutations per second, one after the other, in this process."""
    application = create_app(settings, plugin_manager())
    request = GraphQLRequest(
        case.query, case.variables[0], head=RequestHead("POST", "/graphql/v1", {"apikey": KEYS["ANON_KEY"]}.get)
    )
    reply = run(request, application.services.engine)
    assert b'"errors"' not in reply.body, reply.body
    count, began = 0, time.perf_counter()
    while time.perf_counter() < began + seconds:
        run(request, application.services.engine)
        count += 1
    took = time.perf_counter() - began
    application.close()
    return count / took


class PgBench:
    """pgbench with the SQL of a case, and its parameters as those of prepared statements."""

    def __init__(self, case: Case, settings: Settings, place: str) -> None:
        application = create_app(settings, plugin_manager())
        sql, values = _statement(case, application.services.engine, case.variables[0])
        application.close()
        self._variables = {f"p{number}": value for number, value in enumerate(values, start=1)}
        keyed = len(case.variables) > 1
        self._script = Path(place) / "mutation.sql"
        sql = re.sub(r"\$(\d+)", r":p\1", re.sub(r"\s+", " ", sql))
        if keyed:
            # The key is the last parameter, and the clients have the keys from 1 on.
            sql = sql.replace(f":p{len(values)} ", ":key ")
        for number, value in enumerate((part for pair in CONTEXT for part in pair), start=1):
            self._variables[f"c{number}"] = value
        context = re.sub(r"\$(\d+)", r":c\1", context_statement(len(CONTEXT), checked=False).sql)
        key = "\\set key :client_id + 1\n" if keyed else ""
        clean = "\n".join(f"{sql};" for sql in session.SQL)
        self._script.write_text(
            f"{key}\\startpipeline\n{clean}\nset local role anon;\n{context};\n{sql};\n\\endpipeline\n"
        )
        self._target = parse_database_url(settings.database_url or "")

    def per_second(self, clients: int, seconds: float) -> float:
        target = self._target
        command = [str(wheel_programs() / "pgbench"), "-n", "-M", "prepared"]
        command += ["-c", str(clients), "-j", str(min(clients, 2))]
        command += ["-T", str(max(1, int(seconds))), "-f", str(self._script)]
        command += [f"-D{name}={value}" for name, value in self._variables.items()]
        command += ["-h", target.host, "-p", str(target.port), "-U", target.user, target.database]
        done = subprocess.run(command, capture_output=True, text=True)
        found = re.search(r"tps = ([\d.]+)", done.stdout)
        assert found, done.stderr
        return float(found[1])


def _statement(case: Case, engine: Engine, variables: Mapping[str, Any]) -> tuple[str, list[str]]:
    parsed = parse(GraphQLRequest(case.query, dict(variables)), engine)
    plan = make_plan(parsed.document, engine.role_schemas.of_role("anon"), parsed.variables, Steering())
    (planned,) = plan.statements
    values = [each.value(parsed.variables) or b"" for each in planned.parameters]
    return planned.statement.sql, [value.decode() for value in values]


if __name__ == "__main__":
    main()
