"""Results with the names of their columns, as a developer reads them, of any number of statements in one text.

Source of the messages: PostgreSQL documentation, "Frontend/Backend Protocol", "Simple Query".
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct

from app.database.wire.failure import read_diagnosis
from app.database.wire.messages import Row, row_of, unpack_short
from app.database.wire.transport import Transport
from app.database.wire.wire import IDLE, DatabaseConnection
from app.errors import Diagnosis

_header = Struct("!ci")
_pack_int = Struct("!i").pack
_HEADER_BYTES = 5
# The part of the description of a column after its name.
_COLUMN_BYTES = 18
_MOST_NOTICES = 100
_NO_DATA_COMES = b"this client sends no data for COPY\0"


@dataclass(frozen=True, slots=True)
class SqlResult:
    """The result of a statement. ``tag`` is PostgreSQL's, such as ``SELECT 3``; its number also counts the rows that
    are left out. ``columns`` is None for a statement without rows. ``is_partial``: rows are left out."""

    tag: str
    columns: tuple[str, ...] | None
    rows: tuple[tuple[str | None, ...], ...]
    is_partial: bool


@dataclass(frozen=True, slots=True)
class SqlFailure:
    """The failure of a text. ``position`` is that of the character in the text, the first being 1; None if unknown."""

    diagnosis: Diagnosis
    position: int | None


@dataclass(frozen=True, slots=True)
class SqlOutcome:
    """The results of the statements that ran, the messages of the server, and the failure that ended the text.
    ``was_open``: a transaction was still open at the end of the text."""

    results: tuple[SqlResult, ...]
    notices: tuple[str, ...]
    failure: SqlFailure | None
    was_open: bool


class _Messages:
    """The messages of the server. Those that are skipped are never held in memory as a whole."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._buffer, self._position = transport.buffer, 0

    def header(self) -> tuple[bytes, int]:
        """The kind of the next message, and the number of bytes that follow."""
        kind, size = _header.unpack(self.take(_HEADER_BYTES))
        return kind, size - 4

    def take(self, count: int) -> bytes:
        end = self._position + count
        if end > len(self._buffer):
            self._buffer = self._transport.more(self._buffer, self._position, end, answered=True)
            self._position, end = 0, count
        start, self._position = self._position, end
        return self._buffer[start:end]

    def skip(self, count: int) -> None:
        self._position += count
        if self._position > len(self._buffer):
            self._buffer, self._position = self._transport.past(self._buffer, self._position), 0


class _Collector:
    """Collects the parts of an outcome, at most ``row_limit`` rows of a result and ``byte_limit`` bytes of all rows."""

    def __init__(self, row_limit: int, byte_limit: int) -> None:
        self._row_limit, self._bytes_left = row_limit, byte_limit
        self._results: list[SqlResult] = []
        self._notices: list[str] = []
        self._failure: SqlFailure | None = None
        self._begin()

    def _begin(self) -> None:
        self._columns: tuple[str, ...] | None = None
        self._rows: list[tuple[str | None, ...]] = []
        self._is_partial = False

    def takes_row(self, size: int) -> bool:
        """Whether the next row, of ``size`` bytes, fits. If not, it and all later ones of the result are left out."""
        self._is_partial = self._is_partial or len(self._rows) >= self._row_limit or size > self._bytes_left
        return not self._is_partial

    def add(self, kind: bytes, body: bytes) -> None:
        if kind == b"T":
            self._columns = _columns(body)
        elif kind == b"D":
            self._bytes_left -= len(body)
            self._rows.append(_texts(row_of(body, 0)))
        elif kind == b"C":
            tag = body.rstrip(b"\0").decode()
            self._results.append(SqlResult(tag, self._columns, tuple(self._rows), self._is_partial))
            self._begin()
        elif kind == b"N" and len(self._notices) < _MOST_NOTICES:
            diagnosis, fields = read_diagnosis(body)
            self._notices.append(f"{fields.get('S', 'NOTICE')}: {diagnosis.message}")
        elif kind == b"E":
            diagnosis, fields = read_diagnosis(body)
            position = fields.get("P", "")
            self._failure = SqlFailure(diagnosis, int(position) if position.isdecimal() else None)

    def outcome(self, *, was_open: bool) -> SqlOutcome:
        return SqlOutcome(tuple(self._results), tuple(self._notices), self._failure, was_open)


def run_described(connection: DatabaseConnection, sql: str, *, row_limit: int, byte_limit: int) -> SqlOutcome:
    """Run ``sql``, which may have several statements, on a connection that is used for nothing afterwards. Rows beyond
    the limits are received and dropped, so that the statements take effect completely. Raises ConnectionLost."""
    text = sql.encode() + b"\0"
    transport = connection.transport
    transport.send(b"Q" + _pack_int(len(text) + 4) + text)
    messages, collector = _Messages(transport), _Collector(row_limit, byte_limit)
    while True:
        kind, size = messages.header()
        if kind not in b"TDCNEGZ" or (kind == b"D" and not collector.takes_row(size)):
            messages.skip(size)
            continue
        body = messages.take(size)
        if kind == b"G":
            transport.send(b"f" + _pack_int(len(_NO_DATA_COMES) + 4) + _NO_DATA_COMES)
        collector.add(kind, body)
        ends_connection = kind == b"E" and read_diagnosis(body)[1].get("V") in ("FATAL", "PANIC")
        if kind == b"Z" or ends_connection:
            connection.usable = not ends_connection
            return collector.outcome(was_open=body != IDLE and not ends_connection)


def _columns(body: bytes) -> tuple[str, ...]:
    names, position = [], 2
    for _ in range(unpack_short(body, 0)[0]):
        end = body.index(b"\0", position)
        names.append(body[position:end].decode())
        position = end + 1 + _COLUMN_BYTES
    return tuple(names)


def _texts(row: Row) -> tuple[str | None, ...]:
    return tuple(None if each is None else each.decode(errors="replace") for each in row)
