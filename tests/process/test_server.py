"""``serve``: one socket, several workers, nothing lost when it stops."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

from app.server.processes.address import ListenError, listen
from tests.process.running import PATIENCE_S, is_running, started, until


@contextmanager
def service(cwd: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    with started([sys.executable, "-m", "tests.process.stub_service", *arguments], cwd) as process:
        assert process.stdout
        line = process.stdout.readline().split()
        assert line[:1] == ["ready"], line
        yield process, line[1]


def workers(url: str, least: int = 1) -> set[int]:
    """The process ids of workers, found by asking until ``least`` different ones have answered."""
    seen: set[int] = set()

    def enough() -> bool:
        seen.add(int(requests.get(f"{url}/pid", timeout=PATIENCE_S).text.split()[0]))
        return len(seen) >= least

    until(enough)
    return seen


def in_background(
    url: str, answers: list[requests.Response | Exception], session: requests.Session
) -> threading.Thread:
    def get() -> None:
        try:
            answers.append(session.get(url, timeout=PATIENCE_S))
        except requests.RequestException as ex:
            answers.append(ex)

    thread = threading.Thread(target=get)
    thread.start()
    return thread


def test_workers_share_one_socket(tmp_path: Path) -> None:
    with service(tmp_path) as (process, url):
        pids = workers(url, least=2)
        assert process.pid not in pids
        process.terminate()
        assert process.wait(PATIENCE_S) == 0
        assert {path.name for path in tmp_path.glob("closed.*")} == {f"closed.{pid}" for pid in pids}


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system does not tell which CPUs a process has")
def test_each_worker_keeps_to_one_cpu(tmp_path: Path) -> None:
    ours = os.sched_getaffinity(0)
    with service(tmp_path) as (process, url):
        places = [os.sched_getaffinity(pid) for pid in workers(url, least=2)]
        assert os.sched_getaffinity(process.pid) == ours
    assert [len(place) for place in places] == [1, 1]
    assert len(set.union(*places)) == min(2, len(ours))
    with service(tmp_path, "pin_workers=off") as (_, url):
        assert {frozenset(os.sched_getaffinity(pid)) for pid in workers(url, least=2)} == {frozenset(ours)}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_stop_finishes_running_requests(tmp_path: Path, number: signal.Signals) -> None:
    with service(tmp_path) as (process, url):
        answers: list[requests.Response | Exception] = []
        asking = in_background(f"{url}/hold?go", answers, requests.Session())
        until(lambda: (tmp_path / "go.begun").exists())
        process.send_signal(number)
        host, port = url.removeprefix("http://").split(":")
        until(lambda: is_refused(host, int(port)))
        assert answers == []
        assert process.poll() is None
        (tmp_path / "go").touch()
        asking.join()
        assert isinstance(answers[0], requests.Response), answers
        assert answers[0].status_code == 200
        assert answers[0].headers["Connection"] == "close"
        assert process.wait(PATIENCE_S) == 0


def test_a_request_on_a_kept_connection_is_answered_while_stopping(tmp_path: Path) -> None:
    with service(tmp_path, "workers=1", "lingering") as (process, url), requests.Session() as idle:
        assert idle.get(f"{url}/pid", timeout=PATIENCE_S).status_code == 200
        answers: list[requests.Response | Exception] = []
        asking = in_background(f"{url}/hold?go", answers, requests.Session())
        until(lambda: (tmp_path / "go.begun").exists())
        process.terminate()
        host, port = url.removeprefix("http://").split(":")
        until(lambda: is_refused(host, int(port)))
        assert idle.get(f"{url}/pid", timeout=PATIENCE_S).headers["Connection"] == "close"
        (tmp_path / "go").touch()
        asking.join()
        assert process.wait(PATIENCE_S) == 0


def test_a_request_that_takes_too_long_is_aborted(tmp_path: Path) -> None:
    with service(tmp_path, "shutdown_grace_s=0.2") as (process, url):
        answers: list[requests.Response | Exception] = []
        asking = in_background(f"{url}/hold?never", answers, requests.Session())
        until(lambda: (tmp_path / "never.begun").exists())
        process.terminate()
        assert process.wait(PATIENCE_S) == 0
        asking.join()
        assert isinstance(answers[0], requests.RequestException)


def test_a_second_signal_does_not_wait(tmp_path: Path) -> None:
    with service(tmp_path) as (process, url):
        asking = in_background(f"{url}/hold?never", [], requests.Session())
        until(lambda: (tmp_path / "never.begun").exists())
        process.send_signal(signal.SIGINT)
        host, port = url.removeprefix("http://").split(":")
        until(lambda: is_refused(host, int(port)))
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 0
        asking.join()


def test_an_immediate_second_signal_does_not_wait_either(tmp_path: Path) -> None:
    with service(tmp_path, "shutdown_grace_s=300", "impatient") as (process, url):
        asking = in_background(f"{url}/hold?never", [], requests.Session())
        until(lambda: (tmp_path / "never.begun").exists())
        process.terminate()
        assert process.wait(PATIENCE_S) == 0
        asking.join()


def test_a_hangup_is_ignored_if_it_was_ignored_at_the_start(tmp_path: Path) -> None:
    with service(tmp_path, "workers=1", "nohup") as (process, url):
        process.send_signal(signal.SIGHUP)
        assert process.pid not in workers(url)
        process.terminate()
        assert process.wait(PATIENCE_S) == 0
        assert process.stdout
        assert "cut off" not in process.stdout.read()


def test_a_worker_that_dies_is_replaced(tmp_path: Path) -> None:
    with service(tmp_path) as (process, url):
        before = workers(url, least=2)
        with pytest.raises(requests.ConnectionError):
            requests.get(f"{url}/die", timeout=PATIENCE_S)
        died = until(lambda: {pid for pid in before if not is_running(pid)})
        after = workers(url, least=2)
        assert len(after - before) == 1
        assert not after & died
        process.terminate()
        assert process.wait(PATIENCE_S) == 0
        assert process.stdout
        assert "was ended by SIGKILL; another one starts now" in process.stdout.read()


def test_a_crash_loop_is_slowed_down(tmp_path: Path) -> None:
    with service(tmp_path, "crashing", "workers=1") as (process, url):
        pid = workers(url).pop()
        (tmp_path / "crash").touch()
        os.kill(pid, signal.SIGKILL)
        assert process.stdout
        lines = [process.stdout.readline() for _ in range(4)]
        assert lines[0].rstrip().endswith("starts now")
        assert "ended with exit code 7" in lines[1]
        assert [line.rpartition("starts ")[2].strip() for line in lines[1:]] == ["in 1 s", "in 2 s", "in 4 s"]
        process.terminate()
        assert process.wait(PATIENCE_S) == 0


def test_workers_end_if_their_parent_is_killed(tmp_path: Path) -> None:
    with service(tmp_path) as (process, url):
        pids = workers(url, least=2)
        process.kill()
        until(lambda: not any(map(is_running, pids)))


def test_a_service_that_cannot_start_ends(tmp_path: Path) -> None:
    with started([sys.executable, "-m", "tests.process.stub_service", "broken"], tmp_path) as process:
        assert process.wait(PATIENCE_S) == 1
        assert process.stdout
        said = process.stdout.read()
        assert said.count("cannot start: the stub is broken") == 1
        assert "Traceback" not in said


def test_a_storage_that_cannot_be_used_is_reported_in_a_line(tmp_path: Path) -> None:
    program = [sys.executable, "-m", "app", "serve", "--port", "0", "--workers", "1"]
    variables = {"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none", "JWT_SECRET": 40 * "s"}
    with started(program, tmp_path, STORAGE_URL="ftp://objects", **variables) as process:
        assert process.wait(PATIENCE_S) == 1
        assert process.stdout
        said = process.stdout.read()
        assert "cannot start: No storage backend serves the scheme 'ftp'. STORAGE_URL begins with" in said
        assert "Traceback" not in said


def test_forwarded_headers_are_trusted_from_a_trusted_proxy_only(tmp_path: Path) -> None:
    headers = {"X-Forwarded-For": "192.0.2.7", "X-Forwarded-Proto": "https"}
    with service(tmp_path, "workers=1") as (_, url):
        answer = requests.get(f"{url}/pid", headers=headers, timeout=PATIENCE_S)
        assert answer.text.split()[1:] == ["http", "127.0.0.1"]
    with service(tmp_path, "workers=1", "trusted_proxy=127.0.0.1") as (_, url):
        answer = requests.get(f"{url}/pid", headers=headers, timeout=PATIENCE_S)
        assert answer.text.split()[1:] == ["https", "192.0.2.7"]


def test_a_taken_port_is_reported() -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ListenError, match=f"port {port} of 127.0.0.1 is in use by another process"):
            listen("127.0.0.1", port)


def test_an_invalid_host_is_reported() -> None:
    with pytest.raises(ListenError, match=r"cannot listen on the host x+: it is not a host name; check HOST"):
        listen(64 * "x", 0)


def test_a_foreign_host_address_is_reported() -> None:
    with pytest.raises(ListenError, match=r"192\.0\.2\.1 is not an address of this machine"):
        listen("192.0.2.1", 0)


def is_refused(host: str, port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((host, port)) != 0
