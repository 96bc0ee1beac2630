"""Imports from and exports to a bucket of Google Cloud Storage: ``gs://bucket/prefix``.

Credentials are the application default credentials; STORAGE_EMULATOR_HOST selects an emulator, which needs none.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from datetime import datetime
from typing import IO, Any

from app.errors import PorticoError
from app.hooks import hookimpl
from app.storage.bytes.backend import ByteSource
from app.storage.bytes.cloud import cloud_module, write_whole
from app.storage.bytes.transfer import CHUNK, TranslatedReader
from app.storage.outside.cloud_place import CloudPlace, described, labels_of, place_in_cloud
from app.storage.outside.place import (
    ClosableSource,
    ObjectDescription,
    PlacedObject,
    PlaceOptions,
    PlaceRefused,
    PlaceUnusable,
)

PART = 4 * 1024 * 1024
PATIENCE: dict[str, Any] = {"timeout": 60}


@hookimpl
def storage_place(url: str, options: PlaceOptions) -> GooglePlace | None:
    return place_in_cloud(url, ("gs", "gcs"), GooglePlace)


class GooglePlace(CloudPlace):
    """An ``OutsidePlace`` in a bucket of Google Cloud Storage."""

    def __init__(self, bucket: str, prefix: str) -> None:
        super().__init__(prefix, _translate)
        self._open = cloud_module("smart_open.gcs", "gcs").open
        with self._translated:
            self._client = cloud_module("google.cloud.storage", "gcs").Client()
        self._bucket = self._client.bucket(bucket)

    def _listed(self) -> Iterator[PlacedObject]:
        for blob in self._client.list_blobs(self._bucket, prefix=self._prefix, **PATIENCE):
            yield PlacedObject(blob.name, int(blob.size), blob.updated, _hex(blob.md5_hash))

    def describe(self, found: PlacedObject) -> ObjectDescription:
        with self._translated:
            blob = self._bucket.get_blob(self._name(found.key), **PATIENCE)
        if blob is None:
            raise PlaceRefused("it was deleted meanwhile")
        return described(blob, blob.metadata, found.tag)

    def open(self, found: PlacedObject) -> ClosableSource:
        # raw_download returns the bytes as they are stored: otherwise Google would unpack objects with the encoding
        # gzip.
        blob = self._bucket.blob(self._name(found.key))
        reader: IO[bytes] = blob.open("rb", chunk_size=PART, raw_download=True, **PATIENCE)
        return TranslatedReader(reader.read, reader.close, self._translated)

    def put(self, key: str, source: ByteSource, size: int, description: ObjectDescription, modified: datetime) -> None:
        properties: dict[str, Any] = {**labels_of(description)}
        if description.user_metadata:
            properties["metadata"] = dict(description.user_metadata)
        writer = self._open(
            self._bucket.name,
            self._name(key),
            "wb",
            client=self._client,
            min_part_size=PART,
            blob_properties=properties,
        )
        write_whole(writer, iter(lambda: source.read(CHUNK), b""), self._translated)


def _hex(md5: str | None) -> str:
    """The MD5 as hexadecimal digits; '' for an object that was composed of others, which has no MD5."""
    return base64.b64decode(md5).hex() if md5 else ""


def _translate(ex: BaseException) -> PorticoError | None:
    """The place's error for an error of google-cloud-storage or the libraries below it; None for other errors."""
    api = cloud_module("google.api_core.exceptions", "gcs")
    if isinstance(ex, api.Unauthorized | api.Forbidden):
        return PlaceUnusable(f"Google refuses: {ex}")
    broken = (
        OSError,
        api.GoogleAPIError,
        cloud_module("google.cloud.storage.exceptions", "gcs").InvalidResponse,
        cloud_module("google.cloud.storage.exceptions", "gcs").DataCorruption,
    )
    if isinstance(ex, cloud_module("google.auth.exceptions", "gcs").GoogleAuthError):
        return PlaceUnusable(f"Google Cloud Storage needs credentials: {ex}")
    return PlaceRefused(f"the transfer broke: {ex}") if isinstance(ex, broken) else None
