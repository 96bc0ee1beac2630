"""Servers that the service itself calls hang or answer slowly: other requests do not wait for them."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from socketserver import StreamRequestHandler, ThreadingTCPServer

import jwt

from bench.siege.finding import Attack, Finding, Tally
from bench.siege.grounds import THREADS, WORKERS, Besieged, Grounds

_SOON_S = 4.0
_DELETED_WITHIN_S = 40.0
_OBJECTS = 5


@contextmanager
def _slow_server(begun: bytes) -> Iterator[str]:
    """An HTTP server that sends this and then, unless it is nothing, a byte now and then; its URL."""
    closed = threading.Event()

    class Dripping(StreamRequestHandler):
        def handle(self) -> None:
            with suppress(OSError):
                self.wfile.write(begun)
                while not closed.wait(0.2):
                    self.wfile.write(begun and b"x")

    with ThreadingTCPServer(("127.0.0.1", 0), Dripping) as server:
        server.daemon_threads, server.block_on_close = True, False
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/"
        finally:
            closed.set()
            server.shutdown()


_BEGUN = {"hangs": b"", "drips": b"HTTP/1.1 200 OK\r\nX: "}


def _keys(grounds: Grounds, seconds: float) -> Finding:
    tally = Tally()
    for kind, begun in _BEGUN.items():
        with _slow_server(begun) as url, grounds.serving(JWT_JWKS=url) as service:
            service.is_responsive()
            _send_made_up_tokens(service, tally, f"the key server {kind}", max(seconds, 3))
    return tally.finding("tokens with keys that only the key server could know")


def _send_made_up_tokens(service: Besieged, tally: Tally, kind: str, seconds: float) -> None:
    """Twice as many callers with forged tokens as threads, and one other caller at the same time."""
    lock, deadline = threading.Lock(), time.monotonic() + seconds

    def caller() -> None:
        while time.monotonic() < deadline:
            name = {"kid": secrets.token_hex(4)}
            credential = jwt.encode({"role": "anon"}, secrets.token_hex(32), headers=name)
            answer = service.graphql("{ __typename }", None, credential)
            with lock:
                tally.add(answer.status in (401, 503), (kind, answer.status, answer.body))

    callers = [threading.Thread(target=caller) for _ in range(2 * WORKERS * THREADS)]
    for each in callers:
        each.start()
    while time.monotonic() < deadline:
        held = service.is_responsive(_SOON_S)
        with lock:
            tally.add(held, f"{kind}: somebody else is not answered within {_SOON_S:.0f} s")
        time.sleep(0.1)
    for each in callers:
        each.join()


def _receiver(grounds: Grounds, _: float) -> Finding:
    """Deleted bytes leave the backend although the receiver of events accepts none."""
    tally = Tally()
    for kind, begun in _BEGUN.items():
        with _slow_server(begun) as url, grounds.serving(WEBHOOK_URL=url, REPLACED_BYTES_GRACE_S="0") as service:
            bucket = service.bucket()
            for number in range(_OBJECTS):
                service.ask("POST", f"/object/{bucket}/{number}", b"bytes")
                answer = service.ask("DELETE", f"/object/{bucket}/{number}")
                tally.add(answer.status == 200, (kind, "delete", answer.status, answer.body))
            deadline = time.monotonic() + _DELETED_WITHIN_S
            undone = "select count(*) from storage.work where kind = 'delete_blob'"
            while (left := service.sql(undone)[0][0]) and time.monotonic() < deadline:
                time.sleep(0.2)
            tally.add(not left, f"the receiver {kind}: the bytes of {left} deleted objects are still there")
            kept = service.sql("select count(*) from storage.work where kind = 'post_event'")[0][0]
            tally.add(kept == 2 * _OBJECTS, f"the receiver {kind}: {kept} of {2 * _OBJECTS} events are kept for it")
    return tally.finding("a receiver that hangs, and one that drips")


ATTACKS = (
    Attack("a key server that hangs", "made-up tokens do not delay the answers to others", _keys),
    Attack("a receiver that hangs", "no receiver of events keeps the upkeep from its work, none is lost", _receiver),
)
