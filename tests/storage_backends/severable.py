"""A TCP relay in front of a server, whose connections a test can cut and whose port it can close and open again."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress

from tests.process.running import until


class SeverableRelay:
    """Listens on the loopback port ``port`` and relays everything to another one."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._lock = threading.Lock()
        self._open: list[socket.socket] = []
        self._listener: socket.socket | None = None
        self.port = 0
        self.restore()

    def restore(self) -> None:
        """Listen (again) on the port."""
        listener = until(self._listen)
        assert listener is not None
        self.port = listener.getsockname()[1]
        self._listener = listener
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def _listen(self) -> socket.socket | None:
        try:
            return socket.create_server(("127.0.0.1", self.port))
        except OSError:
            # While the port was free, the system may have given it to another process for a moment.
            return None

    def sever(self) -> None:
        """Refuse new connections and cut the existing ones."""
        with self._lock:
            listener, self._listener = self._listener, None
            ends = [*self._open, *([listener] if listener else [])]
            self._open.clear()
        for end in ends:
            # Closing alone does not wake a thread that waits in accept or recv.
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                near, _ = listener.accept()
                far = socket.create_connection(("127.0.0.1", self._target))
                with self._lock:
                    if self._listener is not listener:
                        near.close()
                        far.close()
                        return
                    self._open += (near, far)
                for source, sink in ((near, far), (far, near)):
                    threading.Thread(target=_pass_on, args=(source, sink), daemon=True).start()


def _pass_on(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
    with suppress(OSError):
        sink.shutdown(socket.SHUT_WR)
