"""Apollo's gateway of npm over Portico and another subgraph: composition, and queries that need both."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.database.recorder import Recorder
from tests.federation.installing import own_plugin
from tests.graphql.conftest import ROLES
from tests.packages import program as node_program
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S
from tests.storage.service import ANON, running, token

SCHEMA = (
    ROLES
    + """
comment on schema public is '@graphql({"inflect_names": true})';
create table country (code text primary key, name text not null);
create table city (id int primary key, name text not null, country_code text not null references country);
create table account (id uuid primary key, name text not null, secret text);
create table internal_note (id int primary key, body text);
insert into country values ('DE', 'Germany'), ('FR', 'France');
insert into city select each, 'City ' || each, case when each % 2 = 0 then 'DE' else 'FR' end
  from generate_series(1, 1000) each;
insert into account values
  ('00000000-0000-0000-0000-000000000001', 'Ann', 'a'), ('00000000-0000-0000-0000-000000000002', 'Ben', 'b');
alter table account enable row level security;
create policy own on account for select to authenticated
  using (id::text = current_setting('request.jwt.claims', true)::json ->> 'sub');
comment on column account.id is '@graphql({"id": true})';
comment on table internal_note is '@graphql({"unfederated": true})';
grant select on city, country, internal_note to anon, authenticated;
grant select (id, name) on account to authenticated;
grant select (id) on account to anon;
"""
)
ENTITIES = "AS representations_"
"""A part of each statement that answers `_entities`."""

ANN, BEN = "00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000002"
REVIEWS = [
    {"id": "r1", "text": "lovely", "city": 2, "author": ANN},
    {"id": "r2", "text": "loud", "city": 3, "author": BEN},
    {"id": "r3", "text": "gone", "city": 5000, "author": None},
]


def ask(
    postgres: PostgresServer,
    folder: Path,
    requests: Sequence[dict[str, Any]],
    reviews: Sequence[dict[str, Any]] = REVIEWS,
) -> tuple[dict[str, Any], list[tuple[str, ...]]]:
    """Let the gateway answer requests. Returns its output, and the flights of statements for `_entities`."""
    url = postgres.create_database(sql=SCHEMA)
    gateway = node_program("federation.mjs")
    with (
        closing(Recorder(url)) as recorder,
        running(postgres, recorder.url(), folder / "objects", plugins=own_plugin()) as service,
    ):
        known = {"reviews": reviews, "requests": requests}
        (folder / "requests.json").write_text(json.dumps(known))
        done = subprocess.run(
            ["node", str(gateway), f"{service.url}/graphql/v1", ANON, token(), str(folder / "requests.json")],
            cwd=gateway.parent, capture_output=True, text=True, timeout=PATIENCE_S,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer, [each for each in recorder.sent if any(ENTITIES in text for text in each)]


def test_a_query_crosses_both_subgraphs_in_each_direction(postgres: PostgresServer, tmp_path: Path) -> None:
    from_reviews = "{ reviews { text city { name country { name } } } }"
    from_portico = "{ cityCollection(filter: {id: {in: [2, 4]}}) { edges { node { name reviews { text } } } } }"
    answer, _ = ask(postgres, tmp_path, [{"query": from_reviews}, {"query": from_portico}])
    first, second = answer["answers"]
    assert first["data"]["reviews"] == [
        {"text": "lovely", "city": {"name": "City 2", "country": {"name": "Germany"}}},
        {"text": "loud", "city": {"name": "City 3", "country": {"name": "France"}}},
        # Portico does not have this city, and its name is never null.
        {"text": "gone", "city": None},
    ]
    cities = [each["node"] for each in second["data"]["cityCollection"]["edges"]]
    assert cities == [{"name": "City 2", "reviews": [{"text": "lovely"}]}, {"name": "City 4", "reviews": []}]


def test_a_thousand_entities_are_one_statement(postgres: PostgresServer, tmp_path: Path) -> None:
    reviews = [{"id": f"r{each}", "text": "fine", "city": each} for each in range(1, 1001)]
    answer, flights = ask(postgres, tmp_path, [{"query": "{ reviews { city { name } } }"}], reviews)
    assert [each["city"]["name"] for each in answer["answers"][0]["data"]["reviews"]] == [
        f"City {each}" for each in range(1, 1001)
    ]
    assert [each["representations"] for each in answer["fetches"]] == [1000]
    assert [len([text for text in each if ENTITIES in text]) for each in flights] == [1]


def test_the_rights_of_each_caller_are_passed_on(postgres: PostgresServer, tmp_path: Path) -> None:
    query = "{ reviews { author { name } } }"
    users = [{"Authorization": f"Bearer {token(sub=each)}"} for each in (ANN, BEN)]
    requests = [{"query": query, "headers": each} for each in (*users, {})]
    answer, _ = ask(postgres, tmp_path, requests)
    ann, ben, anonymous = answer["answers"]
    assert [each["author"] for each in ann["data"]["reviews"]] == [{"name": "Ann"}, None, None]
    assert [each["author"] for each in ben["data"]["reviews"]] == [None, {"name": "Ben"}, None]
    assert "errors" not in ann
    assert "errors" not in ben
    # Without a token the role is anon, which may not read the column.
    assert [each["author"] for each in anonymous["data"]["reviews"]] == [None, None, None]
    (error,) = anonymous["errors"]
    assert error["message"] == "Cannot query field 'name' on type 'Account'."


def test_types_are_left_out_and_ids_fit_those_of_other_subgraphs(postgres: PostgresServer, tmp_path: Path) -> None:
    requests = [{"query": "{ __schema { types { name fields { name } } } }"}]
    answer, _ = ask(postgres, tmp_path, requests)
    types = {each["name"]: each["fields"] for each in answer["answers"][0]["data"]["__schema"]["types"]}
    assert {"City", "CityConnection", "Account", "Review", "PageInfo"} <= set(types)
    assert [name for name in types if "InternalNote" in name or name in ("Node", "_Entity", "_Any")] == []
    assert not [each for each in types["Query"] if "internalNote" in each["name"] or each["name"] == "node"]
    assert {"name", "reviews", "nodeId"} <= {each["name"] for each in types["Account"]}
