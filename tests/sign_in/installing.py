"""Installs the distribution in signin/ as pip does, so that its entry point is found."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tests.process.running import REPOSITORY


def install_sign_in(base: Path) -> Path:
    """Install into a directory below ``base``, once, and return it, for PYTHONPATH."""
    site, source = base / "sign-in", base / "sign-in-source"
    if not site.exists():
        shutil.copytree(REPOSITORY / "signin", source)
        install = ["-m", "pip", "install", "--quiet", "--no-index", "--no-build-isolation", "--no-deps"]
        subprocess.run([sys.executable, *install, "--target", str(site), str(source)], check=True)
    return site
