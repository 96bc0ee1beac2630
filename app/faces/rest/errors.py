"""The errors of this API. Clients match on their messages.

The body has the logical status as text. The HTTP status is 400 for nearly all errors, since released clients rely on
that.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from app.database.wire.sqlstates import INVALID_OBJECT_DEFINITION
from app.errors import PorticoError
from app.faces.shared import errors as shared
from app.storage import errors as core
from app.storage.error_translation import translate

_RETRY = (("retry-after", "1"),)
_ROW_LEVEL_SECURITY = "new row violates row-level security policy"


class RestError(PorticoError):
    """An error response. ``logical`` is the status in the body, ``status`` that of HTTP, ``tag`` the older name of the
    code."""

    def __init__(
        self,
        code: str,
        logical: int,
        message: str,
        *,
        tag: str | None = None,
        status: int = 400,
        hint: str | None = None,
        headers: tuple[tuple[str, str], ...] = (),
    ) -> None:
        super().__init__(message, code=code, status=status, hint=hint)
        self.logical = logical
        self.tag = tag or code
        self.headers = headers

    def body(self) -> bytes:
        """The body of the response."""
        members = {"statusCode": str(self.logical), "error": self.tag, "message": self.message, "code": self.code}
        if self.hint:
            members["hint"] = self.hint
        return json.dumps(members, ensure_ascii=False).encode(errors="replace")


def as_rest_error(ex: PorticoError) -> RestError:
    """Any error that clients see, as an error of this API."""
    if isinstance(ex, RestError):
        return ex
    kind = translate(ex)
    return next(_WORDS[each] for each in type(kind).__mro__ if each in _WORDS)(kind)


# -- errors that only this API has


def access_denied(message: str, *, hint: str | None = None, status: int = 400) -> RestError:
    """The credential is not valid, or does not allow the request."""
    return RestError("AccessDenied", 403, message, tag="Unauthorized", hint=hint, status=status)


def invalid_request(message: str) -> RestError:
    """A body, query or header does not match its schema."""
    return RestError("InvalidRequest", 400, message, tag="Error")


def invalid_json(message: str) -> RestError:
    """A body is not JSON, though its content type says so."""
    return RestError("InvalidRequest", 400, message, tag="FastifyError")


def unsupported_coding() -> RestError:
    """A JSON body has a content coding, such as a compressed one."""
    message = "A JSON body must not be compressed or coded otherwise: content-encoding is not supported"
    return RestError("InvalidRequest", 415, message, tag="FastifyError", status=415)


def internal_error(message: str = "Internal Server Error", *, tag: str = "Internal") -> RestError:
    """The service failed."""
    return RestError("InternalError", 500, message, tag=tag, status=500)


# -- errors of the core and of http/


def _exists(what: str) -> RestError:
    return RestError(f"{what}AlreadyExists", 409, "The resource already exists", tag="Duplicate")


def _slow_down(status: int, tag: str, message: str) -> RestError:
    return RestError("SlowDown", status, message, tag=tag, status=status, headers=_RETRY)


_NO_LENGTH = "You must provide the Content-Length HTTP header: for an empty object it is 0."


def _missing_bytes(_: object) -> RestError:
    headers = (("cache-control", "no-store"),)
    return RestError("NoSuchKey", 404, "The resource was not found", tag="Not found", headers=headers)


def _invalid_range(ex: core.RangeNotSatisfiable) -> RestError:
    headers = (("content-range", f"bytes */{ex.size}"),)
    return RestError("InvalidRange", 416, "invalid range provided", tag="invalid_range", status=416, headers=headers)


def _unsupported_type(message: str) -> RestError:
    return RestError("InvalidMimeType", 415, message, tag="invalid_mime_type")


def _too_large(ex: core.TooLarge) -> RestError:
    message = f"The {ex.what} exceeded the maximum allowed size"
    hint = "UPLOAD_SIZE_LIMIT and the bucket's file_size_limit say how large an object may be."
    shown = hint if ex.what == "object" else None
    return RestError("EntityTooLarge", 413, message, tag="Payload too large", hint=shown)


def _database_error(ex: core.DatabaseRefused) -> RestError:
    return RestError("DatabaseError", 500, f"database error, code: {ex.sqlstate}", status=500, hint=ex.hint)


def _schema_mismatch(ex: core.SchemaMismatch) -> RestError:
    code = "DatabaseInvalidObjectDefinition" if ex.sqlstate == INVALID_OBJECT_DEFINITION else "DatabaseSchemaMismatch"
    return RestError(code, 503, "The database's storage schema does not match this version", hint=ex.hint)


def _fixed(make: Callable[..., RestError], *words: Any, **more: Any) -> Callable[[core.StorageError], RestError]:
    return lambda _: make(*words, **more)


_WORDS: Mapping[type[core.StorageError], Callable[[Any], RestError]] = {
    core.StorageError: lambda ex: internal_error(),
    core.NoSuchBucket: _fixed(RestError, "NoSuchBucket", 404, "Bucket not found", tag="Bucket not found"),
    core.NoSuchObject: _fixed(RestError, "NoSuchKey", 404, "Object not found", tag="not_found"),
    core.InvalidTags: lambda ex: RestError("InvalidTag", 400, ex.message),
    core.NoSuchVersion: lambda ex: RestError("NoSuchVersion", 404, "Version not found", tag="not_found"),
    core.IsDeleteMarker: lambda ex: RestError("NoSuchVersion", 404, "The version is a delete marker", tag="not_found"),
    core.NotInstalled: lambda ex: RestError(
        "FeatureNotEnabled", 400, "The database's storage schema is older than this feature", hint=ex.hint
    ),
    core.NoSuchUpload: _fixed(RestError, "NoSuchUpload", 404, "Upload not found"),
    core.NotArrived: _fixed(
        RestError,
        "UploadIncomplete",
        409,
        "The bytes have not arrived: send them to the upload's URL, then complete it",
    ),
    core.DirectUploadUnavailable: _fixed(
        RestError,
        "DirectUploadUnavailable",
        400,
        "This object cannot be sent to the backend: send it to the signed upload URL, or as a resumable upload",
    ),
    core.RelatedMissing: _fixed(RestError, "InvalidRequest", 404, "The related resource does not exist"),
    core.AlreadyExists: _fixed(_exists, "Resource"),
    core.ObjectExists: _fixed(_exists, "Key"),
    core.BucketExists: _fixed(_exists, "Bucket"),
    core.BucketNotEmpty: _fixed(RestError, "ResourceNotEmpty", 409, "The bucket you tried to delete is not empty"),
    core.BucketReferenced: _fixed(RestError, "ResourceReferenced", 409, "The bucket is referenced by other rows"),
    core.TooManyObjects: _fixed(
        RestError, "InvalidRequest", 409, "Unable to empty the bucket because it contains too many objects"
    ),
    core.InvalidBucketName: _fixed(RestError, "InvalidBucketName", 400, "Bucket name invalid", tag="Invalid Input"),
    core.InvalidKey: lambda ex: RestError("InvalidKey", 400, f"Invalid key: {ex.key}", hint=ex.hint),
    core.InvalidValue: lambda ex: RestError("InvalidParameter", 400, f"Invalid Parameter {ex.name}", hint=ex.hint),
    core.AccessDenied: lambda ex: access_denied(ex.message),
    core.ServiceRoleOnly: _fixed(access_denied, "Access denied: Invalid role", status=403),
    core.NotPermitted: lambda ex: access_denied(_ROW_LEVEL_SECURITY, hint=ex.hint),
    core.DeletionNotPermitted: lambda ex: access_denied("Access denied", hint=ex.hint),
    # Clients that send conditions expect the HTTP status of RFC 9110.
    core.PreconditionFailed: _fixed(
        RestError, "PreconditionFailed", 412, "A precondition of the request does not hold", status=412
    ),
    core.RangeNotSatisfiable: _invalid_range,
    core.TooLarge: _too_large,
    core.InvalidMimeType: lambda ex: _unsupported_type(f"mime type {ex.mime_type} is not supported"),
    core.InvalidContentType: _fixed(_unsupported_type, "Invalid Content-Type header"),
    core.ContentMismatch: lambda ex: _unsupported_type(f"the content is not {ex.mime_type}"),
    core.UploadRefused: lambda ex: RestError("InvalidRequest", 400, ex.message),
    core.LengthMismatch: _fixed(invalid_request, "The length of the body differs from the declared length"),
    core.BytesMissing: _missing_bytes,
    core.StorageFull: _fixed(
        RestError, "InsufficientStorage", 507, "The storage has no room for the object", status=507
    ),
    core.BackendDown: _fixed(
        RestError, "StorageUnavailable", 503, "The storage is not available", status=503, headers=_RETRY
    ),
    core.TooManyDownloads: _fixed(_slow_down, 503, "SlowDown", "Too many downloads are running"),
    core.KeysUnavailable: _fixed(
        RestError,
        "KeysUnavailable",
        503,
        "The keys that verify tokens are not available",
        status=503,
        headers=_RETRY,
    ),
    core.TooManyLongReads: _fixed(_slow_down, 503, "SlowDown", "Too many long listings are running"),
    core.TooManyConnections: _fixed(
        _slow_down, 429, "too_many_connections", "Too many connections issued to the database"
    ),
    core.DatabaseTimeout: _fixed(
        RestError, "DatabaseTimeout", 544, "The connection to the database timed out", status=544, headers=_RETRY
    ),
    core.DatabaseReadOnly: _fixed(RestError, "DatabaseReadOnly", 503, "The database is read-only"),
    core.RowLocked: _fixed(RestError, "ResourceLocked", 423, "The resource is locked"),
    core.DatabaseRefused: _database_error,
    core.SchemaMismatch: _schema_mismatch,
    shared.InvalidRequest: lambda ex: invalid_request(ex.message),
    shared.NoLength: _fixed(RestError, "MissingContentLength", 411, _NO_LENGTH, status=411),
    shared.NoContent: _fixed(RestError, "InvalidRequest", 400, "No content provided"),
    shared.InvalidRobotsTag: lambda ex: RestError("invalid_x_robots_tag", 400, ex.message),
    shared.InvalidToken: lambda ex: RestError("InvalidJWT", 400, ex.message),
    shared.InvalidSignature: lambda ex: RestError("InvalidSignature", 400, ex.message),
    shared.NoSigningSecret: _fixed(
        internal_error, "URLs cannot be signed: no secret is configured", tag="InternalError"
    ),
}
