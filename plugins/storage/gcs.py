"""Blobs in Google Cloud Storage: ``gs://bucket/prefix``, with ``portico-api[gcs]``.

Credentials are the application default credentials (GOOGLE_APPLICATION_CREDENTIALS, the metadata server, ...).
STORAGE_EMULATOR_HOST selects an emulator, which needs none. Google discards unfinished uploads after a week.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from typing import IO, Any
from urllib.parse import urlsplit

from app.errors import PorticoError
from app.hooks import hookimpl
from app.storage.bytes.backend import BackendFull, BackendUnavailable, BackendUnusable, Blob, BlobMissing, Labels, Piece
from app.storage.bytes.cloud import CloudBackend, bucket_and_prefix, cloud_module
from app.storage.bytes.transfer import Translated, in_batches
from app.storage.bytes.upload_links import Arrived, UploadLink

# The time limit for one request, and for all its retries, in seconds.
TIMEOUT = 30
PERSISTENCE = 5
# The size of one request, in bytes. The SDK has two copies of what it sends in memory, and three of what it fetches.
PART = 4 * 1024 * 1024
FETCH = 2 * 1024 * 1024
MOST_COMPOSED = 32


@hookimpl
def storage_backend(url: str) -> GoogleBackend | None:
    if urlsplit(url).scheme not in ("gs", "gcs"):
        return None
    return GoogleBackend(*bucket_and_prefix(url))


class GoogleBackend(CloudBackend):
    """A ``Backend`` on a bucket of Google Cloud Storage."""

    def __init__(self, bucket: str, prefix: str) -> None:
        super().__init__(prefix, Translated(_translate), PART)
        storage = cloud_module("google.cloud.storage", "gcs")
        # Repeating a request is safe, because every blob has a new name. By default the SDK retries for two minutes.
        retry = cloud_module("google.cloud.storage.retry", "gcs").DEFAULT_RETRY.with_timeout(PERSISTENCE)
        self._patience: dict[str, Any] = {"timeout": TIMEOUT, "retry": retry}
        self._open = cloud_module("smart_open.gcs", "gcs").open
        try:
            self._client: Any = storage.Client()
        except (OSError, cloud_module("google.auth.exceptions", "gcs").GoogleAuthError) as ex:
            raise BackendUnusable(
                "Google Cloud Storage needs credentials and a project; one of them is missing",
                hint="Set GOOGLE_APPLICATION_CREDENTIALS and GOOGLE_CLOUD_PROJECT.",
            ) from ex
        self._bucket = self._client.bucket(bucket)

    def _put_small(self, name: str, content: bytes, content_type: str) -> None:
        # smart-open would send two requests.
        self._bucket.blob(name).upload_from_string(content, content_type, **self._patience)

    def _writer(self, name: str, content_type: str) -> IO[bytes]:
        writer: IO[bytes] = self._open(
            self._bucket.name,
            name,
            "wb",
            client=self._client,
            min_part_size=PART,
            blob_open_kwargs={"content_type": content_type, **self._patience},
        )
        return writer

    def _reader(self, name: str, start: int, length: int) -> IO[bytes]:
        reader: IO[bytes] = self._open(
            self._bucket.name,
            name,
            "rb",
            client=self._client,
            get_blob_kwargs=self._patience,
            blob_open_kwargs={"chunk_size": min(FETCH, length), **self._patience},
        )
        reader.seek(start)
        return reader

    def _copy(self, source: str, target: str) -> None:
        origin, blob = self._bucket.blob(source), self._bucket.blob(target)
        token, _, _ = blob.rewrite(origin, **self._patience)
        while token:
            token, _, _ = blob.rewrite(origin, token=token, **self._patience)

    def _join(self, pieces: Sequence[Piece], target: str) -> None:
        # Each request joins up to 32 blobs; from the second request on, the first of them is the result so far.
        left = [self._bucket.blob(piece.key) for piece in pieces]
        begun: list[Any] = []
        while left:
            room = MOST_COMPOSED - len(begun)
            blob = self._bucket.blob(target)
            blob.content_type = "application/octet-stream"
            # The generation keeps a repeated request from adding its blobs twice.
            generation = begun[0].generation if begun else None
            blob.compose([*begun, *left[:room]], if_generation_match=generation, **self._patience)
            left, begun = left[room:], [blob]

    def _link(self, name: str, labels: Labels, seconds: int) -> str | None:
        if labels.encoding:
            # A link cannot set another encoding than the stored one.
            return None
        return self._signed_url(
            name, seconds, response_type=labels.content_type, response_disposition=labels.disposition or None
        )

    def _upload_link(self, name: str, size: int, content_type: str, seconds: int) -> UploadLink | None:
        length = {"x-goog-content-length-range": f"{size},{size}"}
        headers = dict(length)  # the SDK adds to it
        url = self._signed_url(name, seconds, method="PUT", content_type=content_type, headers=headers)
        return None if url is None else UploadLink(url, {"content-type": content_type, **length})

    def _signed_url(self, name: str, seconds: int, **options: Any) -> str | None:
        """A signed URL of a blob; None if the credentials cannot sign. Only the key of a service account can sign
        without a request to Google."""
        blob = self._bucket.blob(name)
        try:
            url: str = blob.generate_signed_url(version="v4", expiration=timedelta(seconds=seconds), **options)
        except AttributeError:
            # The SDK documents this error for such credentials.
            return None
        return url

    def _arrived(self, name: str) -> Arrived:
        blob = self._bucket.get_blob(name, **self._patience)
        if blob is None:
            raise BlobMissing
        return Arrived(int(blob.size), b64decode(blob.md5_hash).hex() if blob.md5_hash else None)

    def delete_many(self, keys: Iterable[str]) -> None:
        missing = cloud_module("google.api_core.exceptions", "gcs").NotFound
        for batch in in_batches(keys, 100):
            blobs = [self._bucket.blob(self._name(key)) for key in batch]
            with self._translated:
                try:
                    with self._client.batch():
                        for blob in blobs:
                            blob.delete(timeout=TIMEOUT)
                except missing:
                    # After a missing blob, a batch does not report whether another deletion failed.
                    self._bucket.delete_blobs(blobs, on_error=lambda blob: None, **self._patience)

    def _listed(self, prefix: str) -> Iterator[Blob]:
        fields = "items(name,size,updated),nextPageToken"
        for blob in self._client.list_blobs(self._bucket, prefix=prefix, fields=fields, **self._patience):
            yield Blob(blob.name, int(blob.size), blob.updated)

    def close(self) -> None:
        self._client.close()


def _translate(ex: BaseException) -> PorticoError | None:
    """The backend error for an error of google-cloud-storage or the libraries below it; None for other errors."""
    api = cloud_module("google.api_core.exceptions", "gcs")
    if isinstance(ex, api.NotFound | api.RequestRangeNotSatisfiable):
        return BlobMissing()
    if isinstance(ex, api.GoogleAPICallError) and ex.code == 507:
        return BackendFull()
    unavailable = (
        OSError,
        api.GoogleAPIError,
        cloud_module("google.auth.exceptions", "gcs").GoogleAuthError,
        cloud_module("google.cloud.storage.exceptions", "gcs").InvalidResponse,
        cloud_module("google.cloud.storage.exceptions", "gcs").DataCorruption,
    )
    return BackendUnavailable() if isinstance(ex, unavailable) else None
