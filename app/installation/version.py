"""The version of what lives in the database, by Semantic Versioning 2.0.0 (https://semver.org)."""

from __future__ import annotations

VERSION = "1.1.0"
"""The newest version that can be installed. It is ``default_version`` of ``sql/portico.control`` as well."""


def precedence(version: str) -> tuple[int, int, int]:
    """Orders versions; ours are plain ``MAJOR.MINOR.PATCH``. Raises ValueError for anything else."""
    major, minor, patch = version.split(".")
    return int(major), int(minor), int(patch)
