"""Blobs in Azure Blob Storage: ``azure://container/prefix``, with ``portico-api[azure]``.

The account comes from AZURE_STORAGE_CONNECTION_STRING, or else from AZURE_STORAGE_ACCOUNT with AZURE_STORAGE_KEY,
AZURE_STORAGE_SAS_TOKEN or, if the package azure-identity is installed, its default credential. Azure discards the
blocks of unfinished writes after a week.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from importlib import import_module
from itertools import chain
from typing import IO, Any
from urllib.parse import urlsplit
from uuid import uuid4

from app.errors import PorticoError
from app.hooks import hookimpl
from app.storage.bytes.backend import BackendFull, BackendUnavailable, BackendUnusable, Blob, BlobMissing, Labels, Piece
from app.storage.bytes.cloud import CloudBackend, bucket_and_prefix, cloud_module, write_chunks
from app.storage.bytes.transfer import FetchedChunks, Translated, in_batches
from app.storage.bytes.upload_links import Arrived, UploadLink

# Azure accepts 50,000 blocks, so blobs can have up to 195 GiB. The SDK has two copies of a block in memory.
PART = 4 * 1024 * 1024
FETCH = 2 * 1024 * 1024
MAX_PUT_BYTES = 5000 * 1024 * 1024
# Within an account a copy usually completes at once; a pending one is polled at this interval, in seconds.
COPY_INTERVAL = 0.2
PATIENCE: dict[str, Any] = {"connection_timeout": 5, "read_timeout": 30}


@hookimpl
def storage_backend(url: str) -> AzureBackend | None:
    if urlsplit(url).scheme != "azure":
        return None
    return AzureBackend(*bucket_and_prefix(url))


class AzureBackend(CloudBackend):
    """A ``Backend`` on a container of Azure Blob Storage."""

    def __init__(self, container: str, prefix: str) -> None:
        super().__init__(prefix, Translated(_translate), PART)
        self._open = cloud_module("smart_open.azure", "azure").open
        self._models = cloud_module("azure.storage.blob", "azure")
        # The SDK's default policy first waits for 15 seconds.
        retry = self._models.LinearRetry(backoff=1, retry_total=2, random_jitter_range=1)
        self._service = _service(self._models.BlobServiceClient, {"retry_policy": retry, **PATIENCE})
        self._container = self._service.get_container_client(container)

    def _put_small(self, name: str, content: bytes, content_type: str) -> None:
        # smart-open would send two requests.
        label = self._models.ContentSettings(content_type=content_type)
        self._container.get_blob_client(name).upload_blob(content, overwrite=True, content_settings=label)

    def _writer(self, name: str, content_type: str) -> IO[bytes]:
        label = self._models.ContentSettings(content_type=content_type)
        writer: IO[bytes] = self._open(
            self._container.container_name,
            name,
            "wb",
            client=_OwnBlocks(self._container.get_blob_client(name), self._models.BlobBlock),
            blob_kwargs={"content_settings": label},
            min_part_size=PART,
        )
        return writer

    def _reader(self, name: str, start: int, length: int) -> IO[bytes]:
        reader: IO[bytes] = self._open(
            self._container.container_name, name, "rb", client=self._container, buffer_size=min(FETCH, length)
        )
        reader.seek(start)
        return reader

    def _copy(self, source: str, target: str) -> None:
        blob = self._container.get_blob_client(target)
        state = blob.start_copy_from_url(self._container.get_blob_client(source).url)["copy_status"]
        while state == "pending":
            time.sleep(COPY_INTERVAL)
            state = blob.get_blob_properties().copy.status
        if state != "success":
            raise BackendUnavailable

    def _join(self, pieces: Sequence[Piece], target: str) -> None:
        # Azure can fetch blocks from URLs, but these need a signature, which not every credential can make.
        chunks = (
            FetchedChunks(self._reader(piece.key, 0, piece.size), piece.size, self._translated) for piece in pieces
        )
        writer = self._writer(target, "application/octet-stream")
        write_chunks(writer, chain.from_iterable(chunks), self._translated)

    def _link(self, name: str, labels: Labels, seconds: int) -> str | None:
        return self._signed(
            name,
            seconds,
            permission=self._models.BlobSasPermissions(read=True),
            content_type=labels.content_type,
            cache_control=labels.caching or None,
            content_disposition=labels.disposition or None,
            content_encoding=labels.encoding or None,
        )

    def _upload_link(self, name: str, size: int, content_type: str, seconds: int) -> UploadLink | None:
        if size > MAX_PUT_BYTES:
            return None
        # The signature covers neither length nor type. It permits creating a blob, but not replacing an existing one.
        url = self._signed(name, seconds, permission=self._models.BlobSasPermissions(create=True))
        return None if url is None else UploadLink(url, {"content-type": content_type, "x-ms-blob-type": "BlockBlob"})

    def _signed(self, name: str, seconds: int, **what: Any) -> str | None:
        """The URL of a blob, signed for ``what``; None if the credentials cannot sign without a request."""
        account_key = getattr(self._service.credential, "account_key", None)
        if account_key is None:
            return None
        blob = self._container.get_blob_client(name)
        signature = self._models.generate_blob_sas(
            blob.account_name,
            blob.container_name,
            name,
            account_key=account_key,
            expiry=datetime.now(UTC) + timedelta(seconds=seconds),
            **what,
        )
        return f"{blob.url}?{signature}"

    def _arrived(self, name: str) -> Arrived:
        found = self._container.get_blob_client(name).get_blob_properties()
        md5 = found.content_settings.content_md5
        return Arrived(int(found.size), bytes(md5).hex() if md5 else None)

    def delete_many(self, keys: Iterable[str]) -> None:
        for batch in in_batches(keys, 256):
            names = [self._name(key) for key in batch]
            with self._translated:
                answers = list(self._container.delete_blobs(*names, raise_on_any_failure=False))
            if any(answer.status_code not in (202, 404) for answer in answers):
                raise BackendUnavailable

    def _listed(self, prefix: str) -> Iterator[Blob]:
        for blob in self._container.list_blobs(name_starts_with=prefix):
            yield Blob(blob.name, blob.size, blob.last_modified)

    def close(self) -> None:
        self._service.close()


class _OwnBlocks:
    """The blob for smart-open's writer, with block names that are unique to this write.

    smart-open only numbers the blocks, so two concurrent writers of one blob would mix up their blocks.
    """

    def __init__(self, blob: Any, block: Any) -> None:
        self._blob = blob
        self._block = block
        self._write = uuid4().hex

    def stage_block(self, block_id: bytes, data: bytes) -> None:
        self._blob.stage_block(self._named(block_id), data)

    def commit_block_list(self, blocks: list[Any], **settings: Any) -> None:
        self._blob.commit_block_list([self._block(self._named(block.id)) for block in blocks], **settings)

    def _named(self, block_id: bytes) -> str:
        # Azure accepts names of at most 64 bytes, and all in a blob must have the same length. smart-open's are longer.
        return self._write + block_id.decode()[-24:]


def _service(client: Any, patience: dict[str, Any]) -> Any:
    connection, account = (os.environ.get(f"AZURE_STORAGE_{name}") or None for name in ("CONNECTION_STRING", "ACCOUNT"))
    try:
        if connection:
            return client.from_connection_string(connection, **patience)
        if account:
            return client(f"https://{account}.blob.core.windows.net", credential=_credential(), **patience)
    except ValueError as ex:
        raise BackendUnusable("The connection string, account name or account key for Azure is not valid") from ex
    raise BackendUnusable(
        "The Azure account of the storage URL is not configured",
        hint="Set AZURE_STORAGE_CONNECTION_STRING, or AZURE_STORAGE_ACCOUNT and AZURE_STORAGE_KEY.",
    )


def _credential() -> Any:
    given = os.environ.get("AZURE_STORAGE_KEY") or os.environ.get("AZURE_STORAGE_SAS_TOKEN")
    if given:
        return given
    try:
        return import_module("azure.identity").DefaultAzureCredential()
    except ImportError as ex:
        raise BackendUnusable(
            "There is no credential for the Azure account",
            hint="Set AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, or install azure-identity.",
        ) from ex


def _translate(ex: BaseException) -> PorticoError | None:
    """The backend error for an error of azure-storage-blob; None for other errors."""
    azure = cloud_module("azure.core.exceptions", "azure")
    if isinstance(ex, azure.HttpResponseError):
        code = getattr(ex, "error_code", None)
        if code in ("BlobNotFound", "InvalidRange", "CannotVerifyCopySource") or (
            isinstance(ex, azure.ResourceNotFoundError) and code not in ("ContainerNotFound",)
        ):
            return BlobMissing()
        return BackendFull() if ex.status_code == 507 else BackendUnavailable()
    return BackendUnavailable() if isinstance(ex, OSError | azure.AzureError) else None
