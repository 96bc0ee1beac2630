"""Purging a content delivery network: a route of the API that clients know; this service has none behind it."""

from __future__ import annotations

from app.storage.access import check_service_role
from app.storage.errors import StorageError
from app.storage.records import Answer, Call
from app.storage.storage import Storage


def purge(storage: Storage, call: Call) -> Answer:
    """DELETE /cdn, /cdn/{bucket}, /cdn/{bucket}/{key}: the service role is told that there is nothing to purge.

    Caches between us and the reader follow ``cache-control`` and ``etag``.
    """
    check_service_role(call)
    raise StorageError("MissingParameter", 400, "No CDN is configured")
