"""Reads the keys of JWT_JWKS, and reads them again when needed."""

from __future__ import annotations

import json
import logging
import threading
import time
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from app.errors import Unavailable
from app.http.client import opened
from app.identity.issuing import SigningKey
from app.identity.verification_keys import SHARED_KEY_ALGORITHMS, VerificationKey, read_key_set

log = logging.getLogger("portico.identity")

_MAX_AGE_S = 600.0
_MIN_INTERVAL_S = 10.0
_TIMEOUT_S = 5.0
_MAX_KEY_SET_BYTES = 1 << 20
_LONGEST_WAIT_S = 1.0


def load_key_set(source: str) -> tuple[VerificationKey, ...]:
    """Read the usable keys of ``source`` (see ``KeySet``) now. Raises OSError or ValueError."""
    return _loader(source)[0]()


def shared_key(source: str) -> SigningKey | None:
    """The first key of ``source`` that can sign tokens; None if all of them only verify. A public set has none. Raises
    OSError or ValueError."""
    load, public = _loader(source)
    for key in () if public else load():
        algorithm = key.algorithms[0]
        if algorithm in SHARED_KEY_ALGORITHMS:
            return SigningKey(key.prepared_for(algorithm).key, algorithm, key.kid)
    return None


class KeySet:
    """The current keys of ``source``: inline JSON, a file's path, or an http(s) URL.

    They are read on first use, again when they are ten minutes old, and when a token names a key that is not among
    them, but at most once in ten seconds. If reading fails, the old keys are kept. ``public``: anyone can read the
    keys, so that none of them can be a shared secret.

    A separate thread reads them, because the key server may hang, and any client can send tokens with unknown keys. A
    request that needs new keys waits at most for the first second of a read, or for the first five seconds while there
    are no keys.
    """

    def __init__(self, source: str, *, now: Callable[[], float] = time.monotonic) -> None:
        self._load, self.public = _loader(source)
        self._now = now
        self._lock = threading.Lock()
        self._keys: tuple[VerificationKey, ...] | None = None
        self._read_at = 0.0
        self._tried_at: float | None = None
        self._is_read = threading.Event()
        self._is_read.set()
        self._awaited_until = 0.0

    def matching(self, algorithm: str, kid: str | None, *, renewed: bool = False) -> Sequence[VerificationKey]:
        """The keys that may verify a token with this header. ``renewed``: read the keys again first, because the known
        ones failed.

        Raises Unavailable if there are no keys because they could not be read.
        """
        keys = self._keys
        if keys is None or renewed or self._now() - self._read_at > _MAX_AGE_S:
            keys = self._read()
        suitable = [key for key in keys if algorithm in key.algorithms]
        # A key without an id matches any token; a token without a key id is tried with all keys.
        return [key for key in suitable if kid is None or key.kid is None or key.kid == kid]

    def _read(self) -> tuple[VerificationKey, ...]:
        self._begin()
        self._is_read.wait(max(0.0, self._awaited_until - time.monotonic()))
        return self._known()

    def _begin(self) -> None:
        """Start to read the keys, unless they were read recently or are being read."""
        with self._lock:
            now = self._now()
            is_soon = self._tried_at is not None and now - self._tried_at < _MIN_INTERVAL_S
            if is_soon or not self._is_read.is_set():
                return
            self._tried_at = now
            self._is_read.clear()
            longest = _LONGEST_WAIT_S if self._keys is not None else _TIMEOUT_S
            self._awaited_until = time.monotonic() + longest
            threading.Thread(target=self._renew, args=(now,), name="key-set", daemon=True).start()

    def _renew(self, now: float) -> None:
        try:
            self._keys = self._load()
            self._read_at = now
        except (OSError, ValueError) as ex:
            log.warning("the keys of JWT_JWKS cannot be read: %s", ex)
        finally:
            self._is_read.set()

    def _known(self) -> tuple[VerificationKey, ...]:
        if self._keys is None:
            raise Unavailable(
                "The keys that verify tokens are not available now.",
                code="KEYS_UNAVAILABLE",
                hint="Try again.",
            )
        return self._keys


def _loader(source: str) -> tuple[Callable[[], tuple[VerificationKey, ...]], bool]:
    """A function that reads the keys, and whether they are public. Raises ValueError for invalid JSON."""
    source = source.strip()
    if source.startswith(("{", "[")):
        try:
            keys = read_key_set(_parsed(source), public=False)
        except ValueError:
            raise ValueError("JWT_JWKS is not a JSON Web Key Set") from None
        return lambda: keys, False
    if source.lower().startswith(("http://", "https://")):
        return lambda: read_key_set(_parsed(_fetched(source)), public=True), True
    path = Path(unquote(urlsplit(source).path) if source.startswith("file://") else source)
    return lambda: read_key_set(_parsed(path.read_bytes()), public=False), False


def _fetched(url: str) -> bytes:
    # Only http and https URLs get here, and only from the operator's setting.
    request = urllib.request.Request(url, headers={"Accept": "application/jwk-set+json, application/json"})  # noqa: S310
    with opened(request, _TIMEOUT_S, redirected=True) as response:
        document: bytes = response.read(_MAX_KEY_SET_BYTES + 1)
    if len(document) > _MAX_KEY_SET_BYTES:
        raise OSError("the response is too large")
    return document


def _parsed(document: str | bytes) -> object:
    try:
        return json.loads(document)
    except RecursionError:
        raise ValueError("the document is nested too deeply") from None
