"""Tags of objects and buckets, in headers and in XML."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qsl

from app.faces.s3.errors import S3Error, malformed_xml
from app.faces.s3.objects import find_object, version_of
from app.faces.s3.request import S3Request
from app.faces.s3.xml_reading import children, read_document, text_of
from app.faces.s3.xml_writing import XML, Element, xml_response
from app.http.response import Response
from app.storage import bucket_configurations as configurations
from app.storage import versions
from app.storage.names import check_key
from app.storage.row_decoding import RawValue, read_metadata
from app.storage.sql import TAGS_OF_OBJECT
from app.storage.storage import Storage
from app.storage.tags import MOST_OF_BUCKET, MOST_OF_OBJECT, check_tags, set_tags

_TAGS = "x-amz-tagging"


def tags_of(headers: Mapping[str, str]) -> dict[str, str] | None:
    """The tags in ``x-amz-tagging``, in the form of a URL's query; None without the header. Raises InvalidTags."""
    given = headers.get(_TAGS)
    return check_tags(parse_qsl(given, keep_blank_values=True), MOST_OF_OBJECT) if given else None


def tags_in_document(data: bytes, most: int = MOST_OF_OBJECT) -> dict[str, str]:
    """The tags in a document with the root ``Tagging``. Raises S3Error and InvalidTags."""
    sets = children(read_document(data, "Tagging"), "TagSet")
    if len(sets) != 1:
        raise malformed_xml("A Tagging has one TagSet")
    pairs = []
    for tag in children(sets[0], "Tag"):
        key, value = text_of(tag, "Key"), text_of(tag, "Value")
        if key is None or value is None:
            raise malformed_xml("A Tag has a Key and a Value")
        pairs.append((key, value))
    return check_tags(pairs, most)


def get_object_tagging(storage: Storage, request: S3Request) -> Response:
    """GET /{bucket}/{key}?tagging"""
    _, tags = find_object(storage, request, TAGS_OF_OBJECT)
    return _tagging(tags)


def put_object_tagging(storage: Storage, request: S3Request) -> Response:
    """PUT /{bucket}/{key}?tagging"""
    _set_tags(storage, request, tags_in_document(request.document()))
    return Response(content_type=XML)


def delete_object_tagging(storage: Storage, request: S3Request) -> Response:
    """DELETE /{bucket}/{key}?tagging"""
    _set_tags(storage, request, {})
    return Response(204, content_type=XML)


def get_bucket_tagging(storage: Storage, request: S3Request) -> Response:
    """GET /{bucket}?tagging"""
    tags = configurations.read(storage, request.context, request.bucket, "tags")
    if tags is None:
        raise S3Error("NoSuchTagSet", 404, "The TagSet does not exist")
    return _tagging(tags)


def put_bucket_tagging(storage: Storage, request: S3Request) -> Response:
    """PUT /{bucket}?tagging"""
    tags = tags_in_document(request.document(), MOST_OF_BUCKET)
    configurations.write(storage, request.context, request.bucket, "tags", tags or None)
    return Response(204, content_type=XML)


def delete_bucket_tagging(storage: Storage, request: S3Request) -> Response:
    """DELETE /{bucket}?tagging"""
    configurations.write(storage, request.context, request.bucket, "tags", None)
    return Response(204, content_type=XML)


def _set_tags(storage: Storage, request: S3Request, tags: Mapping[str, str]) -> None:
    check_key(request.key, any_script=storage.any_script)
    wanted = version_of(storage, request)
    if wanted is None:
        set_tags(storage, request.context, request.name, tags)
    else:
        versions.set_tags(storage, request.context, request.name, wanted, tags)


def _tagging(tags: RawValue) -> Response:
    found: list[Element] = [
        ("Tag", [("Key", name), ("Value", str(value))]) for name, value in sorted(read_metadata(tags).items())
    ]
    return xml_response("Tagging", ("TagSet", found))
