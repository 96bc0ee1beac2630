"""Clients that are slow, silent, too many or without a credential: other clients are still answered."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import ExitStack, suppress

from bench.siege.client import ANON, SERVICE, Answer, connect, statuses
from bench.siege.finding import Attack, Finding, Tally
from bench.siege.grounds import CLIENT_TIMEOUT_S, CONNECTIONS, PROBE_QUERY, THREADS, WORKERS, Besieged, Grounds

_SOON_S = 4.0
_SETTLED_WITHIN_S = 10.0
_OBJECT = 40_000_000


def _others(service: Besieged, tally: Tally, count: int, kind: str) -> None:
    """Send a few requests as another client."""
    for _ in range(count):
        began = time.monotonic()
        answers = [service.graphql(PROBE_QUERY, patience_s=_SOON_S), service.ask("GET", "/health", patience_s=_SOON_S)]
        reported = [(answer.status, answer.body[:100]) for answer in answers]
        held = [status for status, _ in reported] == [200, 200]
        tally.add(held, f"{kind}: another client got {reported} after {time.monotonic() - began:.1f} s")


def _comes_again(service: Besieged, tally: Tally) -> None:
    """Be another client that follows Retry-After: recently active connections are not closed for others."""
    deadline = time.monotonic() + _SETTLED_WITHIN_S
    while (answer := service.graphql(PROBE_QUERY, patience_s=_SOON_S)).status == 503 and time.monotonic() < deadline:
        tally.add("retry-after" in answer.headers, ("busy", answer.headers, answer.body))
        time.sleep(1)
    tally.add(answer.status == 200, ("another client got", answer.status, answer.body))


def _slow_readers(grounds: Grounds, _: float) -> Finding:
    service, tally = grounds.service, Tally()
    bucket = service.bucket()
    service.ask("POST", f"/object/{bucket}/k", bytes(_OBJECT))
    asked = f"GET /object/{bucket}/k HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {SERVICE}\r\n\r\n".encode() * 2
    with ExitStack() as open_:
        readers = [open_.enter_context(connect(service.address, asked, 4096)) for _ in range(WORKERS * THREADS)]
        _others(service, tally, 10, "8 readers of 40 MB that never read")
        time.sleep(CLIENT_TIMEOUT_S * 2)
        tally.add(sum(map(_was_left, readers)) == len(readers), "connections of readers that never read stay open")
    return tally.finding()


def _was_left(connection: socket.socket) -> bool:
    """Whether the other side closes when all that is under way was read."""
    connection.settimeout(_SOON_S)
    received = 0
    try:
        while more := len(connection.recv(1 << 20)):
            received += more
    except TimeoutError:
        return False
    except OSError:
        return True
    return received < 2 * _OBJECT


def _slow_senders(grounds: Grounds, _: float) -> Finding:
    service, tally = grounds.service, Tally()
    begun = (
        b"GET /health HTTP/1.1\r\nHos",
        b"POST /graphql/v1 HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12",
        b"POST /graphql/v1 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        b"",
    )
    with ExitStack() as open_:
        senders = [
            open_.enter_context(connect(service.address, begun[n % len(begun)])) for n in range(CONNECTIONS // 2)
        ]
        for _ in range(5):
            for sender in senders:
                with suppress(OSError):
                    sender.send(b"x")
            _others(service, tally, 1, "senders of a byte now and then")
    return tally.finding()


def _flood(grounds: Grounds, _: float) -> Finding:
    """More connections than the service keeps, each with the beginning of a request."""
    service, tally, count = grounds.service, Tally(), 2 * WORKERS * CONNECTIONS
    with ExitStack() as open_:
        for _ in range(count):
            with suppress(OSError):
                open_.enter_context(connect(service.address, b"GET /health HTTP/1.1\r\n"))
        for _ in range(5):
            _comes_again(service, tally)
    _others(service, tally, 1, "after the flood")
    return tally.finding(f"{count} connections to a service that keeps {WORKERS * CONNECTIONS}")


def _turned_away(grounds: Grounds, _: float) -> Finding:
    """Clients without a place that stay, and as many new ones each time: a place that becomes free is taken."""
    tally, places = Tally(), WORKERS * 4
    with grounds.serving(CONNECTION_LIMIT="4") as service, ExitStack() as staying:
        begun = b"GET /health HTTP/1.1\r\n"
        holding = [connect(service.address, begun) for _ in range(places)]
        for _ in range(5):
            for _ in range(places):
                with suppress(OSError):
                    staying.enter_context(connect(service.address, begun))
            holding.pop().close()
            _comes_again(service, tally)
            holding.append(connect(service.address, begun))
        for each in holding:
            each.close()
        _others(service, tally, 1, "after those that were turned away")
    return tally.finding(f"{places} places")


def _without_credential(grounds: Grounds, _: float) -> Finding:
    """The answer comes, with a refusal, though not a byte of the body was sent."""
    service, tally = grounds.service, Tally()
    targets = [
        ("POST", "/object/b/k", line)
        for line in ("X: y", "Authorization:", "Authorization: Bearer", "Authorization: Bearer x.y.z")
    ]
    targets += [("PUT", "/object/upload/sign/b/k?token=x", "X: y"), ("PUT", "/object/upload/sign/b/k", "X: y")]
    targets += [("POST", "/object/b/k?authorization=", "X: y"), ("GET", "/object/b/k", f"Authorization: Bearer {ANON}")]
    targets += [("HEAD", "/health", "X: y"), ("POST", "/storage/v1/object/b/k?authorization=x", "X: y")]
    for method, path, line in targets:
        for size in ("Content-Length: 50000000", "Transfer-Encoding: chunked"):
            head = "\r\n".join([f"{method} {path} HTTP/1.1", "Host: x", line, size, "", ""]).encode()
            with ExitStack() as open_:
                connection = open_.enter_context(connect(service.address, head))
                connection.settimeout(CLIENT_TIMEOUT_S / 2)
                answer = b""
                with suppress(OSError):
                    answer = connection.recv(65536)
            tally.add(400 <= (statuses(answer) or [0])[0] < 500, (method, path, line, size, answer[:80]))
    return tally.finding()


def _full_disk(grounds: Grounds, _: float) -> Finding:
    """Unfinished bodies fill the space that they may have; more is refused in words, and afterwards all is well."""
    tally = Tally()
    with grounds.serving(TRANSFER_SPACE="20M", BODY_TIMEOUT_S="20") as service:
        bucket = service.bucket()
        lines = ["Host: x", f"Authorization: Bearer {SERVICE}", "Content-Length: 9000000"]
        begun = "\r\n".join([f"POST /object/{bucket}/k HTTP/1.1", *lines, "", ""])
        with ExitStack() as open_:
            for _ in range(6):
                with suppress(OSError):
                    open_.enter_context(connect(service.address, begun.encode() + bytes(8_000_000)))
            for _ in range(3):
                answer = service.ask("POST", f"/object/{bucket}/more", bytes(9_000_000))
                tally.add(
                    answer.status == 507 and "retry-after" in answer.headers, ("while full", answer.status, answer.body)
                )
                small = service.ask("POST", f"/object/{bucket}/small", b"x", x_upsert="true")
                tally.add(
                    small.status == 200 and service.is_responsive(),
                    ("a small one while full", small.status, small.body),
                )
        time.sleep(0.5)
        answer = service.ask("POST", f"/object/{bucket}/more", bytes(9_000_000))
        tally.add(answer.status == 200, ("afterwards", answer.status, answer.body))
    return tally.finding("a TRANSFER_SPACE of 20M")


def _health(grounds: Grounds, _: float) -> Finding:
    service, tally = grounds.service, Tally()
    slow = "mutation { slow(seconds: 3) }"
    callers = [threading.Thread(target=service.graphql, args=(slow,)) for _ in range(12)]
    for caller in callers:
        caller.start()
    time.sleep(0.3)
    while any(caller.is_alive() for caller in callers):
        for path in ("/health", "/version"):
            answer = service.ask("GET", path, patience_s=10)
            tally.add(answer.status == 200 and answer.seconds < 2, (path, answer.status, f"{answer.seconds:.1f} s"))
        time.sleep(0.1)
    return tally.finding("12 functions of 3 s")


def _overload(grounds: Grounds, seconds: float) -> Finding:
    """Ten times as many clients as threads, on functions of 50 ms: each is answered, or refused at once with 503."""
    service, tally, lock = grounds.service, Tally(), threading.Lock()
    deadline, reported = time.monotonic() + seconds, 0

    def asker() -> None:
        nonlocal reported
        while time.monotonic() < deadline:
            answer: Answer = service.graphql("mutation { slow(seconds: 0.05) }")
            busy = answer.status == 503 and "retry-after" in answer.headers
            with lock:
                reported += busy
                tally.add(busy or answer.status == 200, (answer.status, answer.body))

    askers = [threading.Thread(target=asker) for _ in range(10 * WORKERS * THREADS)]
    for each in askers:
        each.start()
    for each in askers:
        each.join()
    _others(service, tally, 1, "after the overload")
    return tally.finding(f"{reported} refused with 503")


ATTACKS = (
    Attack("readers that do not read", "no client keeps a thread by not reading", _slow_readers),
    Attack("senders that hardly send", "no client keeps others waiting by not sending", _slow_senders),
    Attack("a flood of connections", "connections that say nothing make room for those that do", _flood),
    Attack("clients that are turned away", "who is turned away and stays takes no place", _turned_away),
    Attack("bodies without a credential", "who has no credential is refused before the body", _without_credential),
    Attack("a full disk", "bodies beyond the space for them are refused in words, nothing else fails", _full_disk),
    Attack("health under load", "health is answered under any load", _health),
    Attack("overload", "at ten times the capacity each request is answered or refused with 503", _overload),
)
