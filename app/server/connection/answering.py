"""Makes the responses to a client's requests."""

from __future__ import annotations

import logging
from typing import Any

from app.server.connection.output import File, Output
from app.server.connection.server import Server
from app.server.request.request import Request
from app.server.request.task import RefusalTask, ResponseTask
from app.server.waitress_internals import ClientDisconnected, InternalServerError

_log = logging.getLogger("portico.server")

# A response in pieces pauses above the first number of unsent bytes, and continues below the second.
_FULL = 256 * 1024
_LOW = 64 * 1024


class Answering:
    """``is_last``: the connection closes after this response; ``leaves_bytes``: its client may still be sending a body.

    This is the ``channel`` of waitress's tasks: they use ``server``, ``adj``, ``addr``, ``write_soon`` and the methods
    below it. ``peer``: the client's address for the WSGI environ.
    """

    def __init__(self, server: Server, address: Any, output: Output) -> None:
        self.server = server
        self.adj = server.adj
        self.addr = address
        self.peer = {"REMOTE_ADDR": address[0], "REMOTE_HOST": address[0], "REMOTE_PORT": str(address[1])}
        self._output = output
        self._response: ResponseTask | None = None
        self.is_last = False
        self.leaves_bytes = False

    @property
    def has_begun(self) -> bool:
        """Whether the client may have received a part of a response, so that no other can be sent."""
        return self._response is not None

    @property
    def may_continue(self) -> bool:
        """Whether the client has read enough of a response in pieces to make more of it."""
        return self._response is not None and self._output.pending < _LOW

    def advance(self, request: Request) -> bool:
        """Continue the response to ``request``. Returns whether it is finished. Raises ClientDisconnected."""
        response = self._response
        if response is None:
            response = self._response = ResponseTask(self, request)
        try:
            if not response.advance():
                return False
        except ClientDisconnected:
            raise
        except Exception:
            _log.exception("the application failed: %s", request.path)
            self.close()
            if response.wrote_header:
                raise ClientDisconnected from None
            request.error = InternalServerError("The server encountered an unexpected internal server error")
            self.refuse(request)
            return True
        self._finish(response, request)
        return True

    def refuse(self, request: Request) -> None:
        """Respond with the request's error."""
        task = RefusalTask(self, request)
        task.service()
        self._finish(task, request)

    def _finish(self, task: ResponseTask | RefusalTask, request: Request) -> None:
        self._response = None
        if task.close_on_finish:
            self.is_last = True
            self.leaves_bytes = request.error is not None or request.was_cut or task.switches

    def close(self) -> None:
        """Close the application's response, which will not be read to its end."""
        response, self._response = self._response, None
        if response is not None:
            response.close()

    # The interface of waitress's channel

    @property
    def is_full(self) -> bool:
        """Whether the client must read more of the response before it continues. Raises ClientDisconnected."""
        output = self._output
        if output.pending <= _FULL:
            return False
        try:
            output.send()
        except OSError:
            raise ClientDisconnected from None
        return output.pending > _FULL

    def write_soon(self, data: bytes) -> int:
        self._output.add(data)
        return len(data)

    def write_file(self, file: File) -> None:
        self._output.add_file(file)

    def check_client_disconnected(self) -> bool:
        """waitress puts this into the environ; this server removes it."""
        return False
