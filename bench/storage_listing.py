"""Lists a folder of 100 objects in a bucket of 1,000,000 and in one of 1,000: ``python -m bench.storage_listing``.

One folder has 100 objects; all others are spread over 1,000 folders. The listings run one after the other on one
connection, as service_role and as a user under a policy. The times are medians.
"""

from __future__ import annotations

import argparse
import json
import socket
import statistics
import tempfile
import time
from pathlib import Path

import jwt

from app.embedded.cluster import EmbeddedPostgres
from app.installation.install import install
from bench.service import serving
from bench.storage_service import KEY, SECRET, variables

USER = jwt.encode({"role": "authenticated", "sub": "me"}, SECRET, algorithm="HS256")
SETUP = """
insert into storage.buckets (id, name) values ('{bucket}', '{bucket}');
insert into storage.objects (bucket_id, name, version, metadata)
select '{bucket}', case when i <= 100 then 'folder/' else 'many/' || i % 1000 || '/' end || i, gen_random_uuid(),
       '{{"size": 1}}'
from generate_series(1, {count}) i;
"""
LISTINGS = [
    ("list", "folder of 100 by name", {"prefix": "folder", "limit": 100}),
    ("list", "folder of 100 by time", {"prefix": "folder", "limit": 100, "sortBy": {"column": "created_at"}}),
    ("list-v2", "folder of 100 by name", {"prefix": "folder/", "with_delimiter": True, "limit": 100}),
    ("list-v2", "folder of 100 by time",
     {"prefix": "folder/", "with_delimiter": True, "limit": 100, "sortBy": {"column": "created_at"}}),
    ("list", "the two folders of the root", {"prefix": ""}),
    ("list-v2", "the two folders of the root", {"with_delimiter": True}),
    ("list", "100 of 1,000 folders", {"prefix": "many"}),
    ("list-v2", "100 of all keys, flat", {"limit": 100}),
]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, default=1_000_000)
    objects = parser.parse_args().objects
    with tempfile.TemporaryDirectory() as place, EmbeddedPostgres(Path(place) / "postgres", temporary=True) as cluster:
        install(cluster.url())
        from tests.postgres_server import connect

        connection = connect(cluster.url())
        for bucket, count in (("small", 1000), ("large", objects)):
            connection.execute_simple(SETUP.format(bucket=bucket, count=count))
        connection.execute_simple(
            "create policy mine on storage.objects for select to authenticated using (metadata is not null)"
        )
        connection.execute_simple("vacuum analyze storage.objects")
        connection.close()
        with serving(variables(cluster.url(), place), 1, 2) as (address, _):
            print(f"{'milliseconds':40} {'1,000':>10} {objects:>10,}   {'1,000':>10} {objects:>10,} (a user)")
            for path, name, body in LISTINGS:
                times = [
                    _time(address, f"/object/{path}/{bucket}", body, key)
                    for key in (KEY, USER)
                    for bucket in ("small", "large")
                ]
                print(f"{path + ', ' + name:40} {times[0]:10.2f} {times[1]:10.2f}   {times[2]:10.2f} {times[3]:10.2f}")


def _time(address: tuple[str, int], path: str, body: dict[str, object], key: str) -> float:
    content = json.dumps(body).encode()
    request = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    ).encode() + content
    took = []
    with socket.create_connection(address) as connection:
        for _ in range(30):
            began = time.perf_counter()
            connection.sendall(request)
            answer = connection.recv(1 << 20)
            end = answer.index(b"\r\n\r\n")
            length = int(answer[:end].lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
            while len(answer) < end + 4 + length:
                answer += connection.recv(1 << 20)
            took.append(time.perf_counter() - began)
            assert answer.startswith(b"HTTP/1.1 200"), answer[:500]
    return statistics.median(took) * 1000


if __name__ == "__main__":
    main()
