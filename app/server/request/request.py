"""A request as it arrives: waitress's parser, with checks before the body is read.

This uses undocumented parts of waitress's parser; setup.cfg pins the version.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import Any, NamedTuple

from app.http.admission import Admission, RequestRefused
from app.http.cross_origin import CrossOrigin, Headers
from app.http.head import ReceivedHead
from app.http.refusal import Refusal, no_space, not_running, overloaded
from app.http.response import Response
from app.http.slices import Slices
from app.server.capacity import WorkerTotals
from app.server.handing_over import HandingOver
from app.server.request.body_buffer import BodyBuffer
from app.server.request.header_cache import HeaderCache, KnownHeader
from app.server.waitress_internals import (
    BadRequest,
    FixedStreamReceiver,
    HTTPRequestParser,
    ParsingError,
    RequestEntityTooLarge,
)

_log = logging.getLogger("portico.server")

# In a chunked body: the line before a chunk, or the trailer after the last one.
_MAX_FRAMING_BYTES = 64 * 1024
# Smaller bodies are in memory; the limit on connections also limits their total.
_CHARGED_ABOVE = 64 * 1024
# A body that arrives at once with its header is shorter; others are received, and counted, in parts.
_MAX_BYTES_AT_ONCE = 16 * 1024


_LINE = re.compile(rb"[^\x00-\x20\x7f]+ [^\x00-\x20\x7f]+ HTTP/1\.[01]\r\n")
_CODING = re.compile(rb"\r\ntransfer-encoding[ \t]*:[ \t]*([^\r\n]*)", re.IGNORECASE)
_HOST = re.compile(rb"\r\nhost[ \t]*:", re.IGNORECASE)
_HOST_VALUE = re.compile(r"(\[[\w.:%~-]+\]|[\w.~!$&'()*+;=%-]*)(:[0-9]*)?", re.ASCII)
_WHITESPACE = frozenset((b" ", b"\t", b"\v", b"\f"))
_PARSED = (
    "first_line", "headers", "request_uri", "command", "version", "proxy_scheme", "proxy_netloc", "path", "query",
    "fragment", "url_scheme", "connection_close", "content_length", "expect_continue",
)  # fmt: skip


class _ByName(Mapping[str, str]):
    """The parser's headers by names in lower case."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        self._headers = headers

    def __getitem__(self, name: str) -> str:
        return self._headers[name.replace("-", "_").upper()]

    def __iter__(self) -> Iterator[str]:
        return (name.replace("_", "-").lower() for name in self._headers)

    def __len__(self) -> int:
        return len(self._headers)


class Reception(NamedTuple):
    """The objects that all requests of a worker share. ``adj`` are waitress's settings. ``handing_over``: None if no
    connection is handed over to another process."""

    adj: Any
    admission: Admission
    cross_origin: CrossOrigin
    totals: WorkerTotals
    cache: HeaderCache
    handing_over: HandingOver | None


class Request(HTTPRequestParser):  # type: ignore[misc]
    """``known``: the cache entry of its header. ``awaits_decision``: nothing more is received before a thread that may
    block calls ``decide``. ``decided``: admission has decided on the head. ``block``: the bytes received before the
    body. ``was_cut``: the body continues, but the rest is not read. ``goes_to``: takes the connection to the process
    that answers the request, which is not cached and awaits the decision; None for all other requests."""

    known: KnownHeader | None = None
    headers: dict[str, str]
    content_length: int
    error: Any
    awaits_decision = False
    decided = False
    goes_to: HandingOver | None = None
    block = b""
    slices: Slices | None = None
    was_cut = False
    largest = 0
    charged = 0

    _whole = b""

    def __init__(self, reception: Reception) -> None:
        super().__init__(reception.adj)
        self._reception = reception

    def parse_header(self, header_plus: bytes) -> None:
        self.block = header_plus
        cache = self._reception.cache
        self.known = cache.find(header_plus)
        if self.known is None:
            goes_to = self._destination(header_plus)
            self.known = cache.find_similar(header_plus) if goes_to is None else None
        if self.known is None:
            self._parse_header(header_plus)
            if goes_to is not None and goes_to.serves_host(self.headers.get("HOST", "")):
                self.goes_to, self.awaits_decision = goes_to, True
            elif not self.chunked:
                self._remember()
            return
        self.__dict__.update(self.known.parsed)
        if self.content_length:
            self.body_rcv = FixedStreamReceiver(self.content_length, BodyBuffer(self._reception.totals))
        elif self.known.whole is None:
            self._skip_decision(self.known)

    def _destination(self, block: bytes) -> HandingOver | None:
        """Where the connection of a request that begins with ``block`` may be handed over to; None if nowhere."""
        handing_over = self._reception.handing_over
        return handing_over if handing_over is not None and block.startswith(handing_over.beginnings) else None

    def _remember(self) -> None:
        attributes = self.__dict__
        self.known = KnownHeader({name: attributes[name] for name in _PARSED if name in attributes})
        if not self.content_length:
            self._skip_decision(self.known)
        self._reception.cache.keep(self.block, self.known)

    def _skip_decision(self, known: KnownHeader) -> None:
        """Admit later requests with this header without a decision, if they arrive at once with their body."""
        known.size = len(self.block) + self.content_length
        known.whole = known.parsed | {
            "block": self.block,
            "header_bytes_received": len(self.block),
            "body_bytes_received": self.content_length,
            "decided": True,
            "headers_finished": True,
            "completed": True,
        }

    def _parse_header(self, header_plus: bytes) -> None:
        try:
            super().parse_header(header_plus)
        except ValueError:
            # For a target such as http://[::1/, waitress would close the connection without a response.
            raise ParsingError("Bad URI") from None
        if self.body_rcv is not None:
            self.body_rcv.buf = BodyBuffer(self._reception.totals)
        if self.chunked and "CONTENT_LENGTH" in self.headers:
            raise ParsingError("Content-Length and Transfer-Encoding exclude each other")
        if self.chunked and [each.strip().lower() for each in _CODING.findall(header_plus)] != [b"chunked"]:
            raise ParsingError("Exactly one Transfer-Encoding is expected")
        if "TRANSFER_ENCODING" in self.headers:
            # Only HTTP/1.1 has it (RFC 9112 section 6.1): otherwise a proxy could read bytes as a body that this server
            # reads as another request.
            raise ParsingError("Transfer-Encoding is not part of this version of HTTP")
        if not _LINE.match(header_plus):
            raise ParsingError("The request line is not valid")
        hosts = len(_HOST.findall(header_plus))
        if hosts > 1 or (not hosts and self.version == "1.1"):
            raise ParsingError("Exactly one Host is expected")
        if hosts and not _HOST_VALUE.fullmatch(self.headers.get("HOST", "")):
            raise ParsingError("A Host is a name or an address, and may have a port")

    def received(self, data: bytes) -> int:
        consumed = 0 if self.headers_finished or self.header_plus else self._received_whole(data)
        return consumed or self._received_part(data)

    def _received_whole(self, data: bytes) -> int:
        """Receive a request with a known header, if all of it has arrived. Returns the number of bytes consumed, 0 if
        it is incomplete or not known."""
        end = data.find(b"\r\n\r\n") + 4
        known = self._reception.cache.find(data[:end])
        if known is None or known.whole is None or len(data) < known.size:
            return 0
        self.__dict__.update(known.whole)
        self.known = known
        self._whole = data[end : known.size]
        return known.size

    def _received_part(self, data: bytes) -> int:
        if self.body_rcv is None and self._begins_with_whitespace(data):
            # waitress would skip it. A proxy may have read it as the rest of the previous request.
            super().parse_header(b"GET / HTTP/1.0\r\n")
            self.error = BadRequest("A request begins with its method")
            self.completed = self.headers_finished = True
            return len(data)
        try:
            consumed: int = super().received(data)
        except OSError as ex:
            _log.warning("a body cannot be kept: %s", ex.strerror)
            self.refuse(no_space(self.headers.get("ORIGIN"), self._reception.cross_origin))
            return len(data)
        if self.body_rcv is not None and self.headers_finished and not self.empty and self.goes_to is None:
            self._examine()
        # After a refused header or a cut, the next bytes belong to the body, not to another request.
        return len(data) if isinstance(self.error, Refusal) or self.was_cut else consumed

    def _begins_with_whitespace(self, data: bytes) -> bool:
        """Whether the request begins with whitespace. Line breaks may precede a request and are ignored."""
        begun = self.header_plus.lstrip(b"\r\n") or data.lstrip(b"\r\n")
        return begun[:1] in _WHITESPACE

    def get_body_stream(self) -> Any:
        return BytesIO(self._whole) if self.body_rcv is None else self.body_rcv.getfile()

    def close(self) -> None:
        if self.body_rcv is not None:
            super().close()
        if self.charged:
            self._reception.totals.refund(self.charged)
            self.charged = 0

    def _examine(self) -> None:
        if self.error is not None and not isinstance(self.error, RequestEntityTooLarge):
            return
        if not self.decided and self._reception.admission.may_wait(self._head()):
            self.awaits_decision = True
        else:
            self.decide()

    def decide(self) -> None:
        """Check the head, and the part of the body that has been received. The first call may block."""
        self.awaits_decision = False
        try:
            if not self.decided:
                self._admit()
            self._check_size()
        except RequestRefused as ex:
            self.refuse(_refusal_of(ex.response, self._cors()))
            return
        if self.chunked and self.error is None and _framing(self.body_rcv) > _MAX_FRAMING_BYTES:
            self.refuse(Refusal(400, b'{"message": "The framing of a chunk is too long"}', self._cors()))
        elif not self._charge():
            self.refuse(no_space(self.headers.get("ORIGIN"), self._reception.cross_origin))
        elif self.slices is not None and not self.completed and len(self.body_rcv) >= self.slices.size:
            self._cut()

    def end_when_broken(self) -> bool:
        """End the body with the part that has arrived, because no more will arrive. Returns whether the request accepts
        that."""
        if self.slices is None or not self.slices.when_broken or self.completed or not len(self.body_rcv):
            return False
        self._cut()
        return True

    def _cut(self) -> None:
        """Treat the part of the body that has arrived as the whole body. The connection ends with the response."""
        length = len(self.body_rcv)
        # The headers may be those of the cache, which other requests share.
        self.headers = {**self.headers, "CONTENT_LENGTH": str(length)}
        self.content_length = length
        self.connection_close = True
        self.known = None
        self.was_cut = self.completed = True
        self.expect_continue = False

    def _admit(self) -> None:
        self.decided = True
        self.largest, self.slices, repeatable = self._reception.admission.admit(self._head())
        is_short = self.content_length <= min(self.largest, _MAX_BYTES_AT_ONCE)
        if repeatable and is_short and self.known is not None:
            self._skip_decision(self.known)

    def _head(self) -> ReceivedHead:
        return ReceivedHead(self.command.upper(), self.request_uri, self.by_name, self.block)

    @property
    def by_name(self) -> Mapping[str, str]:
        """The headers by names in lower case."""
        return _ByName(self.headers)

    def _check_size(self) -> None:
        size = len(self.body_rcv) if self.chunked else self.content_length
        if size > self.largest or isinstance(self.error, RequestEntityTooLarge):
            raise self._reception.admission.too_large(self._head(), self.largest)

    def _charge(self) -> bool:
        """Charge the received part of the body to the worker's totals. Returns whether there is space for it."""
        held = len(self.body_rcv)
        if held <= _CHARGED_ABOVE or held == self.charged:
            return True
        more, self.charged = held - self.charged, held
        return self._reception.totals.charge(more)

    def refuse_for_now(self) -> None:
        """Respond that there are more requests than can be served."""
        status = self._reception.admission.busy_status(self._head())
        self.refuse(overloaded(self.headers.get("ORIGIN"), self._reception.cross_origin, status))

    def refuse_as_not_running(self, what: str) -> None:
        """Respond that the process that serves ``what`` does not run."""
        self.refuse(not_running(what, self.headers.get("ORIGIN"), self._reception.cross_origin))

    def refuse(self, refusal: Refusal) -> None:
        """Respond with ``refusal`` now, without waiting for the rest of the request."""
        self.error = refusal
        self.awaits_decision = False
        self.completed = True
        self.expect_continue = False

    def _cors(self) -> tuple[tuple[str, str], ...]:
        return self._reception.cross_origin.headers(self.headers.get("ORIGIN"))


def _refusal_of(response: Response, cors: Headers) -> Refusal:
    kind = response.content_type
    headers = response.headers if kind is None else (*response.headers, ("content-type", kind))
    body = response.body if isinstance(response.body, bytes) else b""
    return Refusal(response.status, body, (*headers, *cors), response.code)


def _framing(receiver: Any) -> int:
    return len(receiver.control_line) + len(receiver.trailer)
