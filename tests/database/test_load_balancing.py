"""Behind a pooler that sends reads to replicas: the service does without it, since queries would run without claims."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from app.database import Database, Statement, parse_database_url
from app.database.pool.advice import advice_on
from app.database.wire.connect import connect
from app.errors import Unavailable
from bench.streaming import USER, Cluster, Node, free_port, listens, missing, streaming, wait_until
from tests.database.conftest import READER, ROLES, SCHEMA, MakeDatabase
from tests.database.test_poolers import AsRole

_PGPOOL = shutil.which("pgpool") or shutil.which("pgpool", path="/usr/sbin")
OWN = Statement("select count(*) from note where owner = $1")


def _message(kind: bytes, body: bytes = b"") -> bytes:
    return kind + (len(body) + 4).to_bytes(4, "big") + body


@contextmanager
def server_telling(*sessions: bytes) -> Iterator[str]:
    """The URL of a server that gives one of these in turns for each statement of a flight."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        client, _ = listener.accept()
        with client, client.makefile("rb") as given:
            given.read(int.from_bytes(given.read(4), "big") - 4)
            client.sendall(_message(b"R", bytes(4)) + _message(b"K", bytes(8)) + _message(b"Z", b"I"))
            answer, executed = b"", 0
            while kind := given.read(1):
                given.read(int.from_bytes(given.read(4), "big") - 4)
                if kind == b"E":
                    session = sessions[executed % len(sessions)]
                    row = (1).to_bytes(2, "big") + len(session).to_bytes(4, "big") + session
                    answer += _message(b"1") + _message(b"2") + _message(b"D", row) + _message(b"C", b"SELECT 1\0")
                    executed += 1
                if kind == b"S":
                    client.sendall(answer + _message(b"Z", b"I"))

    thread = threading.Thread(target=serve)
    thread.start()
    with listener:
        yield f"postgresql://u@127.0.0.1:{listener.getsockname()[1]}/d?sslmode=disable"
    thread.join()


def test_a_flight_to_several_servers_ends_the_connection() -> None:
    with server_telling(b"1 now", b"2 now") as url, pytest.raises(Unavailable) as caught:
        connect(parse_database_url(url), None, prepared_limit=0)
    assert "sends the statements of one transaction to several servers" in str(caught.value.__cause__)
    assert "several" not in caught.value.message
    assert "load_balance_mode = off" in (advice_on(caught.value.__cause__) or "")


def test_a_flight_to_one_server_keeps_the_connection() -> None:
    with server_telling(b"1 now") as url:
        connect(parse_database_url(url), None, prepared_limit=0).close()


@contextmanager
def pgpool(cluster: Cluster, primary: Node, standby: Node, settings: str) -> Iterator[str]:
    """The URL of Pgpool-II in front of both, which sends reads to the standby."""
    port = free_port()
    directory = cluster.directory / f"pgpool{port}"
    directory.mkdir()
    files = {"pgpool.conf": "", "pcp.conf": "", "pool_hba.conf": "", "pool_passwd": f"{USER}:TEXT{cluster.password}\n"}
    backends = "".join(
        f"backend_hostname{n} = '127.0.0.1'\nbackend_port{n} = {node.port}\nbackend_weight{n} = {weight}\n"
        f"backend_flag{n} = 'DISALLOW_TO_FAILOVER'\n"
        for n, (node, weight) in enumerate(((primary, 0), (standby, 1)))
    )
    files["pgpool.conf"] = f"""
listen_addresses = '127.0.0.1'
port = {port}
socket_dir = '{directory}'
pcp_listen_addresses = ''
pcp_socket_dir = '{directory}'
pcp_port = {free_port()}
pid_file_name = '{directory}/pgpool.pid'
logdir = '{directory}'
backend_clustering_mode = 'streaming_replication'
num_init_children = 8
pool_passwd = 'pool_passwd'
enable_pool_hba = off
allow_clear_text_frontend_auth = on
sr_check_user = '{USER}'
sr_check_password = '{cluster.password}'
sr_check_period = 1
{backends}{settings}
"""
    options = []
    for name, text in files.items():
        file = directory / name
        file.write_text(text)
        file.chmod(0o600)
        cluster.account.give(file)
    for option, name in (("-f", "pgpool.conf"), ("-F", "pcp.conf"), ("-a", "pool_hba.conf")):
        options += [option, str(directory / name)]
    cluster.account.give(directory)
    with open(directory / "log", "wb") as log:
        process = subprocess.Popen(
            [str(_PGPOOL), "-n", "-D", *options], cwd="/", stdout=log, stderr=log, **cluster.account.process_options()
        )
    try:
        wait_until(lambda: listens(port), "pgpool listens")
        wait_until(lambda: b"primary node is 0" in (directory / "log").read_bytes(), "pgpool knows the primary")
        yield f"postgresql://{USER}:{cluster.password}@127.0.0.1:{port}/postgres?sslmode=disable"
    finally:
        # In smart mode it waits for clients.
        process.send_signal(signal.SIGINT)
        process.wait(30)


@pytest.fixture(scope="module")
def servers() -> Iterator[tuple[Cluster, Node, Node]]:
    with streaming() as cluster:
        primary = cluster.primary()
        primary.execute(ROLES + SCHEMA)
        yield cluster, primary, cluster.standby(primary, "standby")


needs_pgpool = pytest.mark.skipif(
    bool(missing()) or _PGPOOL is None, reason=f"needs programs: {missing() or 'no pgpool'}"
)


@needs_pgpool
@pytest.mark.parametrize("settings", ["", "statement_level_load_balance = on"])
def test_pgpool_with_load_balancing_is_refused(
    servers: tuple[Cluster, Node, Node], make_database: MakeDatabase, as_role: AsRole, settings: str
) -> None:
    with pgpool(*servers, settings) as url:
        database: Database = make_database(url)
        with pytest.raises(Unavailable, match="cannot be reached"):
            database.run(as_role(READER, sub="user1"), [(OWN, [b"user1"])], read_only=True)


@needs_pgpool
@pytest.mark.parametrize(
    "settings", ["load_balance_mode = off", "database_redirect_preference_list = 'postgres:primary'"]
)
def test_pgpool_that_uses_the_primary_is_accepted(
    servers: tuple[Cluster, Node, Node], make_database: MakeDatabase, as_role: AsRole, settings: str
) -> None:
    with pgpool(*servers, settings) as url:
        database: Database = make_database(url)
        for _ in range(20):
            rows = database.run(as_role(READER, sub="user1"), [(OWN, [b"user1"])], read_only=True)
            assert rows == [[(b"10",)]]
