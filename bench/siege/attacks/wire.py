"""Bytes that two readers could read as different requests: they are refused, and nothing behind them is answered."""

from __future__ import annotations

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
    """Behind each request is another one, which is well by itself: neither may be answered as if it were."""
    service, tally = grounds.service, Tally()
    for lines in _AMBIGUOUS:
        sent = b"\r\n".join([b"POST /graphql/v1 HTTP/1.1", b"Host: x", *lines, b"", b""]) + _BODY
        found = statuses(raw(service.address, sent))
        tally.add(200 not in found, (lines, found))
    for chunk in _CHUNKS:
        sent = b"POST /graphql/v1 HTTP/1.1\r\nHost: x\r\n" + _CHUNKED + b"\r\n\r\n" + chunk + b"abcde\r\n" + _BODY
        found = statuses(raw(service.address, sent))
        tally.add(200 not in found, (chunk, found))
    tally.add(service.is_well(), "the service is not well afterwards")
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


ATTACKS = (
    Attack(
        "two readings of one request", "what is ambiguous is refused, and nothing behind it is answered", _smuggling
    ),
    Attack("request lines", "what is no request line is refused, and nothing behind it is answered", _lines),
    Attack("hosts", "a request names one host", _hosts),
)
