"""Headers that the signer of a request has put into its query.

SDKs move the ``x-amz-`` headers of a presigned URL into its query, where S3 reads them as headers. The signature covers
the query too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.faces.s3.errors import invalid_argument, invalid_request

_PREFIX = "x-amz-"
_NAME = re.compile(r"[a-z0-9!#$%&'*+.^_`|~-]+", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_OF_THE_SIGNATURE = frozenset({
    "x-amz-algorithm", "x-amz-content-sha256", "x-amz-credential", "x-amz-date", "x-amz-expires",
    "x-amz-security-token", "x-amz-signature", "x-amz-signedheaders",
})  # fmt: skip
# Ignored, since SDKs put the checksum of an empty body into each URL for an upload.
_CHECKSUM = re.compile(r"x-amz-checksum-(?!algorithm$|mode$|type$)", re.ASCII)


def with_query_headers(headers: Mapping[str, str], query: Mapping[str, str]) -> Mapping[str, str]:
    """The headers, with those in the query.

    Raises S3Error for a parameter that cannot be a header, and for a header that is in both with different values.
    """
    moved: dict[str, str] = {}
    for given, value in query.items():
        name = given.lower()
        if name.startswith(_PREFIX) and name not in _OF_THE_SIGNATURE and not _CHECKSUM.match(name):
            moved[name] = _header_value(name, value)
            if headers.get(name, moved[name]) != moved[name]:
                raise invalid_request(f"{name} is in the headers and in the query, with different values")
    return {**headers, **moved} if moved else headers


def _header_value(name: str, value: str) -> str:
    """The value as WSGI would read it from a header, whose bytes it decodes as Latin-1."""
    if not _NAME.fullmatch(name) or _CONTROL.search(value):
        raise invalid_argument(f"The query has a parameter that cannot be a header: {name[:100]}")
    return value.encode().decode("latin-1").strip(" \t")
