"""Composes the bytes of a flight, and manages the statements that the server has prepared.

A request is written as Parse (only for a statement that this connection has not prepared yet), Bind and Execute per
statement and one Sync at the end. Source of the message formats: PostgreSQL documentation, "Frontend/Backend Protocol".
"""

from __future__ import annotations

import re
import secrets
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from struct import Struct

from app.database.wire.statement import Statement

Step = tuple[Statement, bytes | Sequence[bytes | None], str]
"""A statement, its parameters (values, or the bytes of ``encode_parameters``) and the role as which it runs."""

StatementKey = tuple[bytes, str]
"""The key of a prepared statement: the digest of its text and the role as which it runs."""

Parsing = tuple[StatementKey, bytes] | None
"""A statement that the server must parse: its key and the start of its Bind message; None for an unnamed statement."""

_short = Struct("!H")
_pack_int = Struct("!i").pack

_NULL = _pack_int(-1)
_TEXT_RESULTS = b"\0\0"
# Execute the unnamed portal without a row limit.
_END_OF_BIND_AND_EXECUTE = _TEXT_RESULTS + b"E" + _pack_int(9) + b"\0" + _pack_int(0)
_SYNC = b"S" + _pack_int(4)
# The unnamed portal, the unnamed statement, all parameters as text.
_BIND_UNNAMED = b"\0\0\0\0"
_MAX_PARAMETERS = 65535
_MAJOR = re.compile(r"\d+", re.ASCII)
_BLOCKS_SINCE = 18


def encode_parameters(values: Sequence[bytes | None]) -> bytes:
    """The parameters of a Bind message: their count, and the length and bytes of each."""
    if len(values) > _MAX_PARAMETERS:
        raise ValueError(f"a statement cannot have more than {_MAX_PARAMETERS} parameters")
    parts = [_short.pack(len(values))]
    for value in values:
        if value is None:
            parts.append(_NULL)
        else:
            parts.append(_pack_int(len(value)))
            parts.append(value)
    return b"".join(parts)


def makes_blocks(parameters: Mapping[str, str]) -> bool:
    """Whether the server treats the statements of a flight as a transaction block, as PostgreSQL does from 18 on.
    Older versions warn about SET LOCAL in a flight."""
    major = _MAJOR.match(parameters.get("server_version", ""))
    return major is not None and int(major[0]) >= _BLOCKS_SINCE


class PreparedStatements:
    """The prepared statements of a connection, at most ``limit``; 0 turns them off. ``in_block``: the server treats the
    statements of a flight as a transaction block from the second one on."""

    def __init__(self, limit: int, *, in_block: bool = False) -> None:
        self._limit = limit
        self._in_block = in_block
        # The start of each statement's Bind message, least recently used first
        self._prepared: OrderedDict[StatementKey, bytes] = OrderedDict()
        self._secret = secrets.token_bytes(16)

    def add(self, key: StatementKey, bind: bytes) -> None:
        """Record that the server has prepared the statement."""
        self._prepared[key] = bind

    def forget(self) -> None:
        """Forget the statements, which the server no longer has (DISCARD ALL, a pooler)."""
        self._prepared.clear()

    def compose(self, steps: Sequence[Step]) -> tuple[bytes, list[Parsing]]:
        """The bytes of a request, and the statements that the server parses for it, in the order of its responses."""
        out: list[bytes] = []
        append = out.append
        prepared = self._prepared
        keep, in_block = self._limit > 0, self._in_block
        parsing: list[Parsing] = []
        fresh: dict[StatementKey, bytes] = {}
        for statement, parameters, role in steps:
            if statement.alone and not parameters:
                parsing.append(None)
                append(statement.alone if in_block else statement.alone_outside)
                continue
            if keep and not statement.unnamed:
                key = (statement.digest, role)
                bind = prepared.get(key)
                if bind is not None:
                    prepared.move_to_end(key)
                else:
                    bind = fresh.get(key)
                    if bind is None:
                        bind = fresh[key] = self._prepare(statement, role, out)
                        parsing.append((key, bind))
            else:
                bind = _BIND_UNNAMED
                parsing.append(None)
                append(b"P" + _pack_int(len(statement.parse_body) + 5) + b"\0" + statement.parse_body)
            encoded = parameters if isinstance(parameters, bytes) else encode_parameters(parameters)
            out += (b"B", _pack_int(len(bind) + len(encoded) + 6), bind, encoded, _END_OF_BIND_AND_EXECUTE)
        append(_SYNC)
        if fresh:
            out[:0] = self._make_room(len(fresh), {(statement.digest, role) for statement, _, role in steps})
        return b"".join(out), parsing

    def _prepare(self, statement: Statement, role: str, out: list[bytes]) -> bytes:
        """Append the messages that prepare a statement to ``out``; returns the start of its Bind message."""
        name = statement.name_for(role, self._secret) + b"\0"
        # The server may still have a forgotten statement with this name; Close is never an error.
        out.append(b"C" + _pack_int(len(name) + 5) + b"S" + name)
        out.append(b"P" + _pack_int(len(name) + len(statement.parse_body) + 4) + name)
        out.append(statement.parse_body)
        return b"\0" + name + b"\0\0"

    def _make_room(self, wanted: int, needed: set[StatementKey]) -> list[bytes]:
        """Messages that close the least recently used statements, so that ``wanted`` more fit. They are sent with the
        same request. Statements in ``needed`` stay."""
        closing = []
        while self._prepared and len(self._prepared) + wanted > self._limit:
            key, bind = next(iter(self._prepared.items()))
            if key in needed:
                break
            del self._prepared[key]
            name = bind[1:-2]
            closing.append(b"C" + _pack_int(len(name) + 5) + b"S" + name)
        return closing
