"""A service with a stub instead of the application. Arguments: settings as NAME=value, then flags.

GET /pid answers the worker's process id; /hold FILE waits until FILE exists; /die ends the worker by SIGKILL; /large
answers 40 MB in one piece, /pieces in many, /file in a file and /memory in one that only Python knows; anything else,
such as /health, as /pid.
With the flag "companion" a process beside the workers answers GET and POST of /stream: its process id, and the bytes
that it was handed over. It is ready once no file "wait" exists, and cannot start while a file "unable" does.
Of the other flags "lingering" keeps unused connections open while it stops, "nohup" has it started as nohup(1) does,
and "impatient" sends it a second signal as soon as it can be seen to stop.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from app.server.handing_over import HandingOver
from app.server.processes import worker
from app.server.processes.activation import passed_socket
from app.server.processes.address import address_of, listen
from app.server.processes.companion import Companion
from app.server.processes.logs import configure_logging
from app.server.processes.parent import serve
from app.settings import Settings, load
from tests.process.admission import admission_of

LARGE = 40_000_000


class Stub:
    def __init__(self, settings: Settings) -> None:
        if "broken" in sys.argv:
            raise RuntimeError("the stub is broken")
        if "crashing" in sys.argv and Path("crash").exists():
            os._exit(7)
        self.admission = admission_of(settings)

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        path, query = environ["PATH_INFO"], environ["QUERY_STRING"]
        if path == "/hold":
            Path(f"{query}.begun").touch()
            while not Path(query).exists():
                # The test is another process: it makes a file.
                time.sleep(0.01)
        if path == "/die":
            os.kill(os.getpid(), signal.SIGKILL)
        if path in ("/file", "/memory"):
            start_response("200 OK", [("Content-Length", str(LARGE))])
            file = TemporaryFile() if path == "/file" else BytesIO()  # noqa: SIM115 - the server closes it
            file.write(b"before" + bytes(LARGE))
            file.seek(len(b"before"))
            return environ["wsgi.file_wrapper"](file)  # type: ignore[no-any-return]
        if path in ("/large", "/pieces"):
            start_response("200 OK", [("Content-Length", str(LARGE))])
            return [bytes(LARGE)] if path == "/large" else (bytes(40_000) for _ in range(LARGE // 40_000))
        body = f"{os.getpid()} {environ['wsgi.url_scheme']} {environ['REMOTE_ADDR']}".encode()
        start_response("200 OK", [("Content-Length", str(len(body)))])
        return [body]

    def close(self) -> None:
        Path(f"closed.{os.getpid()}").touch()


def serve_streams(handing_over: HandingOver, ready: Callable[[], None]) -> None:
    if Path("unable").exists():
        raise RuntimeError("the companion is unable")
    Path("waiting").touch()
    while Path("wait").exists():
        # The test is another process: it removes the file.
        time.sleep(0.01)
    ready()
    while select.select([handing_over.receiver], [], []):
        for sock, received in handing_over.receive():
            sock.setblocking(True)
            body = f"{os.getpid()} {received!r}".encode()
            sock.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            sock.close()


def companion() -> Companion:
    handing_over = HandingOver("streams", "/stream", lambda host: host != "elsewhere")
    return Companion(handing_over, partial(serve_streams, handing_over))


if "lingering" in sys.argv:
    worker._LINGER_S = 3600.0
# The process that started the tests may ignore the signal, which is inherited.
signal.signal(signal.SIGHUP, signal.SIG_IGN if "nohup" in sys.argv else signal.SIG_DFL)


class Impatient(socket.socket):
    def close(self) -> None:
        super().close()
        if os.getpid() == PARENT:
            os.kill(PARENT, signal.SIGINT)


PARENT = os.getpid()
given = dict(argument.split("=", 1) for argument in sys.argv[1:] if "=" in argument)
# On a busy machine requests wait for longer than the usual two seconds, which is not a failure.
settings = load({}, {"port": 0, "workers": 2, "threads": 2, "waiting_s": 60, **given})
configure_logging(settings)
listener = passed_socket(os.environ) or listen(settings.host, settings.port)
if "impatient" in sys.argv:
    listener = Impatient(fileno=listener.detach())
sys.exit(
    serve(
        settings,
        Stub,
        listener,
        companion=companion() if "companion" in sys.argv else None,
        started=lambda: print(f"ready {address_of(listener)}", flush=True),
    )
)
