"""The head of a request as it was received.

WSGI decodes the path, joins repeated headers, and drops those whose names have an underscore. A signature covers the
head as the client sent it, so it is checked against this one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, quote

from app.http.environ import HEADER_BLOCK

# Long heads would fill the memory.
_LONGEST_REMEMBERED = 4096


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """``lines`` are the headers in their order, with names in lower case and values in Latin-1. ``path`` and
    ``query_string`` are percent-encoded. ``headers`` has the values of each name, joined by commas. A head equals only
    itself."""

    method: str
    path: str
    query_string: str
    lines: tuple[tuple[str, str], ...] = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)

    @classmethod
    def of(cls, method: str, target: str, lines: tuple[tuple[str, str], ...]) -> Head:
        """The head of a request to ``target``."""
        headers: dict[str, str] = {}
        for name, value in lines:
            headers[name] = f"{headers[name]},{value}" if name in headers else value
        # Not normalised: the signature covers repeated slashes at the beginning.
        path = target.partition("?")[0] if target.startswith("/") else path_of(target)
        return cls(method, path, target.partition("?")[2], lines, headers)

    def query(self) -> dict[str, str]:
        """The last value of each parameter, decoded."""
        return dict(parse_qsl(self.query_string, keep_blank_values=True)) if self.query_string else {}


class ReceivedHead(NamedTuple):
    """The request up to its body. ``headers`` are those that the application sees, by names in lower case. ``block``
    has the received bytes: the request line, and all headers as they were sent."""

    method: str
    target: str
    headers: Mapping[str, str]
    block: bytes

    def as_sent(self) -> Head:
        """The head with all headers as the client sent them."""
        return _head_of_block(self.method, self.target, self.block)


def path_of(target: str) -> str:
    """The path in a request's target, percent-encoded; the target may be a whole URL (RFC 9112 section 3.2)."""
    path = target.partition("?")[0]
    if not path.startswith("/"):
        path = path.partition("://")[2].partition("/")[2]
    return "/" + path.lstrip("/")


def head_of(environ: Mapping[str, Any]) -> Head:
    """The head of a WSGI request. Other WSGI servers do not keep the lines; they are then made from the environ."""
    block = environ.get(HEADER_BLOCK)
    target = environ.get("REQUEST_URI")
    if target is None:
        target = quote(environ["PATH_INFO"].encode("latin-1"), safe="/!*'()&$@=;:+,?~")
        if environ.get("QUERY_STRING"):
            target += f"?{environ['QUERY_STRING']}"
    method = environ["REQUEST_METHOD"]
    if block is None:
        return Head.of(method, target, _lines_of_environ(environ))
    return _head_of_block(method, target, block)


def _head_of_block(method: str, target: str, block: bytes) -> Head:
    if len(block) > _LONGEST_REMEMBERED:
        return Head.of(method, target, lines_of(block))
    return _short_head(method, target, block)


# Admission and the face read the same head: both get the same object, by which they can find what they know about it.
@lru_cache(64)
def _short_head(method: str, target: str, block: bytes) -> Head:
    return Head.of(method, target, lines_of(block))


def lines_of(block: bytes) -> tuple[tuple[str, str], ...]:
    """The headers in ``block``: the bytes received before the body, with the request line and a line for each
    header."""
    lines: list[tuple[str, str]] = []
    for line in block.decode("latin-1").split("\n")[1:]:
        line = line.rstrip("\r")
        if line[:1] in (" ", "\t") and lines:
            # A folded line (RFC 9112 section 5.2).
            lines[-1] = (lines[-1][0], f"{lines[-1][1]} {line.strip()}")
            continue
        name, colon, value = line.partition(":")
        if colon:
            lines.append((name.lower(), value.strip(" \t")))
    return tuple(lines)


def _lines_of_environ(environ: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    named = {name[5:]: value for name, value in environ.items() if name.startswith("HTTP_")}
    named |= {name: environ[name] for name in ("CONTENT_TYPE", "CONTENT_LENGTH") if environ.get(name)}
    return tuple((name.replace("_", "-").lower(), value) for name, value in named.items())
