"""What can be wrong with a request over HTTP, before it is known what it asks for."""

from __future__ import annotations

from app.storage.errors import StorageError


class InvalidRequest(StorageError):
    """A header, parameter or body is not well-formed; the message says which and how."""


class NoContent(StorageError):
    """A form has no file."""


class InvalidContentType(StorageError):
    """The header content-type is no MIME type."""


class InvalidRobotsTag(StorageError):
    """The header x-robots-tag is not well-formed; the message says how."""


class InvalidToken(StorageError):
    """A signed URL's token is none of ours, or has expired; the message says which."""


class InvalidSignature(StorageError):
    """A signed URL's token is for something else; the message says what is wrong."""


class NoSigningSecret(StorageError):
    """URLs cannot be signed, since no secret is configured."""
