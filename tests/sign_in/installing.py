"""The distribution in signin/: installed as pip does, so that its entry point is found, or its plugin alone."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from tests.process.running import REPOSITORY


def install_sign_in(base: Path) -> Path:
    """Install into a directory below ``base``, once, and return it, for PYTHONPATH."""
    site, source = base / "sign-in", base / "sign-in-source"
    if not site.exists():
        shutil.copytree(REPOSITORY / "signin", source)
        install = ["-m", "pip", "install", "--quiet", "--no-index", "--no-build-isolation", "--no-deps"]
        subprocess.run([sys.executable, *install, "--target", str(site), str(source)], check=True)
    return site


def own_plugin() -> dict[str, Any]:
    """The plugin, if it must be passed to a service: pip leaves the entry point in a checkout in which it built the
    distribution."""
    from portico_sign_in.plugin import SignIn

    return {} if entry_points(group="portico", name="sign_in") else {"sign_in": SignIn}
