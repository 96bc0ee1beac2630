"""The request that an operation of this API takes, and its JSON response."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import BinaryIO, NamedTuple

from app.faces.shared.upload_body import media_type
from app.http.response import Response
from app.storage.records import ObjectName
from app.storage.request_context import RequestContext


class RestRequest(NamedTuple):
    """One request to an operation.

    ``identified``: whether the request has a valid token. Names in ``headers`` are in lower case; ``query`` has the
    last value of each parameter, ``query_string`` all of them as they were sent. ``bucket`` and ``key`` come from the
    path, '' if it has none. ``length`` is the declared length of ``body``, None when it is chunked. ``client`` is the
    client's address.
    """

    context: RequestContext
    identified: bool
    method: str
    bucket: str
    key: str
    headers: Mapping[str, str]
    query: Mapping[str, str]
    query_string: str
    body: BinaryIO
    length: int | None
    client: str = ""

    @property
    def name(self) -> ObjectName:
        """The object that the path names."""
        return ObjectName(self.bucket, self.key)

    @property
    def upsert(self) -> bool:
        """Whether a write may replace an object."""
        return self.headers.get("x-upsert") == "true"

    @property
    def media_type(self) -> str:
        """The body's media type in lower case and without parameters; '' when it is not declared."""
        return media_type(self.headers)


_encoder = json.JSONEncoder(ensure_ascii=False)


def json_response(value: object) -> Response:
    """The response with ``value`` as its JSON body."""
    return Response(body=_encoder.encode(value).encode(errors="replace"))
