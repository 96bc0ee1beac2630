"""The errors of the storage API, in the form that its clients match on.

The body says the logical status as a text; the HTTP status is 400 for nearly all of them, since released clients rely
on that.
"""

from __future__ import annotations

import json

from app.errors import PorticoError


class StorageError(PorticoError):
    """``logical`` is the status in the body, ``tag`` its older word for the code, ``status`` the one of HTTP."""

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
        members = {"statusCode": str(self.logical), "error": self.tag, "message": self.message, "code": self.code}
        if self.hint:
            members["hint"] = self.hint
        return json.dumps(members, ensure_ascii=False).encode(errors="replace")


def no_such_bucket() -> StorageError:
    return StorageError("NoSuchBucket", 404, "Bucket not found", tag="Bucket not found")


def no_such_object() -> StorageError:
    return StorageError("NoSuchKey", 404, "Object not found", tag="not_found")


def missing_blob() -> StorageError:
    return StorageError(
        "NoSuchKey", 404, "The resource was not found", tag="Not found", headers=(("cache-control", "no-store"),)
    )


def access_denied(message: str, *, hint: str | None = None, status: int = 400) -> StorageError:
    return StorageError("AccessDenied", 403, message, tag="Unauthorized", hint=hint, status=status)


def already_exists(what: str) -> StorageError:
    """``what``: Key, Bucket or Resource."""
    return StorageError(f"{what}AlreadyExists", 409, "The resource already exists", tag="Duplicate")


def related_missing() -> StorageError:
    return StorageError("InvalidRequest", 404, "The related resource does not exist")


def too_large(what: str = "object") -> StorageError:
    message = f"The {what} exceeded the maximum allowed size"
    return StorageError("EntityTooLarge", 413, message, tag="Payload too large")


def invalid_mime_type(mime_type: str) -> StorageError:
    return StorageError("InvalidMimeType", 415, f"mime type {mime_type} is not supported", tag="invalid_mime_type")


def invalid_content_type() -> StorageError:
    return StorageError("InvalidMimeType", 415, "Invalid Content-Type header", tag="invalid_mime_type")


def invalid_key(key: str) -> StorageError:
    return StorageError("InvalidKey", 400, f"Invalid key: {key}")


def invalid_bucket_name() -> StorageError:
    return StorageError("InvalidBucketName", 400, "Bucket name invalid", tag="Invalid Input")


def invalid_range(size: int) -> StorageError:
    return StorageError(
        "InvalidRange",
        416,
        "invalid range provided",
        tag="invalid_range",
        status=416,
        headers=(("content-range", f"bytes */{size}"),),
    )


def precondition_failed() -> StorageError:
    """RFC 9110 section 15.5.13; the only error of a conditional request with its own HTTP status."""
    return StorageError("PreconditionFailed", 412, "A precondition of the request does not hold", status=412)


def invalid_request(message: str) -> StorageError:
    """A body, query or header that is not as its schema says."""
    return StorageError("InvalidRequest", 400, message, tag="Error")


def invalid_json(message: str) -> StorageError:
    return StorageError("InvalidRequest", 400, message, tag="FastifyError")


def invalid_parameter(name: str) -> StorageError:
    return StorageError("InvalidParameter", 400, f"Invalid Parameter {name}")


def invalid_token(message: str) -> StorageError:
    return StorageError("InvalidJWT", 400, message)


def invalid_signature(message: str = "Invalid signature") -> StorageError:
    return StorageError("InvalidSignature", 400, message)


def database_error(sqlstate: str, *, hint: str | None = None) -> StorageError:
    return StorageError("DatabaseError", 500, f"database error, code: {sqlstate}", status=500, hint=hint)


def internal_error() -> StorageError:
    return StorageError("InternalError", 500, "Internal Server Error", tag="Internal", status=500)


def insufficient_space() -> StorageError:
    return StorageError("InsufficientStorage", 507, "The storage has no room for the object", status=507)


def slow_down(message: str, *, logical: int = 503, retry_after: int = 1) -> StorageError:
    """More work than there is room for; nothing was done."""
    return StorageError(
        "SlowDown", logical, message, tag="too_many_connections" if logical == 429 else "SlowDown", status=logical,
        headers=(("retry-after", str(retry_after)),),
    )  # fmt: skip
