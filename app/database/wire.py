"""One connection and the hot path on it: several statements, one flight to the server, one transaction.

A request is written as Parse (only for a statement that this connection has not prepared yet), Bind and Execute per
statement and one Sync at the end. Up to Sync the server treats everything as one implicit transaction: it commits at
Sync when all went well, and after an error it skips the rest and rolls back. Source of the message formats:
PostgreSQL documentation, "Frontend/Backend Protocol".
"""

from __future__ import annotations

import secrets
import socket
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from struct import Struct

from app.database import session
from app.database.failure import ConnectionLost, RowTooLarge, StatementError, read_diagnosis
from app.database.statement import Statement
from app.database.transport import Transport

Row = tuple[bytes | None, ...]
Step = tuple[Statement, bytes | Sequence[bytes | None], str]
"""A statement, its parameters (values, or the bytes of ``encode_parameters``) and the role that it will run as."""

IDLE = b"I"
"""The transaction status of a connection that is in no transaction."""

_Key = tuple[bytes, str]
"""The key of a prepared statement: the digest of its text and the role it runs as."""

_Parsing = tuple[_Key, bytes] | None
"""What the server is asked to prepare: its key and the start of its Bind message, None without a name."""

_header = Struct("!ci")
_int = Struct("!i")
_short = Struct("!H")
_pack_int = _int.pack
_unpack_int = _int.unpack_from
_unpack_short = _short.unpack_from

_NULL = _pack_int(-1)
_TEXT_RESULTS = b"\0\0"
LARGEST_ROW = 2**31
"""Beyond any message of the protocol."""

# Execute the unnamed portal without a limit of rows.
_END_OF_BIND_AND_EXECUTE = _TEXT_RESULTS + b"E" + _pack_int(9) + b"\0" + _pack_int(0)
_SYNC = b"S" + _pack_int(4)
# The unnamed portal, the unnamed statement, all parameters as text.
_BIND_UNNAMED = b"\0\0\0\0"
_MAX_PARAMETERS = 65535


def encode_parameters(values: Sequence[bytes | None]) -> bytes:
    """The parameters of a Bind message, for values that serve many requests."""
    return b"".join(_parameter_parts(values))


def _parameter_parts(values: Sequence[bytes | None]) -> list[bytes]:
    if len(values) > _MAX_PARAMETERS:
        raise ValueError(f"a statement cannot have more than {_MAX_PARAMETERS} parameters")
    parts = [_short.pack(len(values))]
    for value in values:
        if value is None:
            parts.append(_NULL)
        else:
            parts.append(_pack_int(len(value)))
            parts.append(value)
    return parts


class Connection:
    """An open, authenticated connection. Used by one thread at a time.

    ``prepared_limit`` bounds the statements kept prepared; 0 turns prepared statements off. ``usable`` turns False
    when the connection must not be used again; its holder then closes it.
    """

    def __init__(self, sock: socket.socket, *, prepared_limit: int, release: Callable[[], None] | None = None) -> None:
        self._transport = Transport(sock)
        self._release = release
        self._prepared_limit = prepared_limit
        # The start of each one's Bind message, least recently used first
        self._prepared: OrderedDict[_Key, bytes] = OrderedDict()
        self._secret = secrets.token_bytes(16)
        self.usable = True
        self.opened_at = time.monotonic()
        self.transaction_status = IDLE
        self.parameters: dict[str, str] = {}

    # Sending

    def pipeline(self, steps: Sequence[Step], *, clean: bool = False, row_limit: int = 0) -> list[list[Row]]:
        """Run ``steps`` in one flight; the rows of each. ``clean``: first undo what the last one left in the session.
        A row of more than ``row_limit`` bytes is skipped without holding it in memory; 0 for no limit. Raises
        RowTooLarge for it after everything is read; the steps have taken effect by then.

        Raises StatementError with the step's index, negative when cleaning failed (nothing was applied, the connection
        is in order unless ``transaction_status`` says otherwise), or ConnectionLost.
        """
        self._require_usable()
        message, parsing = self._compose(steps)
        if clean:
            message = session.MESSAGE + message
        try:
            return self._converse(message, parsing, len(steps), clean, row_limit or LARGEST_ROW)
        except (StatementError, RowTooLarge):
            raise
        except BaseException:
            # Also on an interrupt: an unread answer would be taken for the next request's.
            self.usable = False
            raise

    def simple(self, sql: str) -> list[list[Row]]:
        """Run ``sql``, which may hold several statements, by the simple query protocol; the rows of each statement."""
        self._require_usable()
        body = sql.encode() + b"\0"
        try:
            return self._converse(b"Q" + _pack_int(len(body) + 4) + body, [], None)
        except StatementError:
            raise
        except BaseException:
            self.usable = False
            raise

    def _compose(self, steps: Sequence[Step]) -> tuple[bytes, list[_Parsing]]:
        """The bytes of the request, and what the server will have prepared, in the order of its answers."""
        out: list[bytes] = []
        append = out.append
        prepared = self._prepared
        keep = self._prepared_limit > 0
        parsing: list[_Parsing] = []
        fresh: dict[_Key, bytes] = {}
        for statement, parameters, role in steps:
            if keep and not statement.unnamed:
                key = (statement.digest, role)
                bind = prepared.get(key)
                if bind is not None:
                    prepared.move_to_end(key)
                else:
                    bind = fresh.get(key)
                    if bind is None:
                        name = statement.name_for(role, self._secret) + b"\0"
                        bind = fresh[key] = b"\0" + name + b"\0\0"
                        parsing.append((key, bind))
                        # The server may still have the name from before we lost track of it; Close is never an error.
                        append(b"C" + _pack_int(len(name) + 5) + b"S" + name)
                        append(b"P" + _pack_int(len(name) + len(statement.parse_body) + 4) + name)
                        append(statement.parse_body)
            else:
                bind = _BIND_UNNAMED
                parsing.append(None)
                append(b"P" + _pack_int(len(statement.parse_body) + 5) + b"\0" + statement.parse_body)
            if isinstance(parameters, bytes):
                append(b"B" + _pack_int(len(bind) + len(parameters) + 6) + bind)
                append(parameters)
            else:
                parts = _parameter_parts(parameters)
                append(b"B" + _pack_int(len(bind) + sum(map(len, parts)) + 6) + bind)
                out += parts
            append(_END_OF_BIND_AND_EXECUTE)
        append(_SYNC)
        if fresh:
            out[:0] = self._make_room(len(fresh), {(statement.digest, role) for statement, _, role in steps})
        return b"".join(out), parsing

    def _make_room(self, wanted: int, needed: set[_Key]) -> list[bytes]:
        """Messages that close the least recently used statements, sent with the request that needs the room."""
        closing = []
        while self._prepared and len(self._prepared) + wanted > self._prepared_limit:
            key, bind = next(iter(self._prepared.items()))
            if key in needed:
                break
            del self._prepared[key]
            name = bind[1:-2]
            closing.append(b"C" + _pack_int(len(name) + 5) + b"S" + name)
        return closing

    def forget_prepared(self) -> None:
        """The server no longer has our prepared statements (DISCARD ALL, a pooler): prepare them anew."""
        self._prepared.clear()

    # Receiving

    def _converse(  # noqa: C901
        self,
        message: bytes,
        parsing: Sequence[_Parsing],
        count: int | None,
        clean: bool = False,
        row_limit: int = LARGEST_ROW,
    ) -> list[list[Row]]:
        """Send ``message`` and read to ReadyForQuery; ``count`` results are due, any number when it is None, after
        those of cleaning the session, which are left out.

        One function for all of it, since every call costs time on the hot path.
        """
        transport = self._transport
        transport.send(message)
        buffer, position = transport.buffer, 0
        parsed = 0
        started = False
        results: list[list[Row]] = []
        rows: list[Row] = []
        failure: StatementError | None = None
        too_large = False
        # Cleaning commands whose answers are still to come. They usually arrive together and are always the same.
        cleaning = 0
        if clean:
            buffer = transport.more(buffer, 0, 5, answered=False)
            if buffer.startswith(session.ANSWER):
                position, started = len(session.ANSWER), True
            else:
                cleaning = session.COMMANDS
        while True:
            # A message: one byte for its kind, four for its length, which includes these four.
            end = position + 5
            if len(buffer) >= end:
                kind, size = _header.unpack_from(buffer, position)
                end = position + 1 + size
            if len(buffer) < end:
                if end - position > row_limit:
                    buffer, position = transport.past(buffer, end), 0
                    too_large = True
                    continue
                buffer = transport.more(buffer, position, end, answered=started)
                position = 0
                continue
            body = position + 5
            position = end
            if kind == b"D":
                if _unpack_short(buffer, body)[0] == 1:
                    length = _unpack_int(buffer, body + 2)[0]
                    rows.append((buffer[body + 6 : end] if length >= 0 else None,))
                else:
                    rows.append(_row(buffer, body))
            elif kind == b"C" or kind == b"I":
                if cleaning:
                    cleaning -= 1
                else:
                    results.append(rows)
                rows = []
                started = True
            elif kind == b"2" or kind == b"T":
                started = True
            elif kind == b"1":
                if not cleaning:
                    if (named := parsing[parsed]) is not None:
                        self._prepared[named[0]] = named[1]
                    parsed += 1
            elif kind == b"Z":
                self.transaction_status = buffer[body:end]
                transport.buffer = buffer[end:]
                break
            elif kind == b"E":
                diagnosis, fields = read_diagnosis(buffer[body:end])
                if fields.get("V", fields.get("S")) in ("FATAL", "PANIC"):
                    raise ConnectionLost(
                        "the server ended the connection", answered=started, unapplied=not started, diagnosis=diagnosis
                    )
                if failure is None:
                    failure = StatementError(diagnosis, len(results) - cleaning, fields.get("R", ""))
            elif kind not in b"3tnN":
                self._asynchronous(kind, buffer[body:end])
        if failure is not None:
            raise failure
        if too_large:
            raise RowTooLarge(row_limit)
        if count is not None and len(results) != count:
            self.usable = False
            raise ConnectionLost("the server answered out of order", answered=True, unapplied=False)
        return results

    def _asynchronous(self, kind: bytes, body: bytes) -> None:
        if kind == b"S":
            name, value = body.split(b"\0")[:2]
            self.parameters[name.decode()] = value.decode(errors="replace")
            if name == b"client_encoding" and value.upper() not in (b"UTF8", b"SQL_ASCII"):
                # A database function changed it for the session: what we send would be misread.
                self.usable = False
        elif kind == b"A":
            # None of our statements listens. Nobody reads an idle connection, so notifications would pile up.
            self.usable = False
        else:
            raise ConnectionLost("the server sent an unexpected message", answered=True, unapplied=False)

    # Life

    def wait_at_most(self, seconds: float) -> None:
        """How long the server may be silent before the connection counts as lost; 0 for no limit."""
        self._transport.wait_at_most(seconds)

    def _require_usable(self) -> None:
        if not self.usable:
            raise ConnectionLost("the connection is not usable any more", answered=False, unapplied=True)

    def is_dead(self) -> bool:
        """Whether the server has closed this idle connection, as far as this side can know without asking it."""
        if not self.usable or not self._transport.arrived():
            return True
        buffer, position = self._transport.buffer, 0
        while position + 5 <= len(buffer):
            kind, size = _header.unpack_from(buffer, position)
            # Between requests an error ends the connection; for notifications see _asynchronous.
            if kind in b"EA":
                return True
            position += 1 + size
        return False

    def close(self) -> None:
        orderly, self.usable = self.usable, False
        self._transport.close(orderly=orderly, release=self._release)


def _row(buffer: bytes, position: int) -> Row:
    (count,) = _unpack_short(buffer, position)
    position += 2
    values: list[bytes | None] = []
    for _ in range(count):
        (length,) = _unpack_int(buffer, position)
        position += 4
        if length < 0:
            values.append(None)
        else:
            values.append(buffer[position : position + length])
            position += length
    return tuple(values)
