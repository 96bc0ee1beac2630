"""Compares pages of a table of ten million rows with hand-written SQL: ``python -m bench.pages``.

Each order has an index. The first page, a page in the middle and the last page are read, forward and backward, and also
nested pages. Both sides are prepared statements that alternate on one connection. A figure is the best median of the
rounds, since other programs may use the machine too, minus the time of a statement that does nothing. A page is slow if
it takes more than 1.5 times as long as the hand-written SQL, or more than twice as long as the first page of its order.
"""

from __future__ import annotations

import argparse
import base64
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.discovery import configure, plugin_manager
from app.embedded.cluster import EmbeddedPostgres
from app.identity.further_credentials import RequestHead
from app.installation.install import install
from app.pipeline.engine import Engine
from app.pipeline.records import GraphQLRequest
from app.wsgi import create_app
from bench.page_orders import (
    CHILDREN,
    NESTED,
    ORDERS,
    PAGE,
    PARENTS,
    SCHEMA,
    Order,
    nested_query,
    nested_sql,
    page_query,
    page_sql,
)
from bench.sent import ANON_KEY, SETTINGS, sent_by

TIMES_OF_SQL, TIMES_OF_FIRST = 1.5, 2.0
COLLATION = "und-x-icu"


@dataclass(frozen=True)
class Figure:
    """The times of a page and of the hand-written SQL, in microseconds."""

    order: str
    page: str
    ours: float
    by_hand: float
    first: float

    @property
    def is_slow(self) -> bool:
        return self.ours > TIMES_OF_SQL * self.by_hand or self.ours > TIMES_OF_FIRST * self.first

    def line(self) -> str:
        return (
            f"{self.order:42} {self.page:16} {self.ours:8.0f} {self.by_hand:8.0f} {self.ours / self.by_hand:6.2f}"
            f" {self.ours / self.first:6.2f}{'  slow' if self.is_slow else ''}"
        )


class Bench:
    """The API and a connection to its database."""

    def __init__(self, url: str, rounds: int) -> None:
        from tests.postgres_server import connect

        settings = SETTINGS | {"MAX_ROWS": str(max(PAGE, PARENTS))}
        self._application = create_app(configure({"DATABASE_URL": url, **settings}, {})[0], plugin_manager())
        self._engine: Engine = self._application.services.engine
        self._connection = connect(url)
        # With PostgreSQL's default for rotating disks it prefers to read more rows in the order of the table.
        self._connection.execute_simple("set random_page_cost = 1.1")
        self._rounds = rounds
        self._statements = 0
        self._nothing = self._prepare("select 1", ())

    def close(self) -> None:
        self._connection.close()
        self._application.close()

    def cursor(self, order: Order, row: int, rows: int) -> tuple[str, list[Any]]:
        """The cursor of one of ``rows`` rows, and its values as texts. ``row`` counts from 0."""
        columns = ", ".join(order.columns)
        texts = ", ".join(f"{each}::text" for each in order.columns)
        is_near = row <= rows // 2
        by, offset = (order.forward, row) if is_near else (order.backward, rows - 1 - row)
        ((array, *values),) = self._rows(
            f"""select pg_catalog.jsonb_build_array({columns})::text, {texts}
            from (select {columns} from big order by {by} offset {offset} limit 1) at"""
        )
        return base64.b64encode(str(array).encode()).decode(), values

    def compare(self, query: str, sql: str, values: Sequence[Any] = (), at: str | None = None) -> tuple[float, float]:
        """The microseconds that the statement of a GraphQL request takes, with the cursor ``at``, and those that
        ``sql`` takes with ``values``."""
        ((statement, given, _),) = sent_by(self._request(query, at), self._engine).data
        texts = [None if each is None else each.decode() for each in given]
        ours, by_hand = self._prepare(statement.sql, texts), self._prepare(sql, values)
        found = [[self._median(each) for each in (ours, by_hand, self._nothing)] for _ in range(self._rounds)]
        best, best_by_hand, nothing = (min(each) for each in zip(*found, strict=True))
        return best - nothing, best_by_hand - nothing

    def _request(self, query: str, at: str | None = None) -> GraphQLRequest:
        variables = {} if at is None else {"at": at}
        return GraphQLRequest(query, variables, head=RequestHead("POST", "/graphql/v1", {"apikey": ANON_KEY}.get))

    def _rows(self, sql: str) -> Sequence[Sequence[Any]]:
        return self._connection.execute_simple(sql).rows or ()

    def _prepare(self, sql: str, values: Sequence[Any]) -> str:
        """Prepare a statement. Returns the SQL that executes it."""
        self._statements += 1
        name = f"page{self._statements}"
        self._rows(f"prepare {name} as {sql}")
        given = ", ".join("null" if each is None else f"'{each}'" for each in values)
        return f"execute {name}({given})" if values else f"execute {name}"

    def _median(self, execute: str) -> float:
        """The median of a round. The first executions have custom plans, later ones may have a generic one."""
        took = []
        for _ in range(25):
            began = time.perf_counter()
            self._connection.execute_simple(execute)
            took.append(time.perf_counter() - began)
        return statistics.median(took[6:]) * 1e6


def figures(bench: Bench, rows: int, only: Sequence[str]) -> Iterator[Figure]:
    """The figures of all orders whose names contain one of ``only``, one after the other."""
    for name, order in ORDERS.items():
        if not only or any(each in name for each in only):
            yield from _of_order(bench, name, order, rows)
    for name, (_, order_by, by) in NESTED.items():
        if not only or any(each in name for each in only):
            ours, by_hand = bench.compare(nested_query(order_by), nested_sql(by))
            yield Figure(name, "nested", ours, by_hand, ours)


def _of_order(bench: Bench, name: str, order: Order, rows: int) -> Iterator[Figure]:
    first = 0.0
    for backward, window, at in (
        (False, "first page", None), (False, "middle", rows // 2), (False, "last page", rows - PAGE - 1),
        (True, "last", None), (True, "middle, back", rows // 2), (True, "first, back", PAGE),
    ):  # fmt: skip
        size = f"{'last' if backward else 'first'}: {PAGE},"
        if at is None:
            ours, by_hand = bench.compare(page_query(order, size), page_sql(order, (), backward=backward))
            first = first or ours
        else:
            cursor, values = bench.cursor(order, at, rows)
            known = [each for each in values if each is not None]
            from_value, from_null = (order.before, order.to_null) if backward else (order.after, order.from_null)
            sql = page_sql(order, from_value if len(known) == len(values) else from_null, backward=backward)
            query = page_query(order, f"{size} {'before' if backward else 'after'}: $at,")
            ours, by_hand = bench.compare(query, sql, known, cursor)
        yield Figure(name, window, ours, by_hand, first)


@contextmanager
def _database(url: str | None, directory: Path | None) -> Iterator[str]:
    """The URL of the given database, or of a new one in the directory."""
    if url is not None:
        yield url
        return
    with (
        tempfile.TemporaryDirectory(dir=directory) as place,
        EmbeddedPostgres(Path(place) / "postgres", durable=False, temporary=True) as cluster,
    ):
        install(cluster.url(), grants_on_public="none")
        yield cluster.url()


def _fill(url: str, rows: int) -> None:
    """Make the tables, unless they exist."""
    from tests.postgres_server import connect

    connection = connect(url)
    if not connection.execute_simple("select from pg_class where relname = 'big'").rows:
        known = connection.execute_simple(f"select from pg_collation where collname = '{COLLATION}'").rows
        collation = COLLATION if known else "C"
        schema = SCHEMA.format(rows=rows, parents=PARENTS, children=CHILDREN, collation=collation)
        for statement in schema.strip().split(";\n"):
            connection.execute_simple(statement)
    connection.close()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.pages", description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=5, help="rounds of 25 executions, of which the best counts")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="a part of the name of an order")
    parser.add_argument("--url", help="a database for the tables; otherwise a new one that is removed at the end")
    parser.add_argument("--directory", type=Path, help="where the new database is, with 1 GB for each million rows")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a page is slow")
    options = parser.parse_args()
    with _database(options.url, options.directory) as url:
        _fill(url, options.rows)
        bench = Bench(url, options.rounds)
        print(f"{'microseconds':59} {'Portico':>8} {'by hand':>8} {'times':>6} {'first':>6}", flush=True)
        slow = 0
        for figure in figures(bench, options.rows, options.only):
            print(figure.line(), flush=True)
            slow += figure.is_slow
        bench.close()
    sys.exit(1 if slow and options.check else 0)


if __name__ == "__main__":
    main()
