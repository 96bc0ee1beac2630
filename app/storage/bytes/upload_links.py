"""Backends to which clients send blobs themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class UploadLink:
    """A URL that takes a blob by PUT. Clients must send ``headers`` with it, and no others of theirs."""

    url: str = field(repr=False)
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Arrived:
    """A blob as the backend knows it. ``md5`` are 32 hexadecimal digits, or None if the backend does not know it."""

    size: int
    md5: str | None


@runtime_checkable
class UploadLinking(Protocol):
    """A backend that takes blobs from clients, and says what it got."""

    def upload_link(self, key: str, size: int, content_type: str, seconds: int) -> UploadLink | None:
        """A link with which anybody can store the blob, and do nothing else, if they begin within so many seconds.

        Where the backend's protocol allows, it takes no other size and type. None if the backend's credentials do not
        allow such a link, or one request may not be as large. No request is made.
        """

    def arrived(self, key: str) -> Arrived | None:
        """What is stored under ``key``; None if there is no such blob. Raises BackendUnavailable."""
