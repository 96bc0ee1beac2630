"""A program that serves the API in a child process, and in a new one on request.

python -m tests.storage.restarting SETTINGS [BYTES]     settings as JSON; the largest file that may be written

Its listening socket stays open while there is no child, so that clients wait instead of being refused. For each line
on stdin it forks a child, and prints the child's process id when that serves; when the child ends it prints "ended".
"""

from __future__ import annotations

import json
import os
import resource
import sys
import threading

from app.discovery import configure
from app.server.processes.address import listen
from app.server.processes.worker import Worker
from app.wsgi import create_app


def main() -> None:
    # Before forking, so that children find everything imported.
    settings, plugins = configure({}, json.loads(sys.argv[1]))
    if len(sys.argv) > 2:
        largest = int(sys.argv[2])
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
    listener = listen("127.0.0.1", 0)
    print(listener.getsockname()[1], flush=True)
    for _ in sys.stdin:
        ready, tell = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                application = create_app(settings, plugins)
                worker = Worker(application, listener, settings)
                os.write(tell, b"r")
                worker.run()
            finally:
                os._exit(1)
        os.close(tell)
        os.read(ready, 1)
        os.close(ready)
        print(child, flush=True)
        threading.Thread(target=_wait_for, args=(child,)).start()


def _wait_for(child: int) -> None:
    os.waitpid(child, 0)
    print("ended", flush=True)


if __name__ == "__main__":
    main()
