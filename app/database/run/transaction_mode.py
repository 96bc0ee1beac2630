"""The transaction modes of a flight: how its statements become one transaction, and how settings are set in it.

Usually the transaction is implicit: it ends with the flight. Citus, which spreads tables over several servers, commits
the statements of such a transaction there one by one, and does not pass settings on to these servers. So with Citus the
transaction is explicit, and settings are set by SET LOCAL commands, which Citus passes on. That costs two more
statements, and another round trip if a statement fails.

A transaction that must change nothing, regardless of what it calls, is explicit too: it is read-only and is rolled
back. Read-only alone is not enough. Before PostgreSQL 16 such a transaction can write large objects, and a function can
make it read-write again (RESET transaction_read_only). In every version it can send notifications, and change data on
other servers, through foreign tables or on Citus's workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
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
    """``begin`` and ``end``: the steps before and after those of the transaction. ``assignments`` takes a number of
    settings and returns the columns of a SELECT that set them; their names and values alternate in the parameters,
    beginning with ``$1``. ``settings``: settings of the transaction itself. ``then``: further columns
    at the end of that SELECT."""

    begin: tuple[Step, ...]
    end: tuple[Step, ...]
    assignments: Callable[[int], Sequence[str]]
    settings: tuple[tuple[str, str], ...] = ()
    then: tuple[str, ...] = ()

    @property
    def guarded(self) -> TransactionMode:
        """The same mode for a transaction whose calls are guarded (``app.database.run.guard``)."""
        return self._replace(then=(KEPT,))

    @property
    def discarded(self) -> TransactionMode:
        """The same mode for a transaction that must change nothing."""
        return self._replace(begin=(BEGIN,), end=(ROLLBACK,), settings=(("transaction_read_only", "on"),))


def _calls(count: int, *, local: str = "true") -> list[str]:
    calls = [f"pg_catalog.set_config(${2 * i + 1}, ${2 * i + 2}, {local})" for i in range(count)]
    # num_nulls evaluates its arguments in order and returns a digit; without it all values would be sent back.
    return [f"pg_catalog.num_nulls({', '.join(some)})" for some in _batches(calls)]


def _batches(calls: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(calls), _MOST_FUNCTION_ARGUMENTS):
        yield calls[start : start + _MOST_FUNCTION_ARGUMENTS]


def _commands(count: int) -> list[str]:
    names, values = (", ".join(f"${2 * i + place}" for i in range(count)) for place in (1, 2))
    return [f"graphql.set_local(ARRAY[{names}]::pg_catalog.text[], ARRAY[{values}]::pg_catalog.text[])"]


IMPLICIT = TransactionMode((), (), _calls)
SESSION = TransactionMode((), (), partial(_calls, local="false"))
"""An implicit transaction whose settings stay after it (``app.database.run.session_context``)."""
EXPLICIT = TransactionMode((BEGIN,), (COMMIT,), _commands)
IN_SEQUENCE = EXPLICIT._replace(settings=(("citus.multi_shard_modify_mode", "sequential"),))
"""For several changes: after a change of several shards at once Citus does not change a reference table."""


def roll_back(connection: DatabaseConnection) -> None:
    """Roll back the open transaction, if there is one. If that fails, the connection is not used again."""
    if not connection.usable or connection.transaction_status == IDLE:
        return
    try:
        connection.pipeline([ROLLBACK])
    except (ConnectionLost, StatementError):
        connection.usable = False
