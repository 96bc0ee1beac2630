"""Events of a change that runs with a login of the caller, which cannot write to the work list.

The service's login records them before the change is committed, due after ``_UNLESS_CONFIRMED_S``, and confirms or
forgets them after it. So a crash at any moment loses no event. A crash between record and commit posts the event of a
change that was not made.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from app.database import BoundStatement, Context, Database
from app.errors import PorticoError
from app.storage.sql import ANNOUNCE_EVENTS, CONFIRM_EVENTS, FORGET_EVENTS

log = logging.getLogger("portico.storage")

_UNLESS_CONFIRMED_S = 120


@contextmanager
def announced(database: Database, context: Context, values: Sequence[bytes]) -> Iterator[None]:
    """Record the events of a commit that the block makes. ``values`` are those of RECORD_EVENTS; ``context`` is that of
    service_role."""
    due = str(_UNLESS_CONFIRMED_S).encode()
    rows = database.run(context, [(ANNOUNCE_EVENTS, (*values, due))], read_only=False)[0]
    ids = b"{" + b",".join(row[0] or b"" for row in rows) + b"}"
    try:
        yield
    except BaseException as ex:
        if not isinstance(ex, PorticoError) or ex.code != "OUTCOME_UNKNOWN":
            _settle(database, context, (FORGET_EVENTS, (ids,)))
        raise
    _settle(database, context, (CONFIRM_EVENTS, (ids,)))


def _settle(database: Database, context: Context, call: BoundStatement) -> None:
    try:
        database.run(context, [call], read_only=False)
    except PorticoError as ex:
        # The change is already made or has failed. Its events become due without this statement, only later.
        log.warning("events of an object are posted late: %s", ex.message)
