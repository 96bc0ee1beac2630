"""What a client sends to be stored: a raw body, or the first file of a multipart form."""

from __future__ import annotations

import base64
import binascii
import io
import json
import math
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, cast

import falcon
from falcon.media.multipart import BodyPart, MultipartFormHandler

from app.storage.bytes.backend import ByteSource
from app.storage.errors import StorageError, invalid_content_type, invalid_request, too_large
from app.storage.records import Call

LARGEST_USER_METADATA = 1024 * 1024
_MOST_FIELDS = 10
_LARGEST_FIELD = 64 * 1024
_CHUNK = 256 * 1024
_CONTENT_TYPE = re.compile(r"[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+*-]+[ \t]*(;[\t\x20-\x7e]*)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class UploadBody:
    """``size`` is the number of bytes that ``stream`` will give; None when only reading tells.

    ``declared`` is what policies see as the content's length before it is read: of a form, the whole form's.
    """

    stream: ByteSource = field(repr=False)
    size: int | None
    declared: int | None
    mime_type: str
    cache_control: str
    user_metadata: Mapping[str, Any] | None


def read_upload(call: Call) -> UploadBody:
    """The upload in a request. Raises InvalidRequest for a broken or empty form."""
    content_type = call.header("content-type") or ""
    if call.media_type == "multipart/form-data":
        return _read_form(call, content_type)
    return UploadBody(
        stream=call.body,
        size=call.length,
        declared=call.length,
        mime_type=check_content_type(content_type) or "application/octet-stream",
        cache_control=call.header("cache-control") or "no-cache",
        user_metadata=header_metadata(call),
    )


def header_metadata(call: Call) -> dict[str, Any] | None:
    """The user's metadata in ``x-metadata``: base64 of a JSON object; what is not that is ignored."""
    encoded = call.header("x-metadata")
    if not encoded:
        return None
    if len(encoded) > LARGEST_USER_METADATA * 4 // 3 + 4:
        raise too_large("user_metadata")
    try:
        return _as_object(base64.b64decode(encoded, validate=False))
    except (binascii.Error, ValueError):
        return None


def _read_form(call: Call, content_type: str) -> UploadBody:
    body = _seekable(call.body)
    try:
        form = _look_through(_parts(body, content_type))
        body.seek(0)
        # The second pass stops at the file, whose size is known now.
        stream = next(part.stream for part in _parts(body, content_type) if part.filename is not None)
    except (falcon.HTTPError, ValueError):
        raise invalid_request("The multipart form is broken") from None
    except StopIteration:
        raise StorageError("InvalidRequest", 400, "No content provided") from None
    cache = form.text("cacheControl")
    return UploadBody(
        stream=stream,
        size=form.file_size,
        declared=call.length,
        mime_type=check_content_type(form.text("contentType") or form.file_type) or "text/plain",
        cache_control=f"max-age={cache}" if re.fullmatch(r"\d+", cache, re.ASCII) else "no-cache",
        user_metadata=_form_metadata(form) or header_metadata(call),
    )


@dataclass(frozen=True, slots=True)
class _Form:
    fields: Mapping[str, bytes]
    file_type: str
    file_size: int | None

    def text(self, name: str) -> str:
        return self.fields.get(name, b"").decode(errors="replace").strip()


def _look_through(parts: Iterable[BodyPart]) -> _Form:
    """The fields, also those behind the file, and the file's size: it is read, but not kept."""
    fields: dict[str, bytes] = {}
    file_type, size = "", None
    for part in parts:
        if part.filename is not None:
            if size is not None:
                raise invalid_request("The form has more than one file")
            file_type, size = part.content_type, _measure(part.stream)
            continue
        if len(fields) >= _MOST_FIELDS:
            raise invalid_request(f"The form has more than {_MOST_FIELDS} fields")
        name = part.name or ""
        is_metadata = name in ("metadata", "userMetadata")
        limit = LARGEST_USER_METADATA if is_metadata else _LARGEST_FIELD
        data = part.stream.read(limit + 1)
        if len(data) > limit:
            raise too_large("user_metadata" if is_metadata else "field")
        fields[name] = data
    return _Form(fields, file_type, size)


def _parts(body: BinaryIO, content_type: str) -> Iterator[BodyPart]:
    form = MultipartFormHandler().deserialize(cast(Any, body), content_type, _length(body))
    return iter(form)


def _length(body: BinaryIO) -> int:
    here = body.tell()
    length = body.seek(0, io.SEEK_END)
    body.seek(here)
    return length - here


def _seekable(body: BinaryIO) -> BinaryIO:
    """The body at its start in a form that can be read twice. The server of this project keeps it so already."""
    if isinstance(body, io.IOBase) and body.seekable():
        return body
    if hasattr(body, "seek"):
        return body
    kept = tempfile.TemporaryFile()  # noqa: SIM115 - it ends with the request
    shutil.copyfileobj(body, kept, _CHUNK)
    kept.seek(0)
    return kept


def _measure(stream: ByteSource) -> int:
    size = 0
    while chunk := stream.read(_CHUNK):
        size += len(chunk)
    return size


def _form_metadata(form: _Form) -> dict[str, Any] | None:
    raw = form.fields.get("metadata", form.fields.get("userMetadata"))
    return _as_object(raw) if raw else None


def _as_object(raw: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(raw, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _finite(number: str) -> float:
    """JSON's numbers without those that neither it nor the database has: NaN and the infinite ones."""
    value = float(number)
    if not math.isfinite(value):
        raise ValueError(number)
    return value


def check_content_type(content_type: str) -> str:
    """The type without surrounding spaces, '' when there is none. Raises InvalidMimeType for what is no type."""
    content_type = content_type.strip()
    if content_type and not _CONTENT_TYPE.fullmatch(content_type):
        raise invalid_content_type()
    return content_type
