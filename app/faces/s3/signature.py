"""Signature version 4 of AWS: the text that is signed, and its signature.

Texts are decoded as Latin-1, as WSGI decodes headers: encoded again, they are the bytes that the client sent.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote, unquote_to_bytes

ALGORITHM = "AWS4-HMAC-SHA256"
UNSIGNED = "UNSIGNED-PAYLOAD"
EMPTY = hashlib.sha256(b"").hexdigest()

_SPACES = re.compile(r"[ \t\r\n\f\v]+")
_UNRESERVED = "-_.~"


@dataclass(frozen=True, slots=True)
class Scope:
    """The scope of a signing key. ``date`` is yyyymmdd."""

    date: str
    region: str
    service: str

    def __str__(self) -> str:
        return f"{self.date}/{self.region}/{self.service}/aws4_request"


def canonical_query(query: str) -> str:
    """The query, sorted, with names and values in canonical encoding, and without the signature itself."""
    if not query:
        return ""
    pairs = (part.partition("=") for part in query.split("&") if part)
    encoded = ((encoded_again(name), encoded_again(value)) for name, _, value in pairs)
    return "&".join(f"{name}={value}" for name, value in sorted(encoded) if name != "X-Amz-Signature")


def encoded_again(text: str, *, keeping: str = "") -> str:
    """Encoded text, decoded once and encoded according to RFC 3986. In a query, a plus stands for a space."""
    raw = text if keeping else text.replace("+", " ")
    return quote(unquote_to_bytes(raw.encode("latin-1")), safe=_UNRESERVED + keeping)


def canonical_value(values: Iterable[str]) -> str:
    """The values of one header in the format in which they are signed."""
    return ",".join(_SPACES.sub(" ", value).strip(" ") for value in values)


def canonical_request(method: str, path: str, query: str, headers: Sequence[tuple[str, str]], payload: str) -> str:
    """The canonical request. ``headers``: the signed ones, sorted, with canonical values. ``query`` is canonical."""
    lines = "".join(f"{name}:{value}\n" for name, value in headers)
    names = ";".join(name for name, _ in headers)
    return f"{method}\n{path}\n{query}\n{lines}\n{names}\n{payload}"


def string_to_sign(moment: str, scope: Scope, canonical: str) -> str:
    """The text that is signed. ``moment`` is the time of the signature, as yyyymmddThhmmssZ."""
    digest = hashlib.sha256(canonical.encode("latin-1")).hexdigest()
    return f"{ALGORITHM}\n{moment}\n{scope}\n{digest}"


@lru_cache(256)
def signing_key(secret: str, scope: Scope) -> bytes:
    key = b"AWS4" + secret.encode()
    for part in (scope.date, scope.region, scope.service, "aws4_request"):
        key = hmac.digest(key, part.encode("latin-1"), "sha256")
    return key


def sign(key: bytes, text: str) -> str:
    """The signature of ``text``, in hexadecimal digits."""
    return hmac.digest(key, text.encode("latin-1"), "sha256").hex()
