"""Four services on one database and one folder of objects behind nginx, restarted one after the other under load:
``python -m bench.nodes [--rounds N]``. It needs nginx. A request that fails is an error of the whole.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from app.embedded.cluster import EmbeddedPostgres
from app.installation.install import install
from bench.replica_client import ReplicaClient
from bench.replicas import SCHEMA
from bench.storage_service import KEY, SECRET
from bench.streaming import free_port, listens, wait_until
from tests.postgres_server import PostgresServer

NODES, CLIENTS = 4, 6
_PROGRAM = shutil.which("nginx", path="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin")
_CONFIGURATION = """
daemon off; pid {place}/nginx.pid; error_log {place}/error.log; worker_processes 1;
events {{ worker_connections 512; }}
http {{
  access_log off; client_body_temp_path {place}/body; proxy_temp_path {place}/proxy;
  fastcgi_temp_path {place}/f; uwsgi_temp_path {place}/u; scgi_temp_path {place}/s;
  upstream portico {{
{servers}
  }}
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass http://portico;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      client_max_body_size 0;
      proxy_request_buffering off;
    }}
  }}
}}
"""


class PorticoNode:
    """One service, on a port that stays the same."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.port = free_port()
        self._environment = os.environ | environment
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", "app", "serve", "--port", str(self.port), "--workers", "1"]
        self._process = subprocess.Popen(
            command, env=self._environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        wait_until(self._answers, "the service answers", seconds=60.0)

    def stop(self) -> None:
        """End it in order, as a supervisor does."""
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(signal.SIGTERM)
            process.wait(60)

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=5) as answer:
                return bool(answer.status == 200)
        except (OSError, urllib.error.URLError):
            return False


def run(rounds: int, options: str = "max_fails=0") -> tuple[Counter[str], list[str]]:
    """The answers by kind, and the wrong ones. ``options``: of each server, for nginx."""
    with tempfile.TemporaryDirectory() as place, EmbeddedPostgres(Path(place) / "postgres", temporary=True) as cluster:
        install(cluster.url())
        PostgresServer(cluster.url()).execute(SCHEMA.format(clients=CLIENTS))
        environment = {
            "DATABASE_URL": cluster.url(), "STORAGE_URL": Path(place, "objects").as_uri(),
            "JWT_SECRET": SECRET, "SERVICE_ROLE_KEY": KEY, "ANON_KEY": "anon",
        }  # fmt: skip
        nodes = [PorticoNode(environment) for _ in range(NODES)]
        try:
            for node in nodes:
                node.start()
            with _nginx(Path(place), nodes, options) as port:
                return _restart(nodes, ("127.0.0.1", port), rounds)
        finally:
            for node in nodes:
                node.stop()


def _restart(nodes: list[PorticoNode], address: tuple[str, int], rounds: int) -> tuple[Counter[str], list[str]]:
    clients = [ReplicaClient(address, number) for number in range(CLIENTS)]
    done = threading.Event()

    def ask(client: ReplicaClient) -> None:
        while not done.is_set():
            client.step()

    threads = [threading.Thread(target=ask, args=(client,)) for client in clients]
    for thread in threads:
        thread.start()
    try:
        for _ in range(rounds):
            for node in nodes:
                node.stop()
                node.start()
    finally:
        done.set()
        for thread in threads:
            thread.join()
    reported: Counter[str] = Counter()
    for client in clients:
        client.close()
        reported += client.outcomes
    return reported, [each for client in clients for each in client.wrong]


@contextmanager
def _nginx(place: Path, nodes: list[PorticoNode], options: str) -> Iterator[int]:
    port = free_port()
    servers = "\n".join(f"    server 127.0.0.1:{node.port} {options};" for node in nodes)
    file = place / "nginx.conf"
    file.write_text(_CONFIGURATION.format(place=place, servers=servers, port=port))
    with subprocess.Popen([str(_PROGRAM), "-c", str(file), "-e", str(place / "error.log")]) as process:
        try:
            wait_until(lambda: listens(port), "nginx listens")
            yield port
        finally:
            process.terminate()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--options", default="max_fails=0")
    options = parser.parse_args()
    reported, wrong = run(options.rounds, options.options)
    for what, times in sorted(reported.items()):
        print(f"{times:9}  {what}")
    print(f"{sum(reported.values())} requests, {len(wrong)} wrong answers")
    for each in wrong[:20]:
        print(each)


if __name__ == "__main__":
    main()
