"""What Ctrl-C does to a command: end the process at once, or raise KeyboardInterrupt."""

from __future__ import annotations

import signal


def end_at_interrupt() -> None:
    """Let Ctrl-C end the process, as SIGTERM does. Python would raise KeyboardInterrupt, which prints a traceback
    while modules are imported, or is lost where the code that it meets catches everything."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def raise_at_interrupt() -> None:
    """Let Ctrl-C raise KeyboardInterrupt again, so that a command can leave what it opened in order."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
