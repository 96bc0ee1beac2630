"""Tests of the storage API that share one service, run under unmodified waitress."""

from __future__ import annotations

import tests.storage.test_buckets
import tests.storage.test_downloads
import tests.storage.test_listing
import tests.storage.test_objects
import tests.storage.test_resumable
import tests.storage.test_signed_urls
import tests.storage.test_uploads
from tests.other_servers.shared_service import with_shared_service

OWN_SERVER_ONLY = {"test_invalid_requests_are_refused_before_the_body"}
"""Tests of features that only ``portico serve`` has."""

for module in (
    tests.storage.test_buckets,
    tests.storage.test_downloads,
    tests.storage.test_listing,
    tests.storage.test_objects,
    tests.storage.test_resumable,
    tests.storage.test_signed_urls,
    tests.storage.test_uploads,
):
    globals().update(with_shared_service(module, OWN_SERVER_ONLY))
