"""Resets a test database to the rows that it had when its app's tests began.

The rows at the beginning are kept in the schema ``portico_baseline`` of the same database. Triggers, rules and foreign
keys are off during a reset (``session_replication_role``, PostgreSQL's documentation, "Client Connection Defaults"). So
it needs a superuser, and tables in no particular order.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.database.wire.failure import StatementError
from app.database.wire.sqlstates import LOCK_NOT_AVAILABLE
from app.testing.databases import run_sql
from app.testing.failure import TestingError

_LOCK_WAIT_S = 10
_OF_THE_APP = "n.nspname !~ '^pg_' and n.nspname not in ('information_schema', 'graphql', 'portico_baseline')"
# Tables of extensions, such as spatial_ref_sys of PostGIS, contain data that no test changes.
_TABLES = f"""
select format('%I.%I', n.nspname, c.relname), (
  select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
  where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '')
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind = 'r' and c.relpersistence <> 't' and {_OF_THE_APP} and not exists (
  select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')
order by 1
"""  # noqa: S608
_MATERIALIZED_VIEWS = f"""
select format('%I.%I', n.nspname, c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind = 'm' and c.relispopulated and {_OF_THE_APP} order by c.oid
"""  # noqa: S608
_KEEP_SEQUENCES = f"""
create table portico_baseline.sequences as
select c.oid as id, s.seqstart as first, pg_sequence_last_value(c.oid) as last
from pg_sequence s join pg_class c on c.oid = s.seqrelid join pg_namespace n on n.oid = c.relnamespace
where c.relpersistence <> 't' and {_OF_THE_APP}
"""  # noqa: S608
_RESTORE_SEQUENCES = """
select setval(id::regclass, coalesce(last, first), last is not null) from portico_baseline.sequences
where pg_sequence_last_value(id::regclass) is distinct from last
"""


@dataclass(frozen=True, slots=True)
class _Table:
    """``name`` and ``columns`` as they are written in SQL. ``kept``: the table with its rows, None if it had none."""

    name: str
    columns: str | None
    kept: str | None


class Baseline:
    """The rows of a database at the time when this is made, which takes a copy of each.

    Methods raise TestingError for the developer, and Unavailable if the database cannot be reached.
    """

    def __init__(self, database_url: str) -> None:
        self._url = database_url
        found = run_sql(database_url, _TABLES)
        filled = _filled(database_url, [name or "" for name, _ in found])
        self._tables = [
            _Table(name or "", columns, f"portico_baseline.rows_{number}" if name in filled else None)
            for number, (name, columns) in enumerate(found)
        ]
        self._views = [name for (name,) in run_sql(database_url, _MATERIALIZED_VIEWS)]
        copies = [f"create table {each.kept} as table only {each.name}" for each in self._tables if each.kept]
        beginning = ["drop schema if exists portico_baseline cascade", "create schema portico_baseline"]
        run_sql(database_url, "; ".join([*beginning, *copies, _KEEP_SEQUENCES]))

    def restore(self) -> None:
        """Give all tables the rows that they had, all sequences their values, and refresh materialized views."""
        try:
            filled = _filled(self._url, [each.name for each in self._tables])
            changed = [each for each in self._tables if each.kept or each.name in filled]
            run_sql(self._url, "; ".join(self._statements(changed)))
        except StatementError as ex:
            raise _explained(ex) from ex

    def _statements(self, changed: list[_Table]) -> list[str]:
        emptied = [f"delete from only {each.name}" for each in changed]  # noqa: S608
        # Without columns there are only rows to count, which INSERT cannot express.
        refilled = [
            f"insert into {each.name} ({each.columns}) overriding system value select {each.columns} from {each.kept}"  # noqa: S608
            for each in changed
            if each.kept and each.columns
        ]
        refreshed = [f"refresh materialized view {name}" for name in self._views]
        settings = ["set local session_replication_role = replica", f"set local lock_timeout = '{_LOCK_WAIT_S}s'"]
        return ["begin", *settings, *emptied, *refilled, _RESTORE_SEQUENCES, *refreshed, "commit"]


def _filled(url: str, tables: list[str]) -> set[str | None]:
    """Those of the tables that have rows."""
    if not tables:
        return set()
    looks = [f"select {number} where exists (select from only {name})" for number, name in enumerate(tables)]  # noqa: S608
    return {tables[int(number or 0)] for (number,) in run_sql(url, " union all ".join(looks))}


def _explained(ex: StatementError) -> TestingError:
    if ex.diagnosis.sqlstate == LOCK_NOT_AVAILABLE:
        return TestingError(
            "the test database cannot be reset: another session has had rows locked for"
            f" {_LOCK_WAIT_S} s; end its transaction before the reset"
        )
    return TestingError(
        f"the test database cannot be reset: {ex.diagnosis.message}; tests must not change or drop tables"
    )
