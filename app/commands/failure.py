"""The errors that a command reports in one line. Any other exception is a bug, and its traceback is shown."""

from __future__ import annotations

from app.embedded.failure import EmbeddedError
from app.errors import PorticoError
from app.server.processes.address import ListenError
from app.settings import SettingError


class CommandError(RuntimeError):
    """A command failed for an expected reason; the message is one line."""


def explained(ex: Exception) -> str | None:
    """One line for the operator, or None for an unexpected error."""
    # Imported here because it imports the driver.
    from app.database.pool.advice import advice_on

    if isinstance(ex, PorticoError):
        cause = ex.__cause__
        is_contained = cause is None or str(cause) in ex.message
        text = ex.message if is_contained else f"{ex.message.rstrip('.')} ({cause})."
        hint = (advice_on(cause) if ex.code == "DATABASE_UNAVAILABLE" else None) or ex.hint
        return _one_line(f"{text.rstrip('.')}. {hint}" if hint else text)
    from app.database.wire.target import DatabaseUrlError
    from app.demo.load import DemoError
    from app.documents.source import DocumentsUnusable
    from app.plugin_guard import PluginUnusable
    from app.testing.failure import TestingError

    if isinstance(ex, DatabaseUrlError):
        return _one_line(f"{ex.setting}: {ex}")
    expected = (
        CommandError | SettingError | ListenError | EmbeddedError | DemoError | DocumentsUnusable | PluginUnusable
        | TestingError
    )  # fmt: skip
    if isinstance(ex, expected):
        return _one_line(str(ex))
    return None


def _one_line(text: str) -> str:
    return " ".join(text.split())
