"""The forms of a flight: how its statements become one transaction, and how that gets its settings.

Usually the transaction is implicit: it ends with the flight. Citus, which spreads tables over several servers, commits
the statements of such a transaction there one by one, and tells these servers no setting. So where it is in use the
transaction is explicit, and what sets the settings are commands, which Citus passes on. That costs two statements
more, and another round trip when one fails.

A transaction that must change nothing, whatever is called in it, is explicit too: it is read-only and is rolled back.
Read-only alone is not enough. Before PostgreSQL 16 such a transaction can write large objects, and a function can make
it read-write again (RESET transaction_read_only); in every version it can notify others, and change what other servers
hold, by foreign tables or on Citus's workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from app.database.run.guard import KEPT
from app.database.wire.failure import ConnectionLost, StatementError
from app.database.wire.prepared import Step
from app.database.wire.statement import Statement
from app.database.wire.wire import IDLE, DatabaseConnection

BEGIN: Step = (Statement("BEGIN", "begin"), (), "")
COMMIT: Step = (Statement("COMMIT", "commit"), (), "")
ROLLBACK: Step = (Statement("ROLLBACK", "rollback"), (), "")

_MOST_FUNCTION_ARGUMENTS = 100


class TransactionMode(NamedTuple):
    """``begin`` and ``end``: the steps around those of the transaction. ``assignments`` makes the columns of a SELECT
    that set a number of settings until its end; their names and values alternate in the parameters, from the first on.
    ``settings``: those of the transaction itself. ``then``: columns of that SELECT behind these."""

    begin: tuple[Step, ...]
    end: tuple[Step, ...]
    assignments: Callable[[int], Sequence[str]]
    settings: tuple[tuple[str, str], ...] = ()
    then: tuple[str, ...] = ()

    @property
    def guarded(self) -> TransactionMode:
        """The same for a transaction whose calls are ``guarded``."""
        return self._replace(then=(KEPT,))

    @property
    def discarded(self) -> TransactionMode:
        """The same for a transaction that changes nothing."""
        return self._replace(begin=(BEGIN,), end=(ROLLBACK,), settings=(("transaction_read_only", "on"),))


def _calls(count: int) -> list[str]:
    calls = [f"pg_catalog.set_config(${2 * i + 1}, ${2 * i + 2}, true)" for i in range(count)]
    # num_nulls evaluates its arguments in order and answers with a digit; without it all values would be sent back.
    return [f"pg_catalog.num_nulls({', '.join(some)})" for some in _batches(calls)]


def _batches(calls: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(calls), _MOST_FUNCTION_ARGUMENTS):
        yield calls[start : start + _MOST_FUNCTION_ARGUMENTS]


def _commands(count: int) -> list[str]:
    names, values = (", ".join(f"${2 * i + place}" for i in range(count)) for place in (1, 2))
    return [f"graphql.set_local(ARRAY[{names}]::pg_catalog.text[], ARRAY[{values}]::pg_catalog.text[])"]


IMPLICIT = TransactionMode((), (), _calls)
EXPLICIT = TransactionMode((BEGIN,), (COMMIT,), _commands)


def roll_back(connection: DatabaseConnection) -> None:
    """End the transaction that is open, if any. If that fails the connection is not used again."""
    if not connection.usable or connection.transaction_status == IDLE:
        return
    try:
        connection.pipeline([ROLLBACK])
    except (ConnectionLost, StatementError):
        connection.usable = False
