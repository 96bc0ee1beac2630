"""The S3 protocol beside the storage API: ``python -m bench.s3 [--seconds N] [--workers N] [--threads N]``.

PUT and GET of 1 KiB and 1 MiB over 16 connections and of 64 MiB over 4, by both in turn on one service, and 64 MiB as
a multipart upload of eight parts. Each request is signed anew; bodies are not, as clients do it over https.
"""

from __future__ import annotations

import argparse
import itertools
import os
import re
import socket
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from app.embedded import EmbeddedPostgres
from app.installation import install
from app.storage.s3.signature import ALGORITHM, UNSIGNED, Scope, canonical_request, sign, signing_key, string_to_sign
from bench import storage
from bench.service import serving
from bench.storage import KIB, MIB, Meter, receive

KEY, SECRET = "benchmark", "a secret that only this benchmark uses"
PART = 8 * MIB


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--threads", type=int, default=4)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place, EmbeddedPostgres(Path(place) / "postgres", temporary=True) as cluster:
        install(cluster.url())
        variables = storage.variables(cluster.url(), place)
        variables |= {"S3_PROTOCOL_ACCESS_KEY_ID": KEY, "S3_PROTOCOL_ACCESS_KEY_SECRET": SECRET}
        with serving(variables, options.workers, options.threads) as (address, pid):
            measure(Meter(address, options.seconds, pid, storage.server_of(cluster)))


def measure(meter: Meter) -> None:
    meter.once("POST", "/bucket", b'{"name": "b"}')
    for size, connections, name in ((KIB, 16, "1 KiB"), (MIB, 16, "1 MiB"), (64 * MIB, 4, "64 MiB")):
        content, numbers = os.urandom(size), itertools.count()
        key = name.replace(" ", "")
        ways: tuple[tuple[str, Callable[..., bytes], str], ...] = (
            ("REST", storage.request, "/object/b"), ("S3", signed, "/s3/b")
        )  # fmt: skip
        for way, make, path in ways:
            meter.threads(f"{way} PUT {name}", connections, size,
                          lambda: make("PUT", f"{path}/{key}/{next(numbers)}", content))  # noqa: B023  # fmt: skip
        for way, make, path in ways:
            meter.threads(f"{way} GET {name}", connections, size, lambda: make("GET", f"{path}/{key}/0"))  # noqa: B023
    block, numbers = os.urandom(PART), itertools.count()
    meter.each("S3 multipart 64 MiB", 4, 64 * MIB,
               lambda connection, _: _upload(connection, f"/s3/b/parts/{next(numbers)}", block))  # fmt: skip


def _upload(connection: socket.socket, path: str, block: bytes) -> None:
    def ask(method: str, query: str, body: bytes = b"") -> bytes:
        connection.sendall(signed(method, path, body, query))
        return receive(connection, bytearray(MIB))

    started = re.search(rb"<UploadId>([^<]+)", ask("POST", "uploads="))
    assert started
    parts = b""
    for number in range(1, 9):
        etag = re.search(rb"(?i)etag: (\S+)", ask("PUT", f"partNumber={number}&uploadId={started[1].decode()}", block))
        assert etag
        parts += b"<Part><PartNumber>%d</PartNumber><ETag>%s</ETag></Part>" % (number, etag[1])
    whole = b"<CompleteMultipartUpload>%s</CompleteMultipartUpload>" % parts
    assert b"CompleteMultipartUploadResult" in ask("POST", f"uploadId={started[1].decode()}", whole)


def signed(method: str, path: str, body: bytes = b"", query: str = "") -> bytes:
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    scope = Scope(moment[:8], "us-east-1", "s3")
    headers = [("host", "localhost"), ("x-amz-content-sha256", UNSIGNED), ("x-amz-date", moment)]
    canonical = canonical_request(method, path, query, headers, UNSIGNED)
    signature = sign(signing_key(SECRET, scope), string_to_sign(moment, scope, canonical))
    names = ";".join(name for name, _ in headers)
    credential = f"Credential={KEY}/{scope},SignedHeaders={names},Signature={signature}"
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    target = f"{path}?{query}" if query else path
    head = f"{method} {target} HTTP/1.1\r\n{lines}Authorization: {ALGORITHM} {credential}\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


if __name__ == "__main__":
    main()
