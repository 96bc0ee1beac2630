"""Finds bytes that no row names, and rows whose bytes are missing, on any backend.

An upload in progress has bytes but no row yet. So bytes count as orphans only if they are older than the longest time
between an upload's last byte and its commit.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain, islice

from app.database import ContextBuilder, Database, Row, Statement
from app.storage.bytes.backend import Backend, Blob, BlobMissing
from app.storage.bytes.blobs import DERIVED, PREFIX, blob_key, version_of
from app.storage.row_decoding import known, texts
from app.storage.upkeep.work import WorkList, background_context

_AT_A_TIME = 20_000
_ROWS_AT_A_TIME = 1000

_TABLES = ("storage.upload_parts", "storage.versions")
"""The tables besides ``storage.objects`` whose rows name bytes; older databases lack some of them."""

_EXISTING = Statement(
    "SELECT t FROM pg_catalog.unnest($1::text[]) AS t WHERE to_regclass(t) IS NOT NULL", "sweep_tables"
)


def _unnamed(tables: Sequence[str]) -> Statement:
    named = [
        f"AND NOT EXISTS (SELECT FROM {table} n WHERE n.version = given.version)"
        for table in ("storage.objects", *tables)
    ]
    return Statement(
        f"""
        SELECT given.version FROM json_array_elements_text($1::json) AS given (version)
        WHERE true {" ".join(named)}
          AND NOT EXISTS (SELECT FROM storage.work w WHERE w.kind = 'delete_blob' AND w.version = given.version)
        """,  # noqa: S608
        "sweep_unnamed",
    )


_ROWS = Statement(
    """
    SELECT o.id, o.bucket_id, o.name, o.version FROM storage.objects o WHERE o.id > $1::uuid
    ORDER BY o.id LIMIT $2::bigint
    """,
    "sweep_rows",
)
_STILL = Statement(
    "SELECT 1 FROM storage.objects o WHERE o.id = $1::uuid AND o.version IS NOT DISTINCT FROM $2", "sweep_still"
)
_WAITING = Statement("SELECT count(*) FROM storage.work WHERE kind = 'delete_blob'", "sweep_waiting")
_LEAST_UUID = b"00000000-0000-0000-0000-000000000000"


@dataclass(slots=True)
class Swept:
    """The result of a sweep. ``waiting``: replaced blobs that are in their grace period or could not be deleted yet.
    ``foreign``: blobs that this service did not make and does not touch. ``unfinished``: writes that never finished."""

    seen: int = 0
    orphans: int = 0
    orphan_bytes: int = 0
    replaced: int = 0
    waiting: int = 0
    foreign: int = 0
    unfinished: int = 0


@dataclass(frozen=True, slots=True)
class RowWithoutBytes:
    """A row whose bytes are missing."""

    bucket: str
    name: str
    version: str


class Sweep:
    """Compares blobs and rows. Blobs younger than ``older_than_s`` never count as orphans."""

    def __init__(
        self,
        database: Database,
        contexts: ContextBuilder,
        backend: Backend,
        work: WorkList,
        *,
        older_than_s: float,
    ) -> None:
        self._database = database
        self._contexts = contexts
        self._backend = backend
        self._work = work
        self._before = datetime.now(UTC) - timedelta(seconds=older_than_s)

    def run(self, *, delete: bool) -> Swept:
        """Check all blobs. With ``delete``, also delete orphans, and replaced blobs after their grace period."""
        swept = Swept()
        while delete and self._work.expire_uploads():
            pass
        while delete and (done := self._work.delete_blobs()):
            swept.replaced += done
        swept.waiting = int(known(self._query(_WAITING)[0][0]))
        blobs = chain(self._backend.list(PREFIX), self._backend.list(DERIVED))
        while some := list(islice(blobs, _AT_A_TIME)):
            swept.seen += len(some)
            orphans = self._orphans(some, swept)
            swept.orphans += len(orphans)
            swept.orphan_bytes += sum(blob.size for blob in orphans)
            if delete and orphans:
                self._backend.delete_many([blob.key for blob in orphans])
        swept.unfinished = self._backend.discard_unfinished(self._before, dry_run=not delete)
        return swept

    def rows_without_bytes(self) -> Iterator[RowWithoutBytes]:
        """The rows whose bytes are missing. It makes one request to the backend for each object.

        Objects that were replaced or deleted since their row was read are left out.
        """
        last = _LEAST_UUID
        while rows := self._query(_ROWS, last, str(_ROWS_AT_A_TIME).encode()):
            for identifier, bucket, name, version in rows:
                last = known(identifier)
                text = (version or b"").decode()
                if not self._is_there(text) and self._query(_STILL, last, version):
                    yield RowWithoutBytes((bucket or b"").decode(), (name or b"").decode(), text)

    def _is_there(self, version: str) -> bool:
        try:
            return self._backend.stat(blob_key(version)) is not None
        except BlobMissing:
            return False

    def _orphans(self, blobs: list[Blob], swept: Swept) -> list[Blob]:
        old: dict[str, list[Blob]] = {}
        for blob in blobs:
            version = version_of(blob.key)
            if version is None:
                swept.foreign += 1
            elif blob.modified < self._before:
                old.setdefault(version, []).append(blob)
        if not old:
            return []
        # The blobs were listed before this query, so an upload committed in between has its row.
        tables = [known(table).decode() for (table,) in self._query(_EXISTING, texts(_TABLES))]
        rows = self._query(_unnamed(tables), json.dumps(list(old)).encode())
        return [blob for row in rows for blob in old[known(row[0]).decode()]]

    def _query(self, statement: Statement, *parameters: bytes | None) -> list[Row]:
        context = background_context(self._contexts)
        return self._database.run(context, [(statement, parameters)], read_only=True)[0]
