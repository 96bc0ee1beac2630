"""The storage API on the local backend: ``python -m bench.storage [--seconds N] [--workers N] [--threads N]``.

Uploads and downloads of 1 KiB and 1 MiB over 16 connections and of 64 MiB over 4, and 16 connections each for signing,
info, listing 1,000 objects, and an image in another size. A real service on a durable database, both on this machine.
Each line has the CPU time of the service and of PostgreSQL for one request, and how many times that of an empty web
server it is, which is measured right before and after. ``hash and write`` is what the bytes of an upload take alone,
in one thread. Files are made below TMPDIR: the first write to memory that a virtual machine has not used yet may take
several times as long, and so do new files on ext4 without a journal for minutes after many were deleted.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import tempfile
from pathlib import Path

from app.embedded.cluster import EmbeddedPostgres
from app.installation.install import install
from bench.floor import cpu_of_writing, empty_server
from bench.images import measure_images
from bench.meter import KIB, MIB, Meter, tell
from bench.service import peak_memory, serving, workers_of
from bench.storage_service import request, server_of, variables


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--threads", type=int, default=4)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place, EmbeddedPostgres(Path(place) / "postgres", temporary=True) as cluster:
        install(cluster.url())
        with (
            serving(variables(cluster.url(), place), options.workers, options.threads) as (address, pid),
            empty_server(options.workers, options.threads) as empty,
        ):
            measure(Meter(address, options.seconds, (pid, server_of(cluster)), empty), Path(place))
            peaks = ", ".join(f"{peak_memory(each) / MIB:.0f}" for each in workers_of(pid))
            print(f"peak memory of the workers: {peaks} MiB")


def measure(meter: Meter, place: Path) -> None:
    meter.once("POST", "/bucket", json.dumps({"name": "b"}).encode())
    for size, connections, name in ((KIB, 16, "1 KiB"), (MIB, 16, "1 MiB"), (64 * MIB, 4, "64 MiB")):
        content = os.urandom(size)
        alone = cpu_of_writing(place, content)
        tell(f"hash and write {name}", 1 / alone, size, (alone * 1e6,))
        numbers = itertools.count()
        meter.threads(f"upload {name}", connections, size,
                     lambda: request("POST", f"/object/b/{name}/{next(numbers)}", content))  # noqa: B023  # fmt: skip
        path = f"/object/b/{name}/0".replace(" ", "%20")
        if size < MIB:
            meter.selector(f"download {name}", request("GET", path))
        else:
            meter.threads(f"download {name}", connections, size, lambda: request("GET", path))  # noqa: B023
    small = "/b/1%20KiB/0"
    meter.selector("sign", request("POST", f"/object/sign{small}", b'{"expiresIn":60}', "application/json"))
    meter.selector("info", request("GET", f"/object/info/authenticated{small}"))
    meter.once("POST", "/bucket", json.dumps({"name": "public", "public": True}).encode())
    meter.once("POST", "/object/public/1KiB", os.urandom(KIB))
    meter.selector("public download", request("GET", "/object/public/public/1KiB"))
    for number in range(1000):
        meter.once("PUT", f"/object/b/listed/{number:04}", b"x")
    body = b'{"prefix":"listed","limit":1000}'
    meter.selector("list 1,000", request("POST", "/object/list/b", body, "application/json"))
    body = b'{"prefix":"listed/","limit":1000,"with_delimiter":true}'
    meter.selector("list-v2 1,000", request("POST", "/object/list-v2/b", body, "application/json"))
    measure_images(meter)


if __name__ == "__main__":
    main()
