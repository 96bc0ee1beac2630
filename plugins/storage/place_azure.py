"""Imports from and exports to a container of Azure Blob Storage: ``azure://container/prefix``.

The account comes from AZURE_STORAGE_CONNECTION_STRING.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from app.errors import PorticoError
from app.hooks import hookimpl
from app.storage.bytes.backend import ByteSource
from app.storage.bytes.cloud import cloud_module
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

PATIENCE: dict[str, Any] = {"connection_timeout": 10, "read_timeout": 60}


@hookimpl
def storage_place(url: str, options: PlaceOptions) -> AzurePlace | None:
    return place_in_cloud(url, ("azure",), AzurePlace)


class AzurePlace(CloudPlace):
    """An ``OutsidePlace`` in a container of Azure Blob Storage."""

    def __init__(self, container: str, prefix: str) -> None:
        super().__init__(prefix, _translate)
        self._models = cloud_module("azure.storage.blob", "azure")
        connection = os.environ.get("AZURE_STORAGE_CONNECTION_STRING")
        if not connection:
            raise PlaceUnusable("The Azure account of the URL is unknown", hint="Set AZURE_STORAGE_CONNECTION_STRING.")
        try:
            self._client = self._models.BlobServiceClient.from_connection_string(connection, **PATIENCE)
        except ValueError as ex:
            raise PlaceUnusable("AZURE_STORAGE_CONNECTION_STRING is not valid") from ex
        self._container = self._client.get_container_client(container)

    def _listed(self) -> Iterator[PlacedObject]:
        for blob in self._container.list_blobs(name_starts_with=self._prefix):
            md5 = bytes(blob.content_settings.content_md5 or b"").hex()
            yield PlacedObject(blob.name, blob.size, blob.last_modified, md5)

    def describe(self, found: PlacedObject) -> ObjectDescription:
        with self._translated:
            properties = self._container.get_blob_client(self._name(found.key)).get_blob_properties()
        return described(properties.content_settings, properties.metadata, found.tag)

    def open(self, found: PlacedObject) -> ClosableSource:
        with self._translated:
            download = self._container.download_blob(self._name(found.key))
        # There is nothing to close: no connection is occupied between two reads.
        return TranslatedReader(download.read, lambda: None, self._translated)

    def put(self, key: str, source: ByteSource, size: int, description: ObjectDescription, modified: datetime) -> None:
        settings = self._models.ContentSettings(
            **labels_of(description), content_md5=bytearray.fromhex(description.md5) if description.md5 else None
        )
        # Azure accepts only identifiers as names of metadata.
        metadata = {name: value for name, value in description.user_metadata.items() if name.isidentifier()}
        blob = self._container.get_blob_client(self._name(key))
        with self._translated:
            # If ``source`` raises, blocks that were already sent stay invisible, and Azure discards them after a week.
            blob.upload_blob(
                iter(lambda: source.read(CHUNK), b""), length=size, overwrite=True, content_settings=settings,
                metadata=metadata,
            )  # fmt: skip


def _translate(ex: BaseException) -> PorticoError | None:
    """The place's error for an error of azure-storage-blob; None for other errors."""
    azure = cloud_module("azure.core.exceptions", "azure")
    if isinstance(ex, azure.ClientAuthenticationError | azure.ServiceRequestError):
        return PlaceUnusable(f"Azure cannot be used: {ex}")
    return PlaceRefused(f"the transfer broke: {ex}") if isinstance(ex, OSError | azure.AzureError) else None
