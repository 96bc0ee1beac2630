"""Findings of ``portico doctor`` about the settings of keys and of the storage."""

from __future__ import annotations

from collections.abc import Iterator

from app.commands.finding import Finding
from app.identity import has_keys
from app.identity.issuing import is_too_short
from app.identity.key_sets import load_key_set
from app.settings import Settings
from app.storage.storage import storage_url


def of_settings(settings: Settings) -> Iterator[Finding]:
    """Check settings without the database. The key set of JWT_JWKS is fetched."""
    if not has_keys(settings):
        yield Finding("WRONG", "no key is set, so every request is refused", "run portico keys and set its output")
        return
    yield Finding("ok", "keys are set")
    if settings.jwt_secret and is_too_short(settings.jwt_secret):
        yield Finding(
            "note", "JWT_SECRET is shorter than 32 bytes, so it could be guessed", "run portico keys for a new one"
        )
    if settings.jwt_jwks:
        yield _key_set(settings.jwt_jwks)
    if settings.storage_url is None:
        where = storage_url(settings)
        yield Finding("note", f"STORAGE_URL is not set, so objects are stored in {where}, on this machine only")


def _key_set(source: str) -> Finding:
    try:
        keys = load_key_set(source)
    except (OSError, ValueError) as ex:
        return Finding("WRONG", f"the key set of JWT_JWKS cannot be read: {ex}")
    if not keys:
        return Finding("WRONG", "JWT_JWKS has no key that can verify tokens")
    return Finding("ok", f"JWT_JWKS has {len(keys)} key(s)")
