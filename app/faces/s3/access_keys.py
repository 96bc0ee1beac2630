"""Access keys of applications, stored as rows with the caller's claims and an encrypted secret."""

from __future__ import annotations

import json
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from cryptography.fernet import Fernet, InvalidToken

from app.database import ContextBuilder, Database, Row, Statement
from app.identity import SERVICE_ROLE
from app.identity.derived_keys import derived_key
from app.storage.row_decoding import json_value, known, number, read_metadata, text
from app.storage.sql import time_text
from app.storage.upkeep.work import background_context

_PURPOSE = "portico access keys"
# Claims of tokens that do not describe the caller.
_DROPPED = frozenset({"iss", "issuer", "exp", "iat"})

_COLUMNS = f"""
    id, secret, description, claims, pg_catalog.to_json(buckets),
    extract(epoch FROM expires_at), {time_text("created_at")}"""

_INSERT = Statement(
    """
    INSERT INTO storage.access_keys (id, secret, description, claims, buckets, expires_at)
    VALUES ($1, $2, $3, $4::jsonb,
            CASE WHEN $5::json IS NULL THEN NULL ELSE array(SELECT json_array_elements_text($5::json)) END,
            to_timestamp($6::bigint))
    """,
    "create_access_key",
)
_FIND = Statement(
    f"""
    SELECT {_COLUMNS} FROM storage.access_keys
    WHERE id = $1 AND (expires_at IS NULL OR expires_at > clock_timestamp())
    """,  # noqa: S608
    "find_access_key",
)
_LIST = Statement(f"SELECT {_COLUMNS} FROM storage.access_keys ORDER BY created_at, id", "list_access_keys")  # noqa: S608
_DELETE = Statement("DELETE FROM storage.access_keys WHERE id = $1 RETURNING id", "delete_access_key")


@dataclass(frozen=True, slots=True)
class AccessKey:
    """An access key. ``claims`` has at least the role of its caller. ``buckets``: the buckets for which it is valid;
    None for all. ``expires_at`` is in seconds since 1970. ``secret`` is None if it cannot be decrypted."""

    id: str
    secret: str | None = field(repr=False)
    description: str
    claims: Mapping[str, Any]
    buckets: tuple[str, ...] | None
    expires_at: float | None
    created_at: str


class AccessKeys:
    """The access keys in a database. The encryption key of their secrets is derived from ``service_secret``."""

    def __init__(self, database: Database, contexts: ContextBuilder, service_secret: str) -> None:
        self._database = database
        self._context = background_context(contexts)
        self._box = Fernet(urlsafe_b64encode(derived_key(service_secret, _PURPOSE)[:32]))

    def create(
        self,
        description: str,
        claims: Mapping[str, Any],
        *,
        buckets: Sequence[str] | None = None,
        expires_at: datetime | None = None,
    ) -> AccessKey:
        """Create an access key. Only its creator learns the secret."""
        stored_claims = {name: value for name, value in claims.items() if name not in _DROPPED}
        stored_claims.setdefault("role", SERVICE_ROLE)
        identifier, secret = secrets.token_hex(16), secrets.token_hex(32)
        expiry = None if expires_at is None else int(expires_at.timestamp())
        values = (
            text(identifier),
            self._box.encrypt(secret.encode()),
            text(description),
            json_value(stored_claims),
            json_value(None if buckets is None else list(buckets)),
            number(expiry),
        )
        self._database.run(self._context, [(_INSERT, values)], read_only=False)
        created = datetime.now(UTC).isoformat(timespec="milliseconds")
        return AccessKey(
            identifier, secret, description, stored_claims, None if buckets is None else tuple(buckets), expiry, created
        )

    def find(self, identifier: str) -> AccessKey | None:
        """The key; None if there is none or it has expired."""
        rows = self._database.run(self._context, [(_FIND, (text(identifier),))], read_only=True)[0]
        return self._read(rows[0]) if rows else None

    def all(self) -> list[AccessKey]:
        """All keys, including expired ones, the oldest first."""
        return [self._read(row) for row in self._database.run(self._context, [(_LIST, ())], read_only=True)[0]]

    def delete(self, identifier: str) -> bool:
        """Delete a key; it is invalid at once. Returns whether there was one."""
        return bool(self._database.run(self._context, [(_DELETE, (text(identifier),))], read_only=False)[0])

    def _read(self, row: Row) -> AccessKey:
        identifier, secret, description, claims, buckets, expires_at, created_at = row
        return AccessKey(
            id=known(identifier).decode(),
            secret=self._decrypted(known(secret)),
            description=(description or b"").decode(),
            claims=read_metadata(claims),
            buckets=None if buckets is None else tuple(json.loads(buckets)),
            expires_at=None if expires_at is None else float(expires_at),
            created_at=known(created_at).decode(),
        )

    def _decrypted(self, secret: bytes) -> str | None:
        try:
            return self._box.decrypt(secret).decode()
        except InvalidToken:
            return None
