"""Bodies in chunks: framing, signatures, trailers, lengths and checksums."""

from __future__ import annotations

import base64
import hashlib
import io
import zlib
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.faces.s3.body import VerifiedBody, verified_body
from app.faces.s3.chunked import ChunkSigner
from app.faces.s3.errors import S3Error
from app.faces.s3.signature import EMPTY, Scope, sign, signing_key

SCOPE = Scope("20260101", "auto", "s3")
KEY = signing_key("secret", SCOPE)
MOMENT, SEED = "20260101T000000Z", "0" * 64
UNSIGNED = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
SIGNED = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"


def signer() -> ChunkSigner:
    return ChunkSigner(KEY, MOMENT, SCOPE, SEED)


def crc32(data: bytes) -> str:
    return base64.b64encode(zlib.crc32(data).to_bytes(4, "big")).decode()


def framed(chunks: list[bytes], trailer: bytes = b"") -> bytes:
    parts = [b"%x\r\n%s\r\n" % (len(each), each) for each in chunks if each]
    return b"".join([*parts, b"0\r\n", trailer, b"\r\n"])


def signed_frames(chunks: list[bytes], trailer: tuple[str, str] | None = None, *, end: bytes = b"\r\n") -> bytes:
    """The chunks with signatures, as Amazon's documentation says how to compute them."""
    previous, body = SEED, b""
    for chunk in [*(each for each in chunks if each), b""]:
        digest = hashlib.sha256(chunk).hexdigest()
        text = f"AWS4-HMAC-SHA256-PAYLOAD\n{MOMENT}\n{SCOPE}\n{previous}\n{EMPTY}\n{digest}"
        previous = sign(KEY, text)
        body += b"%x;chunk-signature=%s\r\n" % (len(chunk), previous.encode())
        body += chunk + b"\r\n" if chunk else b""
    if trailer is None:
        return body + b"\r\n"
    line = f"{trailer[0]}:{trailer[1]}\n".encode()
    digest = hashlib.sha256(line).hexdigest()
    signature = sign(KEY, f"AWS4-HMAC-SHA256-TRAILER\n{MOMENT}\n{SCOPE}\n{previous}\n{digest}")
    return body + line.rstrip(b"\n") + end + b"x-amz-trailer-signature:" + signature.encode() + b"\r\n\r\n"


def body_of(data: bytes, payload: str, **headers: str) -> VerifiedBody:
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return verified_body(io.BytesIO(data), len(data), given, payload, signer)


def read_all(body: VerifiedBody, size: int = 7) -> bytes:
    return b"".join(iter(lambda: body.read(size), b""))


def refused(act: Callable[[], object]) -> str:
    with pytest.raises(S3Error) as caught:
        act()
    return caught.value.code


@settings(max_examples=60, deadline=None)
@given(chunks=st.lists(st.binary(min_size=1, max_size=400), max_size=5), size=st.integers(1, 500))
def test_framed_data_is_read(chunks: list[bytes], size: int) -> None:
    data = b"".join(chunks)
    length = {"x_amz_decoded_content_length": str(len(data)), "x_amz_trailer": "x-amz-checksum-crc32"}
    trailer = f"x-amz-checksum-crc32:{crc32(data)}\r\n".encode()
    assert read_all(body_of(framed(chunks, trailer), UNSIGNED, **length), size) == data
    assert read_all(body_of(signed_frames(chunks), SIGNED, **length), size) == data
    for end in (b"\r\n", b"\n\r\n"):
        whole = signed_frames(chunks, ("x-amz-checksum-crc32", crc32(data)), end=end)
        assert read_all(body_of(whole, SIGNED + "-TRAILER", **length), size) == data


DATA = b"0123456789"
LENGTH = {"x_amz_decoded_content_length": "10"}
TRAILER = f"x-amz-checksum-crc32:{crc32(DATA)}\r\n".encode()
WHOLE = framed([DATA], TRAILER)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (WHOLE[:8], "IncompleteBody"),
        (b"a\r\n0123456789\r\n", "IncompleteBody"),
        (framed([DATA]), "MalformedTrailerError"),
        (framed([DATA], b"no colon\r\n"), "InvalidRequest"),
        (b"zz\r\n0123456789\r\n0\r\n\r\n", "InvalidRequest"),
        (b"a\r\n0123456789XX0\r\n\r\n", "InvalidRequest"),
        (b"a;" + b"x" * 300 + b"\r\n0123456789\r\n0\r\n\r\n", "InvalidRequest"),
        (framed([DATA], b"x-amz-checksum-crc32:AAAAAA==\r\n"), "BadDigest"),
        (framed([DATA + b"x"], TRAILER), "IncompleteBody"),
        (framed([DATA[:-1]], TRAILER), "IncompleteBody"),
        (framed([DATA], b"a:" + b"b" * 20_000 + b"\r\n"), "InvalidRequest"),
    ],
)
def test_bad_framing_is_refused(data: bytes, code: str) -> None:
    body = body_of(data, UNSIGNED, x_amz_trailer="x-amz-checksum-crc32", **LENGTH)
    assert refused(lambda: read_all(body)) == code


def test_changed_chunks_and_trailers_are_refused() -> None:
    whole = signed_frames([DATA], ("x-amz-checksum-crc32", crc32(DATA)))
    for data in (
        whole.replace(b"456", b"654"),
        whole.replace(b"crc32:", b"crc32: x"),
        whole[: whole.index(b"x-amz-trailer-signature")] + b"\r\n",
    ):
        body = body_of(data, SIGNED + "-TRAILER", **LENGTH)
        assert refused(partial(read_all, body)) == "SignatureDoesNotMatch"
    unsigned = framed([DATA])
    assert refused(lambda: read_all(body_of(unsigned, SIGNED, **LENGTH))) == "InvalidRequest"


def test_plain_bodies_are_verified() -> None:
    digest = hashlib.sha256(DATA).hexdigest()
    assert read_all(body_of(DATA, digest)) == DATA
    assert read_all(body_of(DATA, "UNSIGNED-PAYLOAD")) == DATA
    assert refused(lambda: read_all(body_of(DATA, "0" * 64))) == "XAmzContentSHA256Mismatch"
    assert refused(lambda: body_of(DATA, "STREAMING-SOMETHING-NEW")) == "InvalidRequest"
    assert refused(lambda: body_of(DATA, UNSIGNED)) == "MissingContentLength"


def test_the_last_bytes_are_held_back_until_verified() -> None:
    body = body_of(DATA, "0" * 64)
    assert body.read(9) == DATA[:9]
    assert refused(lambda: body.read(1)) == "XAmzContentSHA256Mismatch"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("content-md5", base64.b64encode(hashlib.md5(DATA).digest()).decode()),
        ("x-amz-checksum-crc32", crc32(DATA)),
        ("x-amz-checksum-sha1", base64.b64encode(hashlib.sha1(DATA).digest()).decode()),
        ("x-amz-checksum-sha256", base64.b64encode(hashlib.sha256(DATA).digest()).decode()),
    ],
)
def test_checksums_are_verified(name: str, value: str) -> None:
    good = verified_body(io.BytesIO(DATA), 10, {name: value}, "UNSIGNED-PAYLOAD", signer)
    assert read_all(good) == DATA
    other = verified_body(io.BytesIO(b"9876543210"), 10, {name: value}, "UNSIGNED-PAYLOAD", signer)
    assert refused(lambda: read_all(other)) == "BadDigest"


def test_crc32c_is_verified_with_fast_code() -> None:
    google_crc32c = pytest.importorskip("google_crc32c")
    value = base64.b64encode(google_crc32c.value(DATA).to_bytes(4, "big")).decode()
    headers = {"x-amz-checksum-crc32c": value}
    assert read_all(verified_body(io.BytesIO(DATA), 10, headers, "UNSIGNED-PAYLOAD", signer)) == DATA
    other = verified_body(io.BytesIO(b"x" * 10), 10, headers, "UNSIGNED-PAYLOAD", signer)
    assert refused(lambda: read_all(other)) == "BadDigest"


def test_unknown_checksums_are_ignored() -> None:
    for name in ("x-amz-checksum-xxhash64", "x-amz-checksum-xxhash3"):
        assert read_all(verified_body(io.BytesIO(DATA), 10, {name: "?"}, "UNSIGNED-PAYLOAD", signer)) == DATA


def test_a_malformed_md5_is_refused() -> None:
    assert refused(lambda: body_of(DATA, "UNSIGNED-PAYLOAD", content_md5="nonsense")) == "InvalidDigest"
