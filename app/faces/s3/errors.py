"""The errors of this protocol. Clients branch on the code, and retry after 5xx."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from app.errors import PorticoError
from app.faces.s3.xml_writing import XML, document
from app.faces.shared import errors as shared
from app.http.response import Headers, Response
from app.storage import errors as core
from app.storage.error_translation import translate

_MARKER: Headers = (("x-amz-delete-marker", "true"),)
_RETRY: Headers = (("retry-after", "1"),)
_ROW_LEVEL_SECURITY = "new row violates row-level security policy"


class S3Error(PorticoError):
    """An error response. ``details`` are further elements of its body."""

    def __init__(
        self,
        code: str,
        status: int,
        message: str,
        *,
        headers: Headers = (),
        details: tuple[tuple[str, str], ...] = (),
        hint: str | None = None,
    ) -> None:
        super().__init__(message, code=code, status=status, hint=hint)
        self.headers = headers
        self.details = details

    def body(self, resource: str = "", request_id: str = "") -> bytes:
        """The XML of the error; ``resource`` is ``/bucket/key``."""
        return document(
            "Error",
            ("Code", self.code),
            ("Message", self.message),
            *((("Hint", self.hint),) if self.hint else ()),
            ("Resource", resource or None),
            ("RequestId", request_id or None),
            *self.details,
            namespace=False,
        )

    def response(self, *, head: bool, resource: str, request_id: str) -> Response:
        """The response; without a body for a HEAD request."""
        if self.status == 304:
            return Response(self.status, self.headers, content_type=XML if head else None)
        body = b"" if head else self.body(resource, request_id)
        return Response(self.status, self.headers, body, XML, code=self.code)


def as_s3_error(ex: PorticoError) -> S3Error:
    """Any error that clients see, as an error of this protocol."""
    if isinstance(ex, S3Error):
        return ex
    kind = translate(ex)
    return next(_WORDS[each] for each in type(kind).__mro__ if each in _WORDS)(kind)


# -- errors that only this protocol has


def access_denied(message: str = "Access Denied", *, hint: str | None = None) -> S3Error:
    """The credential is missing or invalid, or does not allow the request."""
    return S3Error("AccessDenied", 403, message, hint=hint)


def invalid_request(message: str) -> S3Error:
    """The request is not valid as a whole."""
    return S3Error("InvalidRequest", 400, message)


def invalid_argument(message: str) -> S3Error:
    """A parameter or a header has an invalid value."""
    return S3Error("InvalidArgument", 400, message)


def malformed_xml(message: str) -> S3Error:
    """The body is not the XML document that the operation takes."""
    return S3Error("MalformedXML", 400, message)


def not_implemented(what: str) -> S3Error:
    """The request needs something that this service does not support."""
    message = "A header or query you provided implies functionality that is not implemented"
    return S3Error("NotImplemented", 501, f"{message}: {what}")


def incomplete_body(message: str) -> S3Error:
    """The body is shorter or longer than declared, or ends where it should not."""
    return S3Error("IncompleteBody", 400, message)


def bad_digest(what: str) -> S3Error:
    """The body does not have the checksum that was sent with it."""
    return S3Error("BadDigest", 400, f"The {what} you specified did not match what we received.")


def method_not_allowed(method: str) -> S3Error:
    """No operation has this method here."""
    return S3Error("MethodNotAllowed", 405, f"{method} is not allowed against this resource.")


def preflight_refused(headers: Mapping[str, str]) -> S3Error:
    """Neither the bucket's rules nor CORS_ORIGINS allow the preflight, or an OPTIONS request is not a preflight."""
    if "origin" not in headers or "access-control-request-method" not in headers:
        message = "Insufficient information. Origin and Access-Control-Request-Method request headers needed."
        return S3Error("BadRequest", 400, message)
    return S3Error(
        "AccessForbidden",
        403,
        "CORSResponse: This CORS request is not allowed; the bucket's CORS rules, or else CORS_ORIGINS, allow origins.",
    )


def internal_error() -> S3Error:
    """The service failed."""
    return S3Error("InternalError", 500, "Internal Server Error")


def deleted(marker: str) -> S3Error:
    """The object has no current version, but a delete marker."""
    return S3Error("NoSuchKey", 404, "Object not found", headers=(*_MARKER, ("x-amz-version-id", marker)))


def no_such_version() -> S3Error:
    """The object has no such version, or the caller may not see it."""
    return S3Error("NoSuchVersion", 404, "The specified version does not exist.")


# -- errors of the core and of http/


def _fixed(code: str, status: int, message: str, *, headers: Headers = ()) -> Callable[[core.StorageError], S3Error]:
    return lambda _: S3Error(code, status, message, headers=headers)


def _invalid_range(ex: core.RangeNotSatisfiable) -> S3Error:
    headers = (("content-range", f"bytes */{ex.size}"),)
    details = (("RangeRequested", ex.requested), ("ActualObjectSize", str(ex.size)))
    return S3Error("InvalidRange", 416, "invalid range provided", headers=headers, details=details)


def _unsupported_type(message: str) -> S3Error:
    return S3Error("InvalidMimeType", 415, message)


_SLOW_DOWN = _fixed("SlowDown", 503, "Please reduce your request rate.", headers=_RETRY)
_UNAVAILABLE = _fixed("ServiceUnavailable", 503, "The service is not available. Try again.", headers=_RETRY)

_WORDS: Mapping[type[core.StorageError], Callable[[Any], S3Error]] = {
    core.StorageError: lambda ex: internal_error(),
    core.NoSuchBucket: _fixed("NoSuchBucket", 404, "Bucket not found"),
    core.NoSuchObject: _fixed("NoSuchKey", 404, "Object not found"),
    core.NoSuchVersion: lambda ex: no_such_version(),
    core.IsDeleteMarker: lambda ex: S3Error(
        "MethodNotAllowed",
        405,
        "The version is a delete marker",
        headers=(*_MARKER, ("x-amz-version-id", ex.version_id), ("allow", "DELETE")),
    ),
    core.NoSuchUpload: _fixed("NoSuchUpload", 404, "Upload not found"),
    core.UploadFinished: _fixed("NoSuchUpload", 404, "Upload not found"),
    core.NoSuchPart: _fixed("InvalidPart", 400, "One or more of the specified parts could not be found."),
    # The only row that an object refers to is its bucket.
    core.RelatedMissing: _fixed("NoSuchBucket", 404, "Bucket not found"),
    core.AlreadyExists: _fixed("OperationAborted", 409, "The resource already exists"),
    core.BucketExists: _fixed("BucketAlreadyOwnedByYou", 409, "The resource already exists"),
    core.BucketNotEmpty: _fixed("BucketNotEmpty", 409, "The bucket you tried to delete is not empty"),
    core.BucketReferenced: _fixed("BucketNotEmpty", 409, "The bucket is referenced by other rows"),
    core.InvalidBucketName: _fixed("InvalidBucketName", 400, "Bucket name invalid"),
    core.InvalidKey: lambda ex: S3Error("InvalidKey", 400, f"Invalid key: {ex.key}", hint=ex.hint),
    core.InvalidValue: lambda ex: invalid_argument(f"Invalid Parameter {ex.name}"),
    core.AccessDenied: lambda ex: access_denied(ex.message),
    core.NotPermitted: lambda ex: access_denied(_ROW_LEVEL_SECURITY, hint=ex.hint),
    core.DeletionNotPermitted: lambda ex: access_denied("Access denied", hint=ex.hint),
    core.PreconditionFailed: _fixed(
        "PreconditionFailed", 412, "At least one of the pre-conditions you specified did not hold"
    ),
    core.RangeNotSatisfiable: _invalid_range,
    core.TooLarge: lambda ex: S3Error("EntityTooLarge", 413, f"The {ex.what} exceeded the maximum allowed size"),
    core.InvalidMimeType: lambda ex: _unsupported_type(f"mime type {ex.mime_type} is not supported"),
    core.InvalidContentType: _fixed("InvalidMimeType", 415, "Invalid Content-Type header"),
    core.ContentMismatch: lambda ex: _unsupported_type(f"the content is not {ex.mime_type}"),
    core.UploadRefused: lambda ex: invalid_request(ex.message),
    core.LengthMismatch: lambda ex: incomplete_body("The length of the body differs from the declared length"),
    core.BytesMissing: _fixed("NoSuchKey", 404, "The resource was not found"),
    core.StorageFull: _fixed("InsufficientStorage", 507, "The storage has no room for the object"),
    core.BackendDown: _UNAVAILABLE,
    core.TooManyDownloads: _SLOW_DOWN,
    core.KeysUnavailable: _UNAVAILABLE,
    core.TooManyLongReads: _SLOW_DOWN,
    core.TooManyConnections: _SLOW_DOWN,
    core.DatabaseTimeout: _SLOW_DOWN,
    core.DatabaseReadOnly: _UNAVAILABLE,
    core.RowLocked: _SLOW_DOWN,
    core.DatabaseRefused: lambda ex: S3Error(
        "InternalError", 500, f"database error, code: {ex.sqlstate}", hint=ex.hint
    ),
    core.SchemaMismatch: lambda ex: S3Error(
        "ServiceUnavailable", 503, "The database's storage schema does not match this version", hint=ex.hint
    ),
    core.InvalidTags: lambda ex: S3Error("InvalidTag", 400, ex.message),
    core.NotInstalled: lambda ex: S3Error(
        "NotImplemented", 501, "The database's storage schema is older than this feature", hint=ex.hint
    ),
    shared.NoLength: _fixed("MissingContentLength", 411, "You must provide the Content-Length HTTP header."),
    shared.InvalidRequest: lambda ex: invalid_request(ex.message),
    shared.InvalidRobotsTag: lambda ex: invalid_argument(ex.message),
}
