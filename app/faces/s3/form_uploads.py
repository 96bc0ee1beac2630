"""Uploads by HTML forms, whose fields a signed policy covers."""

from __future__ import annotations

import base64
import binascii
import json
import re
import time
from collections.abc import Mapping
from datetime import datetime
from urllib.parse import quote, urlencode, urlsplit

from app.faces.s3.body import VerifiedBody
from app.faces.s3.canned_acls import check_object_acl
from app.faces.s3.checksums import Checksums
from app.faces.s3.errors import S3Error, access_denied, invalid_argument, invalid_request
from app.faces.s3.object_headers import check_refused_headers
from app.faces.s3.request import S3Request
from app.faces.s3.request_signature import signature_of_form
from app.faces.s3.stored_checksums import as_member, headers_of
from app.faces.s3.tagging import tags_in_document
from app.faces.s3.uploads import stored, version_header
from app.faces.s3.xml_writing import XML, document
from app.faces.shared.multipart_form import BrokenForm, FormPart, form_parts
from app.http.response import Headers, Response
from app.storage.bytes.backend import ByteSource
from app.storage.records import ObjectName
from app.storage.storage import Storage

_MOST_FIELDS = 100
_MAX_FIELD_BYTES = 20 * 1024
_NOT_COVERED = frozenset({
    "policy", "x-amz-signature", "x-amz-algorithm", "x-amz-credential", "x-amz-date", "x-amz-security-token", "file",
    "awsaccesskeyid", "signature",
})  # fmt: skip
_IGNORED = "x-ignore-"
# Fields that become response headers. Unlike a header, a field can contain a line break.
_HEADERS = (
    "cache-control", "content-disposition", "content-encoding", "content-language", "expires", "x-robots-tag",
    "success_action_redirect", "redirect",
)  # fmt: skip
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def post_object(storage: Storage, request: S3Request) -> Response:
    """POST /{bucket} with multipart/form-data"""
    fields, file = _read(request)
    policy = fields.get("policy")
    if policy is None:
        raise access_denied("Missing signature")
    known = request.authenticate_form(request, signature_of_form(fields), policy)
    if not fields.get("key"):
        raise invalid_argument("Bucket POST must contain a field named 'key'. If it is specified, check the order.")
    least, most = _check_policy(policy, {**fields, "bucket": request.bucket})
    check_refused_headers(fields)
    check_object_acl(storage, known, fields.get("acl", ""))
    tags = tags_in_document(fields["tagging"].encode()) if fields.get("tagging") else None
    for header in _HEADERS:
        if _CONTROL.search(fields.get(header, "")):
            raise invalid_argument(f"The field {header} has a control character")
    name = ObjectName(request.bucket, fields["key"])
    body = VerifiedBody(_Measured(file, least, most), None, None, Checksums(fields))
    written = stored(
        storage, known, name, body, fields, size=None, learned=lambda: as_member(body.checksums), tags=tags
    )
    headers = (("etag", written.entity_tag), *version_header(written.version_id), *headers_of(body.checksums))
    return _respond(known, name, fields, headers)


def _read(request: S3Request) -> tuple[dict[str, str], ByteSource]:
    """The fields before the file, by names in lower case, and the file. Anything after the file is ignored."""
    fields: dict[str, str] = {}
    try:
        for part in form_parts(request.body, request.headers.get("content-type", "")):
            name = part.name.lower()
            if not name:
                raise _malformed("The form has a field without a name.")
            if name == "file":
                if "key" in fields:
                    fields["key"] = fields["key"].replace("${filename}", _file_name(part))
                return fields, part.stream
            if len(fields) >= _MOST_FIELDS:
                raise invalid_request(f"The form has more than {_MOST_FIELDS} fields")
            data = part.stream.read(_MAX_FIELD_BYTES + 1)
            if len(data) > _MAX_FIELD_BYTES:
                raise S3Error("MaxPostPreDataLengthExceeded", 400, f"The field {name} is too long")
            fields[name] = data.decode(errors="replace")
    except BrokenForm:
        raise _broken() from None
    raise invalid_argument("POST requires exactly one file upload per request.")


def _malformed(message: str) -> S3Error:
    return S3Error("MalformedPOSTRequest", 400, message)


def _broken() -> S3Error:
    return _malformed("The body is not well-formed multipart/form-data.")


def _file_name(part: FormPart) -> str:
    return (part.filename or "").replace("\\", "/").rpartition("/")[2]


def _check_policy(encoded: str, fields: Mapping[str, str]) -> tuple[int, int | None]:
    """The minimum and maximum size of the file. Raises S3Error unless the policy covers the form."""
    try:
        policy = json.loads(base64.b64decode(encoded, validate=True))
        expiration = datetime.fromisoformat(policy["expiration"].replace("Z", "+00:00")).timestamp()
        conditions = list(policy["conditions"])
    except (binascii.Error, ValueError, KeyError, TypeError, AttributeError):
        raise S3Error("InvalidPolicyDocument", 400, "Invalid Policy: expiration and conditions are expected") from None
    if expiration < time.time():
        raise access_denied("Invalid according to Policy: Policy expired.")
    covered = set[str]()
    sizes: tuple[int, int | None] = (0, None)
    for condition in conditions:
        found = _sizes(condition)
        if found is not None:
            sizes = found
            continue
        covered.add(_fulfilled(condition, fields))
    # The policy must name the bucket too: otherwise the form would be valid for every bucket of its signer.
    for name in fields:
        if name not in covered and name not in _NOT_COVERED and not name.startswith(_IGNORED):
            raise access_denied(f"Invalid according to Policy: Extra input fields: {name}")
    return sizes


def _sizes(condition: object) -> tuple[int, int] | None:
    match condition:
        case [str(kind), int(least), int(most)] if kind.lower() == "content-length-range":
            return least, most
    return None


def _fulfilled(condition: object, fields: Mapping[str, str]) -> str:
    """The name of the field in the condition. Raises S3Error unless the form meets the condition."""
    match condition:
        case dict() if len(condition) == 1:
            [(name, wanted)] = condition.items()
            name, prefix_only = str(name).lower(), False
        case [str(kind), str(name), wanted] if kind.lower() in ("eq", "starts-with") and name.startswith("$"):
            name, prefix_only = name[1:].lower(), kind.lower() == "starts-with"
        case _:
            raise S3Error("InvalidPolicyDocument", 400, f"Invalid Policy: {json.dumps(condition)} is not a condition")
    given = fields.get(name, "")
    if not (given.startswith(str(wanted)) if prefix_only else given == str(wanted)):
        raise access_denied(f"Invalid according to Policy: Policy Condition failed: {json.dumps(condition)}")
    return name


class _Measured:
    """A file whose size the policy limits. It returns the last bytes only if the file is large enough."""

    def __init__(self, source: ByteSource, least: int, most: int | None) -> None:
        self._source = source
        self._least = least
        self._most = most
        self._given = 0

    def read(self, size: int = -1, /) -> bytes:
        """Return at most ``size`` bytes; b"" at the end. Raises S3Error."""
        try:
            data = self._source.read(size)
        except BrokenForm:
            raise _broken() from None
        self._given += len(data)
        if self._most is not None and self._given > self._most:
            raise S3Error("EntityTooLarge", 400, "Your proposed upload exceeds the maximum allowed size")
        if not data and self._given < self._least:
            raise S3Error("EntityTooSmall", 400, "Your proposed upload is smaller than the minimum allowed size")
        return data


def _respond(request: S3Request, name: ObjectName, fields: Mapping[str, str], stored_as: Headers) -> Response:
    location = f"{request.base}/{quote(name.bucket)}/{quote(name.key)}"
    etag = dict(stored_as)["etag"]
    headers = (*stored_as, ("location", location))
    redirect = fields.get("success_action_redirect") or fields.get("redirect")
    if redirect and urlsplit(redirect).scheme in ("http", "https"):
        query = urlencode({"bucket": name.bucket, "key": name.key, "etag": etag})
        target = f"{redirect}{'&' if urlsplit(redirect).query else '?'}{query}"
        return Response(303, (*stored_as, ("location", target)), content_type=XML)
    status = fields.get("success_action_status")
    if status == "201":
        members = (("Location", location), ("Bucket", name.bucket), ("Key", name.key), ("ETag", etag))
        return Response(201, headers, document("PostResponse", *members, namespace=False), XML)
    return Response(200 if status == "200" else 204, headers, content_type=XML)
