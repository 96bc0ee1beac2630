"""A socket that a supervisor passes outlives the service, so that a service is replaced without a refused request."""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from subprocess import Popen

import pytest

from app.server.processes import activation
from app.server.processes.activation import passed_socket
from app.server.processes.address import ListenError, listen
from tests.process.running import PATIENCE_S, started, until

CLIENTS = 6
# Starts the process as systemd does: the socket is descriptor 3 of the process that the variables name.
PASSING = """
import os, sys
descriptor, *program = sys.argv[1:]
os.dup2(int(descriptor), 3)
os.environ |= {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1"}
os.execv(program[0], program)
"""


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with listen("127.0.0.1", 0) as listener:
        listener.set_inheritable(True)
        yield listener


def service(listener: socket.socket, cwd: Path) -> AbstractContextManager[Popen[str]]:
    number = str(listener.fileno())
    program = [sys.executable, "-m", "tests.process.stub_service", "workers=1"]
    return started([sys.executable, "-c", PASSING, number, *program], cwd, pass_fds=(listener.fileno(),))


def await_ready(process: Popen[str]) -> None:
    assert process.stdout is not None
    assert process.stdout.readline().startswith("ready ")


class Load:
    """Clients that ask all the time: half of them on connections that they keep as long as the service does."""

    def __init__(self, listener: socket.socket) -> None:
        self._address = listener.getsockname()
        self._done = threading.Event()
        self._threads = [threading.Thread(target=self._ask, args=(bool(n % 2),), daemon=True) for n in range(CLIENTS)]
        self.failed: list[BaseException] = []
        self.count = 0
        for thread in self._threads:
            thread.start()

    def _ask(self, keeps: bool) -> None:
        while not self._done.is_set() and not self.failed:
            with closing(HTTPConnection(*self._address, timeout=PATIENCE_S)) as client:
                try:
                    while self._once(client) and keeps and not self._done.is_set():
                        pass
                except (OSError, HTTPException) as ex:
                    self.failed.append(ex)

    def _once(self, client: HTTPConnection) -> bool:
        """Whether the connection stays open."""
        client.request("GET", "/pid")
        answer = client.getresponse()
        answer.read()
        self.count += 1
        return not answer.will_close

    def await_more(self) -> None:
        """Wait for answers to requests that are sent from now on."""
        count = self.count + 10 * CLIENTS
        until(lambda: self.failed or self.count > count)

    def stop(self) -> None:
        self._done.set()
        for thread in self._threads:
            thread.join()


def stop(process: Popen[str]) -> None:
    process.terminate()
    assert process.wait(PATIENCE_S) == 0


def test_no_request_fails_while_services_replace_one_another(listener: socket.socket, tmp_path: Path) -> None:
    with service(listener, tmp_path) as old, service(listener, tmp_path) as new:
        await_ready(old)
        await_ready(new)
        load = Load(listener)
        stop(old)
        load.await_more()
        # Then no process accepts for a while, and the clients wait in the socket's queue.
        stop(new)
        with service(listener, tmp_path) as last:
            await_ready(last)
            load.await_more()
            load.stop()
    assert load.failed == []


def test_a_socket_that_does_not_listen_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    # Descriptor 3, where a supervisor passes its socket, is in use in the process of the tests.
    monkeypatch.setattr(activation, "_FIRST", socket.socket().detach())
    with pytest.raises(ListenError, match="not a listening TCP socket"):
        passed_socket({"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1"})


def test_one_socket_is_served() -> None:
    environ = {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "2", "LISTEN_FDNAMES": "a:b"}
    with pytest.raises(ListenError, match="pass one socket"):
        passed_socket(environ)
    assert environ == {}


def test_sockets_for_another_process_are_left_alone() -> None:
    environ = {"LISTEN_PID": str(os.getppid()), "LISTEN_FDS": "1"}
    assert passed_socket(environ) is None
    assert len(environ) == 2
