"""What can go wrong with buckets and objects, one class a kind. Each face tells them in its protocol's words."""

from __future__ import annotations

from app.errors import PorticoError


class StorageError(PorticoError):
    """An operation was refused or failed. Nothing of it is seen, unless a subclass says otherwise."""

    code = "STORAGE_ERROR"

    def __init__(self, message: str = "", *, hint: str | None = None) -> None:
        super().__init__(message or type(self).__name__, hint=hint)


class NoSuchBucket(StorageError):
    """There is no such bucket, or the caller may not see it."""


class NoSuchObject(StorageError):
    """There is no such object, or the caller may not see it."""


class RelatedMissing(StorageError):
    """A row that this one refers to does not exist, such as the bucket of an object."""


class AlreadyExists(StorageError):
    """A row with these values exists already."""


class ObjectExists(AlreadyExists):
    """An object of this key exists already."""


class BucketExists(AlreadyExists):
    """A bucket of this name exists already."""


class BucketNotEmpty(StorageError):
    """The bucket still has objects."""


class BucketReferenced(StorageError):
    """Rows of other tables refer to the bucket."""


class TooManyObjects(StorageError):
    """The bucket has more objects than one call empties."""


class InvalidBucketName(StorageError):
    """No bucket can have this name."""


class InvalidKey(StorageError):
    """No object can have this key."""

    def __init__(self, key: str) -> None:
        super().__init__()
        self.key = key


class InvalidValue(StorageError):
    """A value cannot be understood; ``name`` is what it was given for."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name


class AccessDenied(StorageError):
    """The credential is valid and does not allow this."""


class ServiceRoleOnly(AccessDenied):
    """Only the service role may do this."""


class NotPermitted(AccessDenied):
    """A privilege or a policy of the database is missing; the hint tells which."""


class DeletionNotPermitted(NotPermitted):
    """The object exists, and no policy lets the caller delete it."""


class PreconditionFailed(StorageError):
    """The object is not, or no longer, as the caller demanded."""


class RangeNotSatisfiable(StorageError):
    """The range has no byte of the object, which has ``size`` bytes."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size


class TooLarge(StorageError):
    """``what``, mostly the object, is larger than a limit."""

    def __init__(self, what: str = "object") -> None:
        super().__init__()
        self.what = what


class InvalidMimeType(StorageError):
    """The bucket does not take this MIME type, or this is none."""

    def __init__(self, mime_type: str) -> None:
        super().__init__()
        self.mime_type = mime_type


class ContentMismatch(StorageError):
    """The bytes do not begin like those of the declared MIME type."""

    def __init__(self, mime_type: str) -> None:
        super().__init__()
        self.mime_type = mime_type


class UploadRefused(StorageError):
    """A check of a plugin refuses the upload, and its message tells the client why."""


class LengthMismatch(StorageError):
    """The bytes that came are fewer or more than were declared."""


class BytesMissing(StorageError):
    """The object has a row, and its bytes are gone."""


class StorageFull(StorageError):
    """The backend has no room for the object."""


class BackendDown(StorageError):
    """The backend cannot be reached or used now."""


class TooManyDownloads(StorageError):
    """All places for downloads from a remote backend are taken."""


class TooManyConnections(StorageError):
    """All connections to the database are in use."""


class DatabaseTimeout(StorageError):
    """The database did not answer in time."""


class DatabaseReadOnly(StorageError):
    """The database takes no writes now."""


class RowLocked(StorageError):
    """Another transaction holds the row."""


class DatabaseRefused(StorageError):
    """The database refused a statement for a reason of no kind of its own; ``sqlstate`` tells which."""

    def __init__(self, sqlstate: str, *, hint: str | None = None) -> None:
        super().__init__(hint=hint)
        self.sqlstate = sqlstate


class SchemaMismatch(DatabaseRefused):
    """The tables of schema ``storage`` are not those that this version needs."""


class Fault(StorageError):
    """A fault of the service; the log tells more."""
