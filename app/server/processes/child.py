"""A child process from its fork to its exit: a worker, or the companion."""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Callable
from typing import NoReturn

from app.errors import PorticoError
from app.server.processes.pipes import WorkerPipes
from app.settings import Settings

_log = logging.getLogger("portico.server")

EXIT_NOT_STARTED = 3
STOPPING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP) if hasattr(signal, "SIGHUP") else (signal.SIGTERM,)
"""The signals that stop the service. They are blocked when the child starts."""


def run_child(
    name: str, mark: bytes, settings: Settings, pipes: WorkerPipes, serve: Callable[[Callable[[], None]], None]
) -> NoReturn:
    """Call ``serve`` and then exit. ``serve`` takes a function, which it calls when it can answer requests; ``mark``
    then reports that to the parent. ``name`` is for the log."""
    code = 1
    is_ready = False

    def ready() -> None:
        nonlocal is_ready
        is_ready = True
        pipes.report_ready(mark)

    try:
        _reset_signals()
        pipes.become_worker()
        serve(ready)
        code = 0
    except Exception as ex:
        # The parent stops all workers as soon as one has not started, perhaps before the reason is logged.
        signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
        if is_ready or pipes.may_report():
            _log_end(name, ex, brief=not is_ready and not settings.show_sql)
        code = 1 if is_ready else EXIT_NOT_STARTED
    finally:
        logging.shutdown()
        sys.stdout.flush()
        sys.stderr.flush()
        # Not sys.exit: the parent's exit handlers and open files must not run or be flushed in the child.
        os._exit(code)


def _reset_signals() -> None:
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # Ctrl-C reaches the whole process group; the parent handles it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)


def _log_end(name: str, ex: Exception, *, brief: bool) -> None:
    if brief and isinstance(ex, ValueError | RuntimeError | PorticoError):
        _log.error("%s cannot start: %s", name, _with_hint(ex))
    else:
        _log.exception("%s ended", name)


def _with_hint(ex: Exception) -> str:
    hint = ex.hint if isinstance(ex, PorticoError) else None
    return f"{str(ex).rstrip('.')}. {hint}" if hint else str(ex)
