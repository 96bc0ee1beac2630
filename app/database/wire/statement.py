"""An SQL text with the values that each request derives from it, computed once."""

from __future__ import annotations

import re
from hashlib import blake2b
from struct import Struct

_length = Struct("!i")
_NO_PARAMETER_TYPES = b"\0\0"
_BIND_AND_EXECUTE_UNNAMED = (
    b"B" + _length.pack(12) + b"\0\0" + b"\0\0\0\0" + b"\0\0" + b"E" + _length.pack(9) + b"\0" + _length.pack(0)
)


class Statement:
    """One SQL statement with ``$1`` placeholders. Immutable, hashable, equal by its text.

    The server infers the types of the parameters. ``name_hint`` is the prefix of the name under which the statement
    is prepared, so that an operator recognises it in ``pg_prepared_statements``. ``unnamed``: it is never prepared
    under a name, because it runs with the rights of the service, and a database function could replace it. ``outside``:
    the text for servers that warn about ``sql`` outside a transaction block; the same text by default.
    """

    __slots__ = ("_hash", "alone", "alone_outside", "digest", "name_hint", "parse_body", "sql", "unnamed")

    sql: str
    name_hint: str
    unnamed: bool
    digest: bytes
    parse_body: bytes
    """The part of the Parse message after the statement's name."""
    alone: bytes
    """The messages that run an unnamed statement without parameters; empty for others."""
    alone_outside: bytes
    """The same for the text ``outside``."""

    def __init__(self, sql: str, name_hint: str = "", *, unnamed: bool = False, outside: str = "") -> None:
        if "\0" in sql:
            raise ValueError("a SQL statement cannot contain a NUL character")
        text = sql.encode()
        keep = super().__setattr__
        keep("sql", sql)
        keep("unnamed", unnamed)
        keep("name_hint", re.sub(r"[^a-z0-9]+", "_", name_hint.lower())[:20].strip("_") or "portico")
        keep("digest", blake2b(text, digest_size=16).digest())
        keep("parse_body", text + b"\0" + _NO_PARAMETER_TYPES)
        keep("alone", _alone(text) if unnamed else b"")
        keep("alone_outside", _alone(outside.encode()) if outside else self.alone)
        keep("_hash", hash(self.digest))

    def name_for(self, role: str, secret: bytes) -> bytes:
        """The name under which a connection with this ``secret`` prepares the statement for ``role``.

        PostgreSQL plans a statement again when the role changes under row level security, so each role has its own
        prepared statement. The digest ensures that a name always stands for the same text, even on a connection that a
        pooler gave to another client before. The secret keeps a database function from guessing the name and preparing
        another statement under it.
        """
        digest = blake2b(self.digest + role.encode(), digest_size=12, key=secret).hexdigest()
        return f"{self.name_hint}_{digest}".encode()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Statement cannot be changed")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Statement) and self.digest == other.digest

    def __hash__(self) -> int:
        return self._hash  # type: ignore[attr-defined, no-any-return]

    def __repr__(self) -> str:
        return f"Statement({self.name_hint}_{self.digest.hex()[:8]})"


def _alone(text: bytes) -> bytes:
    body = text + b"\0" + _NO_PARAMETER_TYPES
    return b"P" + _length.pack(len(body) + 5) + b"\0" + body + _BIND_AND_EXECUTE_UNNAMED
