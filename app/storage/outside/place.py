"""A place outside with objects: the protocol, its records and its errors.

Unlike a backend, which keeps blobs under keys of ours, a place has objects under their own keys, described in its own
way. Each module of plugins/storage that serves a scheme is found by the hook ``storage_place``.
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
    """The place does not give or take this one object; the message says why."""

    code = "PLACE_REFUSED"


class PlaceOptions(NamedTuple):
    """What a URL does not say. ``endpoint``: the URL of a server that speaks the protocol of S3. ``profile``: the name
    of the credentials in the files of the cloud's own tools. ``may_be_new``: the place is written to, and need not be
    there yet."""

    endpoint: str | None = None
    profile: str | None = None
    may_be_new: bool = False


class PlacedObject(NamedTuple):
    """An entry of a listing. ``tag`` identifies the bytes, '' if the place has no such thing: an MD5 as 32 hexadecimal
    digits, or what an upload in parts has instead."""

    key: str
    size: int
    modified: datetime
    tag: str = ""


@dataclass(frozen=True, slots=True)
class ObjectDescription:
    """What is said of an object besides its bytes, '' where nothing is. ``md5``: of the bytes, as hexadecimal digits.

    ``tag`` is to be kept with an object whose own tag the place makes differently.
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
    """A source to close."""

    def close(self) -> None: ...


class OutsidePlace(Protocol):
    """Objects outside. Every method may be called from many threads at once.

    All raise PlaceUnusable when there is no use in going on, and PlaceRefused for what concerns one object.
    """

    def list(self) -> Iterator[PlacedObject]:
        """All objects below the URL, with keys relative to it, in no particular order."""

    def describe(self, found: PlacedObject) -> ObjectDescription:
        """What is said of an object."""

    def open(self, found: PlacedObject) -> ClosableSource:
        """The bytes of an object. Raises PlaceRefused if it was replaced since it was listed, where that is told."""

    def tags(self, found: PlacedObject) -> frozenset[str]:
        """All tags of an object's bytes, where it takes a closer look to know them."""

    def put(self, key: str, source: ByteSource, size: int, description: ObjectDescription, modified: datetime) -> None:
        """Store an object, replacing any of that key. Errors of ``source`` pass through; then nothing is changed."""

    def close(self) -> None:
        """Close the connections."""


@contextmanager
def told_of_places() -> Iterator[None]:
    """Raises PlaceUnusable for what keeps a backend from being used: its URL, or a package that is not installed."""
    try:
        yield
    except BackendUnusable as ex:
        raise PlaceUnusable(ex.message, hint=ex.hint) from ex


def open_place(plugins: pluggy.PluginManager, url: str, options: PlaceOptions) -> OutsidePlace:
    """The place for a URL, from the plugin of its scheme. Raises PlaceUnusable."""
    if not url.strip():
        # A variable of a script that is not set must not become the current directory.
        raise PlaceUnusable("The URL of the place outside is empty", hint="Write . for the current directory.")
    place: OutsidePlace | None = plugins.hook.storage_place(url=url, options=options)
    if place is None:
        raise PlaceUnusable(
            f"There is no plugin for the scheme {urlsplit(url).scheme!r}",
            hint="The URL begins with file://, s3://, gs:// or azure://, or with a plugin's own scheme.",
        )
    return place
