"""A PostgreSQL of our own, for trying out and for tests: the binaries of a wheel, run by the files of this package.

Every process that uses the cluster holds a shared lock on one file for as long as it lives. A small process, the
keeper, starts the server, starts it again when it dies, and stops it when nobody holds that lock any more.
Locks vanish with their process, so whatever is killed, the count stays right.
"""

from __future__ import annotations

from app.embedded.cluster import EmbeddedPostgres
from app.embedded.failure import EmbeddedError

__all__ = ["EmbeddedError", "EmbeddedPostgres"]
