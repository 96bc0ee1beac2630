"""The target of a request, as the client sent it."""

from __future__ import annotations


def path_of(target: str) -> str:
    """The path in a request's target, still encoded; the target may be a whole URL (RFC 9112 section 3.2)."""
    path = target.partition("?")[0]
    if not path.startswith("/"):
        path = path.partition("://")[2].partition("/")[2]
    return "/" + path.lstrip("/")
