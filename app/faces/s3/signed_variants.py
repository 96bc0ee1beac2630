"""The variants of a request that the client may have signed, if a proxy has changed the request.

A proxy may replace the host or port, add or remove a prefix of the path, encode the path differently, or change
Accept-Encoding. The signature is compared with each variant that the request may have had.

This needs no trusted proxy, because each variant names the same object as the request. Otherwise the holder of a signed
URL could use it for another object, with a forged header that explains the difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product
from urllib.parse import urlsplit

from app.faces.s3.host_names import bucket_of_host
from app.faces.s3.signature import encoded_again
from app.http.head import Head

MAX_CANDIDATES = 64

_PREFIX = "/storage/v1"
_FACE = "/s3/"
_DEFAULT_PORTS = (":443", ":80")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A variant of the request. ``accept_encoding`` is None if the request has no such header."""

    path: str
    host: str
    accept_encoding: str | None


def candidates(head: Head, public_url: str | None, own_host: str | None = None) -> Iterator[Candidate]:
    """The variants, likely ones first; the first is the request as received. ``own_host``: the face's host name."""
    received = Candidate(head.path, head.headers.get("host", ""), head.headers.get("accept-encoding"))
    yield received
    for each in _others(head, public_url, own_host):
        if each != received:
            yield each


def _others(head: Head, public_url: str | None, own_host: str | None) -> Iterator[Candidate]:
    public = urlsplit(public_url) if public_url else None
    bucket = bucket_of_host(head.headers.get("host"), own_host)
    hosts = [each for each in _hosts(head, public.netloc if public else "") if bucket_of_host(each, own_host) == bucket]
    if bucket is None:
        paths = _paths(head, public.path.rstrip("/") if public else "")
    else:
        # The complete path is the object's key, so no prefix is added or removed.
        paths = list(dict.fromkeys([head.path, encoded_again(head.path, keeping="/")]))
    encodings = _encodings(head)
    ranked = sorted(
        product(enumerate(hosts), enumerate(paths), enumerate(encodings)),
        key=lambda each: each[0][0] + each[1][0] + each[2][0],
    )
    for (_, host), (_, path), (_, encoding) in islice(ranked, MAX_CANDIDATES):
        yield Candidate(path, host, encoding)


def _hosts(head: Head, public: str) -> list[str]:
    headers = head.headers
    received = headers.get("host", "")
    forwarded = _first(headers.get("x-forwarded-host", ""))
    port = _first(headers.get("x-forwarded-port", ""))
    found = [received, public, forwarded]
    for host in (received, forwarded):
        bare = _without_port(host)
        found += [f"{bare}:{port}" if bare and port else "", bare]
    found.append(_forwarded_host(headers.get("forwarded", "")))
    for host in list(found):
        if host and _without_port(host) == host:
            found += [host + each for each in _DEFAULT_PORTS]
    return [each for each in dict.fromkeys(found) if each] or [""]


def _paths(head: Head, public: str) -> list[str]:
    received = head.path
    prefix = _first(head.headers.get("x-forwarded-prefix", "")).rstrip("/")
    if _FACE in f"{prefix}/":
        # With this prefix the path would name another object.
        prefix = ""
    found = [received]
    if received.startswith(_PREFIX + "/"):
        found.append(received[len(_PREFIX) :])
    else:
        found.append(_PREFIX + received)
    found += [each + received for each in (prefix, public) if each]
    found += [encoded_again(each, keeping="/") for each in list(found)]
    return list(dict.fromkeys(found))


def _encodings(head: Head) -> list[str | None]:
    received = head.headers.get("accept-encoding")
    original = head.headers.get("x-original-accept-encoding")
    return list(dict.fromkeys([received, *([original] if original else []), "identity", "gzip", ""]))


def _first(value: str) -> str:
    return value.partition(",")[0].strip()


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host


def _forwarded_host(value: str) -> str:
    """The host in the first element of the header Forwarded (RFC 7239)."""
    for pair in _first(value).split(";"):
        name, _, given = pair.partition("=")
        if name.strip().lower() == "host":
            return given.strip().strip('"')
    return ""
