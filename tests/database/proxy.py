"""A proxy in front of PostgreSQL that counts round trips and breaks connections on demand."""

from __future__ import annotations

import contextlib
import socket
import ssl
import struct
import threading
from collections.abc import Iterator
from urllib.parse import quote

from app.database.url.url import parse_database_url

SSL_REQUEST = struct.pack("!ii", 8, 80877103)


class Proxy:
    """Listens on a loopback port and forwards to the database of ``url``.

    ``flights`` counts the round trips: how often the client began to send after the server had answered. The ``cut_``
    and ``refuse`` switches break connections; each cut happens once. While ``frozen``, nothing passes. With ``tls`` it
    answers a client's request for TLS.
    """

    def __init__(self, url: str, tls: ssl.SSLContext | None = None) -> None:
        self._target = parse_database_url(url)
        self._tls = tls
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.flights = 0
        self.opened = 0
        self.encrypted = 0
        self.refuse = False
        self.cut_next_request = False
        self.cut_next_answer_after: int | None = None
        self._flows = threading.Event()
        self._flows.set()
        self._sockets: set[socket.socket] = set()
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, parameters: str = "sslmode=disable", host: str = "127.0.0.1") -> str:
        user, database = quote(self._target.user, safe=""), quote(self._target.database, safe="")
        password = f":{quote(self._target.password, safe='')}" if self._target.password else ""
        return f"postgresql://{user}{password}@{host}:{self.port}/{database}?{parameters}"

    def cut(self) -> None:
        """Break all connections now."""
        with self._lock:
            for sock in self._sockets:
                _shut(sock)
            self._sockets.clear()

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """Connections stay open and new ones are accepted, but nothing passes in either direction."""
        self._flows.clear()
        try:
            yield
        finally:
            self._flows.set()

    def close(self) -> None:
        _shut(self._listener)
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if self.refuse:
                client.close()
            else:
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        self.opened += 1
        server = None
        try:
            server = self._connect()
            if client.recv(8, socket.MSG_PEEK) == SSL_REQUEST and self._tls is not None:
                client.recv(8)
                client.sendall(b"S")
                client = self._tls.wrap_socket(client, server_side=True)
                self.encrypted += 1
        except OSError:
            client.close()
            if server is not None:
                server.close()
            return
        with self._lock:
            self._sockets |= {client, server}
        state = {"server_spoke": True}
        up = threading.Thread(target=self._pump, args=(client, server, state, True), daemon=True)
        up.start()
        self._pump(server, client, state, False)
        up.join()
        with self._lock:
            self._sockets -= {client, server}
        client.close()
        server.close()

    def _pump(self, source: socket.socket, sink: socket.socket, state: dict[str, bool], from_client: bool) -> None:
        try:
            while data := source.recv(65536):
                self._flows.wait()
                if from_client:
                    if state["server_spoke"]:
                        self.flights += 1
                    state["server_spoke"] = False
                    if self.cut_next_request:
                        self.cut_next_request = False
                        break
                else:
                    state["server_spoke"] = True
                    if self.cut_next_answer_after is not None:
                        sink.sendall(data[: self.cut_next_answer_after])
                        self.cut_next_answer_after = None
                        break
                sink.sendall(data)
        except OSError:
            pass
        _shut(source)
        _shut(sink)

    def _connect(self) -> socket.socket:
        if self._target.socket_path is None:
            return socket.create_connection((self._target.host, self._target.port))
        sock = socket.socket(socket.AF_UNIX)
        try:
            sock.connect(self._target.socket_path)
        except OSError:
            sock.close()
            raise
        return sock


def _shut(sock: socket.socket) -> None:
    with contextlib.suppress(OSError):
        sock.shutdown(socket.SHUT_RDWR)
