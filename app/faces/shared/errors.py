"""Errors of an HTTP request itself, before any operation runs."""

from __future__ import annotations

from app.storage.errors import StorageError


class InvalidRequest(StorageError):
    """A header, parameter or body is malformed; the message says which, and what was expected."""


class NoLength(StorageError):
    """An upload declares neither the length of its body nor that it comes in chunks."""


class NoContent(StorageError):
    """A multipart form contains no file."""


class InvalidRobotsTag(StorageError):
    """The header x-robots-tag is malformed; the message says why."""


class InvalidToken(StorageError):
    """A signed URL's token has expired or was not signed by this service; the message says which."""


class InvalidSignature(StorageError):
    """A signed URL's token is for another object or purpose; the message says which."""


class NoSigningSecret(StorageError):
    """URLs cannot be signed because no secret is configured."""
