"""Base class of places in clouds. Each subclass in plugins/storage serves one cloud."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator
from typing import Any, TypeVar
from urllib.parse import urlsplit

from app.errors import PorticoError
from app.storage.bytes.cloud import bucket_and_prefix
from app.storage.bytes.transfer import Translated
from app.storage.outside.place import ObjectDescription, PlacedObject, as_place_errors

Place = TypeVar("Place", bound="CloudPlace")

LABELS = ("content_type", "cache_control", "content_encoding", "content_disposition", "content_language")
"""The headers of an object, in the order of the first fields of ObjectDescription, as Google and Azure name them."""


def place_in_cloud(url: str, schemes: Collection[str], make: Callable[[str, str], Place]) -> Place | None:
    """The place that ``make`` opens in a bucket below a prefix; None for a URL of another scheme. Raises
    PlaceUnusable."""
    if urlsplit(url).scheme not in schemes:
        return None
    with as_place_errors():
        return make(*bucket_and_prefix(url))


class CloudPlace(ABC):
    """An ``OutsidePlace`` in a cloud. ``translate`` converts an error of the cloud's library, or returns None for
    others. A subclass sets ``_client``."""

    _client: Any

    def __init__(self, prefix: str, translate: Callable[[BaseException], PorticoError | None]) -> None:
        self._prefix = prefix
        self._translated = Translated(translate)

    def list(self) -> Iterator[PlacedObject]:
        with self._translated:
            for found in self._listed():
                if key := found.key.removeprefix(self._prefix):
                    yield found._replace(key=key)

    def tags(self, found: PlacedObject) -> frozenset[str]:
        return frozenset({found.tag})

    def close(self) -> None:
        self._client.close()

    @abstractmethod
    def _listed(self) -> Iterator[PlacedObject]:
        """The objects below the prefix, with their whole keys."""

    def _name(self, key: str) -> str:
        """The whole key of an object."""
        return self._prefix + key


def described(labels: Any, user_metadata: Any, md5: str) -> ObjectDescription:
    """The description of an object whose headers are the attributes ``LABELS`` of ``labels``."""
    content_type, caching, encoding, disposition, language = (getattr(labels, name) or "" for name in LABELS)
    return ObjectDescription(content_type, caching, encoding, disposition, language, user_metadata or {}, md5)


def labels_of(description: ObjectDescription) -> dict[str, str]:
    """The headers of a description by the names ``LABELS``, without those that are empty."""
    texts = (
        description.content_type, description.caching, description.encoding, description.disposition,
        description.language,
    )  # fmt: skip
    return {name: text for name, text in zip(LABELS, texts, strict=True) if text}
