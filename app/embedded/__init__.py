"""Our own PostgreSQL, for evaluation and tests: the binaries of a wheel, managed by this package.

Every process that uses the cluster holds a shared lock on one file for as long as it lives. A small process, the
keeper, starts the server, restarts it when it dies, and stops it when nobody holds that lock any more.
The system releases locks when their process ends, so no kill leaves a server behind.
"""

from __future__ import annotations

from app.embedded.cluster import EmbeddedPostgres
from app.embedded.failure import EmbeddedError

__all__ = ["EmbeddedError", "EmbeddedPostgres"]
