"""Which failures a command tells in one line. Anything else is a fault of ours, and its traceback is shown."""

from __future__ import annotations

from app.embedded.failure import EmbeddedError
from app.errors import PorticoError
from app.server.parent import ServeError
from app.settings import SettingError


class CommandError(RuntimeError):
    """A command cannot do what it was asked for; the message is one line."""


def explained(ex: Exception) -> str | None:
    """One line for the operator, or None for an error that nobody foresaw."""
    if isinstance(ex, PorticoError):
        cause = f" ({ex.__cause__})" if ex.__cause__ is not None else ""
        told = f"{ex.message}{cause}"
        return _one_line(f"{told.rstrip('.')}. {ex.hint}" if ex.hint else told)
    # Imported here, since they bring the driver along.
    from app.database.url import DatabaseUrlError
    from app.demo.load import DemoError
    from app.plugin_guard import PluginUnusable

    if isinstance(ex, DatabaseUrlError):
        return _one_line(f"DATABASE_URL: {ex}")
    if isinstance(ex, CommandError | SettingError | ServeError | EmbeddedError | DemoError | PluginUnusable):
        return _one_line(str(ex))
    return None


def _one_line(text: str) -> str:
    return " ".join(text.split())
