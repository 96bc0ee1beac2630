"""A program that uses the embedded cluster of the directory in its arguments until its standard input ends."""

from __future__ import annotations

import sys

from app.embedded.cluster import EmbeddedPostgres

cluster = EmbeddedPostgres(sys.argv[1], durable=False).join()
print(cluster.server_pid, cluster.keeper_pid, flush=True)
sys.stdin.read()
cluster.leave()
