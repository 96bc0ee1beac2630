"""Caches parsed request headers: clients repeat theirs, and parsing one takes longer than a look-up here."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote_to_bytes

from app.http.environ import HEADER_BLOCK

# Only for these paths and queries does the simple parsing below give the same result as waitress's parser.
_LINE = re.compile(rb"([A-Z]+) ((/(?!/)[\w.~!$&'()*+,;=:@%/-]*)(?:\?([\w.~!$&'()*+,;=:@%/?-]*))?) HTTP/1\.1", re.ASCII)


class KnownHeader:
    """A header block that was parsed before. ``parsed``: the attributes of its requests; ``environ``: the WSGI environ
    without body and client address, None before the first request.

    ``whole``: the attributes of a request that arrives at once with its body, ``size`` bytes in all; None if admission
    must decide on each request.
    """

    __slots__ = ("environ", "parsed", "size", "whole")

    def __init__(self, parsed: dict[str, Any]) -> None:
        self.parsed = parsed
        self.environ: dict[str, Any] | None = None
        self.whole: dict[str, Any] | None = None
        self.size = 0

    def with_line(self, block: bytes, line: re.Match[bytes]) -> KnownHeader:
        """The KnownHeader of ``block``, which differs from this one only in its first line."""
        method, target, path, query = (part.decode("latin-1") for part in line.groups(b""))
        if "%" in path:
            path = unquote_to_bytes(line[3]).decode("latin-1")
        known = KnownHeader(self.parsed | {
            "first_line": line[0], "command": method, "request_uri": target, "path": path, "query": query,
            "proxy_scheme": "", "proxy_netloc": "", "fragment": "",
        })  # fmt: skip
        if self.environ is not None and not self.environ["SCRIPT_NAME"]:
            known.environ = self.environ | {
                "REQUEST_METHOD": method, "REQUEST_URI": target, "PATH_INFO": "/" + path.lstrip("/"),
                "QUERY_STRING": query, HEADER_BLOCK: block,
            }  # fmt: skip
        return known


class HeaderCache:
    """A cache of parsed headers by their bytes."""

    _MAX_ENTRIES = 500
    _MAX_BLOCK_BYTES = 2048

    def __init__(self) -> None:
        self._known: dict[bytes, KnownHeader] = {}
        # The keys are the lines after the first one, which clients repeat for every target.
        self._by_fields: dict[bytes, KnownHeader] = {}
        self.find: Callable[[bytes], KnownHeader | None] = self._known.get

    def find_similar(self, block: bytes) -> KnownHeader | None:
        """The KnownHeader of ``block``, derived from a cached one that differs only in method and target. None if the
        cache has no such header, or the first line needs waitress's parser."""
        line, _, fields = block.partition(b"\r\n")
        similar = self._by_fields.get(fields)
        parsed_line = None if similar is None else _LINE.fullmatch(line)
        if similar is None or parsed_line is None:
            return None
        known = similar.with_line(block, parsed_line)
        if self._add(block, known) and similar.environ is None:
            # The cached request was refused, so it has no environ. This one may get an environ.
            self._by_fields[fields] = known
        return known

    def keep(self, block: bytes, known: KnownHeader) -> None:
        """Cache ``known`` for the header block ``block``, unless that is longer than 2 KiB."""
        if self._add(block, known) and known.parsed["version"] == "1.1":
            self._by_fields[block.partition(b"\r\n")[2]] = known

    def _add(self, block: bytes, known: KnownHeader) -> bool:
        if len(block) > self._MAX_BLOCK_BYTES:
            return False
        if len(self._known) >= self._MAX_ENTRIES:
            self._known.clear()
            self._by_fields.clear()
        self._known[block] = known
        return True
