"""Deletes what the lifecycle rules of buckets name: objects, versions, delete markers, and unfinished uploads.

One service of many does it at a time, in batches. Each batch is one transaction in which the rules must be those that
were read, so nothing is deleted that the rules in force at that moment do not name.

Ages are measured by the database's clock. Each look at it is recorded. If the clock went back, or ahead by more than an
hour since the last look, nothing is deleted until it has gone on for a day: an operator can mend it before. A service
that did not run for an hour therefore deletes nothing for a day.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from app.database import BoundStatement, Row, Statement, StatementError
from app.database.wire.sqlstates import UNDEFINED_COLUMN, UNDEFINED_TABLE
from app.storage.lifecycle_rules import LifecycleRule, read_lifecycle
from app.storage.names import BEYOND, successor
from app.storage.request_context import RequestContext
from app.storage.row_decoding import RawValue, json_value, known, number, text
from app.storage.storage import Storage
from app.storage.upkeep.events import RemovalCause
from app.storage.upkeep.sql_lifecycle import (
    BUCKETS,
    EXPIRED,
    MARKERS,
    NONCURRENT,
    SEE_CLOCK,
    UPLOADS,
    LifecycleStatements,
)
from app.storage.versions import EventsOf, removals, version_removals, with_marker

log = logging.getLogger("portico.storage")

LOOK_AGAIN_S, BELIEVED_AFTER_S = 3600.0, 86_400.0
"""The longest time between two looks at a clock that is believed; for how long a clock that jumped is not believed."""

LifecycleAction = Literal["objects", "versions", "markers", "uploads"]


@dataclass(frozen=True, slots=True)
class LifecycleStep:
    """The result of one rule of a bucket: the number of rows it deleted, or would delete, and their bytes if known."""

    bucket: str
    rule: str
    action: LifecycleAction
    rows: int
    bytes: int = 0


class Lifecycle:
    """The rules of all buckets. ``day_s``: the seconds of a day of the rules. ``interval_s``: nothing is done if
    another service did it less than this time ago. ``deleted``: how many rows this process has deleted so far."""

    def __init__(self, storage: Storage, request: RequestContext, *, day_s: float, interval_s: float = 0.0) -> None:
        self._interval_s = interval_s
        self._storage = storage
        self._request = request
        self._day_s = day_s
        self.deleted: dict[LifecycleAction, int] = dict.fromkeys(get_args(LifecycleAction), 0)

    def run(
        self, *, look_again_s: float = LOOK_AGAIN_S, believed_after_s: float = BELIEVED_AFTER_S
    ) -> list[LifecycleStep]:
        """Delete what is named now, unless another service did or the clock is not believed."""
        try:
            return self._run(look_again_s, believed_after_s)
        except StatementError as ex:
            if ex.state in (UNDEFINED_COLUMN, UNDEFINED_TABLE):
                # The database has an older version of the tables, without rules.
                return []
            raise

    def _run(self, look_again_s: float, believed_after_s: float) -> list[LifecycleStep]:
        buckets = self._rows(BUCKETS)
        seconds = [text(str(each)) for each in (look_again_s, believed_after_s, self._interval_s)]
        looked = self._change((SEE_CLOCK, seconds))
        if not buckets or not looked:
            return []
        if looked[0][0] != b"t":
            log.warning("lifecycle rules wait: the clock of the database jumped, or was not looked at for an hour")
            return []
        done = []
        for bucket, rule, action, statements, values in self._named(buckets):
            count = 0
            while rows := self._delete(bucket, action, (statements.deletion, values)):
                count += len(rows)
                self.deleted[action] += len(rows)
            if count:
                done.append(LifecycleStep(bucket, rule.id, action, count))
                log.info("lifecycle rule %r of bucket %s deleted %d %s", rule.id, bucket, count, action)
        if done:
            self._storage.note_freed()
        return done

    def dry_run(self) -> list[LifecycleStep]:
        """The results that ``run`` would have now, if the clock is right."""
        found = []
        for bucket, rule, action, statements, values in self._named(self._rows(BUCKETS)):
            [[count, size]] = self._rows(statements.counting, values)
            if int(known(count)):
                found.append(LifecycleStep(bucket, rule.id, action, int(known(count)), int(known(size))))
        return found

    def _named(
        self, buckets: list[Row]
    ) -> Iterator[tuple[str, LifecycleRule, LifecycleAction, LifecycleStatements, tuple[RawValue, ...]]]:
        for identifier, rules in buckets:
            for rule in read_lifecycle(known(rules).decode()):
                named = _named_by(rule)
                before = (identifier, rules, *named)
                if rule.days is not None or rule.date is not None:
                    age = (text(rule.date.isoformat()) if rule.date else None, self._seconds(rule.days or 0))
                    yield known(identifier).decode(), rule, "objects", EXPIRED, (*before, *age)
                if rule.noncurrent_days is not None:
                    age = (None, self._seconds(rule.noncurrent_days))
                    values = (*before, *age, number(rule.newest_kept))
                    yield known(identifier).decode(), rule, "versions", NONCURRENT, values
                if rule.expired_markers or rule.days is not None:
                    age = (None, self._seconds(0 if rule.expired_markers else rule.days or 0))
                    yield known(identifier).decode(), rule, "markers", MARKERS, (*before, *age)
                if rule.upload_days is not None:
                    age = (None, self._seconds(rule.upload_days))
                    yield known(identifier).decode(), rule, "uploads", UPLOADS, (*before, *age)

    def _seconds(self, days: int) -> RawValue:
        return text(str(days * self._day_s))

    def _delete(self, bucket: str, action: LifecycleAction, call: BoundStatement) -> list[Row]:
        calls = with_marker(self._storage, call) if action == "objects" else [call]
        events = _EVENTS[action](bucket, "LifecycleExpiration")
        return self._storage.change(self._request, self._request.service_context(), calls, events)[0]

    def _change(self, call: BoundStatement) -> list[Row]:
        return self._storage.database.run(self._request.service_context(), [call], read_only=False)[0]

    def _rows(self, statement: Statement, values: tuple[RawValue, ...] = ()) -> list[Row]:
        call = (statement, values)
        return self._storage.database.run(self._request.service_context(), [call], read_only=False)[0]


def _no_events(_bucket: str, _cause: RemovalCause) -> EventsOf:
    """An unfinished upload never was an object."""
    return lambda _: []


_EVENTS: Mapping[LifecycleAction, Callable[[str, RemovalCause], EventsOf]] = {
    "objects": removals,
    "versions": version_removals,
    "markers": version_removals,
    "uploads": _no_events,
}


def _named_by(rule: LifecycleRule) -> tuple[RawValue, ...]:
    """The parameters for what a rule names: the bounds of keys, tags and sizes."""
    return (
        text(rule.prefix),
        text(successor(rule.prefix) or BEYOND),
        json_value(rule.tags or None),
        number(rule.larger_than),
        number(rule.smaller_than),
    )
