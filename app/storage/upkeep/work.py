"""The work after a commit: delete bytes that no row names any more, send events, record reads, expire uploads.

Each transaction that causes such work writes it to the work list, so no crash loses it. A process leases entries for a
while; if it dies they become due again, so everything is done at least once.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Sequence

from app.database import Context, ContextBuilder, Database, Row, Statement, StatementError
from app.database.wire.sqlstates import UNDEFINED_TABLE
from app.errors import PorticoError
from app.identity import SERVICE_ROLE, Caller
from app.storage.bytes.backend import Backend
from app.storage.bytes.blobs import blob_key, derived_keys, is_version
from app.storage.installed_features import InstalledFeatures
from app.storage.row_decoding import known, text
from app.storage.upkeep.events import EventReceiver, ObjectEvent

log = logging.getLogger("portico.storage")

_TAKEN_FOR_S = 120
# After this time the rest of a batch is given back, so that no lease ends while this process still sends an event.
_SENDING_FOR_S = _TAKEN_FOR_S / 4
_BLOBS_AT_A_TIME, _EVENTS_AT_A_TIME = 500, 20
_EXPIRED_AT_A_TIME = 1000
_LONGEST_ERROR = 500


# $4: the names of receivers, or null for entries without one.
_NAMED = "EXISTS (SELECT FROM storage.objects o WHERE o.version = w.version)"
_NAMED_BY_VERSION = f"({_NAMED} OR EXISTS (SELECT FROM storage.versions v WHERE v.version = w.version))"


def _take(is_named: str) -> Statement:
    return Statement(
        f"""
    UPDATE storage.work w SET attempts = w.attempts + 1,
           due_at = clock_timestamp() + interval '{_TAKEN_FOR_S} seconds'
    WHERE w.id IN (
        SELECT d.id FROM storage.work d
        WHERE d.kind = $1 AND d.due_at <= clock_timestamp() - make_interval(secs => $2::float8)
          AND ($4::json IS NULL OR d.event ->> 'receiver' IN (SELECT json_array_elements_text($4::json)))
        ORDER BY d.due_at LIMIT $3::bigint FOR UPDATE SKIP LOCKED)
    RETURNING w.id, w.version, w.event, w.attempts, {is_named}
    """,  # noqa: S608
        "work_take",
    )


TAKE, TAKE_WITH_VERSIONS = _take(_NAMED), _take(_NAMED_BY_VERSION)
DONE = Statement("DELETE FROM storage.work WHERE id = ANY ($1::bigint[])", "work_done")
GIVEN_BACK = Statement(
    "UPDATE storage.work SET attempts = attempts - 1, due_at = clock_timestamp() WHERE id = ANY ($1::bigint[])",
    "work_given_back",
)
FAILED = Statement(
    """
    UPDATE storage.work SET last_error = $2,
           due_at = clock_timestamp() + make_interval(secs => least(3600, power(2, least(attempts, 12))))
    WHERE id = ANY ($1::bigint[])
    """,
    "work_failed",
)
# An expired upload loses its bytes at first, and its row a day later. Until then a client learns that its upload has
# expired, and not that it never existed. An append extends an upload's lifetime, and locks its row.
EXPIRED_PARTS = Statement(
    """
    DELETE FROM storage.upload_parts WHERE (upload_id, number) IN (
        SELECT p.upload_id, p.number FROM storage.uploads u JOIN storage.upload_parts p ON p.upload_id = u.id
        WHERE u.expires_at <= clock_timestamp() LIMIT $1::bigint FOR UPDATE OF u SKIP LOCKED)
    RETURNING number
    """,
    "expired_parts",
)
EXPIRED_UPLOADS = Statement(
    """
    DELETE FROM storage.uploads WHERE id IN (
        SELECT u.id FROM storage.uploads u WHERE u.expires_at <= clock_timestamp() - interval '1 day'
          AND NOT EXISTS (SELECT FROM storage.upload_parts p WHERE p.upload_id = u.id)
        ORDER BY u.expires_at LIMIT $1::bigint FOR UPDATE SKIP LOCKED)
    RETURNING id
    """,
    "expired_uploads",
)
# At most once an hour for each object, so that not every read causes a write.
ACCESSED = Statement(
    """
    UPDATE storage.objects SET last_accessed_at = clock_timestamp() WHERE id IN (
        SELECT o.id FROM storage.objects o
        WHERE o.id = ANY ($1::uuid[]) AND o.last_accessed_at < clock_timestamp() - interval '1 hour'
        FOR UPDATE SKIP LOCKED)
    """,
    "accessed",
)


class WorkList:
    """The work list of one database. Each method does one batch in the calling thread."""

    def __init__(
        self,
        database: Database,
        contexts: ContextBuilder,
        backend: Callable[[], Backend],
        receivers: Sequence[EventReceiver],
        features: InstalledFeatures,
        *,
        grace_s: float,
    ) -> None:
        self._database = database
        self._contexts = contexts
        self._backend = backend
        self._receivers = {receiver.name: receiver for receiver in receivers}
        self._grace_s = grace_s
        self._features = features

    def delete_blobs(self) -> int:
        """Delete the bytes of a batch of replaced versions after their grace period; returns the number of entries."""
        rows = self._take("delete_blob", self._grace_s, _BLOBS_AT_A_TIME)
        if not rows:
            return 0
        gone = [
            version
            for _, named, _, _, is_named in rows
            if is_named != b"t" and is_version(version := (named or b"").decode())
        ]
        ids = [known(row[0]) for row in rows]
        try:
            if gone:
                backend = self._backend()
                backend.delete_many([*map(blob_key, gone), *derived_keys(backend, gone)])
        except (PorticoError, OSError) as ex:
            log.warning("%d replaced versions cannot be deleted now: %s", len(ids), ex)
            self._failed(ids, ex)
            return 0
        self._run(DONE, (_array(ids),))
        return len(ids)

    def expire_uploads(self) -> int:
        """Drop a batch of expired parts and uploads; returns their number. Deleting their bytes is then due."""
        batch = (str(_EXPIRED_AT_A_TIME).encode(),)
        calls = [(EXPIRED_PARTS, batch), (EXPIRED_UPLOADS, batch)]
        try:
            rows = self._database.run(background_context(self._contexts), calls, read_only=False)
        except StatementError as ex:
            if ex.state == UNDEFINED_TABLE:
                # The database has an older version of the tables, without uploads in pieces.
                return 0
            raise
        return sum(map(len, rows))

    def send_events(self) -> int:
        """Call the receivers with a batch of events; returns the number of events that they received."""
        if not self._receivers:
            return 0
        rows = self._take("post_event", 0.0, _EVENTS_AT_A_TIME, sorted(self._receivers))
        # RETURNING has no order. No order is guaranteed, but most receivers expect that of the commits.
        rows = sorted(rows, key=lambda row: int(known(row[0])))
        done = []
        until = time.monotonic() + _SENDING_FOR_S
        for place, (identifier, _, event, _, _) in enumerate(rows):
            if place and time.monotonic() > until:
                self._run(GIVEN_BACK, (_array([known(row[0]) for row in rows[place:]]),))
                break
            members = json.loads(known(event))
            try:
                self._receivers[members["receiver"]].receive(ObjectEvent.from_json(members))
            except Exception as ex:
                log.warning("the event receiver %s failed: %s", members["receiver"], ex)
                self._failed([known(identifier)], ex)
            else:
                done.append(known(identifier))
        if done:
            self._run(DONE, (_array(done),))
        return len(done)

    def note_accesses(self, ids: Sequence[str]) -> None:
        """Record that these objects were read now."""
        self._run(ACCESSED, (_array([identifier.encode() for identifier in ids]),))

    def _take(self, kind: str, grace_s: float, limit: int, receivers: Sequence[str] | None = None) -> list[Row]:
        names = None if receivers is None else json.dumps(receivers).encode()
        take = TAKE_WITH_VERSIONS if self._features.has_versions else TAKE
        return self._run(take, (kind.encode(), str(grace_s).encode(), str(limit).encode(), names))

    def _failed(self, ids: Sequence[bytes], ex: Exception) -> None:
        self._run(FAILED, (_array(ids), text(f"{type(ex).__name__}: {ex}"[:_LONGEST_ERROR])))

    def _run(self, statement: Statement, parameters: Sequence[bytes | None]) -> list[Row]:
        return self._database.run(background_context(self._contexts), [(statement, parameters)], read_only=False)[0]


def background_context(contexts: ContextBuilder) -> Context:
    """The context of work outside any request: it runs as service_role."""
    caller = Caller.of({"role": SERVICE_ROLE}, default_role=SERVICE_ROLE)
    return contexts.build(caller, extra=(("storage.allow_delete_query", "true"),))


def service_reader(database: Database, contexts: ContextBuilder) -> Callable[[Statement], list[Row]]:
    """A function that returns the rows of a reading statement, with the rights of the service."""
    return lambda statement: database.run(background_context(contexts), [(statement, ())], read_only=True)[0]


def installed_features(database: Database, contexts: ContextBuilder) -> InstalledFeatures:
    """The features of a database, read with the rights of the service."""
    return InstalledFeatures(service_reader(database, contexts))


def _array(values: Sequence[bytes]) -> bytes:
    return b"{" + b",".join(values) + b"}"


class Background:
    """A thread that works through the list every few seconds, and soon after it is woken.

    It pauses after each round, so that under load one round does the work of many requests. With a round after
    each upload, it used a quarter of the process's CPU time when uploads were small.
    """

    _EVERY_S = 5.0
    _PAUSE_S = 0.2
    _AFTER_FAILURE_S = 30.0
    _LONGEST_PAUSE_S = 600.0

    def __init__(self, work: WorkList, wake: threading.Event, accessed: set[str]) -> None:
        self._periodic: Callable[[], object] | None = None
        self._interval_s = self._due = 0.0
        self._work = work
        self._wake = wake
        self._accessed = accessed
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def every(self, interval_s: float, work: Callable[[], object]) -> None:
        """Also call ``work`` every ``interval_s`` seconds. Call this before ``start``."""
        self._periodic, self._interval_s = work, interval_s
        self._due = time.monotonic() + interval_s

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="storage-work", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._stopping.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join(self._EVERY_S)

    def _run(self) -> None:
        pause = self._EVERY_S
        while not self._stopping.wait(self._PAUSE_S):
            self._wake.wait(pause)
            self._wake.clear()
            if self._stopping.is_set():
                return
            try:
                self.work_now()
                pause = self._EVERY_S
            except PorticoError as ex:
                # The schema storage is missing or the database is down; requests report both.
                log.debug("the storage's background work is postponed: %s", ex)
                pause = self._longer(pause)
            except Exception:
                log.exception("the storage's background work failed")
                pause = self._longer(pause)

    def _longer(self, pause: float) -> float:
        return min(max(pause * 2, self._AFTER_FAILURE_S), self._LONGEST_PAUSE_S)

    def work_now(self) -> None:
        """Do all work that is due, in the calling thread. Raises the first error."""
        while not self._stopping.is_set() and self._work.send_events():
            pass
        while not self._stopping.is_set() and self._work.expire_uploads():
            pass
        if self._periodic is not None and time.monotonic() >= self._due:
            self._due = time.monotonic() + self._interval_s
            self._periodic()
        while not self._stopping.is_set() and self._work.delete_blobs():
            pass
        if self._accessed:
            ids = list(self._accessed)
            self._accessed.difference_update(ids)
            self._work.note_accesses(ids)
