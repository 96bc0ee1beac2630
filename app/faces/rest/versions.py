"""Versions of objects. Old versions are not stored, so requests for a version are refused: otherwise a client would
take the current one for it."""

from __future__ import annotations

from app.faces.rest.errors import RestError

VERSIONS = ("exclude", "include", "only")
"""The ways in which a request for a listing can treat versions that are not current."""


def refuse_version(version: str | None) -> None:
    """Raise RestError if the request has the id of a version."""
    if version:
        raise _not_stored()


def refuse_versioning(status: str | None) -> None:
    """Raise RestError for a versioning status under which a bucket stores, or has stored, versions of its objects."""
    if status and status != "DISABLED":
        raise _not_stored()


def refuse_versions(*wanted: str) -> None:
    """Raise RestError for a listing of versions that are not current. ``wanted`` are values of ``VERSIONS``."""
    if any(each != "exclude" for each in wanted):
        raise _not_stored()


def _not_stored() -> RestError:
    return RestError("FeatureNotEnabled", 400, "Versions of objects are not kept")
