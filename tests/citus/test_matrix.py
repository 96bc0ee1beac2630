"""Each request of the matrix on a cluster, beside the same rows in plain PostgreSQL: equal, or refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from tests.citus.aggregates import AGGREGATES
from tests.citus.changes import CHANGES
from tests.citus.cluster import ROWS, run
from tests.citus.filters import FILTERS
from tests.citus.functions import FUNCTIONS
from tests.citus.inserts import INSERTS
from tests.citus.links import LINKS
from tests.citus.lists import LISTS, VARIABLES_OF_LISTS
from tests.citus.nested import NESTED, VARIABLES
from tests.citus.others import OTHERS
from tests.citus.reads import READS
from tests.citus.refusals import REFUSED
from tests.citus.transactions import TRANSACTIONS
from tests.citus.writes import WRITES
from tests.graphql.api import Answer, Api

TABLES = (
    "tenant",
    "author",
    "book",
    "review",
    "genre",
    "book_genre",
    "device",
    "measure",
    "memo",
    "note",
    "profile",
    "visit",
    "setting",
    "badge",
)
MODES = ("schema", "service", "claim", "policies")
DOCUMENTS: Mapping[str, Mapping[str, str]] = {
    "read": READS,
    "write": WRITES,
    "nested": NESTED,
    "aggregate": AGGREGATES,
    "filter": FILTERS,
    "function": FUNCTIONS,
    "change": CHANGES,
    "insert": INSERTS,
    "link": LINKS,
    "list": LISTS,
    "transaction": TRANSACTIONS,
    "other": OTHERS,
}
REQUESTS: Mapping[str, tuple[str, Mapping[str, Any] | None]] = {
    **{f"{kind}: {name}": (text, None) for kind, some in DOCUMENTS.items() for name, text in some.items()},
    **{f"variables: {name}": given for name, given in {**VARIABLES, **VARIABLES_OF_LISTS}.items()},
}


@dataclass(frozen=True)
class Pair:
    """A service on the cluster, one on plain PostgreSQL, and their caller."""

    cluster: Api
    plain: Api
    role: str
    changed: set[str]

    def ask(self, api: Api, text: str, variables: Any) -> Answer:
        return api.ask(text, variables, role=self.role, claims={"tenant": 1})


@pytest.fixture(scope="module")
def pairs(plain: str, by_schema: str, by_row: str) -> Iterator[Mapping[str, Pair]]:
    settings: dict[str, Any] = {
        "api_schemas": ("app", "public"),
        "api_roles": ("anon", "authenticated", "service_role"),
    }
    opened = [
        Api(plain, **settings),
        Api(by_schema, **settings),
        Api(by_row, **settings),
        Api(by_row, citus_claim="tenant", **settings),
    ]
    beside, schema, row, claiming = opened
    changed: set[str] = set()
    yield {
        "schema": Pair(schema, beside, "authenticated", changed),
        "service": Pair(row, beside, "service_role", changed),
        "claim": Pair(claiming, beside, "authenticated", changed),
        "policies": Pair(row, beside, "authenticated", changed),
    }
    for api in opened:
        api.close()


def contents(url: str) -> Any:
    """All rows of all tables."""
    rows = [f"(select json_agg(r order by r::text)::text from app.{each} r)" for each in TABLES]
    rows.append("(select json_agg(r order by r::text)::text from public.country r)")
    # Not its identity column.
    event = "concat_ws('|', tenant_id, kind, note)"
    rows.append(f"(select json_agg({event} order by {event})::text from app.event)")
    return run(url, f"select {', '.join(rows)}")


def essence(answer: Answer) -> Any:
    """The parts of an answer that clients depend on. The rows that an update or delete returns have no order."""
    data = answer.body.get("data")
    return answer.status, data and {key: _unordered(key, each) for key, each in data.items()}, answer.errors


def _unordered(key: str, value: Any) -> Any:
    if not key.startswith(("update", "deleteFrom")) or key.endswith("ByKey") or "records" not in (value or {}):
        return value
    return {**value, "records": sorted(value["records"], key=str)}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", REQUESTS)
def test_the_answer_is_equal_or_a_refusal(pairs: Mapping[str, Pair], mode: str, name: str) -> None:
    pair, (text, variables) = pairs[mode], REQUESTS[name]
    urls = [pair.plain.database_url, pair.cluster.database_url]
    for url in urls:
        if url in pair.changed:
            run(url, ROWS)
            pair.changed.discard(url)
    if text.startswith("mutation"):
        pair.changed.update(urls)
    expected, found = pair.ask(pair.plain, text, variables), pair.ask(pair.cluster, text, variables)
    if mode in REFUSED.get(name, ()):
        (error,) = found.errors
        assert error["extensions"]["code"] == "NOT_ON_THIS_CLUSTER", error
        assert error["extensions"]["hint"]
        assert found.body.get("data") is None
        run(urls[0], ROWS)
    else:
        assert essence(found) == essence(expected)
    if text.startswith("mutation"):
        assert contents(urls[1]) == contents(urls[0])
