"""The operations of the protocol: begin an upload, report its offset, continue it, abort it."""

from __future__ import annotations

import dataclasses
from contextlib import suppress
from dataclasses import dataclass

from app.errors import PorticoError
from app.faces.resumable.checksum import checked
from app.faces.resumable.errors import TusError, length_required
from app.faces.resumable.metadata import read_metadata
from app.faces.resumable.request import UploadRequest
from app.http.response import Headers, Response
from app.storage.errors import LengthExceeded, NoSuchUpload, TooLarge
from app.storage.names import check_bucket_name
from app.storage.storage import Storage
from app.storage.unfinished.appending import Addition, append
from app.storage.unfinished.records import NewUpload, Upload
from app.storage.unfinished.uploads import abort, create, find, permitted
from app.times import http_date

UPLOAD_TYPE = "resumable"
# The notes of an upload: the metadata as the client sent them, and the digest of the token that it was begun with.
_METADATA, _SIGNED = "metadata", "signed"


@dataclass(frozen=True, slots=True)
class ResumableUploads:
    """The operations on a storage. An upload expires ``lifetime_s`` seconds after the last bytes were received."""

    storage: Storage
    lifetime_s: float

    def create(self, request: UploadRequest) -> Response:
        """POST: begin an upload, with its first bytes if the request has some."""
        headers = request.headers
        if (headers.length is None) != headers.is_deferred:
            raise length_required()
        intended = read_metadata(headers.metadata)
        check_bucket_name(intended.name.bucket)
        if request.signed is not None:
            request.signed.check(intended.name, None)
        if headers.length is not None and headers.length > self.storage.settings.upload_size_limit:
            raise TooLarge
        size = request.length if headers.has_bytes else 0
        if size and headers.length is not None and size > headers.length:
            raise LengthExceeded
        stream = checked(request.body, headers.checksum if headers.has_bytes else None, size)
        new = NewUpload(
            kind="appended",
            name=intended.name,
            upsert=headers.upsert if request.signed is None else request.signed.upsert,
            metadata=intended.metadata,
            user_metadata=intended.user_metadata,
            length=headers.length,
            notes={_METADATA: headers.metadata, _SIGNED: request.signed.digest if request.signed else None},
            lifetime_s=self.lifetime_s,
            tags=intended.tags,
        )
        upload = create(self.storage, request.context, new)
        if headers.length == 0 or size != 0:
            upload = self._begin(request, upload, Addition(0, stream, size, None, self.lifetime_s, UPLOAD_TYPE))
        location: Headers = (("location", request.url_of(upload.id)),)
        offset = _offset(upload) if headers.has_bytes else ()
        return Response(201, (*location, *offset, *_progress(upload)), content_type=None)

    def _begin(self, request: UploadRequest, upload: Upload, addition: Addition) -> Upload:
        """Append the first bytes. If they are refused, the client does not learn the upload's id, so it is aborted."""
        try:
            return append(self.storage, request.context, upload, addition)
        except PorticoError:
            with suppress(PorticoError):
                abort(self.storage, request.context, upload)
            raise

    def head(self, request: UploadRequest) -> Response:
        """HEAD: report the offset and the length of the upload."""
        upload = self._find(request)
        length = ("upload-defer-length", "1") if upload.length is None else ("upload-length", str(upload.length))
        headers = (*_offset(upload), length, ("upload-metadata", _metadata(upload)), ("cache-control", "no-store"))
        return Response(200, headers, content_type=None)

    def patch(self, request: UploadRequest) -> Response:
        """PATCH: append bytes. After the last bytes, the object exists before the response is sent."""
        headers = request.headers
        if headers.offset is None:
            raise TusError(403, "Upload-Offset header required\n")
        if not headers.has_bytes:
            raise TusError(403, "Content-Type header required\n")
        upload = self._find(request)
        if headers.upsert and request.signed is None:
            upload = dataclasses.replace(upload, upsert=True)
        if headers.offset == upload.received and not _may_declare(upload, headers.length):
            permitted(self.storage, request.context, upload)
            raise length_required()
        stream = checked(request.body, headers.checksum, request.length)
        addition = Addition(headers.offset, stream, request.length, headers.length, self.lifetime_s, UPLOAD_TYPE)
        upload = append(self.storage, request.context, upload, addition)
        return Response(204, (*_offset(upload), *_progress(upload)), content_type=None)

    def delete(self, request: UploadRequest) -> Response:
        """DELETE: abort the upload and delete its bytes."""
        upload = self._find(request)
        if upload.finished is None:
            permitted(self.storage, request.context, upload)
        abort(self.storage, request.context, upload)
        return Response(204, content_type=None)

    def _find(self, request: UploadRequest) -> Upload:
        upload = find(self.storage, request.context, "appended", request.upload_id)
        if request.signed is not None:
            begun_with = upload.notes.get(_SIGNED)
            if begun_with is None:
                # The signer began this upload without a token, so no token may continue it.
                raise NoSuchUpload
            request.signed.check(upload.name, begun_with)
        return upload


def _may_declare(upload: Upload, length: int | None) -> bool:
    """Whether a request may declare this length: None, the first declaration, or the known length again, since
    tus-js-client repeats it in each later request."""
    return length is None or length == upload.length or (upload.length is None and length >= upload.received)


def _offset(upload: Upload) -> Headers:
    return (("upload-offset", str(upload.received)),)


def _metadata(upload: Upload) -> str:
    return str(upload.notes.get(_METADATA, ""))


def _progress(upload: Upload) -> Headers:
    if upload.finished is not None:
        return (("tus-complete", "1"),)
    return (("upload-expires", http_date(upload.expires_at)),)
