"""One connection and the hot path on it: several statements, one flight to the server, one transaction.

The server treats all statements before a Sync as one implicit transaction: it commits at Sync if all succeeded; after
an error it skips the rest and rolls back. ``app.database.wire.prepared`` composes the messages to the server; this
module reads the responses. Source of the message formats: PostgreSQL documentation, "Frontend/Backend Protocol".
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Mapping, Sequence
from struct import Struct

from app.database.wire import session
from app.database.wire.failure import ConnectionLost, RowTooLarge, StatementError
from app.database.wire.messages import (
    BOUND_AND_ROW,
    ENDED_AFTER_ROW,
    VALUE,
    Row,
    failure_of,
    row_of,
    unpack_int,
    unpack_short,
)
from app.database.wire.prepared import Parsing, PreparedStatements, Step, makes_blocks
from app.database.wire.transport import Transport

Beginning = tuple[bool, int, bytes]
"""The beginning of a flight: whether it cleans the session first, the number of steps that follow it and whose rows are
dropped (the prelude), and the digest of the last of these steps."""
NO_BEGINNING: Beginning = (False, 0, b"")

IDLE = b"I"
"""The transaction status of a connection that is in no transaction."""

_header = Struct("!ci")
_pack_int = Struct("!i").pack

# The length of a message's size field, in bytes.
_SIZE = 4
# Larger than any message of the protocol.
_ANY_SIZE = 2**31
_MAX_PAYLOAD_BYTES = 20

MAX_NOTIFICATIONS = 10_000
"""The largest number of different notifications that are kept until ``notifications`` is called."""


class DatabaseConnection:
    """An open, authenticated connection. Used by one thread at a time.

    ``prepared_limit`` is the largest number of prepared statements; 0 turns them off. ``parameters`` are those that the
    server reported at the start, ``process`` the process id in its cancel key. ``cleaning`` has the commands that undo
    a flight's changes to the session. ``usable`` becomes False when the connection must not be used again; its holder
    then closes it. ``transport``: its bytes, for other readers. ``keeps_contexts``: no pooler gives its session to
    others, and no settings must be pinned. ``session``: the context that the holder left in the session; None if it
    must be cleaned. ``is_session_reused``: two flights used it.
    """

    def __init__(
        self,
        sock: socket.socket,
        *,
        prepared_limit: int,
        release: Callable[[], None] | None = None,
        cancel: Callable[[], None] | None = None,
        process: int | None = None,
        parameters: Mapping[str, str] | None = None,
    ) -> None:
        self.transport = Transport(sock)
        self._cancel = cancel
        self._release = release
        self.process = process
        self.parameters = dict(parameters or {})
        self._prepared = PreparedStatements(prepared_limit, in_block=makes_blocks(self.parameters))
        # The server's usual response to each beginning, and the number of statements that it parsed
        self._usual_responses: dict[Beginning, tuple[bytes, int]] = {}
        self.cleaning = session.CLEANING
        self.usable = True
        self.keeps_contexts = False
        self.session: object | None = None
        self.is_session_reused = False
        self.opened_at = time.monotonic()
        self.transaction_status = IDLE
        self._notified: set[str] | None = None

    # Sending

    def pipeline(
        self,
        steps: Sequence[Step],
        *,
        clean: bool = False,
        prelude: int = 0,
        row_limit: int = 0,
        then: Step | None = None,
    ) -> list[list[Row]]:
        """Run ``steps`` in one flight. Returns the rows of each step except the first ``prelude`` ones.
        ``clean``: first undo the previous flight's changes to the session. ``then``: a step to run after the end of
        the transaction, in the same flight; its rows come last. If it fails it has no rows, and no error is raised.
        A row of more than ``row_limit`` bytes is skipped without holding it in memory, and RowTooLarge is raised after
        everything is read; the steps have taken effect by then. 0 for no limit.

        Raises StatementError with the step's index, which is negative if cleaning failed: nothing was applied, and the
        connection is usable unless ``transaction_status`` shows an open transaction. Raises ConnectionLost.
        """
        self._begin()
        message, parsing = self._prepared.compose(steps)
        if clean:
            message = self.cleaning.message + message
        parsing_then = None
        if then is not None:
            more, parsing_then = self._prepared.compose([then])
            message += more
        beginning = (clean, prelude, steps[prelude - 1][0].digest) if prelude else NO_BEGINNING
        try:
            results = self._converse(message, parsing, len(steps), beginning, row_limit or _ANY_SIZE, parsing_then)
            return results[prelude:]
        except (StatementError, RowTooLarge):
            raise
        except BaseException:
            # Also on an interrupt: the next request would read the rest of this response as its own.
            self.usable = False
            raise

    def simple(self, sql: str) -> list[list[Row]]:
        """Run ``sql``, one or several statements, with the simple query protocol; returns the rows of each one."""
        self._begin()
        body = sql.encode() + b"\0"
        try:
            return self._converse(b"Q" + _pack_int(len(body) + 4) + body, [], None, NO_BEGINNING, _ANY_SIZE)
        except StatementError:
            raise
        except BaseException:
            self.usable = False
            raise

    def forget_prepared(self) -> None:
        """Prepare all statements again, because the server no longer has them (DISCARD ALL, a pooler)."""
        self._prepared.forget()

    # Receiving

    def _converse(
        self,
        message: bytes,
        parsing: Sequence[Parsing],
        count: int | None,
        beginning: Beginning,
        row_limit: int,
        parsing_then: Sequence[Parsing] | None = None,
    ) -> list[list[Row]]:
        """Send ``message``, read up to ReadyForQuery, and return the results, without those of cleaning the session.
        ``count`` is their expected number; None for any. With ``parsing_then`` the message ends with a step in a
        separate transaction."""
        self.transport.send(message)
        results, failure = self._read(parsing, beginning, row_limit)
        last = None if parsing_then is None else self._read_then(parsing_then)
        if failure is not None:
            raise failure
        if count is not None and len(results) != count:
            self.usable = False
            raise ConnectionLost("the server answered out of order", answered=True, unapplied=False)
        return results if last is None else [*results, last]

    def _read(  # noqa: C901
        self, parsing: Sequence[Parsing], beginning: Beginning, row_limit: int
    ) -> tuple[list[list[Row]], StatementError | RowTooLarge | None]:
        """The rows of each result up to ReadyForQuery, and the first failure.

        All messages that occur in every response are read in this function: each call costs time on the hot path.
        """
        is_clean, prelude, _ = beginning
        buffer, position, parsed = self._read_beginning(beginning)
        started = position > 0
        results: list[list[Row]] = [[]] * prelude if started else []
        if started and (row := self._read_single_row(buffer, position, row_limit)) is not None:
            results.append([row])
            return results, None
        transport = self.transport
        is_learning = prelude > 0 and not started
        cleaning = self.cleaning.commands if is_clean and not started else 0
        rows: list[Row] = []
        failure: StatementError | RowTooLarge | None = None
        while True:
            # A message begins with one byte for its kind and four for its length, which includes these four.
            end = position + 5
            if len(buffer) >= end:
                kind, size = _header.unpack_from(buffer, position)
                end = position + 1 + size
            if len(buffer) < end:
                is_learning = is_learning and not position and end <= row_limit
                if end - position > row_limit:
                    buffer, position = transport.past(buffer, end), 0
                    failure = failure or RowTooLarge(row_limit)
                else:
                    buffer, position = transport.more(buffer, position, end, answered=started), 0
                continue
            body = position + 5
            position = end
            if kind == b"D":
                if unpack_short(buffer, body)[0] == 1:
                    length = unpack_int(buffer, body + 2)[0]
                    rows.append((buffer[body + 6 : end] if length >= 0 else None,))
                else:
                    rows.append(row_of(buffer, body))
            elif kind == b"C" or kind == b"I":
                if cleaning:
                    cleaning -= 1
                else:
                    results.append(rows)
                rows = []
                started = True
                if is_learning and not cleaning and len(results) == prelude and not any(parsing[:parsed]):
                    self._usual_responses[beginning] = buffer[:position], parsed
            elif kind == b"2" or kind == b"T":
                started = True
            elif kind == b"1":
                if not cleaning:
                    self._add_prepared(parsing[parsed])
                    parsed += 1
            elif kind == b"Z":
                self.transaction_status = buffer[body:end]
                transport.buffer = buffer[end:]
                return results, failure
            elif kind == b"E":
                error = failure_of(buffer[body:end], len(results) - cleaning, started=started)
                # After an error the server skips the rest, so there is only one. It matters more than a large row.
                failure = failure if isinstance(failure, StatementError) else error
            elif kind not in b"3tnN":
                is_learning = False
                self._handle_asynchronous(kind, buffer[body:end])

    def _read_then(self, parsing: Sequence[Parsing]) -> list[Row]:
        """The rows of the step after the transaction; none if it failed, or if the connection was lost."""
        try:
            results, failure = self._read(parsing, NO_BEGINNING, _ANY_SIZE)
        except ConnectionLost:
            self.usable = False
            return []
        if failure is not None:
            self._prepared.forget()
            return []
        return results[0]

    def _read_beginning(self, beginning: Beginning) -> tuple[bytes, int, int]:
        """The received bytes, the position after the response to the beginning, and the number of statements parsed for
        it. The position is 0 unless the whole response has arrived and equals the usual one."""
        usual = self._usual_responses.get(beginning)
        if usual is None:
            return self.transport.buffer, 0, 0
        expected, parsed = usual
        buffer = self.transport.more(self.transport.buffer, 0, 5, answered=False)
        return (buffer, len(expected), parsed) if buffer.startswith(expected) else (buffer, 0, 0)

    def _read_single_row(self, buffer: bytes, position: int, row_limit: int) -> Row | None:
        """The row of the last result, if the whole rest of the response has arrived and has one row, as usual.
        Otherwise None, and nothing is read."""
        row = position + len(BOUND_AND_ROW)
        if not buffer.startswith(BOUND_AND_ROW, position) or len(buffer) < row + VALUE.size:
            return None
        size, columns, length = VALUE.unpack_from(buffer, row)
        end = row + size
        if size > row_limit:
            return None
        for ended in ENDED_AFTER_ROW:
            if buffer.startswith(ended, end):
                break
        else:
            return None
        self.transaction_status = IDLE
        self.transport.buffer = buffer[end + len(ended) :]
        if columns == 1 and length >= 0:
            return (buffer[end - length : end],)
        return row_of(buffer, row + _SIZE)

    def _add_prepared(self, parsing: Parsing) -> None:
        if parsing is not None:
            self._prepared.add(*parsing)

    def _handle_asynchronous(self, kind: bytes, body: bytes) -> None:
        if kind == b"S":
            name, value = body.split(b"\0")[:2]
            self.parameters[name.decode()] = value.decode(errors="replace")
            if name == b"client_encoding" and value.upper() not in (b"UTF8", b"SQL_ASCII"):
                # A database function changed it for the session: the server would misread the next messages.
                self.usable = False
        elif kind == b"A" and self._notified is not None:
            # The sender's process id, the channel and the payload.
            payload = body[4:].split(b"\0")[1]
            # Every role may send any payload to any channel: payloads that are not expected must take no memory.
            if len(payload) <= _MAX_PAYLOAD_BYTES and len(self._notified) < MAX_NOTIFICATIONS:
                self._notified.add(payload.decode(errors="replace"))
        elif kind == b"A":
            # The service's statements do not listen. An idle connection is not read, so notifications would pile up.
            self.usable = False
        else:
            raise ConnectionLost("the server sent an unexpected message", answered=True, unapplied=False)

    # Listening

    def listen(self, channel: str) -> None:
        """From now on only receive notifications of ``channel``, an identifier that needs no quotes."""
        self._notified = set()
        self.simple(f"listen {channel}")

    def notifications(self, seconds: float) -> set[str]:
        """The payloads of at most 20 bytes that have arrived since the last call. Waits until there is one, at most
        ``seconds``. If there are ``MAX_NOTIFICATIONS``, others may be missing. Raises ConnectionLost."""
        self.transport.wait(seconds)
        # The server sends notifications before the end of a response. A lost connection is detected too.
        self.simple("")
        payloads, self._notified = self._notified or set(), set()
        return payloads

    # State

    def wait_at_most(self, seconds: float) -> None:
        """Set how many seconds the server may send nothing before the connection counts as lost; 0 for no limit."""
        self.transport.wait_at_most(seconds)

    def _begin(self) -> None:
        """Require a usable connection. What runs next may change the context of its session."""
        if not self.usable:
            raise ConnectionLost("the connection is not usable any more", answered=False, unapplied=True)
        self.session = None

    def is_dead(self) -> bool:
        """Whether the server has closed this idle connection, as far as this side knows without a round trip."""
        if not self.usable or not self.transport.arrived():
            return True
        buffer, position = self.transport.buffer, 0
        while position + 5 <= len(buffer):
            kind, size = _header.unpack_from(buffer, position)
            # Between requests an error ends the connection; for notifications see _handle_asynchronous.
            if kind in b"EA":
                return True
            position += 1 + size
        return False

    def cancel(self) -> None:
        """Make the server cancel the statement that another thread runs on this connection. Raises OSError."""
        if self._cancel is not None:
            self._cancel()

    def close(self) -> None:
        orderly, self.usable = self.usable, False
        self.transport.close(orderly=orderly, release=self._release)
