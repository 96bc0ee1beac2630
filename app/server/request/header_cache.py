"""Remembers the headers of requests: clients repeat theirs, and parsing one takes longer than finding it here."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote_to_bytes

from app.http.environ import HEADER_BLOCK

# A path and a query that are read here as by any other rule; other targets are parsed.
_LINE = re.compile(rb"([A-Z]+) ((/(?!/)[\w.~!$&'()*+,;=:@%/-]*)(?:\?([\w.~!$&'()*+,;=:@%/?-]*))?) HTTP/1\.1", re.ASCII)


class KnownHeader:
    """A header block that was parsed before. ``parsed``: the attributes of its requests; ``environ``: that of WSGI,
    without body and client's address, None before the first request.

    ``whole``: the attributes of a request that is received at once with its body, ``size`` bytes together; None where
    each must be judged.
    """

    __slots__ = ("environ", "parsed", "size", "whole")

    def __init__(self, parsed: dict[str, Any]) -> None:
        self.parsed = parsed
        self.environ: dict[str, Any] | None = None
        self.whole: dict[str, Any] | None = None
        self.size = 0

    def with_line(self, block: bytes, line: re.Match[bytes]) -> KnownHeader:
        """What is known of ``block``, which differs from this one in its first line only."""
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


class HeaderMemory:
    """A cache of parsed headers by their bytes."""

    _ENTRIES = 500
    _LONGEST = 2048

    def __init__(self) -> None:
        self._known: dict[bytes, KnownHeader] = {}
        # By what follows the first line. Clients repeat that for every target.
        self._by_fields: dict[bytes, KnownHeader] = {}
        self.find: Callable[[bytes], KnownHeader | None] = self._known.get

    def resembling(self, block: bytes) -> KnownHeader | None:
        """What is known of ``block`` from one that differed in its method and target only."""
        line, _, fields = block.partition(b"\r\n")
        like = self._by_fields.get(fields)
        read = None if like is None else _LINE.fullmatch(line)
        if like is None or read is None:
            return None
        known = like.with_line(block, read)
        if self._add(block, known) and like.environ is None:
            # That request was refused; this one may be answered.
            self._by_fields[fields] = known
        return known

    def keep(self, block: bytes, known: KnownHeader) -> None:
        """Remember what is known of ``block``, unless it is long."""
        if self._add(block, known) and known.parsed["version"] == "1.1":
            self._by_fields[block.partition(b"\r\n")[2]] = known

    def _add(self, block: bytes, known: KnownHeader) -> bool:
        if len(block) > self._LONGEST:
            return False
        if len(self._known) >= self._ENTRIES:
            self._known.clear()
            self._by_fields.clear()
        self._known[block] = known
        return True
