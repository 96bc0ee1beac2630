"""The target of a request, as the client sent it."""

from __future__ import annotations

PREFIX = "/storage/v1"
"""All routes of the storage exist under this prefix as well as at the root."""

FORWARDED = "portico.forwarded"
"""The key in the environ of a trusted proxy's headers ``X-Forwarded-``, by the rest of their names in lower case."""

PASSED_ON = "portico.passed_on"
"""The key in the environ that says that a proxy which is not trusted has passed the request on."""


def path_of(target: str) -> str:
    """The path in a request's target, still encoded; the target may be a whole URL (RFC 9112 section 3.2)."""
    path = target.partition("?")[0]
    if not path.startswith("/"):
        path = path.partition("://")[2].partition("/")[2]
    return "/" + path.lstrip("/")


def without_prefix(path: str) -> str:
    """The path without the storage's prefix."""
    return path[len(PREFIX) :] or "/" if path == PREFIX or path.startswith(PREFIX + "/") else path
