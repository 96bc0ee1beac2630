"""The errors of operations on buckets and objects. Each face translates them into its protocol's errors."""

from __future__ import annotations

from app.errors import PorticoError


class StorageError(PorticoError):
    """An operation was refused or failed. It had no effect, unless a subclass says otherwise."""

    code = "STORAGE_ERROR"

    def __init__(self, message: str = "", *, hint: str | None = None) -> None:
        super().__init__(message or type(self).__name__, hint=hint)


class NoSuchBucket(StorageError):
    """There is no such bucket, or the caller may not see it."""


class NoSuchObject(StorageError):
    """There is no such object, or the caller may not see it."""


class NoSuchVersion(StorageError):
    """There is no such version of the object, or the caller may not see it."""


class IsDeleteMarker(StorageError):
    """The version is a delete marker, which has no bytes."""

    def __init__(self, version_id: str) -> None:
        super().__init__()
        self.version_id = version_id


class NoSuchUpload(StorageError):
    """There is no such upload in pieces, or the caller may not see it."""


class UploadExpired(NoSuchUpload):
    """The upload in pieces has expired; its bytes are deleted soon."""


class UploadFinished(StorageError):
    """The upload in pieces has already become an object."""


class NotArrived(StorageError):
    """The bytes of a direct upload are not in the backend."""


class DirectUploadUnavailable(StorageError):
    """Clients cannot send this object to the backend themselves."""


class OffsetConflict(StorageError):
    """The offset of the new bytes is not the end of the upload."""


class NoSuchPart(StorageError):
    """A part of the upload is not there, or was replaced."""


class RelatedMissing(StorageError):
    """A row that this one refers to does not exist, such as the bucket of an object."""


class AlreadyExists(StorageError):
    """A row with these values already exists."""


class ObjectExists(AlreadyExists):
    """An object with this key already exists."""


class BucketExists(AlreadyExists):
    """A bucket with this name already exists."""


class BucketNotEmpty(StorageError):
    """The bucket still has objects."""


class BucketReferenced(StorageError):
    """Rows of other tables refer to the bucket."""


class TooManyObjects(StorageError):
    """The bucket has more objects than one call may delete."""


class InvalidBucketName(StorageError):
    """No bucket can have this name."""


class InvalidKey(StorageError):
    """No object can have this key; the hint says which rule it breaks."""

    def __init__(self, key: str, *, hint: str) -> None:
        super().__init__(hint=hint)
        self.key = key


class InvalidValue(StorageError):
    """The value of parameter ``name`` is not valid."""

    def __init__(self, name: str, *, hint: str | None = None) -> None:
        super().__init__(hint=hint)
        self.name = name


class AccessDenied(StorageError):
    """The credential is valid but does not allow this."""


class ServiceRoleOnly(AccessDenied):
    """Only the service role may do this."""


class NotPermitted(AccessDenied):
    """A privilege or a policy is missing in the database; the hint names it."""


class DeletionNotPermitted(NotPermitted):
    """The object exists, and no policy lets the caller delete it."""


class PreconditionFailed(StorageError):
    """The object does not meet the conditions of the request."""


class RangeNotSatisfiable(StorageError):
    """The range ``requested`` contains no byte of the object, which has ``size`` bytes."""

    def __init__(self, size: int, requested: str) -> None:
        super().__init__()
        self.size = size
        self.requested = requested


class TooLarge(StorageError):
    """``what``, usually the object, exceeds a size limit."""

    def __init__(self, what: str = "object") -> None:
        super().__init__()
        self.what = what


class LengthExceeded(TooLarge):
    """The bytes exceed the declared length of the upload, or the largest size that it may have."""


class InvalidMimeType(StorageError):
    """The bucket does not allow this MIME type, or the type is malformed."""

    def __init__(self, mime_type: str) -> None:
        super().__init__()
        self.mime_type = mime_type


class InvalidTags(StorageError):
    """The tags break a rule; the message, which clients see, says which."""


class InvalidContentType(StorageError):
    """The content type ``given`` is not a MIME type."""

    def __init__(self, given: str) -> None:
        super().__init__()
        self.given = given


class ContentMismatch(StorageError):
    """The first bytes do not match the declared MIME type."""

    def __init__(self, mime_type: str) -> None:
        super().__init__()
        self.mime_type = mime_type


class UploadRefused(StorageError):
    """A plugin's check refuses the upload; the client sees the message."""


class LengthMismatch(StorageError):
    """The body is shorter or longer than declared."""


class BytesMissing(StorageError):
    """The object has a row, but its bytes are gone."""


class StorageFull(StorageError):
    """The backend has no room for the object."""


class BackendDown(StorageError):
    """The backend cannot be reached, or refuses the service's credentials."""


class TooManyDownloads(StorageError):
    """The limit of concurrent downloads from a remote backend is reached."""


class KeysUnavailable(StorageError):
    """The keys that verify tokens cannot be read now."""


class TooManyLongReads(StorageError):
    """Too many long reads are running."""


class TooManyConnections(StorageError):
    """All connections to the database are in use."""


class DatabaseTimeout(StorageError):
    """The database did not answer in time."""


class DatabaseReadOnly(StorageError):
    """The database is read-only."""


class RowLocked(StorageError):
    """Another transaction holds the row, or other writers keep changing it first."""


class DatabaseRefused(StorageError):
    """The database refused a statement for a reason without a class of its own; ``sqlstate`` names it."""

    def __init__(self, sqlstate: str, *, hint: str | None = None) -> None:
        super().__init__(hint=hint)
        self.sqlstate = sqlstate


class SchemaMismatch(DatabaseRefused):
    """The tables of the schema ``storage`` do not match this version."""


class NotInstalled(StorageError):
    """The database has an older version of the schema ``storage``, without what the operation needs."""

    def __init__(self) -> None:
        super().__init__(hint="`portico upgrade` brings the database's storage schema to the version of the service.")


class Fault(StorageError):
    """The service failed; the log says why."""
