"""A process beside the workers, to which they hand connections over."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from typing import NamedTuple

from app.server.handing_over import HandingOver


class Companion(NamedTuple):
    """``serve`` serves the connections that are handed over, in the forked process, until SIGTERM. It takes a function
    to call when it is ready."""

    handing_over: HandingOver
    serve: Callable[[Callable[[], None]], None]

    def is_running(self) -> bool:
        """Whether the process runs and takes connections."""
        return self.handing_over.is_open

    def run(self, parent_gone: Callable[[], object], ready: Callable[[], None]) -> None:
        """Serve in this process, also until ``parent_gone`` returns in its thread."""

        def is_ready() -> None:
            self.handing_over.open()
            ready()

        def stop_after_parent() -> None:
            parent_gone()
            os.kill(os.getpid(), signal.SIGTERM)

        threading.Thread(target=stop_after_parent, name="parent", daemon=True).start()
        self.serve(is_ready)
