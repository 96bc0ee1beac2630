"""Reads JSON Web Keys, and finds which of them may verify tokens.

Formats: RFC 7517 (JSON Web Key), RFC 7518 section 6, RFC 8037 (Ed25519).
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Any

import jwt

log = logging.getLogger("portico.identity")

_RSA = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")
_HMAC = ("HS256", "HS384", "HS512")
_ALGORITHMS: dict[tuple[str, str], tuple[str, ...]] = {
    ("RSA", ""): _RSA,
    ("EC", "P-256"): ("ES256",),
    ("EC", "P-384"): ("ES384",),
    ("EC", "P-521"): ("ES512",),
    ("EC", "secp256k1"): ("ES256K",),
    ("OKP", "Ed25519"): ("EdDSA",),
    ("oct", ""): _HMAC,
}
SHARED_KEY_ALGORITHMS = frozenset(_HMAC)
ASYMMETRIC_ALGORITHMS = frozenset(name for names in _ALGORITHMS.values() for name in names) - SHARED_KEY_ALGORITHMS
_MOST_NAMED = 10


@dataclass(frozen=True, slots=True)
class VerificationKey:
    """One key and its permitted algorithms. The key's type determines these, never a token."""

    kid: str | None
    algorithms: tuple[str, ...]
    data: dict[str, Any] = field(repr=False, compare=False)
    _prepared: dict[str, jwt.PyJWK] = field(default_factory=dict, repr=False, compare=False)

    def prepared_for(self, algorithm: str) -> jwt.PyJWK:
        """The key bound to one of its algorithms. Raises jwt.PyJWTError if its data is invalid."""
        key = self._prepared.get(algorithm)
        if key is None:
            key = self._prepared[algorithm] = jwt.PyJWK(self.data, algorithm)
        return key


def read_key_set(document: object, *, public: bool) -> tuple[VerificationKey, ...]:
    """The usable keys of a key set (or of one key, or a list of keys). Raises ValueError.

    ``public``: anyone can read the set, so a symmetric key in it proves nothing and is skipped.
    """
    if isinstance(document, dict):
        document = document.get("keys", [document])
    if not isinstance(document, list):
        raise ValueError("a JSON Web Key Set was expected")
    keys, useless = [], []
    for data in document:
        key = _read_key(data) if isinstance(data, dict) else None
        if key is None or (public and key.algorithms[0] in _HMAC):
            useless.append(data.get("kid") if isinstance(data, dict) else None)
            continue
        keys.append(key)
    for kid in useless[:_MOST_NAMED]:
        log.warning("a key of JWT_JWKS cannot be used (kid %.100r)", kid)
    if len(useless) > _MOST_NAMED:
        log.warning("%d more keys of JWT_JWKS cannot be used", len(useless) - _MOST_NAMED)
    return tuple(keys)


def _read_key(data: dict[str, Any]) -> VerificationKey | None:
    kty, curve, kid = data.get("kty"), data.get("crv") or "", data.get("kid")
    algorithms = _ALGORITHMS.get((str(kty), "" if kty in ("RSA", "oct") else str(curve)), ())
    declared = data.get("alg")
    if declared is not None:
        algorithms = tuple(name for name in algorithms if name == declared)
    operations = data.get("key_ops")
    if data.get("use", "sig") != "sig" or (isinstance(operations, list) and "verify" not in operations):
        return None
    if not algorithms or not (kid is None or isinstance(kid, str)):
        return None
    key = VerificationKey(kid, algorithms, data)
    try:
        key.prepared_for(algorithms[0])
    except jwt.PyJWTError:
        return None
    return key
