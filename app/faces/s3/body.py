"""The body of a request, verified against its signature and its checksums."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping

from app.faces.s3.checksums import Checksums
from app.faces.s3.chunked import ChunkedBody, ChunkSigner
from app.faces.s3.errors import S3Error, incomplete_body, invalid_request
from app.faces.s3.signature import UNSIGNED
from app.storage.bytes.backend import ByteSource, PassThrough

_SHA256 = re.compile(r"[0-9a-fA-F]{64}", re.ASCII)
_SIGNED, _SIGNED_TRAILER = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"
_UNSIGNED_TRAILER = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
_STREAMING = (_SIGNED, _SIGNED_TRAILER, _UNSIGNED_TRAILER)
_AT_ONCE = 256 * 1024


class VerifiedBody(PassThrough):
    """A source that raises S3Error instead of returning its last bytes if the body differs from what was announced.

    ``length`` is the number of bytes; None if it is unknown.
    """

    def __init__(self, source: ByteSource, length: int | None, sha256: str | None, checksums: Checksums | None) -> None:
        self.source = source
        self._sha256 = sha256
        self._digest = hashlib.sha256() if sha256 is not None else None
        self._checksums = checksums
        self._given = 0
        self._is_verified = False
        self.length = length

    def read(self, size: int = -1, /) -> bytes:
        """Return at most ``size`` bytes; b"" at the end."""
        data = self.source.read(size)
        if data:
            self._count(data)
        if not self._is_verified and (not data or self._given == self.length):
            self._verify()
        return data

    @property
    def checksums(self) -> Mapping[str, str]:
        """The verified checksums that the client sent, in base64 by algorithm. They are complete after the last
        byte."""
        return self._checksums.verified if self._checksums is not None else {}

    def _count(self, data: bytes) -> None:
        self._given += len(data)
        if self.length is not None and self._given > self.length:
            raise incomplete_body("The body is longer than declared")
        if self._digest is not None:
            self._digest.update(data)
        if self._checksums is not None:
            self._checksums.update(data)

    def _verify(self) -> None:
        self._is_verified = True
        if self.length is not None and self._given != self.length:
            raise incomplete_body("The body is shorter than declared")
        # This also reads what follows the data, such as trailers.
        if self.source.read(1):
            raise incomplete_body("The body is longer than declared")
        if self._digest is not None and self._digest.hexdigest() != self._sha256:
            raise S3Error(
                "XAmzContentSHA256Mismatch", 400, "The provided x-amz-content-sha256 header does not match the body."
            )
        if self._checksums is not None:
            self._checksums.verify(getattr(self.source, "trailers", {}))


def verified_body(
    source: ByteSource,
    length: int | None,
    headers: Mapping[str, str],
    payload: str,
    make_signer: Callable[[], ChunkSigner],
) -> VerifiedBody:
    """The body of a request. ``payload`` is the value of x-amz-content-sha256, ``length`` the number of received bytes.

    Raises S3Error for an invalid payload or length.
    """
    trailers = tuple(name.strip().lower() for name in headers.get("x-amz-trailer", "").split(",") if name.strip())
    has_trailers = payload in (_SIGNED_TRAILER, _UNSIGNED_TRAILER)
    checksums = Checksums(headers, trailers if has_trailers else ())
    if payload not in _STREAMING:
        if payload != UNSIGNED and not _SHA256.fullmatch(payload):
            raise invalid_request(f"x-amz-content-sha256 must be {UNSIGNED}, a SHA-256 or one of {_STREAMING}")
        sha256 = None if payload == UNSIGNED else payload.lower()
        return VerifiedBody(source, length, sha256, checksums)
    signer = None if payload == _UNSIGNED_TRAILER else make_signer()
    chunked = ChunkedBody(source, signer, has_trailers=has_trailers)
    return VerifiedBody(chunked, decoded_length(headers), None, checksums)


def decoded_length(headers: Mapping[str, str]) -> int:
    """The length of the data in a body in the coding aws-chunked. Raises S3Error if it is not declared."""
    value = headers.get("x-amz-decoded-content-length", "")
    if not value.isascii() or not value.isdigit() or len(value) > 18:
        raise S3Error("MissingContentLength", 411, "You must provide the x-amz-decoded-content-length HTTP header.")
    return int(value)


def is_streaming(payload: str) -> bool:
    """Whether the body is in the coding aws-chunked."""
    return payload in _STREAMING


def read_all(body: VerifiedBody, largest: int) -> bytes:
    """All bytes of a short body. Raises S3Error if there are more than ``largest``."""
    parts, size = [], 0
    while data := body.read(_AT_ONCE):
        parts.append(data)
        size += len(data)
        if size > largest:
            raise S3Error("MaxMessageLengthExceeded", 400, "Your request was too big.")
    return b"".join(parts)
