"""The ideal that the service is measured by: Falcon and waitress as they come, which answer the same bytes to each
request. ``python -m bench.empty WORKERS THREADS`` prints its port; a request to /SIZE gets SIZE bytes.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
from typing import Any

import falcon
from waitress.server import create_server

from app.server.processes.affinity import keep_to_one_cpu


class Constant:
    def on_post(self, req: falcon.Request, resp: falcon.Response, size: int) -> None:
        req.bounded_stream.read()
        resp.content_type = "application/json"
        resp.data = b"x" * size


def serve(route: str, resource: object, workers: int, threads: int) -> None:
    """Serve the resource on a free port, which is printed, until the process is ended."""
    # waitress logs each request that waits for a thread.
    logging.disable()
    application: falcon.App[Any, Any] = falcon.App()
    application.add_route(route, resource)
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(1024)
    print(listener.getsockname()[1], flush=True)
    for number in range(workers):
        if os.fork() == 0:
            keep_to_one_cpu(number)
            signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
            create_server(application, sockets=[listener], threads=threads, asyncore_use_poll=True).run()
    signal.pause()


def main() -> None:
    workers, threads = map(int, sys.argv[1:])
    serve("/{size:int}", Constant(), workers, threads)


if __name__ == "__main__":
    main()
