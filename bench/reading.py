"""Measures reads through the GraphQL API: ``python -m bench.reading [--seconds N]``.

One nested query (10 parents with 5 children each, a response of 3 KB) is sent to a real service with two workers of two
threads over 8 connections. It is compared with pgbench running the same SQL as the same role, and with the same service
answering without a database. Then the CPU time of a warm request and the memory of a worker are measured.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import tempfile
import time
from pathlib import Path

from app.commands.inspect import plan_sql
from app.database.url.url import parse_database_url
from app.discovery import configure, plugin_manager
from app.embedded.binaries import wheel_programs
from app.embedded.cluster import EmbeddedPostgres
from app.identity.further_credentials import RequestHead
from app.pipeline import run
from app.pipeline.records import GraphQLRequest
from app.settings import Settings
from app.wsgi import create_app
from bench.databases import filled_database
from bench.load import http_request, run_load
from bench.service import serving, workers_of

SCHEMA = """
comment on schema public is '@graphql({"inflect_names": true})';
create table author (id int primary key, name text not null, email text);
create table book (id int primary key, author_id int not null references author, title text not null);
create index on book (author_id, id);
insert into author select i, 'Author ' || i, 'author' || i || '@example.com' from generate_series(1, 1000) i;
insert into book select i, 1 + i % 1000, 'The book with the number ' || i from generate_series(1, 20000) i;
alter table author enable row level security;
create policy everybody on author for select using (id > 0);
grant select on author, book to anon;
vacuum analyze author;
vacuum analyze book;
"""
QUERY = """query ($first: Int) { authorCollection(first: $first) { edges { node { id name email
  bookCollection(first: 5) { edges { node { id title } } } } } } }"""
KEYS = {
    "JWT_SECRET": "a secret that only this benchmark uses",
    "ANON_KEY": "anon-key",
    "SERVICE_ROLE_KEY": "service-key",
}
CONNECTIONS = 8
WORKERS = 2
THREADS = 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=8.0)
    seconds = parser.parse_args().seconds
    with tempfile.TemporaryDirectory() as place, filled_database(Path(place), SCHEMA) as cluster:
        settings = _settings(cluster.url())
        rows = [("served without a database", _serve(settings, "{ __typename }", {}, seconds))]
        rows.append(("the nested query", _serve(settings, QUERY, {"first": 10}, seconds)))
        rows.append(("pgbench, the same SQL", _pgbench(cluster, settings, place, seconds)))
        for name, (per_second, note) in rows:
            print(f"{name:32} {per_second:8.0f} per second  {note}")
        _client_cpu(settings)


def _settings(url: str) -> Settings:
    return configure({"DATABASE_URL": url, **KEYS}, {"workers": WORKERS, "threads": THREADS})[0]


def _serve(settings: Settings, query: str, variables: dict[str, object], seconds: float) -> tuple[float, str]:
    variables_of_service = {"DATABASE_URL": settings.database_url or "", **KEYS}
    body = json.dumps({"query": query, "variables": variables}).encode()
    request = http_request("/graphql/v1", body, {"apiKey": KEYS["ANON_KEY"], "Content-Type": "application/json"})
    with serving(variables_of_service, WORKERS, THREADS) as (address, pid):
        run_load(address, request, connections=CONNECTIONS, seconds=1)
        load = run_load(address, request, connections=CONNECTIONS, seconds=seconds)
        memory = max(_memory(each) for each in workers_of(pid))
    return load.per_second, f"({load.failures} failures; a worker has {memory:.0f} MiB)"


def _memory(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) / 1024  # type: ignore[index]


def _pgbench(cluster: EmbeddedPostgres, settings: Settings, place: str, seconds: float) -> tuple[float, str]:
    script = Path(place) / "query.sql"
    sql = re.sub(r"\s+", " ", plan_sql(settings, plugin_manager(), "anon", QUERY, {"first": 10}))
    script.write_text(
        "\\set first 10\n" + re.sub(r"\$\d", lambda match: ":first" if match[0] == "$1" else "5", sql) + ";\n"
    )
    target = parse_database_url(cluster.url())
    environment = os.environ | {"PGOPTIONS": "-c role=anon"}
    program = wheel_programs() / "pgbench"
    command = [
        str(program),
        "-n",
        "-M",
        "prepared",
        "-c",
        str(CONNECTIONS),
        "-j",
        "2",
        "-T",
        str(int(seconds)),
        "-f",
        str(script),
    ]
    command += ["-h", target.host, "-p", str(target.port), "-U", target.user, target.database]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(re.search(r"tps = ([\d.]+)", done.stdout)[1]), ""  # type: ignore[index]


def _client_cpu(settings: Settings) -> None:
    application = create_app(settings, plugin_manager())
    request = GraphQLRequest(
        QUERY, {"first": 10}, head=RequestHead("POST", "/graphql/v1", {"apikey": KEYS["ANON_KEY"]}.get)
    )
    response = run(request, application.services.engine).response
    assert response.status == 200, response.body
    for _ in range(300):
        run(request, application.services.engine)
    count = 3000
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(count):
        run(request, application.services.engine)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    application.close()
    print(
        f"the pipeline alone: {cpu / count * 1e6:.0f} us of CPU, {wall / count * 1e6:.0f} us of time, "
        f"{len(response.body)} bytes"
    )


if __name__ == "__main__":
    main()
