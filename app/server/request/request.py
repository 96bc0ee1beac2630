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
from app.http.refusal import Refusal, no_space, overloaded
from app.http.response import Response
from app.http.slices import Slices
from app.server.capacity import WorkerTotals
from app.server.request.body_buffer import BodyBuffer
from app.server.request.header_cache import HeaderMemory, KnownHeader
from app.server.waitress_internals import (
    BadRequest,
    FixedStreamReceiver,
    HTTPRequestParser,
    ParsingError,
    RequestEntityTooLarge,
)

_log = logging.getLogger("portico.server")

# In a chunked body: the line before a chunk, or the trailer after the last one.
_LONGEST_FRAMING = 64 * 1024
# Smaller bodies are in memory, where the number of connections limits them.
_CHARGED_ABOVE = 64 * 1024
# What is received at once with a header is shorter; the rest is received, and counted, in parts.
_LONGEST_AT_ONCE = 16 * 1024


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
    """The parser's headers by name in lower case."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        self._headers = headers

    def __getitem__(self, name: str) -> str:
        return self._headers[name.replace("-", "_").upper()]

    def __iter__(self) -> Iterator[str]:
        return (name.replace("_", "-").lower() for name in self._headers)

    def __len__(self) -> int:
        return len(self._headers)


class Reception(NamedTuple):
    """What the requests that a worker receives have in common. ``adj`` are waitress's settings."""

    adj: Any
    admission: Admission
    cross_origin: CrossOrigin
    totals: WorkerTotals
    memory: HeaderMemory


class Request(HTTPRequestParser):  # type: ignore[misc]
    """``known``: what is remembered of its header. ``awaits_judgement``: nothing more is received before a thread that
    may block calls ``judge``. ``block``: what was received before the body. ``was_cut``: there is more of the body,
    which nobody will read."""

    known: KnownHeader | None = None
    headers: dict[str, str]
    content_length: int
    error: Any
    awaits_judgement = False
    judged = False
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
        memory = self._reception.memory
        self.known = memory.find(header_plus) or memory.resembling(header_plus)
        if self.known is None:
            self._parse_header(header_plus)
            if not self.chunked:
                self._remember()
            return
        self.__dict__.update(self.known.parsed)
        if self.content_length:
            self.body_rcv = FixedStreamReceiver(self.content_length, BodyBuffer(self._reception.totals))
        elif self.known.whole is None:
            self._need_no_judgement(self.known)

    def _remember(self) -> None:
        attributes = self.__dict__
        self.known = KnownHeader({name: attributes[name] for name in _PARSED if name in attributes})
        if not self.content_length:
            self._need_no_judgement(self.known)
        self._reception.memory.keep(self.block, self.known)

    def _need_no_judgement(self, known: KnownHeader) -> None:
        """Remember what is true of each request that is received at once with its body."""
        known.size = len(self.block) + self.content_length
        known.whole = known.parsed | {
            "block": self.block,
            "header_bytes_received": len(self.block),
            "body_bytes_received": self.content_length,
            "judged": True,
            "headers_finished": True,
            "completed": True,
        }

    def _parse_header(self, header_plus: bytes) -> None:
        try:
            super().parse_header(header_plus)
        except ValueError:
            # For a target such as http://[::1/, waitress would close the connection without an answer.
            raise ParsingError("Bad URI") from None
        if self.body_rcv is not None:
            self.body_rcv.buf = BodyBuffer(self._reception.totals)
        if self.chunked and "CONTENT_LENGTH" in self.headers:
            raise ParsingError("Content-Length and Transfer-Encoding exclude each other")
        if self.chunked and [each.strip().lower() for each in _CODING.findall(header_plus)] != [b"chunked"]:
            raise ParsingError("Exactly one Transfer-Encoding is expected")
        if "TRANSFER_ENCODING" in self.headers:
            # Only HTTP/1.1 has it (RFC 9112, 6.1): a proxy in front could read as a body what we read as a request.
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
        """Take a request whose header was received before, if it is here as a whole; otherwise nothing."""
        end = data.find(b"\r\n\r\n") + 4
        known = self._reception.memory.find(data[:end])
        if known is None or known.whole is None or len(data) < known.size:
            return 0
        self.__dict__.update(known.whole)
        self.known = known
        self._whole = data[end : known.size]
        return known.size

    def _received_part(self, data: bytes) -> int:
        if self.body_rcv is None and self._begins_with_whitespace(data):
            # waitress would overlook it. A proxy may have taken it for the rest of what came before.
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
        if self.body_rcv is not None and self.headers_finished and not self.empty:
            self._examine()
        # What follows a refused header, or a cut, is the body, not another request.
        return len(data) if isinstance(self.error, Refusal) or self.was_cut else consumed

    def _begins_with_whitespace(self, data: bytes) -> bool:
        """After the line breaks that may precede a request."""
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
        if not self.judged and self._reception.admission.may_wait(self._head()):
            self.awaits_judgement = True
        else:
            self.judge()

    def judge(self) -> None:
        """Check what has been received. The first call may block."""
        self.awaits_judgement = False
        try:
            if not self.judged:
                self._judge()
            self._check_size()
        except RequestRefused as ex:
            self.refuse(_refusal_of(ex.response, self._cors()))
            return
        if self.chunked and self.error is None and _framing(self.body_rcv) > _LONGEST_FRAMING:
            self.refuse(Refusal(400, b'{"message": "The framing of a chunk is too long"}', self._cors()))
        elif not self._charge():
            self.refuse(no_space(self.headers.get("ORIGIN"), self._reception.cross_origin))
        elif self.slices is not None and not self.completed and len(self.body_rcv) >= self.slices.size:
            self._cut()

    def end_when_broken(self) -> bool:
        """Whether the application gets what has arrived of the body, now that no more will come."""
        if self.slices is None or not self.slices.when_broken or self.completed or not len(self.body_rcv):
            return False
        self._cut()
        return True

    def _cut(self) -> None:
        """Take what has arrived of the body for all of it. The connection ends with the answer."""
        length = len(self.body_rcv)
        # The headers may be those of the memory, which other requests share.
        self.headers = {**self.headers, "CONTENT_LENGTH": str(length)}
        self.content_length = length
        self.connection_close = True
        self.known = None
        self.was_cut = self.completed = True
        self.expect_continue = False

    def _judge(self) -> None:
        self.judged = True
        self.largest, self.slices, repeatable = self._reception.admission.admit(self._head())
        is_short = self.content_length <= min(self.largest, _LONGEST_AT_ONCE)
        if repeatable and is_short and self.known is not None:
            self._need_no_judgement(self.known)

    def _head(self) -> ReceivedHead:
        return ReceivedHead(self.command.upper(), self.request_uri, self.by_name, self.block)

    @property
    def by_name(self) -> Mapping[str, str]:
        """The headers by name in lower case."""
        return _ByName(self.headers)

    def _check_size(self) -> None:
        size = len(self.body_rcv) if self.chunked else self.content_length
        if size > self.largest or isinstance(self.error, RequestEntityTooLarge):
            raise self._reception.admission.too_large(self._head(), self.largest)

    def _charge(self) -> bool:
        """Whether there is disk space for what has been received of the body."""
        held = len(self.body_rcv)
        if held <= _CHARGED_ABOVE or held == self.charged:
            return True
        more, self.charged = held - self.charged, held
        return self._reception.totals.charge(more)

    def refuse_for_now(self) -> None:
        """Answer that there are more requests than can be served."""
        status = self._reception.admission.busy_status(self._head())
        self.refuse(overloaded(self.headers.get("ORIGIN"), self._reception.cross_origin, status))

    def refuse(self, refusal: Refusal) -> None:
        """Answer with ``refusal`` now, without waiting for the rest of the request."""
        self.error = refusal
        self.awaits_judgement = False
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
