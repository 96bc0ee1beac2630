"""The protocol of backends to which clients send blobs directly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class UploadLink:
    """A URL to which a client sends a blob with PUT. It must send ``headers``, and no headers of its own choice."""

    url: str = field(repr=False)
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Arrived:
    """A blob that the backend has received. ``md5`` has 32 hexadecimal digits; None if the backend does not know it."""

    size: int
    md5: str | None


@runtime_checkable
class UploadLinking(Protocol):
    """A backend that receives blobs from clients directly, and describes what it received."""

    def upload_link(self, key: str, size: int, content_type: str, seconds: int) -> UploadLink | None:
        """A link with which anyone can store this blob, and do nothing else. The upload must begin within ``seconds``.

        If the backend's protocol allows it, the link accepts only this size and type. None if the backend's credentials
        do not allow such a link, or if the blob is too large for one request. It makes no request.
        """

    def arrived(self, key: str) -> Arrived | None:
        """Describe the blob stored under ``key``; None if there is none. Raises BackendUnavailable."""
