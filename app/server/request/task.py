"""One request in the application, and its answer, which may be sent in several steps."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from app.http.environ import HEADER_BLOCK
from app.server.request.header_cache import KnownHeader
from app.server.request.header_format import HeaderFormat, header_format
from app.server.waitress_internals import ErrorTask, ReadOnlyFileBasedBuffer, Task, WSGITask, build_http_date

_date = lru_cache(2)(build_http_date)
_CLOSES = "Connection: close\r\n"

# A body of one piece up to this size is sent with its header.
_SMALL = 64 * 1024


class _OurTask(Task):  # type: ignore[misc]
    status: str
    wrote_header: bool
    content_length: int | None
    response_headers: list[tuple[str, str]]
    _format: HeaderFormat
    _values: tuple[str, ...]

    @property
    def has_body(self) -> bool:
        return self._format.has_body

    @property
    def switches(self) -> bool:
        """Whether the answer goes on in another protocol."""
        return self._format.switches

    def set_close_on_finish(self) -> None:
        # Waitress would also add a header, which ours does when it is written.
        self.close_on_finish = True

    def build_response_header(self) -> bytes:
        """The header as waitress builds it, in a third of the time; an answer without a body keeps the connection."""
        header = self._format
        lines = header.text % self._values
        has_length = header.length_at is not None
        if header.has_body and not has_length and not header.switches and self.content_length is not None:
            has_length = True
            lines += f"Content-Length: {self.content_length}\r\n"
        lines += self._on_connection(has_length)
        # In whole seconds, the precision of the header Date, so that its text is cached.
        date = "" if header.is_dated else f"Date: {_date(int(time.time()))}\r\n"
        return f"{lines}{date}\r\n".encode("latin-1")

    def _declare(self, headers: list[tuple[str, str]]) -> None:
        self.response_headers = headers
        names, self._values = zip(*headers, strict=True) if headers else ((), ())
        self._format = header_format(self.version, self.status, names, self.channel.server.adj.ident)

    def _on_connection(self, has_length: bool) -> str:
        """What the header says of the end of the body, and of the connection after it."""
        if self._format.switches:
            # The other protocol begins, and the application ends it with its answer.
            self.close_on_finish = True
            return "Connection: Upgrade\r\n"
        is_endless = self._format.has_body and not has_length
        # So that the client opens its next connection to another process.
        is_given_away = self.channel.server.gives_away()
        if not (is_given_away or self.close_on_finish or self.request.connection_close or is_endless):
            if self.version == "1.1":
                return ""
            if has_length:
                return "Connection: Keep-Alive\r\n"
        self.close_on_finish = True
        self.chunked_response = is_endless and self.version == "1.1"
        return f"Transfer-Encoding: chunked\r\n{_CLOSES}" if self.chunked_response else _CLOSES


class RefusalTask(_OurTask, ErrorTask):  # type: ignore[misc]
    """The answer to a request that was refused before the application saw it."""

    def build_response_header(self) -> bytes:
        passed_on = self.channel.server.tell_refused(self.request, int(self.status[:3]))
        self._declare([*self.response_headers, *passed_on])
        return super().build_response_header()


class AnswerTask(_OurTask, WSGITask):  # type: ignore[misc]
    """The application's answer. Call ``advance`` until it is finished; between calls the client reads its part."""

    complete: bool = False
    _result: Any = None
    _chunks: Iterator[bytes] | None = None

    def advance(self) -> bool:
        """Continue the answer; False when the client must read some of it first. Raises what the application raises."""
        if self._chunks is None:
            result = self.channel.server.application(self._environ(), self._start_response)
            if self._is_small(result):
                self.channel.write_soon(self.build_response_header() + result[0])
                self.wrote_header = True
                return True
            self._result = result
            self._chunks = self._begin()
        for chunk in self._chunks:
            if chunk:
                self.write(chunk)
                if self.channel.is_full:
                    return False
        self._check_length()
        self.finish()
        self.close()
        return True

    def _is_small(self, result: Any) -> bool:
        """Whether the whole body is one piece, which is sent with its header."""
        if self.wrote_header or not isinstance(result, list) or len(result) != 1:
            return False
        length = len(result[0])
        return length == self.content_length and length <= _SMALL and self._format.has_body

    def close(self) -> None:
        """Close the application's answer, which nobody reads any more."""
        result, self._result = self._result, None
        if hasattr(result, "close"):
            result.close()

    def _environ(self) -> dict[str, Any]:
        """The WSGI environ that waitress would make; one of an earlier request with the same header is copied."""
        request = self.request
        known: KnownHeader | None = request.known
        if known is not None and known.environ is not None:
            repeated: dict[str, Any] = known.environ | self.channel.peer
            repeated["wsgi.input"] = request.get_body_stream()
            return repeated
        environ: dict[str, Any] = self.get_environment()
        del environ["waitress.client_disconnected"]
        self.channel.server.clear_untrusted(environ)
        environ[HEADER_BLOCK] = request.block
        if known is not None:
            known.environ = environ | {"wsgi.input": None}
        return environ

    def _begin(self) -> Iterator[bytes]:
        result = self._result
        if isinstance(result, ReadOnlyFileBasedBuffer):
            size = result.prepare(self.content_length)
            if size:
                if size != self.content_length:
                    self.remove_content_length_header()
                    self._declare(self.response_headers)
                    self.content_length = size
                self.write(b"")
                self.channel.write_file(result)
                self.content_bytes_written = size
                # The connection closes the file after sending it.
                self._result = None
                return iter(())
        elif self.content_length is None and hasattr(result, "__len__") and len(result) == 1:
            self.content_length = len(result[0])
        return iter(result)

    def _check_length(self) -> None:
        length = self.content_length
        if length is None or self.content_bytes_written == length:
            return
        if self.has_body and self.request.command != "HEAD":
            # So that the client does not wait for missing bytes.
            self.set_close_on_finish()
            self.logger.warning("the answer has %d bytes of %d declared", self.content_bytes_written, length)

    def _start_response(
        self, status: str, headers: list[tuple[str, str]], exc_info: Any = None
    ) -> Callable[[bytes], None]:
        if exc_info is not None and self.wrote_header:
            raise exc_info[1]
        if self.complete and exc_info is None:
            raise AssertionError("start_response was called a second time without exc_info")
        self.complete = True
        self.status = status
        self._declare(headers)
        text = "".join(self._values)
        if "\n" in text or "\r" in text:
            raise ValueError("a header of the answer has a line break")
        header = self._format
        if header.forbidden:
            raise AssertionError(f"an application must not set hop-by-hop headers: {header.forbidden}")
        if header.length_at is not None:
            self.content_length = int(self._values[header.length_at])
        write: Callable[[bytes], None] = self.write
        return write
