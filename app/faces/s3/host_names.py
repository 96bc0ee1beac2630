"""Finds the bucket in a host name."""

from __future__ import annotations


def bucket_of_host(given: str | None, own: str | None) -> str | None:
    """The bucket in the host name ``given``; '' for the face's ``own`` host name, None for any other host."""
    if own is None or not given:
        return None
    name = given.lower().partition(":")[0] if ":" not in own else given.lower()
    if name == own.lower():
        return ""
    return given[: len(name) - len(own) - 1] if name.endswith("." + own.lower()) else None
