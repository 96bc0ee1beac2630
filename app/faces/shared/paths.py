"""The path prefix of the storage."""

from __future__ import annotations

PREFIX = "/storage/v1"
"""All routes of the storage exist under this prefix as well as at the root."""


def without_prefix(path: str) -> str:
    """The path without the storage's prefix."""
    return path[len(PREFIX) :] or "/" if path == PREFIX or path.startswith(PREFIX + "/") else path
