"""Derives a key for each purpose from one secret, so that a signature for one purpose is not valid for another."""

from __future__ import annotations

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

SIGNED_URLS = "portico signed urls"


def derived_key(secret: str, purpose: str) -> bytes:
    """The key of 64 bytes for ``purpose``, derived from ``secret`` by HKDF (RFC 5869)."""
    return HKDF(algorithm=SHA256(), length=64, salt=None, info=purpose.encode()).derive(secret.encode())
