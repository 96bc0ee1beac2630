"""Deleting objects."""

from __future__ import annotations

from xml.etree.ElementTree import Element as Node

from app.storage import moving
from app.storage.buckets import find_bucket
from app.storage.errors import NoSuchBucket, NoSuchObject
from app.storage.http.answer import Answer
from app.storage.http.preconditions import write_conditions
from app.storage.names import check_bucket_name
from app.storage.s3.bodies import children, read_document, text_of
from app.storage.s3.call import S3Call
from app.storage.s3.elements import XML, Element, document
from app.storage.s3.errors import malformed_xml
from app.storage.s3.placeholders import or_placeholder
from app.storage.sql import NOTHING
from app.storage.storage import Storage

_MOST = 1000


def delete_object(storage: Storage, call: S3Call) -> Answer:
    """DELETE /{bucket}/{key}: what is not there counts as deleted."""
    etags, _ = write_conditions(call.headers)
    try:
        or_placeholder(call.name, lambda name: moving.delete(storage, call.asker, name, etags=etags))
    except NoSuchObject:
        if etags is not None:
            raise
        _check_bucket(storage, call)
    return Answer(204, content_type=XML)


def delete_objects(storage: Storage, call: S3Call) -> Answer:
    """POST /{bucket}?delete: an answer about each key, whatever happens to others."""
    root = read_document(call.document(), "Delete")
    quiet = (text_of(root, "Quiet") or "").strip().lower() == "true"
    entries = [_entry(each) for each in children(root, "Object")]
    if not 1 <= len(entries) <= _MOST:
        raise malformed_xml(f"Between 1 and {_MOST} objects are expected")
    _check_bucket(storage, call)
    keys = [key for key, version in entries if version in (None, "null")]
    kept = moving.delete_many(storage, call.asker, call.bucket, keys, NOTHING).kept
    told = [_told(key, version, key in kept) for key, version in dict.fromkeys(entries)]
    body = document("DeleteResult", *(each for each in told if not quiet or each[0] == "Error"))
    return Answer(body=body, content_type=XML)


def _entry(node: Node) -> tuple[str, str | None]:
    key = text_of(node, "Key")
    if not key:
        raise malformed_xml("Each Object is expected to have a Key")
    return key, text_of(node, "VersionId") or None


def _told(key: str, version: str | None, is_kept: bool) -> Element:
    if version not in (None, "null"):
        message = "The specified version does not exist."
        members: list[Element] = [("Key", key), ("VersionId", version), ("Code", "NoSuchVersion"), ("Message", message)]
        return "Error", members
    if is_kept:
        return "Error", [("Key", key), ("Code", "AccessDenied"), ("Message", "Access Denied")]
    return "Deleted", [("Key", key), ("VersionId", version)]


def _check_bucket(storage: Storage, call: S3Call) -> None:
    """Raise NoSuchBucket; only the service role learns which buckets exist."""
    check_bucket_name(call.bucket)
    if call.asker.role == "service_role" and find_bucket(storage, call.asker, call.bucket) is None:
        raise NoSuchBucket
