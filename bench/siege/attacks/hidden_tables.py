"""Hidden tables and rows: no response reveals them, and the installation opens none."""

from __future__ import annotations

import re

from app.installation.install import install
from bench.siege.client import ANON
from bench.siege.finding import Attack, Finding, Tally
from bench.siege.grounds import Grounds

_DELETE = "mutation ($n: BigInt!) { deleteFromitemCollection(filter: {id: {eq: $n}}, atMost: 1) { affectedCount } }"
_UPDATE = (
    "mutation ($n: BigInt!) { updateitemCollection(set: {rank: 1}, filter: {id: {eq: $n}}, atMost: 1)"
    " { affectedCount } }"
)


def _named(grounds: Grounds, _: float) -> Finding:
    """Rows that a hidden table refers to cannot be deleted; the reason names neither the table nor its constraint."""
    service, tally = grounds.service, Tally()
    for number in range(1, 11):
        answer = service.graphql(_DELETE, {"n": number})
        refused = b"FOREIGN_KEY_VIOLATION" in answer.body
        tally.add(refused and b"unseen" not in answer.body, ("delete", answer.status, answer.body))
    for query in (
        "{ unseenCollection { edges { node { itemId } } } }",
        "{ itemCollection { edges { node { unseen } } } }",
    ):
        answer = service.graphql(query)
        other = service.graphql(query.replace("unseen", "nosuch"))
        same = answer.body.replace(b"unseen", b"nosuch") == other.body
        tally.add(same and answer.status == other.status, (query, answer.body, other.body))
    return tally.finding()


_THERE_BEFORE = """
create table person (id int, password text); create table closed (id int);
alter table closed enable row level security; create table schema_migrations (version text);
create materialized view summary as select 1 as one; create view people as table person;
"""


def _opened(grounds: Grounds, _: float) -> Finding:
    tally = Tally()
    url = grounds.server.create_database(sql=_THERE_BEFORE)
    for _attempt in range(2):
        install(url)
        for role in ("anon", "authenticated"):
            for table in ("person", "people", "summary", "schema_migrations"):
                for privilege in ("select", "insert", "update", "delete"):
                    asked = f"select has_table_privilege('{role}', '{table}', '{privilege}')"
                    granted = grounds.server.execute(asked, url)[0][0]
                    tally.add(not granted, f"{role} may {privilege} {table}")
    return tally.finding()


_SKEWED = """
create table hidden (id int primary key, kind int); create index on hidden (kind);
insert into hidden select n, case when n % 3 = 0 then 7 else n end from generate_series(1, 3000) n;
analyze hidden; alter table hidden enable row level security;
grant usage on schema public to anon; grant select on hidden to anon;
"""
"""A third of the rows has the kind 7, and anon sees none of them."""
_TELLING = ({"cost": True}, {"explain": True}, {"explain": "plan"}, {"timing": True}, {"cost": True, "explain": "plan"})


def _estimated(grounds: Grounds, _: float) -> Finding:
    """How common a value is among hidden rows is in the planner's statistics, and in no response to anon."""
    tally = Tally()
    with grounds.serving(grounds.database(_SKEWED)) as service:
        for asked in _TELLING:
            for kind in (7, 8):
                query = f"{{ hiddenCollection(filter: {{kind: {{eq: {kind}}}}}) {{ edges {{ node {{ id }} }} }} }}"
                body = {"query": query, "extensions": asked}
                answer = service.ask("POST", "/graphql/v1", body, None, apiKey=ANON)
                reported = (answer.json or {}).get("extensions", {})
                estimate = reported.get("cost", {}).get("estimate")
                plan = re.search(rb"Plan Rows|Total Cost|rows=|cost=", answer.body)
                tally.add(answer.status < 500 and estimate is None and not plan, (asked, answer.body))
    return tally.finding()


ATTACKS = (
    Attack("errors and hidden tables", "no error names a table that its reader may not see", _named),
    Attack("estimates of hidden rows", "no caller without rows sees an estimate of the planner", _estimated),
    Attack("tables that were there", "installing opens no table without row level security", _opened),
)
