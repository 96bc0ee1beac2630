"""The operations that list a bucket's keys, in versions 1 and 2."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Iterator

from app.faces.s3.buckets import owner
from app.faces.s3.errors import invalid_argument
from app.faces.s3.listed_keys import ListedKeys, WantedKeys, listed_keys, wanted_by
from app.faces.s3.request import S3Request
from app.faces.s3.xml_writing import Element, xml_response
from app.http.response import Response
from app.storage.listing import Entry
from app.storage.storage import Storage


def list_objects(storage: Storage, request: S3Request) -> Response:
    """GET /{bucket}: version 1, whose marker is a key or a common prefix."""
    marker = request.query.get("marker", "")
    wanted = wanted_by(request, marker)
    found = listed_keys(storage, request, wanted)
    next_marker = found.last.name if found.has_next and found.last and wanted.delimiter else None
    return xml_response(
        "ListBucketResult",
        ("Name", request.bucket),
        ("Prefix", wanted.encode(wanted.prefix)),
        ("Marker", wanted.encode(marker)),
        ("NextMarker", wanted.encoded(next_marker)),
        ("MaxKeys", wanted.limit),
        ("Delimiter", wanted.encoded_delimiter),
        ("IsTruncated", found.has_next),
        *contents(found, wanted, owner(request)),
        *common_prefixes(found, wanted),
        ("EncodingType", request.query.get("encoding-type")),
    )


def list_objects_v2(storage: Storage, request: S3Request) -> Response:
    """GET /{bucket}?list-type=2"""
    token = request.query.get("continuation-token")
    start = request.query.get("start-after", "")
    wanted = wanted_by(request, start, decode_token(token) if token else None)
    found = listed_keys(storage, request, wanted)
    following = encode_token(found.last) if found.has_next and found.last else None
    members = owner(request) if request.query.get("fetch-owner") == "true" else None
    return xml_response(
        "ListBucketResult",
        ("Name", request.bucket),
        ("Prefix", wanted.encode(wanted.prefix)),
        ("ContinuationToken", token),
        *contents(found, wanted, members),
        ("IsTruncated", found.has_next),
        ("MaxKeys", wanted.limit),
        ("Delimiter", wanted.encoded_delimiter),
        ("EncodingType", request.query.get("encoding-type")),
        ("KeyCount", len(found.objects) + len(found.prefixes)),
        *common_prefixes(found, wanted),
        ("NextContinuationToken", following),
        ("StartAfter", wanted.encode(start) if start else None),
    )


def contents(
    found: ListedKeys,
    wanted: WantedKeys,
    members: list[Element] | None = None,
    name: str = "Contents",
    version: Iterable[Element] = (),
) -> Iterator[Element]:
    """The elements of objects: of this name, with these members for the owner and for the version."""
    for key, modified, etag, size in found.objects:
        yield (
            name,
            [
                ("Key", wanted.encode(key)),
                *version,
                ("LastModified", modified),
                ("ETag", etag),
                ("Size", size),
                ("StorageClass", "STANDARD"),
                ("Owner", members),
            ],
        )


def common_prefixes(found: ListedKeys, wanted: WantedKeys) -> Iterator[Element]:
    """The elements of common prefixes."""
    for each in found.prefixes:
        yield ("CommonPrefixes", [("Prefix", wanted.encode(each))])


def encode_token(last: Entry) -> str:
    """The continuation token of the page that ends with this entry."""
    return base64.urlsafe_b64encode(f"{'f' if last.is_folder else 'o'}{last.name}".encode()).decode()


def decode_token(token: str) -> Entry:
    """The entry in a token that ``encode_token`` made. Raises S3Error."""
    try:
        text = base64.b64decode(token.encode(), altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError):
        text = ""
    if text[:1] not in ("f", "o") or "\0" in text:
        raise invalid_argument("The continuation token provided is incorrect")
    return Entry(text[1:], is_folder=text[0] == "f")
