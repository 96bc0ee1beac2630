"""Bytes that two readers could read as different requests: they are refused, and nothing behind them is answered."""

from __future__ import annotations

from datetime import UTC, datetime

from bench.siege.client import raw, statuses
from bench.siege.finding import Attack, Finding, Tally
from bench.siege.grounds import Grounds

_SMUGGLED = b"GET /version HTTP/1.1\r\nHost: x\r\n\r\n"
_BODY = b"0\r\n\r\n" + _SMUGGLED
_LENGTH = b"Content-Length: %d" % len(_BODY)
_CHUNKED = b"Transfer-Encoding: chunked"
_AMBIGUOUS = (
    (_LENGTH, _CHUNKED),
    (_CHUNKED, _LENGTH),
    (b"Content-Length: 5", _LENGTH),
    (b"Content-Length: 5, 6",),
    (b"Content-Length: +5",),
    (b"Content-Length: -5",),
    (b"Content-Length: 0x5",),
    (b"Content-Length: 5_0",),
    (b"Content-Length: 5 5",),
    (b"Content-Length:",),
    (b"Content-Length : 5",),
    (b"Content-Length: \xb2",),
    (b"Transfer-Encoding : chunked",),
    (b"Transfer-Encoding: xchunked",),
    (b"Transfer-Encoding: chunked, identity",),
    (b"Transfer-Encoding: identity",),
    (b"Transfer-Encoding: gzip, chunked",),
    (_CHUNKED, b"Transfer-Encoding: identity"),
    (_CHUNKED, _CHUNKED),
    (b"Transfer-Encoding:\x0bchunked",),
    (b"Transfer-Encoding: \x00chunked",),
    (b" Transfer-Encoding: chunked",),
    (b"X: y\r\n Transfer-Encoding: chunked",),
    (b"X: y\nTransfer-Encoding: chunked",),
    (b"X: y\rTransfer-Encoding: chunked",),
    (b"Transfer_Encoding: chunked", _CHUNKED, b"Content_Length: 5", _LENGTH),
)
_CHUNKS = (
    b"5\n",
    b"0x5\r\n",
    b"+5\r\n",
    b"-5\r\n",
    b"5 \r\n",
    b"5;\nx\r\n",
    b"fffffffffffffffff\r\n",
    b"\r\n",
    b"5\r\nabcdeX\r\n",
)
_LINES = (
    b"GET /version",
    b"GET /version HTTP/1.1 x",
    b"GET  /version HTTP/1.1",
    b"GET /version  HTTP/1.1",
    b"GET\t/version\tHTTP/1.1",
    b"GET /ver\x00sion HTTP/1.1",
    b"GET /ver\rsion HTTP/1.1",
    b"\x00GET /version HTTP/1.1",
    b"GET /version HTTP/9.9",
    b"GET /version HTTP/1.10",
    b"GET /version http/1.1",
    b"G@T /version HTTP/1.1",
    b" GET /version HTTP/1.1",
    b"GET /version HTTP/1.1\n",
)
_LONG = 200_000
_LONGEST_CPU_S = 5.0
"""For all the lines, which are short work on a quiet machine."""
_ASKED = (
    "GET /version", "GET /graphql/v1", "GET /object/public/{bucket}/k", "GET /s3/{bucket}/k", "GET /upload/resumable",
    "POST /s3/{bucket}", "POST /upload/resumable", "POST /graphql/v1", "POST /object/{bucket}/k",
)  # fmt: skip
_MOMENT = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ").encode()
_LONG_LINES = (
    b"X:" + b" " * _LONG + b"y",
    b"X:" + b" " * _LONG + b"\x01",
    b"X: y" + b" " * _LONG + b"y",
    b"X:" + b"\t " * (_LONG // 2) + b"y",
    b"X: " + b"y " * (_LONG // 2),
    b"X: y" + b"\r\n y" * (_LONG // 4),
    b"X: y" + b"\r\nX: y" * (_LONG // 6),
    b"If-Match: " + b'"' * _LONG,
    b"If-None-Match: " + b" " * _LONG + b"y",
    b"If-None-Match: " + b"y," * (_LONG // 2),
    b"Range: bytes=" + b" " * _LONG + b"y",
    b"Authorization: Bearer" + b" " * _LONG + b"y",
    b"Authorization: AWS4-HMAC-SHA256 Credential=" + b" " * _LONG + b"y",
    b"Authorization: AWS4-HMAC-SHA256" + b" " * _LONG + b"y",
    b"X-Amz-Security-Token: x\r\nX-Amz-Date: %b\r\nAuthorization: AWS4-HMAC-SHA256 Credential=a/%b/r/s3/aws4_request,"
    b"SignedHeaders=host;x-amz-date;x-amz-security-token%b, Signature=%b\r\nY: %b"
    % (_MOMENT, _MOMENT[:8], b";y" * 1000, b"0" * 64, b"y" * _LONG),
    b"X-Amz-Security-Token: x\r\nX-Amz-Date: %b\r\nAuthorization: AWS4-HMAC-SHA256 Credential=a/%b/r/s3/aws4_request,"
    b"SignedHeaders=host;x-amz-date;x-amz-security-token%b, Signature=%b%b"
    % (_MOMENT, _MOMENT[:8], b"".join(b";y%d" % number for number in range(10_000)), b"0" * 64, b"\r\nZ: y" * 20_000),
    b"x-amz-copy-source: " + b"?versionId=" * (_LONG // 11) + b"&",
    b"Upload-Metadata: " + b"a " * (_LONG // 2),
    b"Content-Type: multipart/form-data; boundary=" + b'";' * (_LONG // 2),
    b'Content-Type: multipart/form-data; a="' + b";" * _LONG,
    b"Accept: " + b"a/b;q=0," * (_LONG // 8),
    b"Cookie: " + b'a="\\' * (_LONG // 4),
)
_HOSTS = (
    (b"Host: a", b"Host: b"),
    (b"Host: a", b"Host: a"),
    (),
    (b"Host: a, b",),
    (b"Host: a b",),
    (b"Host: a/b",),
    (b"Host: a@b",),
    (b"Host : a",),
    (b"Host: a\x00",),
)


def _smuggling(grounds: Grounds, _: float) -> Finding:
    """Behind each request is another one, which would be valid alone: neither may be answered as if it were valid."""
    service, tally = grounds.service, Tally()
    for lines in _AMBIGUOUS:
        sent = b"\r\n".join([b"POST /graphql/v1 HTTP/1.1", b"Host: x", *lines, b"", b""]) + _BODY
        found = statuses(raw(service.address, sent))
        tally.add(200 not in found, (lines, found))
    for chunk in _CHUNKS:
        sent = b"POST /graphql/v1 HTTP/1.1\r\nHost: x\r\n" + _CHUNKED + b"\r\n\r\n" + chunk + b"abcde\r\n" + _BODY
        found = statuses(raw(service.address, sent))
        tally.add(200 not in found, (chunk, found))
    tally.add(service.is_responsive(), "the service does not respond afterwards")
    return tally.finding()


def _lines(grounds: Grounds, _: float) -> Finding:
    service, tally = grounds.service, Tally()
    for line in _LINES:
        found = statuses(raw(service.address, line + b"\r\nHost: x\r\n\r\n" + _SMUGGLED))
        tally.add(found in ([400], [404], [505]), (line, found))
    return tally.finding()


def _hosts(grounds: Grounds, _: float) -> Finding:
    service, tally = grounds.service, Tally()
    for lines in _HOSTS:
        found = statuses(
            raw(service.address, b"\r\n".join([b"GET /version HTTP/1.1", *lines, b"Connection: close", b"", b""]))
        )
        tally.add(found == [400], (lines, found))
    return tally.finding()


def _long_lines(grounds: Grounds, _: float) -> Finding:
    """Headers of 200 KB in every protocol, without a credential: each is read once."""
    service, tally, most = grounds.service, Tally(), 0.0
    bucket = service.bucket(public=True)
    assert service.ask("POST", f"/object/{bucket}/k", b"x").status == 200
    asked = [each.format(bucket=bucket).encode() for each in _ASKED]
    for line in _LONG_LINES:
        before = service.cpu_s()
        for begun in asked:
            raw(service.address, b"%b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n%b\r\n\r\n" % (begun, line))
        used = service.cpu_s() - before
        most = max(most, used)
        tally.add(used < _LONGEST_CPU_S, (line[:60], f"{used:.1f} s of CPU"))
    tally.add(service.is_responsive(), "the service does not respond afterwards")
    return tally.finding(f"at most {most:.2f} s of CPU")


ATTACKS = (
    Attack(
        "two readings of one request", "what is ambiguous is refused, and nothing behind it is answered", _smuggling
    ),
    Attack("request lines", "an invalid request line is refused, and nothing after it is answered", _lines),
    Attack("hosts", "a request names one host", _hosts),
    Attack("long header lines", "a header takes time in proportion to its length", _long_lines),
)
