"""Imports from and exports to a bucket of S3 or of a compatible server: ``s3://bucket/prefix``.

Credentials, region and endpoint come from boto3's environment variables and files, unless the options name an
endpoint or a profile.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator
from datetime import datetime
from io import BytesIO
from typing import Any

from app.errors import PorticoError
from app.hooks import hookimpl
from app.storage.bytes.backend import ByteSource
from app.storage.bytes.cloud import cloud_module
from app.storage.bytes.transfer import TranslatedReader
from app.storage.outside.cloud_place import CloudPlace, place_in_cloud
from app.storage.outside.place import (
    ClosableSource,
    ObjectDescription,
    PlacedObject,
    PlaceOptions,
    PlaceRefused,
    PlaceUnusable,
)

MIB = 1024 * 1024
PART = 8 * MIB
MOST_PARTS = 9_000
TAG = "portico-etag"
"""The name of the user metadata that stores the object's original tag, since S3 may give it another one."""

_OF_ALL = frozenset({"ExpiredToken", "InvalidAccessKeyId", "NoSuchBucket", "SignatureDoesNotMatch"})


@hookimpl
def storage_place(url: str, options: PlaceOptions) -> S3Place | None:
    return place_in_cloud(url, ("s3",), lambda bucket, prefix: S3Place(bucket, prefix, options))


class S3Place(CloudPlace):
    """An ``OutsidePlace`` in an S3 bucket."""

    def __init__(self, bucket: str, prefix: str, options: PlaceOptions) -> None:
        endpoint = options.endpoint or os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
        configuration = cloud_module("botocore.config", "s3").Config(
            connect_timeout=10,
            read_timeout=60,
            retries={"mode": "standard", "total_max_attempts": 4},
            max_pool_connections=64,
            signature_version="s3v4",
            s3={"addressing_style": "path"} if endpoint else None,
        )
        super().__init__(prefix, _translate)
        self._bucket = bucket
        with self._translated:
            session = cloud_module("boto3.session", "s3").Session(profile_name=options.profile)
            region = session.region_name or ("us-east-1" if endpoint else None)
            self._client = session.client("s3", endpoint_url=endpoint, region_name=region, config=configuration)

    def _listed(self) -> Iterator[PlacedObject]:
        pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=self._prefix)
        for entry in (entry for page in pages for entry in page.get("Contents", ())):
            yield PlacedObject(entry["Key"], entry["Size"], entry["LastModified"], entry.get("ETag", "").strip('"'))

    def describe(self, found: PlacedObject) -> ObjectDescription:
        head = self._head(found)
        return ObjectDescription(
            content_type=head.get("ContentType", ""),
            caching=head.get("CacheControl", ""),
            encoding=head.get("ContentEncoding", ""),
            disposition=head.get("ContentDisposition", ""),
            language=head.get("ContentLanguage", ""),
            user_metadata={name: value for name, value in head["Metadata"].items() if name != TAG},
            # The tag of an object that is encrypted with a customer's key only looks like an MD5.
            md5=found.tag if len(found.tag) == 32 and head.get("ServerSideEncryption") in (None, "AES256") else "",
        )

    def open(self, found: PlacedObject) -> ClosableSource:
        condition = {"IfMatch": f'"{found.tag}"'} if found.tag else {}
        with self._translated:
            body = self._client.get_object(Bucket=self._bucket, Key=self._name(found.key), **condition)["Body"]
        return TranslatedReader(lambda size: body.read(None if size < 0 else size), body.close, self._translated)

    def tags(self, found: PlacedObject) -> frozenset[str]:
        return frozenset({found.tag, self._head(found)["Metadata"].get(TAG, found.tag)})

    def put(self, key: str, source: ByteSource, size: int, description: ObjectDescription, modified: datetime) -> None:
        where = {"Bucket": self._bucket, "Key": self._name(key)}
        if size < PART:
            content = b"".join(iter(source.read, b""))
            more = {"ContentMD5": _base64(description.md5)} if description.md5 else {}
            with self._translated:
                self._client.put_object(**where, Body=content, **_labels(description), **more)
            return
        # Parts are sent one at a time, since other objects are transferred concurrently. If ``source`` raises, the SDK
        # aborts the
        # upload.
        chosen = cloud_module("boto3.s3.transfer", "s3").TransferConfig(
            multipart_threshold=PART, multipart_chunksize=max(PART, size // MOST_PARTS + 1), use_threads=False
        )
        with self._translated:
            self._client.upload_fileobj(_Filling(source), **where, ExtraArgs=_labels(description), Config=chosen)

    def _head(self, found: PlacedObject) -> dict[str, Any]:
        with self._translated:
            head: dict[str, Any] = self._client.head_object(Bucket=self._bucket, Key=self._name(found.key))
        return head


class _Filling:
    """A source whose reads return exactly the requested size, except at the end: the SDK takes a short read for the
    end."""

    def __init__(self, source: ByteSource) -> None:
        self._source = source

    def read(self, size: int = -1, /) -> bytes:
        given = BytesIO()
        while (size < 0 or given.tell() < size) and (
            chunk := self._source.read(size - given.tell() if size > 0 else -1)
        ):
            given.write(chunk)
        return given.getvalue()


def _labels(description: ObjectDescription) -> dict[str, Any]:
    labels = {
        "ContentType": description.content_type,
        "CacheControl": description.caching,
        "ContentEncoding": description.encoding,
        "ContentDisposition": description.disposition,
        "ContentLanguage": description.language,
    }
    metadata = {**description.user_metadata, **({TAG: description.tag} if description.tag else {})}
    return {**{name: value for name, value in labels.items() if value}, "Metadata": metadata}


def _base64(md5: str) -> str:
    return base64.b64encode(bytes.fromhex(md5)).decode()


def _translate(ex: BaseException) -> PorticoError | None:
    """The place's error for an error of boto3, botocore or its urllib3; None for other errors."""
    if isinstance(ex, PorticoError):
        return None
    exceptions = cloud_module("botocore.exceptions", "s3")
    if isinstance(ex, exceptions.ClientError):
        for_all = ex.operation_name == "ListObjectsV2" or ex.response.get("Error", {}).get("Code") in _OF_ALL
        return PlaceUnusable(f"S3 refuses: {ex}") if for_all else PlaceRefused(str(ex))
    if isinstance(ex, exceptions.EndpointConnectionError):
        return PlaceUnusable(f"S3 cannot be reached: {ex}")
    broken = (
        OSError,
        exceptions.HTTPClientError,
        exceptions.IncompleteReadError,
        exceptions.FlexibleChecksumError,
        cloud_module("boto3.exceptions", "s3").Boto3Error,
        cloud_module("urllib3.exceptions", "s3").HTTPError,
    )
    if isinstance(ex, broken):
        return PlaceRefused(f"the transfer broke: {ex}")
    return PlaceUnusable(f"S3 cannot be used: {ex}") if isinstance(ex, exceptions.BotoCoreError) else None
