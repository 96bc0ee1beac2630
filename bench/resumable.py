"""Compares resumable uploads with plain ones: ``python -m bench.resumable [--seconds N] [--workers N] [--threads N]``.

Uploads objects of 64 MiB over 4 connections, in requests of 6 MiB and in a single request.
``python -m bench.storage_memory`` measures the memory that uploads take.
"""

from __future__ import annotations

import argparse
import http.client
import itertools
import json
import os
import tempfile
import threading
import time
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

from app.embedded.cluster import EmbeddedPostgres
from app.installation.install import install
from bench.meter import MIB
from bench.service import serving
from bench.storage_service import KEY, variables

SIZE, PART, CONNECTIONS = 64 * MIB, 6 * MIB, 4
BYTES = "application/offset+octet-stream"


class Uploader:
    """Uploads over one connection."""

    def __init__(self, address: tuple[str, int]) -> None:
        self._connection = http.client.HTTPConnection(*address)

    def upload_plain(self, key: str, content: bytes) -> None:
        """Upload ``content`` in one request."""
        self._send("POST", f"/object/b/{key}", {}, content)

    def upload_resumable(self, key: str, content: bytes, times: int = 1) -> None:
        """A resumable upload of an object that consists of ``content``, repeated ``times`` times."""
        names = {"bucketName": "b", "objectName": key}
        metadata = ",".join(f"{name} {b64encode(value.encode()).decode()}" for name, value in names.items())
        headers = {"upload-length": str(len(content) * times), "upload-metadata": metadata}
        location = self._send("POST", "/upload/resumable", headers, b"")["location"]
        path, offset = "/" + location.split("/", 3)[3], 0
        for _ in range(times):
            for start in range(0, len(content), PART):
                part = content[start : start + PART]
                headers = {"upload-offset": str(offset), "content-type": BYTES}
                offset = int(self._send("PATCH", path, headers, part)["upload-offset"])

    def _send(self, method: str, path: str, headers: dict[str, str], body: bytes) -> dict[str, str]:
        all_headers = {"authorization": f"Bearer {KEY}", "tus-resumable": "1.0.0", **headers}
        self._connection.request(method, path, body, all_headers)
        response = self._connection.getresponse()
        text = response.read()
        assert response.status in (200, 201, 204), (response.status, text)
        return {name.lower(): value for name, value in response.getheaders()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--threads", type=int, default=4)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place, EmbeddedPostgres(Path(place) / "postgres", temporary=True) as cluster:
        install(cluster.url())
        environment = variables(cluster.url(), place) | {"UPLOAD_SIZE_LIMIT": "2G"}
        with serving(environment, options.workers, options.threads) as (address, _):
            create_bucket(address)
            content = os.urandom(SIZE)
            numbers = itertools.count()
            plain = _measure(
                "plain",
                address,
                options.seconds,
                lambda uploader: uploader.upload_plain(f"plain{next(numbers)}", content),
            )
            parts = _measure(
                "resumable",
                address,
                options.seconds,
                lambda uploader: uploader.upload_resumable(f"parts{next(numbers)}", content),
            )
            print(f"resumable/plain: {parts / plain:.2f}")


def _measure(name: str, address: tuple[str, int], seconds: float, upload: Callable[[Uploader], None]) -> float:
    """Uploads per second."""
    began = time.perf_counter()
    ends: list[float] = []

    def run() -> None:
        uploader = Uploader(address)
        while not ends or time.perf_counter() < began + seconds:
            upload(uploader)
            ends.append(time.perf_counter())

    threads = [threading.Thread(target=run) for _ in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    per_second = len(ends) / (max(ends) - began)
    print(f"{name:10} {per_second:6.2f} per second, {per_second * SIZE / MIB:7.1f} MiB/s", flush=True)
    return per_second


def create_bucket(address: tuple[str, int]) -> None:
    connection = http.client.HTTPConnection(*address)
    headers = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}
    connection.request("POST", "/bucket", json.dumps({"name": "b", "file_size_limit": None}), headers)
    assert connection.getresponse().status == 200


if __name__ == "__main__":
    main()
