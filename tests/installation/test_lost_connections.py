"""An installation whose connection is lost: all or nothing, and the operator knows which."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from app.database.wire.wire import DatabaseConnection
from app.errors import Unavailable
from app.installation.install import Report, install, uninstall, upgrade
from app.installation.version import VERSION
from tests.database.proxy import Proxy
from tests.installation.conftest import OLDEST, Session

# Counts commands of DDL, and ends the session at one of them.
ENDS = """
create schema ending; create sequence ending.command; create table ending.at (number bigint);
create function ending.count() returns event_trigger language plpgsql as $$
begin
  if nextval('ending.command') = (select number from ending.at) then
    perform pg_terminate_backend(pg_backend_pid());
  end if;
end
$$;
create event trigger ending on ddl_command_end execute function ending.count();
create event trigger ending_by_drop on sql_drop execute function ending.count()
"""

# Each row of the catalog with the transaction that wrote it.
CATALOG = """
select oid, xmin::text from pg_class union select oid, xmin::text from pg_proc union select oid, xmin::text from
pg_namespace union select oid, xmin::text from pg_event_trigger order by 1, 2
"""


@pytest.mark.parametrize("change", [install, upgrade, uninstall])
def test_a_connection_lost_at_any_command_changes_nothing(
    database_url: str, session: Session, change: Callable[[str], Report]
) -> None:
    if change is not install:
        install(database_url, version=OLDEST, as_extension=False)
    by_hand = session(database_url)
    by_hand.execute_simple(ENDS)
    before = by_hand.run(CATALOG)
    for number in (1, 4, 9, 16):
        by_hand.run("delete from ending.at")
        by_hand.run("insert into ending.at values (nextval('ending.command') + :n)", n=number)
        with pytest.raises(Unavailable, match="ended the connection") as raised:
            change(database_url)
        assert raised.value.code == "DATABASE_UNAVAILABLE"
        assert by_hand.run(CATALOG) == before
    by_hand.run("delete from ending.at")
    assert change(database_url).after == (None if change is uninstall else VERSION)


def test_an_unanswered_commit_is_reported_as_unknown(
    database_url: str, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = Proxy(database_url)
    send = DatabaseConnection.simple

    def simple(connection: DatabaseConnection, sql: str) -> list[list[list[bytes | None]]]:
        if sql == "commit":
            proxy.cut_next_answer_after = 0
        return send(connection, sql)

    with monkeypatch.context() as patch:
        # The proxy cannot see which request is the commit.
        patch.setattr(DatabaseConnection, "simple", simple)
        with pytest.raises(Unavailable, match="unknown whether the change was saved") as raised:
            install(proxy.url())
    proxy.close()
    assert (raised.value.code, raised.value.hint) == (
        "OUTCOME_UNKNOWN", "Run the command again: it continues from the current state."
    )  # fmt: skip
    assert install(database_url).before == VERSION
