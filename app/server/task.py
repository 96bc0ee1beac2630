"""One request in the application, and its answer, which may be sent in several steps."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any

from waitress.buffers import ReadOnlyFileBasedBuffer
from waitress.task import ErrorTask, Task, WSGITask, hop_by_hop
from waitress.utilities import build_http_date

from app.storage.http.head import HEADER_BLOCK

_date = lru_cache(2)(build_http_date)

# A body of one piece up to this size is sent with its header.
_SMALL = 64 * 1024


class _OurTask(Task):  # type: ignore[misc]
    status: str
    wrote_header: bool
    content_length: int | None
    response_headers: list[tuple[str, str]]

    @property
    def has_body(self) -> bool:
        return not self.status.startswith(("1", "204", "304"))

    def start(self) -> None:
        # Whole seconds, the precision of the header Date, so that its text is cached.
        self.start_time = int(time.time())

    def build_response_header(self) -> bytes:
        """The header as waitress builds it, in a third of the time; an answer without a body keeps the connection.
        Names of headers are capitalized already."""
        has_body = self.has_body
        headers = self.response_headers
        named = dict(headers)
        length = named.get("Content-Length") if has_body else None
        if not has_body and "Content-Length" in named:
            headers = [each for each in headers if each[0] != "Content-Length"]
        elif has_body and length is None and self.content_length is not None:
            length = str(self.content_length)
            headers.append(("Content-Length", length))
        self.response_headers = headers
        self._decide_on_connection(has_body, length)
        headers.append(("Via" if "Server" in named else "Server", self.channel.server.adj.ident))
        if "Date" not in named:
            headers.append(("Date", _date(self.start_time)))
        lines = (f"HTTP/{self.version} {self.status}", *map(": ".join, headers), "", "")
        return "\r\n".join(lines).encode("latin-1")

    def _leaves_to_others(self) -> bool:
        server = self.channel.server
        if server.surplus > 0:
            server.surplus -= 1
            return True
        is_stopping: bool = server.is_stopping
        return is_stopping

    def _decide_on_connection(self, has_body: bool, length: str | None) -> None:
        asked = self.request.headers.get("CONNECTION", "").lower()
        # So that the client opens its next connection to another process.
        closes = self._leaves_to_others() or (has_body and length is None)
        if self.version == "1.0":
            closes = closes or asked != "keep-alive" or length is None
            if not closes:
                self.response_headers.append(("Connection", "Keep-Alive"))
        else:
            closes = closes or asked == "close"
            if has_body and length is None:
                self.response_headers.append(("Transfer-Encoding", "chunked"))
                self.chunked_response = True
        if closes:
            self.set_close_on_finish()


def _with_capitals(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(_capitalized(name), value) for name, value in headers]


@lru_cache(200)
def _capitalized(name: str) -> str:
    if name.startswith("x-amz-"):
        # S3's clients give users what follows x-amz-meta- as it is written here.
        return name
    return "-".join(part.capitalize() for part in name.split("-"))


_HOP_BY_HOP = frozenset(map(_capitalized, hop_by_hop))


class RefusalTask(_OurTask, ErrorTask):  # type: ignore[misc]
    """The answer to a request that was refused before the application saw it."""

    def build_response_header(self) -> bytes:
        self.response_headers = _with_capitals(self.response_headers)
        return super().build_response_header()


class AnswerTask(_OurTask, WSGITask):  # type: ignore[misc]
    """The application's answer. Call ``advance`` until it is finished; between calls the client reads its part."""

    complete: bool = False
    _result: Any = None
    _chunks: Iterator[bytes] | None = None

    def advance(self) -> bool:
        """Continue the answer; False when the client must read some of it first. Raises what the application raises."""
        if self._chunks is None:
            self.start()
            self._result = self.channel.server.application(self._environ(), self._start_response)
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

    def write(self, data: bytes) -> None:
        if self.wrote_header or len(data) != self.content_length or len(data) > _SMALL or not self.has_body:
            super().write(data)
            return
        header = self.build_response_header()
        self.wrote_header = True
        self.content_bytes_written = len(data)
        self.channel.write_soon(header + data)

    def close(self) -> None:
        """Close the application's answer, which nobody reads any more."""
        result, self._result = self._result, None
        if hasattr(result, "close"):
            result.close()

    def _environ(self) -> dict[str, Any]:
        """The WSGI environ that waitress would make; one of an earlier request with the same header is copied."""
        request = self.request
        template = request.environ
        if template is None:
            environ: dict[str, Any] = self.get_environment()
            del environ["waitress.client_disconnected"]
            self.channel.server.clear_untrusted(environ)
            environ[HEADER_BLOCK] = request.block
            request.remember_environ(environ)
            return environ
        environ = template.copy()
        address = self.channel.addr
        environ["REMOTE_ADDR"] = environ["REMOTE_HOST"] = address[0]
        environ["REMOTE_PORT"] = str(address[1])
        environ["wsgi.input"] = request.get_body_stream()
        return environ

    def _begin(self) -> Iterator[bytes]:
        result = self._result
        if isinstance(result, ReadOnlyFileBasedBuffer):
            size = result.prepare(self.content_length)
            if size:
                if size != self.content_length:
                    self.remove_content_length_header()
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
        text = "".join(map("".join, headers))
        if "\n" in text or "\r" in text:
            raise ValueError("a header of the answer has a line break")
        self.response_headers = _with_capitals(headers)
        named = dict(self.response_headers)
        if not _HOP_BY_HOP.isdisjoint(named):
            wrong = ", ".join(_HOP_BY_HOP & named.keys())
            raise AssertionError(f"an application must not set hop-by-hop headers: {wrong}")
        if "Content-Length" in named:
            self.content_length = int(named["Content-Length"])
        write: Callable[[bytes], None] = self.write
        return write
