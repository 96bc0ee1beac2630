"""PgBouncer in transaction mode in front of a server."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from bench.streaming import USER, Cluster, Node, free_port, listens, wait_until

# One on the caller's path comes first, such as a newer one than the system's.
_PROGRAM = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/local/sbin:/usr/sbin")
_FIRST_WITH_PREPARED = (1, 21)


def missing_pooler() -> str:
    """Why there can be no pooler here; '' if there can."""
    return "" if _PROGRAM else "no pgbouncer"


@lru_cache(1)
def keeps_prepared() -> bool:
    """Whether the pooler knows prepared statements in transaction mode."""
    reported = subprocess.run([str(_PROGRAM), "--version"], capture_output=True, text=True, check=True).stdout
    major, minor = reported.split()[1].split(".")[:2]
    return (int(major), int(minor)) >= _FIRST_WITH_PREPARED


@contextmanager
def pooler(cluster: Cluster, node: Node, *, connections: int, clients: int) -> Iterator[str]:
    """The URL of a pooler with these numbers of connections to ``node`` and of clients."""
    port = free_port()
    file = cluster.directory / f"pooler{port}.ini"
    file.write_text(
        f"""
        [databases]
        postgres = host=127.0.0.1 port={node.port} user={USER} password={cluster.password}
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = {port}
        unix_socket_dir =
        auth_type = any
        pool_mode = transaction
        default_pool_size = {connections}
        max_client_conn = {clients}
        ignore_startup_parameters = options
        {"max_prepared_statements = 200" if keeps_prepared() else ""}
        """.replace("        ", "")
    )
    cluster.account.give(file)
    process = subprocess.Popen(
        [str(_PROGRAM), "-q", str(file)],
        cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **cluster.account.process_options(),
    )  # fmt: skip
    try:
        wait_until(lambda: listens(port), "pgbouncer listens")
        yield f"postgresql://{USER}@127.0.0.1:{port}/postgres?sslmode=disable"
    finally:
        process.terminate()
        process.wait(30)
