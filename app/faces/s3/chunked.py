"""Reads bodies in the coding aws-chunked: chunks with signatures, and trailers, inside the body of the request."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from app.faces.s3.errors import S3Error, incomplete_body, invalid_request
from app.faces.s3.signature import EMPTY, Scope, sign
from app.storage.bytes.backend import ByteSource

_HEADER = re.compile(rb"([0-9A-Fa-f]{1,15})(?:;chunk-signature=([0-9a-f]{64}))?")
_MAX_CHUNK_HEADER_BYTES = 256
_MAX_TRAILER_BYTES = 16 * 1024
_AT_ONCE = 256 * 1024
_TRAILER_SIGNATURE = "x-amz-trailer-signature"


@dataclass(slots=True)
class ChunkSigner:
    """Verifies the signatures of chunks. Each covers the previous one; the first covers the request's signature."""

    key: bytes = field(repr=False)
    moment: str
    scope: Scope
    previous: str = field(repr=False)

    def check_chunk(self, signature: str, sha256: str) -> None:
        """Raise S3Error unless this is the signature of the next chunk."""
        self._check(signature, f"AWS4-HMAC-SHA256-PAYLOAD\n{self._where()}\n{self.previous}\n{EMPTY}\n{sha256}")

    def check_trailer(self, signature: str, sha256: str) -> None:
        """Raise S3Error unless this is the signature of the trailer."""
        self._check(signature, f"AWS4-HMAC-SHA256-TRAILER\n{self._where()}\n{self.previous}\n{sha256}")

    def _where(self) -> str:
        return f"{self.moment}\n{self.scope}"

    def _check(self, signature: str, text: str) -> None:
        if not hmac.compare_digest(sign(self.key, text), signature):
            raise S3Error("SignatureDoesNotMatch", 403, "The signature of a chunk does not match.")
        self.previous = signature


class ChunkedBody:
    """The data of a body in this coding. ``trailers`` is complete when ``read`` has returned b"".

    ``signer`` is None for chunks without signatures; ``has_trailers``: whether trailers must follow.
    """

    def __init__(self, source: ByteSource, signer: ChunkSigner | None, *, has_trailers: bool) -> None:
        self._source = source
        self._signer = signer
        self._has_trailers = has_trailers
        self._buffer = b""
        self._left = 0
        self._signature = ""
        self._digest = hashlib.sha256()
        self._began = self._ended = False
        self.trailers: dict[str, str] = {}

    def read(self, size: int = -1, /) -> bytes:
        """Return at most ``size`` bytes; b"" at the end. Raises S3Error for a body that is not in this coding."""
        if size < 0:
            return b"".join(iter(lambda: self.read(_AT_ONCE), b""))
        if not self._left and not self._ended:
            self._next_chunk()
        if self._ended:
            return b""
        data = self._take(min(size, self._left))
        self._left -= len(data)
        if self._signer is not None:
            self._digest.update(data)
        return data

    def _next_chunk(self) -> None:
        if self._began:
            self._end_chunk()
        line = self._line(_MAX_CHUNK_HEADER_BYTES)
        found = _HEADER.fullmatch(line.strip(b" \t"))
        if not found or (found[2] is None) != (self._signer is None):
            raise invalid_request("The framing of the body is not that of aws-chunked")
        self._began = True
        self._left = int(found[1], 16)
        self._signature = (found[2] or b"").decode()
        if not self._left:
            self._check_signature()
            self._finish()

    def _end_chunk(self) -> None:
        if self._line(2) != b"":
            raise invalid_request("A line break is expected after each chunk of the body")
        self._check_signature()

    def _check_signature(self) -> None:
        if self._signer is not None:
            self._signer.check_chunk(self._signature, self._digest.hexdigest())
            self._digest = hashlib.sha256()

    def _finish(self) -> None:
        self._ended = True
        lines = list(self._rest())
        signature, signed = None, b""
        for line in lines:
            name, colon, value = line.decode("latin-1").partition(":")
            if not colon:
                raise invalid_request("A trailer is expected as name:value")
            if name.strip().lower() == _TRAILER_SIGNATURE:
                signature = value.strip()
                continue
            self.trailers[name.strip().lower()] = value.strip()
            signed += f"{name.strip().lower()}:{value.strip()}\n".encode("latin-1")
        if not self._has_trailers:
            if lines:
                raise invalid_request("Nothing is expected after the last chunk")
        elif not self.trailers:
            raise S3Error("MalformedTrailerError", 400, "The trailers that were announced are missing")
        elif self._signer is not None:
            self._signer.check_trailer(signature or "", hashlib.sha256(signed).hexdigest())

    def _rest(self) -> Iterator[bytes]:
        """The lines up to the end of the body, without empty ones."""
        total = 0
        while self._buffer or self._fill():
            line = self._line(_MAX_TRAILER_BYTES, may_end=True)
            total += len(line)
            if total > _MAX_TRAILER_BYTES:
                raise invalid_request("The trailers are too long")
            if line:
                yield line

    def _line(self, longest: int, *, may_end: bool = False) -> bytes:
        """The next line without its end, LF or CR LF."""
        while (end := self._buffer.find(b"\n")) < 0:
            if len(self._buffer) > longest:
                raise invalid_request("The framing of the body is not that of aws-chunked")
            if not self._fill():
                if may_end:
                    line, self._buffer = self._buffer, b""
                    return line
                raise incomplete_body("The body ends before its last chunk")
        line, self._buffer = self._buffer[:end], self._buffer[end + 1 :]
        if len(line) > longest:
            raise invalid_request("The framing of the body is not that of aws-chunked")
        return line.removesuffix(b"\r")

    def _take(self, size: int) -> bytes:
        """Return at least one and at most ``size`` bytes."""
        if not self._buffer:
            data = self._source.read(size)
            if not data:
                raise incomplete_body("The body ends within a chunk")
            return data
        data, self._buffer = self._buffer[:size], self._buffer[size:]
        return data

    def _fill(self) -> bool:
        data = self._source.read(_MAX_CHUNK_HEADER_BYTES)
        self._buffer += data
        return bool(data)
