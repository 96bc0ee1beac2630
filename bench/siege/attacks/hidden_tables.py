"""Tables that are nobody's business: no error names them, and installing opens none."""

from __future__ import annotations

from app.installation import install
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


ATTACKS = (
    Attack("errors and hidden tables", "no error tells of a table that its reader may not see", _named),
    Attack("tables that were there", "installing opens no table without row level security", _opened),
)
