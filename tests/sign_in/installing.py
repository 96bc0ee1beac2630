"""The distribution in signin/: installed as pip does, so that its entry point is found, or its plugin alone."""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from tests.distributions import installed


def install_sign_in(base: Path) -> Path:
    """Install into a directory below ``base``, once, and return it, for PYTHONPATH."""
    return installed(base, "signin")


def own_plugin() -> dict[str, Any]:
    """The plugin, if it must be passed to a service: pip leaves the entry point in a checkout in which it built the
    distribution."""
    from portico_sign_in.plugin import SignIn

    return {} if entry_points(group="portico", name="sign_in") else {"sign_in": SignIn}
