"""The answers to a client's requests, as they are made."""

from __future__ import annotations

import logging
from typing import Any

from app.server.connection.output import File, Output
from app.server.connection.server import Server
from app.server.request.request import Request
from app.server.request.task import AnswerTask, RefusalTask
from app.server.waitress_internals import ClientDisconnected, InternalServerError

_log = logging.getLogger("portico.server")

# An answer in pieces pauses above the first, and continues below the second.
_FULL = 256 * 1024
_LOW = 64 * 1024


class Answering:
    """``is_last``: the connection closes after this answer; ``leaves_bytes``: its client may still be sending a body.

    For waitress's tasks it is the channel: it has ``server``, ``adj``, ``addr``, ``write_soon`` and what follows it.
    ``peer``: what the WSGI environ says of the client's address.
    """

    def __init__(self, server: Server, address: Any, output: Output) -> None:
        self.server = server
        self.adj = server.adj
        self.addr = address
        self.peer = {"REMOTE_ADDR": address[0], "REMOTE_HOST": address[0], "REMOTE_PORT": str(address[1])}
        self._output = output
        self._answer: AnswerTask | None = None
        self.is_last = False
        self.leaves_bytes = False

    @property
    def has_begun(self) -> bool:
        """Whether the client may have some of an answer in pieces, so that it can get no other."""
        return self._answer is not None

    @property
    def may_go_on(self) -> bool:
        """Whether the client has read enough of an answer in pieces to make more of it."""
        return self._answer is not None and self._output.pending < _LOW

    def advance(self, request: Request) -> bool:
        """Continue the answer to ``request``; whether it is finished. Raises ClientDisconnected."""
        answer = self._answer
        if answer is None:
            answer = self._answer = AnswerTask(self, request)
        try:
            if not answer.advance():
                return False
        except ClientDisconnected:
            raise
        except Exception:
            _log.exception("the application failed: %s", request.path)
            self.close()
            if answer.wrote_header:
                raise ClientDisconnected from None
            request.error = InternalServerError("The server encountered an unexpected internal server error")
            self.refuse(request)
            return True
        self._finish(answer, request)
        return True

    def refuse(self, request: Request) -> None:
        """Answer with the request's error."""
        task = RefusalTask(self, request)
        task.service()
        self._finish(task, request)

    def _finish(self, task: AnswerTask | RefusalTask, request: Request) -> None:
        self._answer = None
        if task.close_on_finish:
            self.is_last = True
            self.leaves_bytes = request.error is not None or request.was_cut or task.switches

    def close(self) -> None:
        """Close the application's answer, which nobody reads any more."""
        answer, self._answer = self._answer, None
        if answer is not None:
            answer.close()

    # The channel

    @property
    def is_full(self) -> bool:
        """Whether the client must read some of the answer before more of it is made. Raises ClientDisconnected."""
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
        """Waitress puts this into the environ; ours omits it."""
        return False
