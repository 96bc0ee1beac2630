"""The names of SQLSTATEs: PostgreSQL knows each name and maps it to the same code."""

from __future__ import annotations

from app.database.wire import sqlstates
from tests.postgres_server import PostgresServer

RAISED = """
create function pg_temp.raised(name text) returns text language plpgsql as $$
begin
  execute format('do $do$ begin raise %s; end $do$', name);
exception when query_canceled or others then
  return sqlstate;
end $$;
"""


def test_each_sqlstate_has_the_code_of_its_name(postgres: PostgresServer) -> None:
    codes = {name: code for name, code in vars(sqlstates).items() if name.isupper()}
    asked = ", ".join(f"('{name}', pg_temp.raised('{name}'))" for name in codes)
    assert postgres.execute(f"{RAISED} values {asked}") == [[name, code] for name, code in codes.items()]
