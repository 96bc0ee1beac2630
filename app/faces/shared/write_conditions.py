"""Conditions of a change: If-Match and If-None-Match of RFC 9110 section 13.1."""

from __future__ import annotations

from collections.abc import Mapping

from app.faces.shared.errors import InvalidRequest
from app.http.preconditions import read_entity_tags
from app.storage.errors import PreconditionFailed

WRITE_CONDITIONS = ("if-match", "if-none-match")


def write_conditions(headers: Mapping[str, str]) -> tuple[tuple[str, ...] | None, bool]:
    """The tags of If-Match (None without it, ``()`` for ``*``), and whether If-None-Match is ``*``, for a new object.

    Raises InvalidRequest for any other If-None-Match, since ignoring it would be treating it as fulfilled.
    """
    none_match = headers.get("if-none-match")
    must_be_new = none_match is not None and read_entity_tags(none_match).anything
    if none_match is not None and not must_be_new:
        raise InvalidRequest("headers/if-none-match of a change must be *")
    match = headers.get("if-match")
    if match is None:
        return None, must_be_new
    tags = read_entity_tags(match)
    return (() if tags.anything else tags.strong or ("",)), must_be_new


def deletion_conditions(headers: Mapping[str, str]) -> tuple[str, ...] | None:
    """The tags of If-Match, as in ``write_conditions``. Raises InvalidRequest, and PreconditionFailed for
    If-None-Match, which an existing object does not meet."""
    etags, must_be_new = write_conditions(headers)
    if must_be_new:
        raise PreconditionFailed
    return etags
