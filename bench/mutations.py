"""Measures writes through the GraphQL API: ``python -m bench.mutations [--seconds N]``.

Measures a single insert, an insert of 100 rows, and an update by key. They are sent to a real service (two workers of
two threads, 8 connections) and compared with pgbench. It runs the same statements with the same parameters in one
pipeline, including the statement that sets role and claims. Then both run with one client, the service without HTTP.
They alternate, and the best round of each counts, since other programs may use the machine too. PostgreSQL does not
wait for the disk, which is not measured here.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

from bench.beside import CONNECTIONS, Case, measure, place
from bench.databases import filled_database

SCHEMA = """
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


def person(number: int) -> dict[str, Any]:
    extra = json.dumps({"number": number, "tags": ["a", "b"]})
    return {"name": f"Person {number}", "email": f"{number}@example.com", "age": number % 90, "extra": extra}


CASES = (
    Case("a single insert", INSERT, [{"objects": [person(1)]}]),
    Case("100 rows in one insert", INSERT, [{"objects": [person(number) for number in range(100)]}]),
    # Each client has its own row: waiting for each other is not measured.
    Case("an update by key", UPDATE, [{"id": str(id_), "set": {"age": 30}} for id_ in range(1, CONNECTIONS + 1)]),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0, help="how long each of the rounds takes")
    parser.add_argument("--rounds", type=int, default=3, help="number of rounds, of which the best is reported")
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as directory,
        filled_database(Path(directory), SCHEMA) as cluster,
        place(cluster.url(), Path(directory)) as served,
    ):
        for case in CASES:
            print(measure(case, served, options.seconds, options.rounds).line(), flush=True)


if __name__ == "__main__":
    main()
