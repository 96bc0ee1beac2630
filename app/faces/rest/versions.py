"""Versions of objects: none are kept, so asking for one is refused. Otherwise what is current would be taken for it."""

from __future__ import annotations

from app.faces.rest.errors import RestError

VERSIONS = ("exclude", "include", "only")
"""What a listing can be asked to do with versions that are not current."""


def refuse_version(version: str | None) -> None:
    """Raise RestError for the id of a version."""
    if version:
        raise _not_kept()


def refuse_versioning(status: str | None) -> None:
    """Raise RestError for a status of a bucket that would keep the versions of its objects, or have kept some."""
    if status and status != "DISABLED":
        raise _not_kept()


def refuse_versions(*wanted: str) -> None:
    """Raise RestError for a listing of versions that are not current; ``wanted`` are of ``VERSIONS``."""
    if any(each != "exclude" for each in wanted):
        raise _not_kept()


def _not_kept() -> RestError:
    return RestError("FeatureNotEnabled", 400, "Versions of objects are not kept")
