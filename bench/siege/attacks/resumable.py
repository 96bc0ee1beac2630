"""Resumable uploads: those of others, offsets that race, and lengths that lie."""

from __future__ import annotations

from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor

from bench.siege.client import SERVICE, Answer, token
from bench.siege.finding import Attack, Finding, Tally
from bench.siege.grounds import Besieged, Grounds

_STRANGER = token("authenticated", sub="a stranger")
_BYTES = "application/offset+octet-stream"
_VERSION = {"Tus_Resumable": "1.0.0"}


def _begin(service: Besieged, bucket: str, key: str, length: str | None, credential: str = SERVICE) -> str:
    """A new upload; the path of its URL, '' if it is refused."""
    pairs = (("bucketName", bucket), ("objectName", key))
    metadata = ",".join(f"{name} {b64encode(value.encode()).decode()}" for name, value in pairs)
    declared = {"Upload_Length": length} if length is not None else {"Upload_Defer_Length": "1"}
    answer = service.ask("POST", "/upload/resumable", b"", credential, **_VERSION, **declared, Upload_Metadata=metadata)
    return (
        "/" + answer.headers.get("location", "").partition("://")[2].partition("/")[2] if answer.status == 201 else ""
    )


def _patch(
    service: Besieged, path: str, offset: int | str, body: bytes, credential: str = SERVICE, **more: str
) -> Answer:
    reported = {**_VERSION, "Upload_Offset": str(offset), "Content_Type": _BYTES, **more}
    return service.ask("PATCH", path, body, credential, **reported)


def _offset(service: Besieged, path: str) -> str | None:
    return service.ask("HEAD", path, None, SERVICE, **_VERSION).headers.get("upload-offset")


def _uploads_of_others(grounds: Grounds, _: float) -> Finding:
    """Another caller who knows the URL of an upload gets the same responses as for an upload that does not exist."""
    service, tally = grounds.service, Tally()
    bucket = service.bucket()
    path = _begin(service, bucket, "k", "10")
    tally.add(_patch(service, path, 0, b"12345").status == 204, "the upload itself")
    none = path[:-4] + "none"
    for method, body, headers in (
        ("HEAD", None, {}),
        ("DELETE", None, {}),
        ("PATCH", b"evil", {"Upload_Offset": "5", "Content_Type": _BYTES}),
        ("PATCH", b"evil", {"Upload_Offset": "0", "Content_Type": _BYTES}),
        ("PATCH", b"evil!", {"Upload_Offset": "5", "Content_Type": _BYTES, "X_Upsert": "true"}),
        ("PATCH", b"evil", {"Upload_Offset": "5", "Content_Type": _BYTES, "Upload_Length": "9"}),
        ("HEAD", None, {"X_Signature": "a.b.c"}),
    ):
        for credential in (_STRANGER, None):
            for route in (path, path.replace("/resumable/", "/resumable/sign/")):
                answer = service.ask(method, route, body, credential, **_VERSION, **headers)
                tally.add(400 <= answer.status < 500, (method, route, headers, answer.status, answer.body))
    for method in ("HEAD", "GET"):
        one, other = (service.ask(method, each, None, _STRANGER, **_VERSION) for each in (path, none))
        tally.add(one.status == other.status, (method, one.status, other.status))
    tally.add(_offset(service, path) == "5", "the upload was changed")
    tally.add(_patch(service, path, 5, b"67890").status == 204, "the upload cannot be completed")
    tally.add(service.ask("GET", f"/object/{bucket}/k").body == b"1234567890", "the object is another one")
    return tally.finding()


def _racing_offsets(grounds: Grounds, seconds: float) -> Finding:
    """Many requests with the same offset and other bytes: one of them counts, also for the last bytes."""
    service, tally, size = grounds.service, Tally(), 2000
    bucket = service.bucket()
    for number in range(max(2, min(10, int(seconds)))):
        path, whole = _begin(service, bucket, f"k{number}", str(3 * size)), b""
        for step in range(3):
            bodies = [bytes([65 + racer]) * size for racer in range(8)]
            with ThreadPoolExecutor(len(bodies)) as pool:
                patches = [pool.submit(_patch, service, path, step * size, body) for body in bodies]
            statuses = [each.result().status for each in patches]
            right = statuses.count(204) == 1 and set(statuses) <= {204, 409, 423}
            tally.add(right, (step, statuses))
            whole += bodies[statuses.index(204)] if 204 in statuses else b"?"
        tally.add(service.ask("GET", f"/object/{bucket}/k{number}").body == whole, "not the acknowledged bytes")
    return tally.finding()


def _lengths_that_lie(grounds: Grounds, _: float) -> Finding:
    """Lengths and offsets that are not numbers, too large, beyond the end, or other ones than before."""
    service, tally, limit = grounds.service, Tally(), 100
    bucket = service.bucket(file_size_limit=limit)
    for length in (
        "-1",
        "1e3",
        "01",
        "0x10",
        " ",
        "9" * 30,
        str(limit + 1),
        "10, 10",
        "+5",
        "٣".encode().decode("latin-1"),
    ):
        tally.add(_begin(service, bucket, "lie", length) == "", ("length", length))
    path = _begin(service, bucket, "k", "10")
    for offset in ("-1", "0x0", "00", "1", "10", "9" * 30, "", "0, 0", "+0"):
        answer = _patch(service, path, offset, b"12345")
        tally.add(400 <= answer.status < 500, ("offset", offset, answer.status, answer.body))
    for body, more in ((b"x" * 11, {}), (b"x" * 200, {}), (b"12345", {"Upload_Length": "5"}),
                       (b"12345", {"Upload_Length": "1000"}), (b"12345", {"Upload_Checksum": "md5 AAAA"}),
                       (b"12345", {"Upload_Checksum": "sha1 " + b64encode(bytes(20)).decode()})):  # fmt: skip
        answer = _patch(service, path, 0, body, **more)
        tally.add(400 <= answer.status < 500, ("size", len(body), more, answer.status, answer.body))
    tally.add(_offset(service, path) == "0", "something was kept")
    deferred = _begin(service, bucket, "deferred", None)
    tally.add(_patch(service, deferred, 0, b"x" * limit).status == 204, "as much as is allowed")
    for body, more in ((b"x", {}), (b"", {"Upload_Length": str(limit + 1)}), (b"", {"Upload_Length": "1"})):
        answer = _patch(service, deferred, limit, body, **more)
        tally.add(400 <= answer.status < 500, ("deferred", body, more, answer.status))
    rows = service.sql(f"select name from storage.objects where bucket_id = '{bucket}'")
    tally.add(rows == [], ("objects", rows))
    return tally.finding()


ATTACKS = (
    Attack(
        "uploads of others", "the URL of an upload is of no use to who may not write its object", _uploads_of_others
    ),
    Attack("offsets that race", "of bytes at one offset some count once, and no others do", _racing_offsets),
    Attack("lengths that lie", "an upload is no longer than declared, and than its bucket allows", _lengths_that_lie),
)
