"""Parts of PostgreSQL's messages that occur in several of its responses.

Source of the formats: PostgreSQL documentation, "Frontend/Backend Protocol".
"""

from __future__ import annotations

from struct import Struct

from app.database.wire.failure import ConnectionLost, StatementError, read_diagnosis

Row = tuple[bytes | None, ...]

unpack_int = Struct("!i").unpack_from
unpack_short = Struct("!H").unpack_from

BOUND_AND_ROW = b"2\0\0\0\4D"
"""BindComplete and the first byte of a DataRow."""

VALUE = Struct("!ihi")
"""The bytes after BOUND_AND_ROW: the size of the DataRow, the number of its columns, and the length of its first
value."""

ENDED_AFTER_ROW = (b"C\0\0\0\rSELECT 1\0Z\0\0\0\5I", b"C\0\0\0\x0fINSERT 0 1\0Z\0\0\0\5I")
"""The bytes after the only row of the last statement: CommandComplete and ReadyForQuery, outside a transaction."""


def failure_of(body: bytes, index: int, *, started: bool) -> StatementError:
    """The error of the statement with this index. Raises ConnectionLost for an error that ends the connection."""
    diagnosis, fields = read_diagnosis(body)
    if fields.get("V", fields.get("S")) in ("FATAL", "PANIC"):
        raise ConnectionLost(
            "the server ended the connection", answered=started, unapplied=not started, diagnosis=diagnosis
        )
    return StatementError(diagnosis, index, fields.get("R", ""))


def row_of(buffer: bytes, position: int) -> Row:
    """The values of the DataRow whose body begins at ``position``."""
    (count,) = unpack_short(buffer, position)
    position += 2
    values: list[bytes | None] = []
    for _ in range(count):
        (length,) = unpack_int(buffer, position)
        position += 4
        if length < 0:
            values.append(None)
        else:
            values.append(buffer[position : position + length])
            position += length
    return tuple(values)
