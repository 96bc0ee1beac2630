"""Checksums that a client sends with a body, in a header or in a trailer."""

from __future__ import annotations

import base64
import binascii
import hashlib
import zlib
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

from app.faces.s3.errors import S3Error, bad_digest
from app.faces.shared.digests import Cyclic, Digest

PREFIX = "x-amz-checksum-"


def _optional(module: str, name: str) -> Any:
    """A function of a package that need not be installed; None without it."""
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError):
        return None


def _crc32c() -> Digest | None:
    extend = _optional("google_crc32c", "extend")
    if extend is None or _optional("google_crc32c", "implementation") != "c":
        return None
    return Cyclic(lambda data, value: int(extend(value, data)), 4)


def _crc64nvme() -> Digest | None:
    step = _optional("awscrt.checksums", "crc64nvme")
    return None if step is None else Cyclic(step, 8)


ALGORITHMS: Mapping[str, Callable[[], Digest | None]] = {
    "crc32": lambda: Cyclic(zlib.crc32, 4),
    "crc32c": _crc32c,
    "crc64nvme": _crc64nvme,
    "md5": lambda: hashlib.md5(usedforsecurity=False),
    "sha1": lambda: hashlib.sha1(usedforsecurity=False),
    "sha256": hashlib.sha256,
    "sha512": hashlib.sha512,
}
"""The algorithms that are verified. Others are accepted without verification, since newer clients may send them."""


def without_checksums(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers without checksums, for a request whose checksum is not that of its body."""
    return {name: value for name, value in headers.items() if not name.startswith(PREFIX)}


def digest_of(name: str, data: bytes) -> bytes | None:
    """The checksum of ``data`` by one of ALGORITHMS; None if the package for it is not installed."""
    digest = ALGORITHMS[name]()
    if digest is None:
        return None
    digest.update(data)
    return digest.digest()


class Checksums:
    """The checksums of one body. ``verified``: the announced ones that the body has, in base64 by algorithm."""

    def __init__(self, headers: Mapping[str, str], trailers: tuple[str, ...] = ()) -> None:
        self._md5 = _content_md5(headers.get("content-md5"))
        self._expected = {
            name.removeprefix(PREFIX): value for name, value in headers.items() if name.startswith(PREFIX)
        }
        self._announced = {name.removeprefix(PREFIX) for name in trailers if name.startswith(PREFIX)}
        wanted = {*self._expected, *self._announced}
        made = {name: ALGORITHMS[name]() for name in wanted if name in ALGORITHMS}
        self._digests: dict[str, Digest] = {name: each for name, each in made.items() if each is not None}
        self._md5_digest = hashlib.md5(usedforsecurity=False) if self._md5 is not None else None
        self.verified: dict[str, str] = {}

    def update(self, data: bytes) -> None:
        for each in self._all():
            each.update(data)

    def verify(self, trailers: Mapping[str, str]) -> None:
        """Raise S3Error unless all known checksums, also those in ``trailers``, are those of the body, and no announced
        one is missing."""
        if self._md5_digest is not None and self._md5_digest.digest() != self._md5:
            raise bad_digest("Content-MD5")
        given = {name.removeprefix(PREFIX): value for name, value in trailers.items() if name.startswith(PREFIX)}
        if not self._announced <= given.keys():
            raise S3Error("MalformedTrailerError", 400, "The trailers that were announced are missing")
        for name, value in {**self._expected, **given}.items():
            digest = self._digests.get(name)
            if digest is None:
                continue
            if base64.b64encode(digest.digest()).decode() != value.strip():
                raise bad_digest(name.upper())
            self.verified[name] = value.strip()

    def _all(self) -> Iterator[Digest]:
        yield from self._digests.values()
        if self._md5_digest is not None:
            yield self._md5_digest


def _content_md5(value: str | None) -> bytes | None:
    if value is None:
        return None
    try:
        digest = base64.b64decode(value.strip(), validate=True)
    except (binascii.Error, ValueError):
        digest = b""
    if len(digest) != 16:
        raise S3Error("InvalidDigest", 400, "The Content-MD5 you specified is not valid.")
    return digest
