"""The protocol of a place outside, which has objects to import or takes exported ones; its records and its errors.

A backend stores blobs under keys that the core chooses. A place instead has objects under their own keys and describes
them in its own way. Each module of plugins/storage that serves a scheme is found by the hook ``storage_place``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, Protocol
from urllib.parse import urlsplit

import pluggy

from app.errors import PorticoError
from app.storage.bytes.backend import BackendUnusable, ByteSource


class PlaceUnusable(PorticoError):
    """The place cannot be used: its URL is wrong, it cannot be reached, or it refuses the credentials."""

    code = "PLACE_UNUSABLE"


class PlaceRefused(PorticoError):
    """The place refuses to read or write this one object; the message says why."""

    code = "PLACE_REFUSED"


class PlaceOptions(NamedTuple):
    """Options that are not in the URL. ``endpoint``: the URL of a server that speaks the protocol of S3. ``profile``:
    the name of the credentials in the files of the cloud's own tools. ``may_be_new``: the place is written to, and need
    not exist yet."""

    endpoint: str | None = None
    profile: str | None = None
    may_be_new: bool = False


class PlacedObject(NamedTuple):
    """An entry of a listing. ``tag`` identifies the bytes: an MD5 as 32 hexadecimal digits, or the tag of an upload in
    parts; '' if the place has no tags."""

    key: str
    size: int
    modified: datetime
    tag: str = ""


@dataclass(frozen=True, slots=True)
class ObjectDescription:
    """The metadata of an object; '' where there is none. ``md5``: that of the bytes, as hexadecimal digits.

    ``tag`` is the object's entity tag here. A place whose own tags are made differently stores it with the object.
    """

    content_type: str = ""
    caching: str = ""
    encoding: str = ""
    disposition: str = ""
    language: str = ""
    user_metadata: Mapping[str, str] = field(default_factory=dict)
    md5: str = ""
    tag: str = ""


class ClosableSource(ByteSource, Protocol):
    """A source that must be closed."""

    def close(self) -> None: ...


class OutsidePlace(Protocol):
    """A place outside. Every method may be called from many threads at once.

    All raise PlaceUnusable when further calls would fail too, and PlaceRefused when only one object is affected.
    """

    def list(self) -> Iterator[PlacedObject]:
        """All objects below the URL, with keys relative to it, in no particular order."""

    def describe(self, found: PlacedObject) -> ObjectDescription:
        """The metadata of an object."""

    def open(self, found: PlacedObject) -> ClosableSource:
        """The bytes of an object. Raises PlaceRefused if it was replaced since it was listed and the place detects
        it."""

    def tags(self, found: PlacedObject) -> frozenset[str]:
        """All tags that the object's bytes may have, including those that the listing does not contain."""

    def put(self, key: str, source: ByteSource, size: int, description: ObjectDescription, modified: datetime) -> None:
        """Store an object, replacing any of that key. Errors of ``source`` pass through; then nothing has changed."""

    def close(self) -> None:
        """Close the connections."""


@contextmanager
def as_place_errors() -> Iterator[None]:
    """Turns BackendUnusable, for a wrong URL or a package that is not installed, into PlaceUnusable."""
    try:
        yield
    except BackendUnusable as ex:
        raise PlaceUnusable(ex.message, hint=ex.hint) from ex


def open_place(plugins: pluggy.PluginManager, url: str, options: PlaceOptions) -> OutsidePlace:
    """The place for a URL, from the plugin of its scheme. Raises PlaceUnusable."""
    if not url.strip():
        # An unset variable in a script must not stand for the current directory.
        raise PlaceUnusable("The URL of the place outside is empty", hint="Write . for the current directory.")
    place: OutsidePlace | None = plugins.hook.storage_place(url=url, options=options)
    if place is None:
        raise PlaceUnusable(
            f"There is no plugin for the scheme {urlsplit(url).scheme!r}",
            hint="The URL begins with file://, s3://, gs:// or azure://, or with a plugin's own scheme.",
        )
    return place
