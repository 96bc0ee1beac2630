"""Blobs in Amazon S3 or a compatible server: ``s3://bucket/prefix``, with ``portico-api[s3]``.

Credentials, region and endpoint come from boto3's environment variables and files (AWS_ACCESS_KEY_ID,
AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_PROFILE, ...). With AWS_ENDPOINT_URL or AWS_ENDPOINT_URL_S3 the bucket is part
of the path, which all compatible servers support. For servers that do not support the newer checksums, set
AWS_REQUEST_CHECKSUM_CALCULATION=when_required.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime
from io import BytesIO
from typing import IO, Any
from urllib.parse import urlsplit

from app.errors import PorticoError
from app.hooks import hookimpl
from app.storage.bytes.backend import BackendFull, BackendUnavailable, Blob, BlobMissing, Labels, Piece
from app.storage.bytes.cloud import CloudBackend, bucket_and_prefix, cloud_module
from app.storage.bytes.transfer import CHUNK, Span, Translated, in_batches, in_parts
from app.storage.bytes.upload_links import Arrived, UploadLink

GIB = 1024**3
# S3 requires parts of at least 5 MiB and accepts 10,000 of them, so blobs can have up to 78 GiB.
PART = 8 * 1024 * 1024
LEAST_PART = 5 * 1024 * 1024
MOST_PARTS = 10_000
COPIES_AT_ONCE = 4
MAX_PUT_BYTES = 5 * GIB
MD5 = re.compile(r'"([0-9a-f]{32})"')


@hookimpl
def storage_backend(url: str) -> S3Backend | None:
    if urlsplit(url).scheme != "s3":
        return None
    return S3Backend(*bucket_and_prefix(url))


class S3Backend(CloudBackend):
    """A ``Backend`` on an S3 bucket."""

    def __init__(self, bucket: str, prefix: str) -> None:
        super().__init__(prefix, Translated(_translate), PART)
        session = cloud_module("boto3.session", "s3").Session()
        configuration = cloud_module("botocore.config", "s3").Config(
            connect_timeout=5,
            read_timeout=30,
            retries={"mode": "standard", "total_max_attempts": 3},
            max_pool_connections=64,
            tcp_keepalive=True,
            # The default for requests. Links would have an older signature by default, which newer regions refuse.
            signature_version="s3v4",
            s3={"addressing_style": "path"} if _other_endpoint() else None,
        )
        self._open = cloud_module("smart_open.s3", "s3").open
        self._bucket = bucket
        self._gathering = threading.Lock()
        with self._translated:
            self._sdk: Any = session.client("s3", config=configuration)
        self._client: Any = _AtOnce(self._sdk, self._translated)

    def _put_small(self, name: str, content: bytes, content_type: str) -> None:
        label = {"S3.Client.put_object": {"ContentType": content_type}}
        buffer = BytesIO(content)
        with self._open(
            self._bucket,
            name,
            "wb",
            client=self._client,
            client_kwargs=label,
            multipart_upload=False,
            writebuffer=buffer,
        ):
            pass

    def _writer(self, name: str, content_type: str) -> IO[bytes]:
        label = {"S3.Client.create_multipart_upload": {"ContentType": content_type}}
        writer: IO[bytes] = self._open(
            self._bucket, name, "wb", client=self._client, client_kwargs=label, min_part_size=PART
        )
        return writer

    def _reader(self, name: str, start: int, length: int) -> IO[bytes]:
        # The seek is deferred, so that there is a single request. It requests everything from ``start`` on, and is
        # closed early if less is needed: with a length (range_chunk_size), smart-open would request the next range to
        # fill its buffer.
        reader: IO[bytes] = self._open(
            self._bucket, name, "rb", client=self._client, buffer_size=min(CHUNK, length), defer_seek=True
        )
        reader.seek(start)
        return reader

    def _copy(self, source: str, target: str) -> None:
        # One CopyObject copies up to 5 GiB; the SDK copies larger blobs in parts.
        self._client.copy(
            {"Bucket": self._bucket, "Key": source},
            self._bucket,
            target,
            Config=cloud_module("boto3.s3.transfer", "s3").TransferConfig(
                multipart_threshold=4 * GIB, multipart_chunksize=GIB // 4
            ),
        )

    def _join(self, pieces: Sequence[Piece], target: str) -> None:
        total = sum(piece.size for piece in pieces)
        parts = in_parts(pieces, max(LEAST_PART, total // (MOST_PARTS - 1) + 1), 5 * GIB)
        where = {"Bucket": self._bucket, "Key": target}
        begun = self._client.create_multipart_upload(**where, ContentType="application/octet-stream")
        where["UploadId"] = begun["UploadId"]
        try:
            with ThreadPoolExecutor(COPIES_AT_ONCE) as pool:
                tags = list(pool.map(lambda part: self._join_part(where, *part), enumerate(parts, 1)))
            self._client.complete_multipart_upload(**where, MultipartUpload={"Parts": tags})
        except BaseException:
            with suppress(PorticoError):
                self._client.abort_multipart_upload(**where)
            raise

    def _join_part(self, where: dict[str, Any], number: int, spans: list[Span]) -> dict[str, Any]:
        if len(spans) == 1 and spans[0].size >= LEAST_PART:
            source = {"Bucket": self._bucket, "Key": spans[0].key}
            answer = self._client.upload_part_copy(
                **where,
                PartNumber=number,
                CopySource=source,
                CopySourceRange=f"bytes={spans[0].start}-{spans[0].end - 1}",
            )["CopyPartResult"]
        else:
            # One part at a time, since its bytes are in memory.
            with self._gathering:
                content = b"".join(map(self._span, spans))
                answer = self._client.upload_part(**where, PartNumber=number, Body=content)
        return {"PartNumber": number, "ETag": answer["ETag"]}

    def _span(self, span: Span) -> bytes:
        wanted = f"bytes={span.start}-{span.end - 1}"
        content: bytes = self._client.get_object(Bucket=self._bucket, Key=span.key, Range=wanted)["Body"].read()
        if len(content) != span.size:
            raise BlobMissing
        return content

    def _link(self, name: str, labels: Labels, seconds: int) -> str | None:
        headers = {
            "ResponseContentType": labels.content_type,
            "ResponseCacheControl": labels.caching,
            "ResponseContentDisposition": labels.disposition,
            "ResponseContentEncoding": labels.encoding,
        }
        parameters = {"Bucket": self._bucket, "Key": name, **{name: value for name, value in headers.items() if value}}
        link: str = self._sdk.generate_presigned_url("get_object", Params=parameters, ExpiresIn=seconds)
        return link

    def _upload_link(self, name: str, size: int, content_type: str, seconds: int) -> UploadLink | None:
        if size > MAX_PUT_BYTES:
            return None
        signed = {"ContentType": content_type, "ContentLength": size}
        parameters = {"Bucket": self._bucket, "Key": name, **signed}
        url = self._sdk.generate_presigned_url("put_object", Params=parameters, ExpiresIn=seconds)
        return UploadLink(url, {"content-type": content_type})

    def _arrived(self, name: str) -> Arrived:
        found = self._client.head_object(Bucket=self._bucket, Key=name)
        # The entity tag is not the MD5 if the blob was stored in parts or is encrypted with its own key.
        own_key = found.get("SSECustomerAlgorithm") or found.get("ServerSideEncryption", "AES256") != "AES256"
        md5 = None if own_key else MD5.fullmatch(found.get("ETag", ""))
        return Arrived(int(found["ContentLength"]), md5[1] if md5 else None)

    def delete_many(self, keys: Iterable[str]) -> None:
        for batch in in_batches(keys, 1000):
            names = [{"Key": self._name(key)} for key in batch]
            answer = self._client.delete_objects(Bucket=self._bucket, Delete={"Objects": names, "Quiet": True})
            if any(error.get("Code") != "NoSuchKey" for error in answer.get("Errors", ())):
                raise BackendUnavailable

    def _listed(self, prefix: str) -> Iterator[Blob]:
        pages = self._sdk.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=prefix)
        for page in pages:
            for entry in page.get("Contents", ()):
                yield Blob(entry["Key"], entry["Size"], entry["LastModified"])

    def discard_unfinished(self, before: datetime, *, dry_run: bool = False) -> int:
        found = 0
        with self._translated:
            pages = self._sdk.get_paginator("list_multipart_uploads").paginate(Bucket=self._bucket, Prefix=self._prefix)
            for upload in (upload for page in pages for upload in page.get("Uploads", ())):
                if upload["Initiated"] < before:
                    if not dry_run:
                        self._sdk.abort_multipart_upload(
                            Bucket=self._bucket, Key=upload["Key"], UploadId=upload["UploadId"]
                        )
                    found += 1
        return found

    def close(self) -> None:
        self._sdk.close()


class _AtOnce:
    """The client for smart-open, whose errors are translated and raised at once.

    If the endpoint is unreachable, smart-open would wait another minute after the SDK's own retries, in a thread that
    other requests need.
    """

    def __init__(self, client: Any, translated: Translated) -> None:
        self._client = client
        self._translated = translated

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)

        def call(*positional: Any, **named: Any) -> Any:
            with self._translated:
                return method(*positional, **named)

        return call


def _other_endpoint() -> bool:
    return any(os.environ.get(name) for name in ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"))


def _translate(ex: BaseException) -> PorticoError | None:
    """The backend error for an error of boto3, botocore, its urllib3 or smart-open; None for other errors."""
    exceptions = cloud_module("botocore.exceptions", "s3")
    if isinstance(ex, exceptions.ClientError):
        code = ex.response.get("Error", {}).get("Code")
        status = ex.response.get("ResponseMetadata", {}).get("HTTPStatusCode")
        # The response to HEAD has no body, and so no code. A range beyond the end means that the blob is shorter than
        # the size in its row.
        if code in ("NoSuchKey", "404", "InvalidRange"):
            return BlobMissing()
        if status == 507 or code in ("QuotaExceeded", "XMinioStorageFull"):
            return BackendFull()
        return BackendUnavailable()
    unavailable = (
        OSError,
        exceptions.BotoCoreError,
        cloud_module("boto3.exceptions", "s3").Boto3Error,
        cloud_module("urllib3.exceptions", "s3").HTTPError,
    )
    return BackendUnavailable() if isinstance(ex, unavailable) else None
