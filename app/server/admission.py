"""Requests that are refused at their header, before a byte of their body is read.

waitress reads a body whole before it calls the application, so a client without a credential could fill the disk.
What can be seen at once is looked at here: whether there is a credential where one is needed, and the declared length.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from urllib.parse import parse_qsl

from app.errors import PorticoError
from app.server.request import Refused
from app.settings import Settings
from app.storage.errors import TooLarge
from app.storage.http.credentials import bearer_token
from app.storage.rest.credentials import presented_token, required_signed_token
from app.storage.rest.errors import as_rest_error
from app.storage.rest.json_bodies import LARGEST_JSON_BODY
from app.storage.rest.routes import Route, Router, path_of, takes_object, without_prefix

GRAPHQL = "/graphql/v1"
# The boundaries and fields of a multipart form around an object.
ENVELOPE = 1024 * 1024


Recognizes = Callable[[str, str, Mapping[str, str]], bool]
"""From method, path and headers of a request: whether it has a credential of another kind than ours."""


def nobody(method: str, path: str, headers: Mapping[str, str]) -> bool:
    return False


class Admission:
    """The rules of both doors."""

    def __init__(self, settings: Settings, recognizes: Recognizes = nobody) -> None:
        self._settings = settings
        self._recognizes = recognizes
        self._router = Router()

    def largest_body(self, method: str, target: str, headers: Mapping[str, str]) -> int:
        path, query = path_of(target), target.partition("?")[2]
        if path == GRAPHQL:
            return self._settings.body_limit
        try:
            match = self._router.match(method, without_prefix(path))
            if match is None:
                return self._settings.body_limit
            given = dict(parse_qsl(query, keep_blank_values=True))
            is_ours = match.route.credential == "ignored" or bearer_token(headers, given) is not None
            if is_ours or not self._recognizes(method, path, headers):
                _check_credential(match.route, headers, given)
        except PorticoError as ex:
            raise _refused(ex) from None
        if not takes_object(match.route):
            return LARGEST_JSON_BODY
        is_form = headers.get("content-type", "").lower().startswith("multipart/")
        return self._settings.upload_size_limit + (ENVELOPE if is_form else 0)

    def too_large(self, target: str, largest: int) -> Refused:
        if path_of(target) != GRAPHQL:
            return _refused(TooLarge())
        error = {"message": f"The body is larger than {largest} bytes", "extensions": {"code": "LIMIT_EXCEEDED"}}
        return Refused(413, json.dumps({"errors": [error]}).encode())


def _check_credential(route: Route, headers: Mapping[str, str], query: Mapping[str, str]) -> None:
    presented_token(route.credential, headers, query)
    if route.credential == "ignored" and takes_object(route):
        required_signed_token(query)


def _refused(ex: PorticoError) -> Refused:
    error = as_rest_error(ex)
    return Refused(error.status, error.body(), error.headers)
