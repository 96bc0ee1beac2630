"""Metrics of the whole database: the storage's work list, and its unfinished uploads."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Iterator
from typing import Any

from app.database import Statement
from app.errors import PorticoError
from app.services import Services
from app.storage.upkeep.work import background_context

log = logging.getLogger("portico.metrics")

_MOST_COUNTED = 100_000
_RENEWED_AFTER_S = 10.0
_SHOWN_FOR_S = 60.0
_LONGEST_WAIT_S = 1.0

# Rows of both tables are counted only up to a limit, since the query runs repeatedly.
_QUERY = Statement(
    f"""
    WITH work AS (SELECT w.kind, w.due_at, w.attempts FROM storage.work w LIMIT {_MOST_COUNTED}),
         uploads AS (SELECT u.id, u.form, u.received FROM storage.uploads u
                     WHERE u.finished IS NULL LIMIT {_MOST_COUNTED})
    SELECT pg_catalog.json_build_object(
        'work', (SELECT coalesce(pg_catalog.json_agg(k), '[]') FROM (
            SELECT kind, count(*) AS entries, count(*) FILTER (WHERE attempts > 1) AS repeated,
                   greatest(0, extract(epoch FROM clock_timestamp() - min(due_at))) AS overdue
            FROM work GROUP BY kind) k),
        'uploads', (SELECT coalesce(pg_catalog.json_agg(f), '[]') FROM (
            SELECT form, count(*) AS uploads, sum(received) AS bytes FROM uploads GROUP BY form) f))
    """,  # noqa: S608
    "metrics",
)
_KINDS = ("delete_blob", "post_event")
_FORMS = ("appended", "numbered")


class DatabaseNumbers:
    """A collector of prometheus_client. It reads the database in a separate thread, so that other metrics are available
    while the database does not answer. Numbers that are older than a minute are left out."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._lock = threading.Lock()
        self._reading: threading.Thread | None = None
        self._known: dict[str, Any] | None = None
        self._known_at = -_SHOWN_FOR_S

    def collect(self) -> Iterator[Any]:
        from prometheus_client.metrics_core import GaugeMetricFamily

        known = self._current()
        if known is None:
            return
        work = {each["kind"]: each for each in known["work"]}
        uploads = {each["form"]: each for each in known["uploads"]}
        for name, description, label, values, found, member in (
            ("work_entries", "Entries of the storage's work list.", "kind", _KINDS, work, "entries"),
            ("work_repeated", "Entries of the work list that failed before.", "kind", _KINDS, work, "repeated"),
            ("work_overdue_seconds", "Seconds since the oldest entry became due.", "kind", _KINDS, work, "overdue"),
            ("unfinished_uploads", "Unfinished uploads in pieces.", "form", _FORMS, uploads, "uploads"),
            ("unfinished_upload_bytes", "Bytes of unfinished uploads.", "form", _FORMS, uploads, "bytes"),
        ):
            family = GaugeMetricFamily(f"portico_{name}", description, labels=[label])
            for value in values:
                family.add_metric([value], float(found.get(value, {}).get(member) or 0))
            yield family

    def _current(self) -> dict[str, Any] | None:
        with self._lock:
            if time.monotonic() - self._known_at > _RENEWED_AFTER_S and self._reading is None:
                self._reading = threading.Thread(target=self._read, name="metrics", daemon=True)
                self._reading.start()
            reading = self._reading
        if reading is not None:
            reading.join(_LONGEST_WAIT_S)
        return self._known if time.monotonic() - self._known_at < _SHOWN_FOR_S else None

    def _read(self) -> None:
        engine = self._services.engine
        try:
            context = background_context(engine.contexts)
            rows = engine.database.run(context, [(_QUERY, ())], read_only=True)[0]
            self._known, self._known_at = json.loads(rows[0][0] or b"null"), time.monotonic()
        except PorticoError as ex:
            # The storage is not installed, or the database is not available, which other metrics show.
            log.debug("the work list cannot be counted: %s", ex.message)
        finally:
            self._reading = None
