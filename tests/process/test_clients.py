"""Clients that are slow, silent or too many: their resources are limited, and other clients are still served."""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import jwt
import pytest
import requests
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.process.running import PATIENCE_S, started, until
from tests.process.test_server import in_background, service

LARGE = 40_000_000
RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
# Far less than waiting for a client would take.
SOON_S = 20.0


def address(url: str) -> tuple[str, int]:
    host, _, port = url.removeprefix("http://").partition(":")
    return host, int(port)


def get(path: str, *lines: str, version: str = "1.1") -> bytes:
    return "\r\n".join([f"GET {path} HTTP/{version}", "Host: x", *lines, "", ""]).encode()


@contextmanager
def client(url: str, sent: bytes = b"", small_buffer: bool = False) -> Iterator[socket.socket]:
    with socket.socket() as connection:
        if small_buffer:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(PATIENCE_S)
        connection.connect(address(url))
        connection.sendall(sent)
        yield connection


def read_all(connection: socket.socket) -> bytes:
    received = bytearray()
    with suppress(ConnectionResetError):
        while more := connection.recv(1 << 20):
            received += more
    return bytes(received)


def status(url: str, path: str = "/pid") -> int:
    return requests.get(url + path, timeout=SOON_S).status_code


@pytest.mark.parametrize("path", ["/large", "/pieces"])
def test_clients_that_do_not_read_block_no_thread(tmp_path: Path, path: str) -> None:
    """Each requests 40 MB twice in one segment, and there are more of them than threads."""
    with service(tmp_path, "workers=1", "threads=2") as (_, url), ExitStack() as clients:
        for _ in range(8):
            clients.enter_context(client(url, 2 * get(path), small_buffer=True))
        for _ in range(20):
            assert status(url) == 200


@pytest.mark.parametrize("path", ["/large", "/pieces", "/file", "/memory"])
def test_an_unread_response_is_sent_later(tmp_path: Path, path: str) -> None:
    asked = get(path) + get(path, "Connection: close")
    with service(tmp_path, "workers=1", "threads=1") as (_, url), client(url, asked) as slow:
        assert status(url) == 200
        received = read_all(slow)
    assert received.count(b"HTTP/1.1 200 OK") == 2
    assert len(received.replace(b"\0", b"")) < 1000
    assert received.count(b"\0") == 2 * LARGE


def test_a_client_that_reads_nothing_is_disconnected(tmp_path: Path) -> None:
    patience = "send_timeout_s=0.5"
    with service(tmp_path, "workers=1", patience) as (_, url), client(url, get("/large"), small_buffer=True) as slow:
        assert slow.recv(1) == b"H"
        until(lambda: len(established(url)) == 0, SOON_S)


def established(url: str) -> list[str]:
    """Lines of the kernel's table for connections that the service has open, whether or not their clients do."""
    port = f":{address(url)[1]:04X}"
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    return [line for line in lines if line.split()[1].endswith(port) and line.split()[3] in ("01", "08")]


@pytest.mark.parametrize(
    ("setting", "sent", "received"),
    [
        ("header_timeout_s=0.5", b"GET /pid HTTP/1.1\r\nHos", b""),
        ("body_timeout_s=0.5", b"POST /pid HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345", b""),
        ("idle_timeout_s=0.5", b"", b""),
        ("idle_timeout_s=0.5", get("/pid"), b"200"),
    ],
)
def test_a_silent_client_is_closed(tmp_path: Path, setting: str, sent: bytes, received: bytes) -> None:
    # Longer than the client waits.
    others = [f"{name}_timeout_s={10 * PATIENCE_S}" for name in ("header", "body", "idle")]
    with service(tmp_path, "workers=1", *others, setting) as (_, url), client(url, sent) as silent:
        assert read_all(silent)[9:12] == received


def test_a_header_must_arrive_in_time_even_byte_by_byte(tmp_path: Path) -> None:
    with (
        service(tmp_path, "workers=1", "header_timeout_s=1") as (_, url),
        client(url, b"GET /pid HTTP/1.1\r\nX: ") as slow,
    ):
        slow.settimeout(0.1)
        until(lambda: has_ended(slow, b"x"), SOON_S)


def has_ended(connection: socket.socket, more: bytes) -> bool:
    """Whether the server closed the connection; ``more`` is sent to find out."""
    try:
        connection.send(more)
        return connection.recv(1) == b""
    except TimeoutError:
        return False
    except OSError:
        return True


def test_silent_connections_make_room_for_new_ones(tmp_path: Path) -> None:
    """Twice as many connections as the limit, each in the middle of a header."""
    with (
        service(tmp_path, "workers=1", "connection_limit=20", "header_timeout_s=600") as (_, url),
        ExitStack() as clients,
    ):
        for _ in range(40):
            clients.enter_context(client(url, b"GET /pid HTTP/1.1\r\nHos"))
        until(lambda: status(url) == 200, SOON_S)


def test_beyond_the_limit_of_connections_the_answer_is_503_at_once(tmp_path: Path) -> None:
    with service(tmp_path, "workers=1", "threads=4", "connection_limit=2") as (_, url):
        answers: list[requests.Response | Exception] = []
        asking = [in_background(f"{url}/hold?go", answers, requests.Session()) for _ in range(2)]
        until(lambda: (tmp_path / "go.begun").exists() and len(established(url)) >= 2)
        refused = requests.get(f"{url}/pid", timeout=SOON_S)
        assert refused.status_code == 503
        assert refused.headers["Retry-After"] == "1"
        (tmp_path / "go").touch()
        for each in asking:
            each.join()
        assert [answer.status_code for answer in answers if isinstance(answer, requests.Response)] == [200, 200]
        until(lambda: status(url) == 200)


def test_a_refused_client_that_stays_takes_no_place(tmp_path: Path) -> None:
    with service(tmp_path, "workers=1", "threads=4", "connection_limit=2") as (_, url), ExitStack() as clients:
        holding = [clients.enter_context(client(url, get("/hold?go", "Connection: close"))) for _ in range(2)]
        until(lambda: (tmp_path / "go.begun").exists() and len(established(url)) >= 2)
        staying = [clients.enter_context(client(url, b"GET /pid HTTP/1.1\r\n")) for _ in range(4)]
        assert all(each.recv(65536).startswith(b"HTTP/1.1 503") for each in staying)
        (tmp_path / "go").touch()
        assert all(read_all(each).startswith(b"HTTP/1.1 200") for each in holding)
        # They are cut off after five seconds.
        until(lambda: status(url) == 200, 2.5)


def test_far_beyond_the_limit_of_connections_the_answer_is_503_too(tmp_path: Path) -> None:
    """Also if more clients than are waited for do not read that they were turned away."""
    with service(tmp_path, "workers=1", "threads=4", "connection_limit=2") as (_, url), ExitStack() as clients:
        answers: list[requests.Response | Exception] = []
        asking = [in_background(f"{url}/hold?go", answers, requests.Session()) for _ in range(2)]
        until(lambda: (tmp_path / "go.begun").exists() and len(established(url)) >= 2)
        for _ in range(120):
            clients.enter_context(client(url, b"GET /pid HTTP/1.1\r\n"))
        refused = requests.get(f"{url}/pid", timeout=SOON_S)
        (tmp_path / "go").touch()
        for each in asking:
            each.join()
        assert refused.status_code == 503
        assert refused.headers["Retry-After"] == "1"


def test_beyond_the_limit_of_waiting_requests_the_answer_is_503_at_once(tmp_path: Path) -> None:
    with service(tmp_path, "workers=1", "threads=1", "waiting_limit=1") as (_, url), ExitStack() as clients:
        answers: list[requests.Response | Exception] = []
        asking = in_background(f"{url}/hold?go", answers, requests.Session())
        until(lambda: (tmp_path / "go.begun").exists())
        waiting = clients.enter_context(client(url, get("/pid", "Connection: close")))
        refused = requests.get(f"{url}/pid", timeout=SOON_S)
        assert refused.status_code == 503
        assert refused.headers["Retry-After"] == "1"
        (tmp_path / "go").touch()
        asking.join()
        assert read_all(waiting).startswith(b"HTTP/1.1 200 OK")


def test_a_started_answer_continues_beyond_the_limit_of_waiting_requests(tmp_path: Path) -> None:
    with (
        service(tmp_path, "workers=1", "threads=1", "waiting_limit=0") as (_, url),
        client(url, get("/pieces", "Connection: close"), small_buffer=True) as reading,
    ):
        begun = reading.recv(4096)
        assert begun.startswith(b"HTTP/1.1 200 OK")
        # Once what is not read fills the socket, the thread is free.
        until(lambda: requests.get(f"{url}/pid", timeout=PATIENCE_S).ok)
        answers: list[requests.Response | Exception] = []
        asking = in_background(f"{url}/hold?go", answers, requests.Session())
        until(lambda: (tmp_path / "go.begun").exists())
        # Enough for more of the answer to be made, if there were a thread.
        begun += b"".join(reading.recv(65536) for _ in range(200))
        (tmp_path / "go").touch()
        asking.join()
        body = (begun + read_all(reading)).partition(b"\r\n\r\n")[2]
        assert body == bytes(LARGE)


def test_a_header_that_is_too_large_is_refused(tmp_path: Path) -> None:
    with service(tmp_path) as (_, url), client(url, get("/pid", *["X: y"] * 20_000)) as asking:
        assert read_all(asking)[9:12] == b"431"


def test_requests_that_have_waited_too_long_do_not_begin(tmp_path: Path) -> None:
    """Their times of arrival are unknown. As many as there are threads may always wait: the first to come."""
    with service(tmp_path, "workers=1", "threads=1", "waiting_s=1") as (_, url), ExitStack() as clients:
        answers: list[requests.Response | Exception] = []
        asking = in_background(f"{url}/hold?go", answers, requests.Session())
        until(lambda: (tmp_path / "go.begun").exists())
        waiting = [clients.enter_context(client(url, get("/pid", "Connection: close"))) for _ in range(5)]
        # Longer than waiting_s, so that all of them have waited too long.
        time.sleep(1.5)
        (tmp_path / "go").touch()
        asking.join()
        assert Counter(read_all(each)[9:12] for each in waiting) == {b"503": 4, b"200": 1}


def test_while_a_request_has_waited_for_long_the_answer_is_503_at_once(tmp_path: Path) -> None:
    """A few that wait, no more than there are threads, are not too many."""
    with service(tmp_path, "workers=1", "threads=1", "waiting_s=0.1") as (_, url), ExitStack() as clients:
        answers: list[requests.Response | Exception] = []
        asking = in_background(f"{url}/hold?go", answers, requests.Session())
        until(lambda: (tmp_path / "go.begun").exists())
        waiting = clients.enter_context(client(url, get("/pid", "Connection: close")))

        def is_refused() -> bool:
            try:
                return requests.get(f"{url}/pid", timeout=0.3).status_code == 503
            except requests.Timeout:
                return False

        until(is_refused)
        (tmp_path / "go").touch()
        asking.join()
        assert read_all(waiting).startswith(b"HTTP/1.1 200 OK")
        until(lambda: status(url) == 200)


@pytest.mark.timing
def test_while_requests_are_refused_others_are_refused_sooner(tmp_path: Path) -> None:
    """A long queue absorbs a burst; in lasting overload it would only make every answer late."""
    with service(tmp_path, "workers=1", "threads=1", "waiting_s=3") as (_, url):

        def time_to_refusal(name: str) -> float:
            """For how long one request waits for the only thread before another is refused."""
            answers: list[requests.Response | Exception] = []
            asking = in_background(f"{url}/hold?{name}", answers, requests.Session())
            until(lambda: (tmp_path / f"{name}.begun").exists())
            began = time.monotonic()
            with ExitStack() as clients:
                while True:
                    waiting = clients.enter_context(client(url, get("/pid", "Connection: close")))
                    waiting.settimeout(0.02)
                    with suppress(TimeoutError):
                        assert waiting.recv(100).startswith(b"HTTP/1.1 503")
                        break
                refused_after = time.monotonic() - began
                (tmp_path / name).touch()
                asking.join()
            until(lambda: status(url) == 200)
            return refused_after

        assert time_to_refusal("first") > 2.5
        assert time_to_refusal("second") < 1.5


@pytest.mark.parametrize("path", ["/health", "/version"])
def test_health_answers_while_all_threads_are_busy(tmp_path: Path, path: str) -> None:
    with service(tmp_path, "workers=1", "threads=2", "waiting_limit=500") as (_, url):
        answers: list[requests.Response | Exception] = []
        asking = [in_background(f"{url}/hold?go", answers, requests.Session()) for _ in range(12)]
        until(lambda: len(established(url)) >= 12)
        for _ in range(5):
            assert status(url, path) == 200
        assert answers == []
        (tmp_path / "go").touch()
        for each in asking:
            each.join()
        assert [answer.status_code for answer in answers if isinstance(answer, requests.Response)] == 12 * [200]


def test_a_long_request_does_not_stop_others(tmp_path: Path) -> None:
    """When the thread that waits on connections answers a request, another one takes its place."""
    with service(tmp_path, "workers=1", "threads=4") as (_, url):
        answers: list[requests.Response | Exception] = []
        asking = [in_background(f"{url}/hold?go{number}", answers, requests.Session()) for number in range(3)]
        for number in range(3):
            until(lambda number=number: (tmp_path / f"go{number}.begun").exists())  # type: ignore[misc]
        for _ in range(50):
            assert status(url) == 200
        for number in range(3):
            (tmp_path / f"go{number}").touch()
        for each in asking:
            each.join()
        assert len(answers) == 3


@pytest.mark.parametrize("connections", [8, 9])
def test_connections_are_spread_over_the_workers(tmp_path: Path, connections: int) -> None:
    def spread(url: str) -> list[int]:
        """The number of connections of each worker after this number was opened one by one."""
        with ExitStack() as clients:
            opened = [clients.enter_context(client(url, get("/pid"))) for _ in range(connections)]
            pids = [each.recv(65536).partition(b"\r\n\r\n")[2].split()[0] for each in opened]
        until(lambda: len(established(url)) == 0)
        return sorted(Counter(pids).values())

    with service(tmp_path, "workers=2") as (_, url):
        # If the machine pauses a worker for a quarter of a second it counts as stuck, and the other gets all.
        until(lambda: all(spread(url) == [connections // 2, (connections + 1) // 2] for _ in range(5)))


def test_requests_in_one_segment_are_answered_in_order(tmp_path: Path) -> None:
    (tmp_path / "there").touch()
    asked = get("/hold?there") + 50 * get("/pid") + get("/nothing", "Connection: close")
    with service(tmp_path, "workers=1") as (_, url), client(url, asked) as connection:
        received = read_all(connection)
    assert received.count(b"HTTP/1.1 200 OK") == 52


def test_headers_and_bodies_may_arrive_in_pieces(tmp_path: Path) -> None:
    with service(tmp_path, "workers=1") as (_, url), client(url) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in get("/pid"):
            connection.send(bytes([byte]))
        assert connection.recv(65536).startswith(b"HTTP/1.1 200 OK")
        connection.sendall(b"POST /pid HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
        assert connection.recv(65536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b"body")
        assert connection.recv(65536).startswith(b"HTTP/1.1 200 OK")


def test_clients_of_http_1_0_are_served(tmp_path: Path) -> None:
    with service(tmp_path, "workers=1") as (_, url):
        with client(url, get("/pid", version="1.0")) as connection:
            assert b"Connection: close" in read_all(connection)
        with client(url, get("/pid", "Connection: keep-alive", version="1.0")) as connection:
            assert b"Connection: Keep-Alive" in connection.recv(65536)
            connection.sendall(get("/pid", version="1.0"))
            assert b"200 OK" in read_all(connection)
        with client(url, get("/pid", "Host: y\r\nConnection: keep-alive", version="1.0")) as connection:
            refused = read_all(connection)
            assert b"400 Bad Request" in refused
            assert refused.count(b"Connection: ") == refused.count(b"Connection: close") == 1


def test_clients_that_disconnect_free_threads_and_connections(tmp_path: Path) -> None:
    """Before, during and after the response; the threads and connections become free again."""
    with service(tmp_path, "workers=1", "threads=2") as (_, url):

        def leave() -> None:
            for sent in (b"", b"GET", get("/pid"), get("/large"), get("/pieces"), 3 * get("/pieces")):
                with client(url, sent, small_buffer=True):
                    pass

        leaving = [threading.Thread(target=leave) for _ in range(4)]
        for each in leaving:
            each.start()
        for each in leaving:
            each.join()
        until(lambda: status(url) == 200)
        until(lambda: len(established(url)) == 0, SOON_S)


def test_health_answers_beside_a_long_request_in_the_same_segment(tmp_path: Path) -> None:
    """The thread for health checks handles nothing else, even if a client sends both in one segment."""
    with service(tmp_path, "workers=1", "threads=2") as (_, url), ExitStack() as clients:
        for number in range(4):
            clients.enter_context(client(url, get("/health") + get(f"/hold?go{number}")))
        until(lambda: len(list(tmp_path.glob("*.begun"))) >= 2)
        for _ in range(5):
            assert status(url, "/health") == 200
        assert len(list(tmp_path.glob("*.begun"))) == 2
        for number in range(4):
            (tmp_path / f"go{number}").touch()
        until(lambda: len(list(tmp_path.glob("*.begun"))) == 4)


@pytest.mark.parametrize(
    "head",
    [
        b"GET /pid HTTP/1.1\r\n\r\n",
        b"GET /pid HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n",
        b"GET /pid HTTP/1.1\r\nHost: x\r\nX: 1\r\nhOST : y\r\n\r\n",
        b"GET /pid HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n",
        b"POST /pid HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST /pid HTTP/1.2\r\nHost: x\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
)
def test_ambiguous_requests_are_refused(tmp_path: Path, head: bytes) -> None:
    """RFC 9112, 3.2 and 6.1: one Host, and no coding of the transfer that the version does not have."""
    with service(tmp_path, "workers=1") as (_, url), client(url, head + get("/pid")) as connection:
        connection.shutdown(socket.SHUT_WR)
        received = read_all(connection)
    assert received.startswith(b"HTTP/1.")
    assert received.split()[1] == b"400"
    assert received.count(b"HTTP/1.") == 1


def test_malformed_requests_are_refused(tmp_path: Path) -> None:
    """RFC 9112, 2.2, 3 and 6.1, RFC 9110, 7.2: other readers of the same bytes could find other requests in them."""
    lines = [
        b"GET /pid", b"GET /pid HTTP/9.9", b"GET /pid HTTP/1.10", b"GET /pid HTTP/2.0", b"GET /p\0id HTTP/1.1",
        b"GET /p\tid HTTP/1.1", b" GET /pid HTTP/1.1", b"\r\n GET /pid HTTP/1.1", b"\tGET /pid HTTP/1.1",
        b"GET /pid HTTP/1.1\n", b"GET /pid HTTP/1.1\r", b"GET /pid HTTP/1.1 ",
    ]  # fmt: skip
    hosts = [b"a, b", b"a,b", b"a b", b"a/b", b"a@b", b"a?b", b"a:b", b"[::1", b"a\x80"]
    twice = b"POST /pid HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked"
    heads = [line + b"\r\nHost: x" for line in lines]
    heads += [b"GET /pid HTTP/1.1\r\nHost: " + host for host in hosts]
    heads += [twice + b", chunked", twice + b"\r\nTransfer-encoding: chunked"]

    def answer_to(url: str, sent: bytes) -> bytes:
        with client(url, sent) as connection:
            connection.shutdown(socket.SHUT_WR)
            return read_all(connection)

    with service(tmp_path, "workers=1") as (_, url):
        for head in heads:
            received = answer_to(url, head + b"\r\n\r\n0\r\n\r\n" + get("/pid"))
            assert (received.count(b"HTTP/1."), received.split()[1:2]) == (1, [b"400"]), head
        for host in (b"", b"x", b"x:", b"x.example:8000", b"x_y", b"127.0.0.1:80", b"[::1]:8000", b"[fe80::1%25eth0]"):
            received = answer_to(url, b"\r\nGET /pid HTTP/1.1\r\nHost: " + host + b"\r\n\r\n")
            assert received.startswith(b"HTTP/1.1 200 "), host


def test_a_body_must_arrive_in_time_even_byte_by_byte(tmp_path: Path) -> None:
    head = b"POST /pid HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n"
    with service(tmp_path, "workers=1", "body_timeout_s=1") as (_, url), client(url, head) as slow:
        slow.settimeout(0.1)
        until(lambda: has_ended(slow, b"x"), SOON_S)


@pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc")
def test_bodies_are_kept_in_files_when_they_are_many(tmp_path: Path) -> None:
    """A few of this size are in memory; 30 would be 45 MB of it."""
    begun = b"POST /pid HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n" + bytes(1_500_000)
    with service(tmp_path, "workers=1", "body_limit=4MB") as (_, url), ExitStack() as clients:
        files = Path("/proc") / requests.get(f"{url}/pid", timeout=SOON_S).text.split()[0] / "fd"

        def kept() -> int:
            found = 0
            for each in files.iterdir():
                with suppress(FileNotFoundError):
                    found += "(deleted)" in os.readlink(each)
            return found

        before = kept()
        for _ in range(30):
            clients.enter_context(client(url, begun))
        until(lambda: kept() > before)
        assert status(url) == 200


def test_read_responses_free_their_space(tmp_path: Path) -> None:
    """Each response is kept in a file until its client has read it; there is space for two."""
    with service(tmp_path, "workers=1", "transfer_space=100MB") as (_, url), client(url) as slow:
        for _ in range(4):
            slow.sendall(get("/large"))
            left = LARGE
            while left > 0:
                received = slow.recv(1 << 20)
                assert received
                left -= received.count(b"\0")


def test_waiting_for_keys_blocks_no_other_client(tmp_path: Path) -> None:
    """The keys are needed to verify a token before the body is read."""
    uploading = b"POST /storage/v1/object/b/k HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n"
    uploading += b"Authorization: Bearer " + jwt.encode({}, RSA, "RS256", {"kid": "a"}).encode() + b"\r\n\r\n{}"
    with socket.create_server(("127.0.0.1", 0)) as silent, ExitStack() as clients:
        keys = f"jwt_jwks=http://127.0.0.1:{silent.getsockname()[1]}/"
        _, url = clients.enter_context(service(tmp_path, "workers=1", "threads=2", keys))
        uploads = [clients.enter_context(client(url, uploading)) for _ in range(4)]
        asked, _ = silent.accept()
        with asked:
            assert status(url, "/health") == 200
            # The uploads still wait for the keys.
            for upload in uploads:
                upload.setblocking(False)
                with pytest.raises(BlockingIOError):
                    upload.recv(1)
        for upload in uploads:
            upload.settimeout(PATIENCE_S)
            assert upload.recv(65536).startswith(b"HTTP/1.1 5")


def test_the_limit_of_open_files_is_raised(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    if resource.getrlimit(resource.RLIMIT_NOFILE)[1] < 2000:
        pytest.skip("this system grants too few")
    soft = "import resource as r; r.setrlimit(r.RLIMIT_NOFILE, (256, r.getrlimit(r.RLIMIT_NOFILE)[1]))"
    program = f"{soft}; import runpy; runpy.run_module('tests.process.stub_service', run_name='__main__')"
    with started([sys.executable, "-c", program, "workers=1", "connection_limit=600"], tmp_path) as process:
        assert process.stdout
        url = process.stdout.readline().split()[1]
        with ExitStack() as clients:
            for _ in range(500):
                clients.enter_context(client(url))
            assert status(url) == 200
            assert len(established(url)) >= 500
