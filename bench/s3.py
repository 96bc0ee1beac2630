"""Compares the S3 protocol with the storage API: ``python -m bench.s3 [--seconds N] [--workers N] [--threads N]``.

Measures PUT and GET of 1 KiB and 1 MiB over 16 connections and of 64 MiB over 4, with both protocols of one service,
and a multipart upload of 64 MiB in eight parts. Each request has its own signature, which does not cover the body, as
clients do over https. The same requests are sent to moto's server, which keeps objects in memory and checks neither
signatures nor permissions, to MinIO, and to Versity's gateway on a folder, if these are installed. Versity's gateway
makes no fsync (its source at version 1.8.0, and a trace of its system calls): a crash of the machine can lose an object
that it has acknowledged.
"""

from __future__ import annotations

import argparse
import itertools
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

from app.embedded.cluster import EmbeddedPostgres
from app.faces.s3.signature import ALGORITHM, UNSIGNED, Scope, canonical_request, sign, signing_key, string_to_sign
from app.installation.install import install
from bench import storage_service
from bench.meter import KIB, MIB, KeptConnection, Meter, receive
from bench.service import serving

KEY, SECRET = "benchmark", "a secret that only this benchmark uses"
PART = 8 * MIB
MOTO, MINIO, VERSITY = "moto", "MinIO", "Versity"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--threads", type=int, default=4)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place, EmbeddedPostgres(Path(place) / "postgres", temporary=True) as cluster:
        install(cluster.url())
        variables = storage_service.variables(cluster.url(), place)
        variables |= {"S3_PROTOCOL_ACCESS_KEY_ID": KEY, "S3_PROTOCOL_ACCESS_KEY_SECRET": SECRET}
        with (
            serving(variables, options.workers, options.threads) as (address, pid),
            other_servers(options.seconds) as more,
        ):
            meter = Meter(address, options.seconds, (pid, storage_service.server_of(cluster)))
            meter.once("POST", "/bucket", b'{"name": "b"}')
            rest, s3 = (
                Contender("REST", meter, storage_service.request, "/object/b"),
                Contender("S3", meter, signed, "/s3/b"),
            )
            compare(measure((rest, s3, *more)))


@dataclass(frozen=True)
class Contender:
    """A protocol or server. ``make`` returns the bytes of a request; ``path`` is the path of its bucket."""

    name: str
    meter: Meter
    make: Callable[..., bytes]
    path: str


def measure(contenders: Sequence[Contender]) -> dict[tuple[str, str], float]:
    """Operations per second, by operation and name of the contender."""
    rates: dict[tuple[str, str], float] = {}
    for size, connections, name in ((KIB, 16, "1 KiB"), (MIB, 16, "1 MiB"), (64 * MIB, 4, "64 MiB")):
        content, key = os.urandom(size), name.replace(" ", "")
        for contender in contenders:
            numbers = itertools.count()
            rates[f"PUT {name}", contender.name] = contender.meter.threads(
                f"{contender.name} PUT {name}", connections, size,
                lambda: contender.make("PUT", f"{contender.path}/{key}/{next(numbers)}", content),  # noqa: B023
            )  # fmt: skip
        for contender in contenders:
            rates[f"GET {name}", contender.name] = contender.meter.threads(
                f"{contender.name} GET {name}", connections, size,
                lambda: contender.make("GET", f"{contender.path}/{key}/0"),  # noqa: B023
            )  # fmt: skip
    block = os.urandom(PART)
    for contender in contenders[1:]:
        if contender.name == MOTO:
            # moto loses multipart uploads that run at the same time.
            continue
        numbers = itertools.count()
        rates["multipart 64 MiB", contender.name] = contender.meter.each(
            f"{contender.name} multipart 64 MiB", 4, 64 * MIB,
            lambda connection, _: upload_in_parts(connection, f"{contender.path}/parts/{next(numbers)}", block),  # noqa: B023
        )  # fmt: skip
    return rates


def compare(rates: Mapping[tuple[str, str], float]) -> None:
    """Print the rate of the S3 protocol divided by those of the others. The multipart upload is compared with a PUT of
    64 MiB."""
    print(f"\n{'S3 to':20} {'REST':>8} {MOTO:>8} {MINIO:>8} {VERSITY:>8}")
    for operation, contender in rates:
        if contender != "S3":
            continue
        rest = rates.get((operation.replace("multipart", "PUT"), "REST"))
        others = [rest, *(rates.get((operation, name)) for name in (MOTO, MINIO, VERSITY))]
        cells = "".join(f" {rates[operation, contender] / each:8.2f}" if each else f"{'-':>9}" for each in others)
        print(f"{operation:20}{cells}")
    if any(contender == VERSITY for _, contender in rates):
        print(f"A PUT to {VERSITY} makes no fsync. One to the service makes two, of the file and of its directory,")
        print("and PostgreSQL writes the object's row durably.")


@contextmanager
def other_servers(seconds: float) -> Iterator[Sequence[Contender]]:
    """Runs the other servers that are installed, each with a bucket. Yields a contender for each."""
    with ExitStack() as stack, tempfile.TemporaryDirectory() as folder:
        commands: dict[str, list[str]] = {}
        if find_spec("moto"):
            commands[MOTO] = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", "{port}"]
        if shutil.which("minio"):
            commands[MINIO] = ["minio", "server", "--quiet", folder, "--address", "127.0.0.1:{port}"]
        if shutil.which("versitygw"):
            # Without the option it closes each connection after an answer.
            options = ["--keep-alive", "--quiet", "--port", "127.0.0.1:{port}"]
            commands[VERSITY] = ["versitygw", *options, "posix", stack.enter_context(tempfile.TemporaryDirectory())]
        yield [stack.enter_context(_running_server(name, command, seconds)) for name, command in commands.items()]


@contextmanager
def _running_server(name: str, command: Sequence[str], seconds: float) -> Iterator[Contender]:
    """Runs a server. ``{port}`` in its command is replaced by a free port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = free.getsockname()
    environment = os.environ | {"MINIO_ROOT_USER": KEY, "MINIO_ROOT_PASSWORD": SECRET}
    environment |= {"ROOT_ACCESS_KEY": KEY, "ROOT_SECRET_KEY": SECRET}
    quiet = subprocess.DEVNULL
    arguments = [each.format(port=address[1]) for each in command]
    with subprocess.Popen(arguments, env=environment, stdout=quiet, stderr=quiet) as server:
        try:
            _wait_for(address)
            yield Contender(name, Meter(address, seconds, ()), signed, "/bench")
        finally:
            server.terminate()


def _wait_for(address: tuple[str, int]) -> None:
    """Wait until the server has created the bucket, at most a minute."""
    for _ in range(600):
        with suppress(OSError), KeptConnection(address) as connection:
            connection.sendall(signed("PUT", "/bench"))
            receive(connection, bytearray(MIB))
            return
        time.sleep(0.1)
    raise TimeoutError("a server for the comparison did not start")


def upload_in_parts(connection: socket.socket, path: str, block: bytes, times: int = 8) -> None:
    """A multipart upload of an object that repeats ``block`` this number of times."""

    def ask(method: str, query: str, body: bytes = b"") -> bytes:
        connection.sendall(signed(method, path, body, query))
        return receive(connection, bytearray(MIB))

    started = re.search(rb"<UploadId>([^<]+)", ask("POST", "uploads="))
    assert started
    parts = b""
    for number in range(1, times + 1):
        etag = re.search(rb"(?i)etag: (\S+)", ask("PUT", f"partNumber={number}&uploadId={started[1].decode()}", block))
        assert etag
        parts += b"<Part><PartNumber>%d</PartNumber><ETag>%s</ETag></Part>" % (number, etag[1])
    whole = b"<CompleteMultipartUpload>%s</CompleteMultipartUpload>" % parts
    assert b"CompleteMultipartUploadResult" in ask("POST", f"uploadId={started[1].decode()}", whole)


def signed(method: str, path: str, body: bytes = b"", query: str = "") -> bytes:
    """A signed request."""
    return signed_head(method, path, len(body), query) + body


def signed_head(method: str, path: str, length: int, query: str = "") -> bytes:
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
    return f"{head}Content-Length: {length}\r\n\r\n".encode()


if __name__ == "__main__":
    main()
