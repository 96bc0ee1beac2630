"""The public names of Portico, for plugins and for embedding it. docs/plugins.md lists them.

Import from here, and from ``portico.testing`` in tests; everything else may change in any release.
"""

from __future__ import annotations

from portico.own_packages import check

check()

# After the check, which says what is wrong where these would fail.
from app.discovery import configure, plugin_manager  # noqa: E402
from app.errors import AccessError, OverLimit, PorticoError, RequestError, Unavailable  # noqa: E402
from app.graphql.fields import Fields  # noqa: E402
from app.hooks import hookimpl  # noqa: E402
from app.identity import Caller, Identity  # noqa: E402
from app.identity.identification import Identification, RequestHead  # noqa: E402
from app.settings import Setting, Settings  # noqa: E402
from app.settings import kinds as setting_kinds  # noqa: E402
from app.wsgi import Application, create_app  # noqa: E402

__all__ = [
    "AccessError",
    "Application",
    "Caller",
    "Fields",
    "Identification",
    "Identity",
    "OverLimit",
    "PorticoError",
    "RequestError",
    "RequestHead",
    "Setting",
    "Settings",
    "Unavailable",
    "configure",
    "create_app",
    "hookimpl",
    "plugin_manager",
    "setting_kinds",
]
