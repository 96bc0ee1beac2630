"""PgBouncer in transaction mode in front of a server."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from bench.streaming import USER, Cluster, Node, free_port, listens, wait_until

_PROGRAM = shutil.which("pgbouncer", path="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin")


def missing_pooler() -> str:
    """Why there can be no pooler here; '' if there can."""
    return "" if _PROGRAM else "no pgbouncer"


@contextmanager
def pooler(cluster: Cluster, node: Node, *, connections: int, clients: int) -> Iterator[str]:
    """The URL of a pooler with so many connections to ``node`` for so many clients."""
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
