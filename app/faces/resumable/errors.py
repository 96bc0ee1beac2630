"""The errors of this protocol: plain text, with a status that decides what the client does next.

Clients repeat a request after 409, 423 and 5xx. After a HEAD that fails with another status, they start a new upload.
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
    """An error with its text; some texts end with a line break. ``headers`` are further ones of the response."""

    def __init__(self, status: int, text: str, headers: Headers = ()) -> None:
        super().__init__(text, code="RESUMABLE_UPLOAD", status=status)
        self.headers = headers


def invalid_headers(*names: str) -> TusError:
    """Headers, named in lower case, do not have the format that the protocol requires."""
    return TusError(400, f"Invalid {' '.join(names)}\n")


def length_required() -> TusError:
    """The length is missing, or was declared where that is not allowed."""
    return TusError(400, "Upload-Length or Upload-Defer-Length header required\n")


def refusal(ex: PorticoError, method: str) -> Response:
    """The response for an error. Errors of JSON Web Tokens have the same body as in the REST API."""
    if isinstance(ex, RestError):
        response = Response(ex.status, ex.headers, ex.body(), code=ex.code)
    else:
        error = _as_tus_error(ex)
        code = error.code if error is ex else as_rest_error(ex).code
        response = Response(error.status, error.headers, error.message.encode(), _TEXT, code=code)
    if method != "HEAD":
        return response
    if response.status >= 500:
        # After any other failure of a HEAD request the client would upload from the beginning.
        return Response(LOCKED, _AGAIN, content_type=_TEXT, code=response.code)
    return response._replace(body=b"")


def _as_tus_error(ex: PorticoError) -> TusError:
    if isinstance(ex, TusError):
        return ex
    kind = translate(ex)
    make = next((_WORDS[each] for each in type(kind).__mro__ if each in _WORDS), None)
    if make is not None:
        return make(kind)
    # Other kinds mean the same in the REST API. Their status here is the logical one, which the REST API has in the
    # body.
    error = as_rest_error(kind)
    return TusError(error.logical, error.message, error.headers)


def _fixed(status: int, text: str, headers: Headers = ()) -> Callable[[core.StorageError], TusError]:
    return lambda _: TusError(status, text, headers)


_WORDS: Mapping[type[core.StorageError], Callable[[Any], TusError]] = {
    # A client shows only the text, so it includes the hint.
    core.InvalidKey: lambda ex: TusError(400, f"Invalid key: {ex.key}\n{ex.hint}\n"),
    core.NoSuchUpload: _fixed(404, "The file for this url was not found\n"),
    core.UploadExpired: _fixed(410, "The file for this url no longer exists\n"),
    core.UploadFinished: _fixed(400, "Cannot terminate an already completed upload"),
    core.OffsetConflict: _fixed(409, "Upload-Offset conflict\n"),
    core.TooLarge: _fixed(413, "Maximum size exceeded\n"),
    core.LengthExceeded: _fixed(413, "upload's size exceeded\n"),
    # 503, since a client gives up after any 4xx except 409 and 423.
    core.TooManyConnections: _fixed(503, "Too many connections issued to the database", _AGAIN),
    core.RowLocked: _fixed(LOCKED, "The resource is locked", _AGAIN),
    shared.InvalidToken: lambda ex: TusError(400, ex.message),
    shared.InvalidSignature: lambda ex: TusError(400, ex.message),
}
