"""The body of an upload: raw bytes, or the file in a multipart form."""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO
from urllib.parse import parse_qsl

from app.faces.shared.errors import InvalidRequest, NoContent, NoLength
from app.faces.shared.multipart_form import BrokenForm, FormPart, form_parts
from app.faces.shared.object_headers import ENCODING, encoding_to_store, header_text, headers_to_store
from app.storage.bytes.backend import ByteSource
from app.storage.content_types import check_content_type
from app.storage.errors import InvalidTags, TooLarge
from app.storage.tags import MOST_OF_OBJECT, check_tags
from app.storage.writing import Content

MAX_USER_METADATA_BYTES = 1024 * 1024
_MOST_FIELDS = 10
_MAX_FIELD_BYTES = 64 * 1024
_CHUNK = 256 * 1024


def read_upload(headers: Mapping[str, str], body: BinaryIO, length: int | None) -> Content:
    """The upload in a request; ``length`` is the body's declared length, None for a chunked body.

    Raises InvalidRequest for a malformed form, NoContent for a form without a file, TooLarge for a form field,
    InvalidContentType, and what ``headers_to_store`` raises.
    """
    content_type = headers.get("content-type") or ""
    # Requests may have tabs instead of spaces in a header; response headers may not.
    headers = {name: value.replace("\t", " ") for name, value in headers.items()}
    if media_type(headers) == "multipart/form-data":
        content = _read_form(headers, body, length, content_type)
    else:
        content = Content(
            stream=body,
            size=length,
            declared=length,
            mime_type=check_content_type(content_type) or "application/octet-stream",
            caching=header_text(headers.get("cache-control") or "") or "no-cache",
            more_metadata={},
            user_metadata=header_metadata(headers),
            tags=header_tags(headers),
        )
    stored = headers_to_store(headers)
    return content._replace(more_metadata={**stored, **content.more_metadata}) if stored else content


def check_declared(headers: Mapping[str, str]) -> None:
    """Raise NoLength for an upload without a body, such as one whose caller forgot the file.

    Such a request has an empty body (RFC 9112 section 6.3), but an empty object must not be stored by accident.
    """
    if "content-length" not in headers and "transfer-encoding" not in headers:
        raise NoLength


def media_type(headers: Mapping[str, str]) -> str:
    """The body's media type in lower case and without parameters; '' when it is not declared."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def header_metadata(headers: Mapping[str, str]) -> dict[str, Any] | None:
    """The user metadata in ``x-metadata``, a base64-encoded JSON object; None for anything else. Raises TooLarge."""
    encoded = headers.get("x-metadata")
    if not encoded:
        return None
    if len(encoded) > MAX_USER_METADATA_BYTES * 4 // 3 + 4:
        raise TooLarge("user_metadata")
    try:
        return as_object(_from_base64(encoded))
    except (binascii.Error, ValueError):
        return None


def header_tags(headers: Mapping[str, str]) -> dict[str, str] | None:
    """The tags in ``x-tags``, in the form ``a=1&b=2`` with URL escapes; None without the header. Raises InvalidTags."""
    given = headers.get("x-tags")
    return check_tags(parse_qsl(given, keep_blank_values=True), MOST_OF_OBJECT) if given else None


def _form_tags(form: _Form) -> dict[str, str] | None:
    """The tags in the field ``tags``, a JSON object of texts; None without it. Raises InvalidTags."""
    raw = form.fields.get("tags")
    if not raw:
        return None
    tags = as_object(raw)
    if tags is None or not all(isinstance(value, str) for value in tags.values()):
        raise InvalidTags("Tags are a JSON object of texts")
    return check_tags(tags.items(), MOST_OF_OBJECT)


def _from_base64(encoded: str) -> bytes:
    """The bytes, in either alphabet of RFC 4648 and with or without padding, as Supabase's storage reads them.

    Raises binascii.Error.
    """
    letters = re.sub("[^A-Za-z0-9+/]", "", encoded.replace("-", "+").replace("_", "/"))
    return base64.b64decode(letters + "=" * (-len(letters) % 4))


def _read_form(headers: Mapping[str, str], sent: BinaryIO, length: int | None, content_type: str) -> Content:
    body = _seekable(sent)
    try:
        form = _look_through(form_parts(body, content_type))
        body.seek(0)
        # The first pass has measured the file; the second one stops at it.
        stream = next(part.stream for part in form_parts(body, content_type) if part.is_file)
    except BrokenForm:
        raise InvalidRequest("The multipart form is broken") from None
    except StopIteration:
        raise NoContent from None
    encoding = encoding_to_store(form.text("contentEncoding"), "contentEncoding")
    return Content(
        stream=stream,
        size=form.file_size,
        declared=length,
        mime_type=check_content_type(form.text("contentType") or form.file_type) or "text/plain",
        caching=caching_of(form.text("cacheControl")),
        more_metadata={ENCODING: encoding} if encoding else {},
        user_metadata=_form_metadata(form) or header_metadata(headers),
        tags=_form_tags(form) or header_tags(headers),
    )


def caching_of(seconds: str | None) -> str:
    """The value of Cache-Control from a field that should be a number of seconds."""
    return f"max-age={seconds}" if seconds and re.fullmatch(r"\d+", seconds, re.ASCII) else "no-cache"


@dataclass(frozen=True, slots=True)
class _Form:
    fields: Mapping[str, bytes]
    file_type: str
    file_size: int | None

    def text(self, name: str) -> str:
        return self.fields.get(name, b"").decode(errors="replace").strip()


def _look_through(parts: Iterable[FormPart]) -> _Form:
    """Read the fields, including those after the file, and the file's size. The file's bytes are dropped."""
    fields: dict[str, bytes] = {}
    file_type, size = "", None
    for part in parts:
        if part.is_file:
            if size is not None:
                raise InvalidRequest("The form has more than one file")
            file_type, size = part.content_type, _measure(part.stream)
            continue
        if len(fields) >= _MOST_FIELDS:
            raise InvalidRequest(f"The form has more than {_MOST_FIELDS} fields")
        is_metadata = part.name in ("metadata", "userMetadata")
        limit = MAX_USER_METADATA_BYTES if is_metadata else _MAX_FIELD_BYTES
        data = part.stream.read(limit + 1)
        if len(data) > limit:
            raise TooLarge("user_metadata" if is_metadata else "field")
        fields[part.name] = data
    return _Form(fields, file_type, size)


def _seekable(body: BinaryIO) -> BinaryIO:
    """The body as a stream that can be read twice. Portico's own server provides one; other servers' bodies are
    copied."""
    if hasattr(body, "seek"):
        return body
    copy = tempfile.TemporaryFile()  # noqa: SIM115 - it ends with the request
    shutil.copyfileobj(body, copy, _CHUNK)
    copy.seek(0)
    return copy


def _measure(stream: ByteSource) -> int:
    size = 0
    while chunk := stream.read(_CHUNK):
        size += len(chunk)
    return size


def _form_metadata(form: _Form) -> dict[str, Any] | None:
    raw = form.fields.get("metadata", form.fields.get("userMetadata"))
    return as_object(raw) if raw else None


def as_object(raw: bytes) -> dict[str, Any] | None:
    """The JSON object in ``raw``; None for anything else."""
    try:
        value = json.loads(raw, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _finite(number: str) -> float:
    """The number. Raises ValueError for NaN and infinity, which neither JSON nor the database supports."""
    value = float(number)
    if not math.isfinite(value):
        raise ValueError(number)
    return value
