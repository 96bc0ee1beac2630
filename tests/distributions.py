"""The plugins of the repository that are distributions of their own, installed as pip does."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tests.process.running import REPOSITORY


def installed(base: Path, folder: str) -> Path:
    """Install the distribution in a folder of the repository into a directory below ``base``, once, and return that
    directory, for PYTHONPATH."""
    site, source = base / folder, base / f"{folder}-source"
    if not site.exists():
        shutil.copytree(REPOSITORY / folder, source)
        install = ["-m", "pip", "install", "--quiet", "--no-index", "--no-build-isolation", "--no-deps"]
        subprocess.run([sys.executable, *install, "--target", str(site), str(source)], check=True)
    return site
