"""A service and its process of live queries at one address, as behind a proxy with one rule."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from socketserver import BaseRequestHandler, ThreadingTCPServer
from urllib.parse import urlsplit

from app.testing.service import JWT_SECRET

STREAM = b"/graphql/v1/stream"


@contextmanager
def with_live(service, address) -> Iterator[str]:
    """The address at which both answer: the service at ``address``, and a process of live queries on its database."""
    with _live_process(service) as live, _Proxy(_place(address), _place(live)) as proxy:
        thread = threading.Thread(target=proxy.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{proxy.server_address[1]}"
        finally:
            proxy.shutdown()
            thread.join()


@contextmanager
def _live_process(service) -> Iterator[str]:
    variables = {
        "DATABASE_URL": service.database_url,
        "JWT_SECRET": JWT_SECRET,
        "ANON_KEY": service.anon_key,
        "SERVICE_ROLE_KEY": service.service_role_key,
        "LIVE_PORT": "0",
        "LIVE_POLL_S": "0.5",
    }
    command = [sys.executable, "-m", "app", "live"]
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(command, env={**os.environ, **variables}, **options) as process:
        lines = []
        while not (found := re.search(r"http://\S+/stream", "".join(lines))):
            lines.append(process.stdout.readline())
            assert lines[-1], lines
        try:
            yield found[0]
        finally:
            process.terminate()
            process.stdout.read()


class _Proxy(ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, service, live):
        self.places = (service, live)
        super().__init__(("127.0.0.1", 0), _Forwarding)
        # The browser may give up a connection before it is accepted.
        self.socket.settimeout(1)


class _Forwarding(BaseRequestHandler):
    """Forwards one request of a connection, to the process that its path names."""

    def handle(self):
        received = b""
        while b"\r\n\r\n" not in received:
            chunk = self.request.recv(65536)
            if not chunk:
                return
            received += chunk
        service, live = self.server.places
        line, _, rest = received.partition(b"\r\n")
        target = live if line.split()[1].startswith(STREAM) else service
        rest = re.sub(rb"(?i)^connection:.*\r\n", b"", rest, flags=re.MULTILINE)
        with closing(socket.create_connection(target)) as other:
            other.sendall(line + b"\r\nConnection: close\r\n" + rest)
            threading.Thread(target=_copy, args=(self.request, other), daemon=True).start()
            _copy(other, self.request)


def _copy(source, target):
    """Forward bytes until one side ends the connection, and end the other one."""
    with suppress(OSError):
        while chunk := source.recv(65536):
            target.sendall(chunk)
    with suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)


def _place(address):
    parts = urlsplit(address)
    return parts.hostname, parts.port
