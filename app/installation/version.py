"""The version of Portico's objects in the database, by Semantic Versioning 2.0.0 (https://semver.org)."""

from __future__ import annotations

VERSION = "1.1.0"
"""The newest version that can be installed. ``default_version`` in ``sql/portico.control`` is the same."""


def precedence(version: str) -> tuple[int, int, int]:
    """A key that sorts versions. Portico's are plain ``MAJOR.MINOR.PATCH``. Raises ValueError for anything else."""
    major, minor, patch = version.split(".")
    return int(major), int(minor), int(patch)
