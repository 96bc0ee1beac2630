"""Errors as this protocol's clients know them: plain text, with the status that says what the client shall do.

Clients repeat a request after 409, 423 and 5xx, and begin anew after a HEAD that fails otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from app.errors import PorticoError
from app.faces.rest.errors import RestError, as_rest_error
from app.faces.shared import errors as shared
from app.http.response import Headers, Response
from app.storage import errors as core
from app.storage.error_translation import translate

_TEXT = "text/plain;charset=UTF-8"
LOCKED = 423
_AGAIN = (("retry-after", "1"),)


class TusError(PorticoError):
    """A refusal with its text, of which some end with a line break. ``headers`` are further ones of the answer."""

    def __init__(self, status: int, text: str, headers: Headers = ()) -> None:
        super().__init__(text, code="RESUMABLE_UPLOAD", status=status)
        self.headers = headers


def invalid_headers(*names: str) -> TusError:
    """Headers, named in lower case, do not have the form that the protocol demands."""
    return TusError(400, f"Invalid {' '.join(names)}\n")


def length_required() -> TusError:
    """The length is missing, or declared where it may not be."""
    return TusError(400, "Upload-Length or Upload-Defer-Length header required\n")


def refusal(ex: PorticoError, method: str) -> Response:
    """The answer for an error. Those of JSON Web Tokens have the body that the storage's other routes give them."""
    if isinstance(ex, RestError):
        response = Response(ex.status, ex.headers, ex.body(), code=ex.code)
    else:
        error = _as_tus_error(ex)
        code = error.code if error is ex else as_rest_error(ex).code
        response = Response(error.status, error.headers, error.message.encode(), _TEXT, code=code)
    if method != "HEAD":
        return response
    if response.status >= 500:
        # After any other failure of a HEAD the client would upload from the beginning.
        return Response(LOCKED, _AGAIN, content_type=_TEXT, code=response.code)
    return response._replace(body=b"")


def _as_tus_error(ex: PorticoError) -> TusError:
    if isinstance(ex, TusError):
        return ex
    kind = translate(ex)
    make = next((_WORDS[each] for each in type(kind).__mro__ if each in _WORDS), None)
    if make is not None:
        return make(kind)
    # The other kinds mean the same by every face; their true status is the one that its body has there.
    error = as_rest_error(kind)
    return TusError(error.logical, error.message, error.headers)


def _fixed(status: int, text: str, headers: Headers = ()) -> Callable[[core.StorageError], TusError]:
    return lambda _: TusError(status, text, headers)


_WORDS: Mapping[type[core.StorageError], Callable[[Any], TusError]] = {
    # The text is all that a client shows.
    core.InvalidKey: lambda ex: TusError(400, f"Invalid key: {ex.key}\n{ex.hint}\n"),
    core.NoSuchUpload: _fixed(404, "The file for this url was not found\n"),
    core.UploadExpired: _fixed(410, "The file for this url no longer exists\n"),
    core.UploadFinished: _fixed(400, "Cannot terminate an already completed upload"),
    core.OffsetConflict: _fixed(409, "Upload-Offset conflict\n"),
    core.TooLarge: _fixed(413, "Maximum size exceeded\n"),
    core.LengthExceeded: _fixed(413, "upload's size exceeded\n"),
    # A client gives up after any 4xx but 409 and 423.
    core.TooManyConnections: _fixed(503, "Too many connections issued to the database", _AGAIN),
    core.RowLocked: _fixed(LOCKED, "The resource is locked", _AGAIN),
    shared.InvalidToken: lambda ex: TusError(400, ex.message),
    shared.InvalidSignature: lambda ex: TusError(400, ex.message),
}
