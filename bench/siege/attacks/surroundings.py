"""The surroundings of the service change: the clock jumps, the backend is full or read-only."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from bench.siege.client import SERVICE, connect, statuses, token
from bench.siege.finding import Attack, Finding, Tally
from bench.siege.grounds import CLIENT_TIMEOUT_S, Besieged, Grounds
from bench.siege.world import VARIABLE, World

_MINUTE, _HOUR, _YEAR = 60, 3600, 365 * 86400
_JUMPS = (0, 2 * _HOUR, -_HOUR, 0, 10 * _YEAR, -10 * _YEAR, 0)


@contextmanager
def _altered(grounds: Grounds) -> Iterator[tuple[Besieged, World]]:
    """A service in its own surroundings, which are ordinary until they are altered."""
    path = grounds.place / "world"
    world = World.make(path)
    with grounds.serving(program="bench.siege.altered", **{VARIABLE: str(path)}) as service:
        yield service, world


def _clock(grounds: Grounds, _: float) -> Finding:
    """The clock of the service jumps to and fro; that of the database stays."""
    tally = Tally()
    with _altered(grounds) as (service, world):
        path = f"{service.bucket()}/k"
        service.ask("POST", f"/object/{path}", b"kept")
        now = time.time()
        spans = {"always": (-20 * _YEAR, 20 * _YEAR), "now": (-_MINUTE, _HOUR), "soon": (_HOUR, 3 * _HOUR)}
        credentials = {
            name: token("service_role", nbf=int(now + begin), exp=int(now + end))
            for name, (begin, end) in spans.items()
        }
        signed = service.ask("POST", f"/object/sign/{path}", {"expiresIn": _HOUR}).json["signedURL"]
        for jump in _JUMPS:
            world.alter(ahead_s=jump)
            for name, credential in credentials.items():
                valid = spans[name][0] <= jump < spans[name][1]
                for kind, answer in (
                    ("graphql", service.graphql("{ __typename }", None, credential)),
                    ("storage", service.ask("GET", f"/object/{path}", None, credential)),
                ):
                    held = answer.status == 200 if valid else 400 <= answer.status < 500
                    tally.add(held, (jump, kind, name, answer.status, answer.body))
            answer = service.ask("GET", signed, None, None)
            tally.add((answer.status == 200) == (jump < _HOUR), (jump, "a signed URL", answer.status, answer.body))
            tally.add(service.is_responsive(), (jump, "a simple query"))
        _connections(service, world, tally)
    return tally.finding(f"{len(_JUMPS)} jumps of up to {_JUMPS[4] // _YEAR} years, and some within requests")


def _connections(service: Besieged, world: World, tally: Tally) -> None:
    """Active clients are not disconnected when the clock jumps, and idle ones are not kept."""
    lines = ["Host: x", f"Authorization: Bearer {SERVICE}"]
    asked = "\r\n".join(["GET /version HTTP/1.1", *lines, "", ""]).encode()
    upload = "\r\n".join([f"POST /object/{service.bucket()}/k HTTP/1.1", *lines, "Content-Length: 200000", "", ""])
    for jump in (_YEAR, -_YEAR):
        world.alter()
        with (
            connect(service.address, upload.encode() + bytes(100_000)) as sending,
            connect(service.address, asked) as idle,
            connect(service.address, b"GET /version HTTP/1.1\r\nHos") as silent,
        ):
            first = idle.recv(65536)
            world.alter(ahead_s=jump)
            idle.sendall(asked)
            sending.sendall(bytes(100_000))
            second, sent = idle.recv(65536), sending.recv(65536)
            tally.add(statuses(first + second) == [200, 200], (jump, "a connection between requests", second[:80]))
            tally.add(statuses(sent) == [200], (jump, "an upload", sent[:80]))
            silent.settimeout(CLIENT_TIMEOUT_S * 3)
            closed = False
            with suppress(TimeoutError):
                closed = silent.recv(65536) == b"" or True
            tally.add(closed, (jump, "who sends half a header is kept"))
        upload = upload.replace("/k ", "/l ")
    world.alter()


_WORDS = {errno.ENOSPC: (507, "InsufficientStorage"), errno.EROFS: (503, "StorageUnavailable")}


def _store(grounds: Grounds, _: float) -> Finding:
    """Existing objects stay readable, impossible writes get clear errors, and afterwards everything works."""
    tally = Tally()
    with _altered(grounds) as (service, world):
        bucket = service.bucket()
        old, gone = f"/object/{bucket}/old", f"/object/{bucket}/gone"
        for refusal, words in _WORDS.items():
            name = os.strerror(refusal)
            for path in (old, gone):
                service.ask("PUT", path, b"old")
            world.alter(refusal=refusal)
            copy = {"bucketId": bucket, "sourceKey": "old", "destinationKey": f"copy{refusal}"}
            for kind, answer in (
                ("new", service.ask("POST", f"/object/{bucket}/new", b"new")),
                ("replace", service.ask("PUT", old, b"new")),
                ("large", service.ask("PUT", old, bytes(2_000_000))),
                ("copy", service.ask("POST", "/object/copy", copy)),
            ):
                reported = answer.status, (answer.json or {}).get("code")
                tally.add(reported == words, (name, kind, answer.status, answer.body))
            tally.add(service.ask("DELETE", gone).status == 200, (name, "delete"))
            tally.add(service.ask("GET", gone).status == 400, (name, "read what was deleted"))
            tally.add(service.ask("GET", old).body == b"old", (name, "read"))
            listed = service.ask("POST", f"/object/list/{bucket}", {"prefix": ""}).json
            tally.add([entry["name"] for entry in listed] == ["old"], (name, "list", listed))
            tally.add(service.is_responsive(), (name, "a simple query"))
            world.alter()
            tally.add(service.ask("GET", old).body == b"old", (name, "read afterwards"))
            tally.add(service.ask("PUT", old, b"new").status == 200, (name, "replace afterwards"))
        left = list((service.folder / ".unfinished").iterdir())
        tally.add(not left, f"unfinished writes stay: {left}")
    return tally.finding("No space left on device, Read-only file system")


ATTACKS = (
    Attack("a clock that jumps", "tokens and signed URLs follow the clock, and nothing else does", _clock),
    Attack("a store that cannot be written", "what cannot be stored is refused in words, nothing is lost", _store),
)
