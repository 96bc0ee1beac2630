"""The operation that lists the versions of a bucket's objects, and delete markers."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.faces.s3.buckets import owner
from app.faces.s3.errors import invalid_argument
from app.faces.s3.grouped_keys import common_prefix
from app.faces.s3.listed_keys import ListedKeys, WantedKeys, check_listed, listed_keys, wanted_by
from app.faces.s3.listing import common_prefixes, contents
from app.faces.s3.request import S3Request
from app.faces.s3.xml_writing import Element, xml_response
from app.http.response import Response
from app.storage import versions
from app.storage.names import BEYOND, successor
from app.storage.records import ObjectName, StoredObject
from app.storage.storage import Storage
from app.storage.versions import UNVERSIONED, ListedVersion


@dataclass(slots=True)
class _Page:
    """A page that is being filled. ``last``: its last entry, a version or a common prefix."""

    found: list[ListedVersion] = field(default_factory=list)
    prefixes: list[str] = field(default_factory=list)
    last: ListedVersion | str | None = None
    is_truncated: bool = False

    def __len__(self) -> int:
        return len(self.found) + len(self.prefixes)


def list_versions(storage: Storage, request: S3Request) -> Response:
    """GET /{bucket}?versions: by key, the newest version first."""
    marker, version_marker = request.query.get("key-marker", ""), request.query.get("version-id-marker", "")
    if version_marker and not marker:
        raise invalid_argument("A version-id marker cannot be specified without a key marker.")
    wanted = wanted_by(request, marker)
    members = owner(request)
    if storage.features.has_versions:
        page = _page(storage, request, wanted, version_marker)
        elements = [_element(each, wanted, members) for each in page.found]
        prefixes, truncated = page.prefixes, page.is_truncated
        last = page.last if truncated else None
        following = last.key if isinstance(last, ListedVersion) else last
        next_version = last.version_id if isinstance(last, ListedVersion) else None
    else:
        listed = listed_keys(storage, request, wanted)
        version = (("VersionId", UNVERSIONED), ("IsLatest", True))
        elements = list(contents(listed, wanted, members, "Version", version))
        prefixes, truncated = list(listed.prefixes), listed.has_next
        following = listed.last.name if truncated and listed.last else None
        next_version = UNVERSIONED if following is not None else None
    return xml_response(
        "ListVersionsResult",
        ("Name", request.bucket),
        ("Prefix", wanted.encode(wanted.prefix)),
        ("KeyMarker", wanted.encode(marker)),
        ("VersionIdMarker", version_marker or None),
        ("NextKeyMarker", wanted.encoded(following)),
        ("NextVersionIdMarker", next_version),
        ("MaxKeys", wanted.limit),
        ("Delimiter", wanted.encoded_delimiter),
        ("IsTruncated", truncated),
        *elements,
        *common_prefixes(ListedKeys(prefixes=prefixes), wanted),
        ("EncodingType", request.query.get("encoding-type")),
    )


def _page(storage: Storage, request: S3Request, wanted: WantedKeys, version_marker: str) -> _Page:
    page = _Page()
    lower, upper = wanted.prefix, successor(wanted.prefix) or BEYOND
    after = None
    if wanted.after is not None:
        if wanted.after.is_folder:
            lower = max(lower, successor(wanted.after.name) or BEYOND)
        elif wanted.after.name >= lower:
            after = (wanted.after.name, _number(storage, request, wanted.after.name, version_marker))
    while wanted.limit and lower < upper:
        step = wanted.limit - len(page) + 1
        rows = versions.list_versions(storage, request.context, request.bucket, lower, upper, step, after)
        for each in rows:
            if len(page) == wanted.limit:
                page.is_truncated = True
                return page
            prefix = common_prefix(each.key, wanted.prefix, wanted.delimiter)
            if prefix:
                page.prefixes.append(prefix)
                page.last, lower, after = prefix, successor(prefix) or BEYOND, None
                break
            page.found.append(each)
            page.last, after = each, (each.key, each.number)
        else:
            break
    if not page:
        check_listed(storage, request)
    return page


def _number(storage: Storage, request: S3Request, key: str, version_marker: str) -> int:
    """The number after which the listing of a key continues; 0, after its last version, without a marker."""
    if not version_marker:
        return 0
    return versions.number_of(storage, request.context, ObjectName(request.bucket, key), version_marker) or 0


def _element(found: ListedVersion, wanted: WantedKeys, members: list[Element]) -> Element:
    named: list[Element] = [
        ("Key", wanted.encode(found.key)),
        ("VersionId", found.version_id),
        ("IsLatest", found.is_latest),
        ("LastModified", found.modified),
    ]
    if found.is_delete_marker:
        return "DeleteMarker", [*named, ("Owner", members)]
    stored = StoredObject("", "", 0, found.metadata)
    described: list[Element] = [
        ("ETag", found.metadata.get("eTag")),
        ("Size", stored.size or 0),
        ("StorageClass", "STANDARD"),
        ("Owner", members),
    ]
    return "Version", [*named, *described]
