"""The plugin in federation/, without installing it."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any


def own_plugin() -> dict[str, Any]:
    """The plugin, if it must be passed to a service: pip leaves the entry point in a checkout in which it built the
    distribution."""
    from portico_federation import plugin

    return {} if entry_points(group="portico", name="federation") else {"federation": plugin}
