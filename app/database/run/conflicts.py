"""Retries transactions that PostgreSQL rolled back because they conflicted with another one."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import TypeVar

from app.database.wire.failure import StatementError
from app.database.wire.sqlstates import DEADLOCK_DETECTED, INVALID_TEXT_REPRESENTATION, SERIALIZATION_FAILURE

T = TypeVar("T")

CONFLICT_MARK = "conflict: "
"""Begins the error message of a statement that fails on purpose, by a cast, because another transaction may have
written in between."""

_CONFLICTS = frozenset({SERIALIZATION_FAILURE, DEADLOCK_DETECTED})
_MOST_ATTEMPTS = 3
# Approximate. An immediate retry would often run before the transaction that won, and conflict again.
_PAUSE_S = 0.05


def despite_conflicts(transaction: Callable[[], T]) -> T:
    """Call ``transaction`` and return its result. When a conflict rolled it back, it is called again after a growing
    pause, three times in all. It must be a whole transaction, so that nothing is applied twice. Raises what
    ``transaction`` raises, including the conflict of the third attempt."""
    for attempt in range(1, _MOST_ATTEMPTS + 1):
        try:
            return transaction()
        except StatementError as ex:
            if not _is_conflict(ex) or attempt == _MOST_ATTEMPTS:
                raise
        time.sleep(attempt * random.uniform(0.5, 1.5) * _PAUSE_S)  # noqa: S311 - nothing secret
    raise AssertionError("the last attempt returns or raises")


def _is_conflict(error: StatementError) -> bool:
    state = error.diagnosis.sqlstate
    # A database function may raise one of PostgreSQL's conflicts in order to be retried. It must not use the mark.
    marked = error.state == INVALID_TEXT_REPRESENTATION and CONFLICT_MARK in error.diagnosis.message
    return state in _CONFLICTS or (marked and not error.diagnosis.where)
