"""One GiB through each way into and out of the storage: ``python -m bench.storage_memory [--mebibytes N]``.

Tells by how much the largest of the workers grew meanwhile.
"""

from __future__ import annotations

import argparse
import os
import socket
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from app.embedded.cluster import EmbeddedPostgres
from app.installation.install import install
from bench import s3, storage_service
from bench.meter import MIB, KeptConnection, receive
from bench.resumable import Uploader, create_bucket
from bench.service import peak_memory, serving, workers_of

BLOCK = os.urandom(MIB)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mebibytes", type=int, default=1024)
    size = parser.parse_args().mebibytes
    with tempfile.TemporaryDirectory() as place, EmbeddedPostgres(Path(place) / "postgres", temporary=True) as cluster:
        install(cluster.url())
        variables = storage_service.variables(cluster.url(), place) | {"UPLOAD_SIZE_LIMIT": "2G"}
        variables |= {"S3_PROTOCOL_ACCESS_KEY_ID": s3.KEY, "S3_PROTOCOL_ACCESS_KEY_SECRET": s3.SECRET}
        with serving(variables, 2, 4) as (address, pid):
            create_bucket(address)
            # The first requests load modules, whose memory must not count.
            for act in ways(address, 8).values():
                act()
            for name, act in ways(address, size).items():
                workers = workers_of(pid)
                before = [fresh_peak(each) for each in workers]
                act()
                grown = max(peak_memory(each) - least for each, least in zip(workers, before, strict=True))
                print(f"{name:20} {size:6} MiB: the workers grew by {grown / MIB:5.1f} MiB at most", flush=True)


def ways(address: tuple[str, int], size: int) -> dict[str, Callable[[], None]]:
    """Functions that transfer ``size`` MiB, by name. A download reads the object of the upload before it."""
    length = size * MIB
    rest, by_s3 = "/object/b/rest", "/s3/b/s3"
    return {
        "REST upload": partial(send, address, head("PUT", rest, length), size),
        "REST download": partial(send, address, head("GET", rest, 0), 0),
        "S3 PUT": partial(send, address, s3.signed_head("PUT", by_s3, length), size),
        "S3 GET": partial(send, address, s3.signed_head("GET", by_s3, 0), 0),
        "S3 multipart": partial(multipart, address, size),
        "resumable upload": lambda: Uploader(address).upload_resumable(f"resumable{size}", BLOCK * 8, size // 8),
    }


def head(method: str, path: str, length: int) -> bytes:
    whole = storage_service.request(method, path)
    return whole.replace(b"Content-Length: 0", b"Content-Length: %d" % length)


def send(address: tuple[str, int], request: bytes, blocks: int) -> None:
    with socket.create_connection(address) as connection:
        connection.sendall(request)
        for _ in range(blocks):
            connection.sendall(BLOCK)
        receive(connection, bytearray(MIB))


def multipart(address: tuple[str, int], size: int) -> None:
    with KeptConnection(address) as connection:
        s3.upload_in_parts(connection, "/s3/b/parts", BLOCK * 8, size // 8)


def fresh_peak(pid: int) -> int:
    """The memory of a process now, from which its peak counts again."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")
    return peak_memory(pid)


if __name__ == "__main__":
    main()
