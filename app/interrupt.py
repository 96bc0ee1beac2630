"""The effect of Ctrl-C on a command: end the process at once, or raise KeyboardInterrupt."""

from __future__ import annotations

import signal


def end_at_interrupt() -> None:
    """Let Ctrl-C end the process, as SIGTERM does. Python would raise KeyboardInterrupt, which prints a traceback
    during imports and is lost in code that catches every exception."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def raise_at_interrupt() -> None:
    """Let Ctrl-C raise KeyboardInterrupt again, so that a command can clean up."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
