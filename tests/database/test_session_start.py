"""Starts of sessions that fail leave nothing behind."""

from __future__ import annotations

import subprocess
import sys

import pytest

from app.database.wire.pinned import suitable_path
from tests.process.running import PATIENCE_S

# In development mode, and from Python 3.13 on always, Python prints what fails when an object is collected.
_PROGRAM = """
import gc, socket, struct, sys, threading
from app.database.wire.connect import connect
from app.database.url.url import parse_database_url
from app.errors import Unavailable

def serve(listener, answer):
    while True:
        client, _ = listener.accept()
        client.recv(1000)
        client.sendall(answer)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()

listener = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=serve, args=(listener, bytes.fromhex(sys.argv[1])), daemon=True).start()
target = parse_database_url(f"postgresql://u:p@127.0.0.1:{listener.getsockname()[1]}/d?sslmode=disable")
for _ in range(5):
    try:
        connect(target, None, prepared_limit=0)
    except Unavailable as ex:
        print(ex.__cause__)
gc.collect()
"""
_STARTING = b"SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0"


@pytest.mark.parametrize(
    "answer",
    [
        b"E" + (len(_STARTING) + 4).to_bytes(4, "big") + _STARTING,
        b"R\0\0\0\x08\0\0\0\x03",
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"",
    ],
    ids=["starting", "password", "http", "nothing"],
)
def test_a_server_that_disconnects_leaves_no_warnings(answer: bytes) -> None:
    program = [sys.executable, "-X", "dev", "-c", _PROGRAM, answer.hex()]
    done = subprocess.run(program, capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    assert done.stdout.count("127.0.0.1:") == 5
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("path", "suitable"),
    [
        ("", ""),
        ('""', '""'),
        ('"$user", public', '"$user", public'),
        ("public, pg_catalog", "public"),
        ('a , "pg_catalog",b', "a ,b"),
        ("PG_CATALOG, public", "PG_CATALOG, public"),
        ('"a, pg_catalog", "x"" , y", pg_catalog', '"a, pg_catalog", "x"" , y"'),
    ],
)
def test_the_schema_of_postgresql_comes_first_in_a_search_path(path: str, suitable: str) -> None:
    assert suitable_path(path) == suitable
