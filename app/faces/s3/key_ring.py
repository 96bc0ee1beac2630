"""Finds the secret and the caller of an access key.

With a session token, the access key is the project's reference and the secret is the anon key. That key is public, so
only the token identifies the caller, as in the REST API.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from app.errors import AccessError
from app.faces.s3.access_keys import AccessKeys
from app.faces.s3.errors import S3Error, access_denied
from app.faces.s3.request_signature import RequestSignature
from app.faces.shared.credentials import TOKEN_MESSAGES
from app.identity import ANON, SERVICE_ROLE, Caller, Identity, TokenError

_STORED = re.compile(r"[0-9a-f]{32}", re.ASCII)


@dataclass(frozen=True, slots=True)
class SigningSecret:
    """The secret of an access key. ``caller`` returns the key's caller; it is called after the signature has been
    verified, and raises S3Error. ``buckets``: the buckets for which the key is valid; None for all. ``stored``: the
    access key if it is stored in the database, since only such a key identifies its owner."""

    secret: str = field(repr=False)
    caller: Callable[[], Caller] = field(repr=False)
    token: str = field(default="", repr=False)
    buckets: frozenset[str] | None = None
    stored: str | None = None


class KeyRing:
    """The access keys of a service. ``pair``: the access key and secret in the settings, which have the service role.
    ``stored``: the keys in the database; None if the service has no secret for their encryption."""

    def __init__(
        self,
        identity: Identity,
        *,
        pair: tuple[str, str] | None,
        anon_key: str | None,
        project_ref: str | None,
        stored: AccessKeys | None,
    ) -> None:
        self._identity = identity
        self._pair = pair
        self._anon_key = anon_key
        self._project_ref = project_ref
        self._stored = stored

    def find(self, signature: RequestSignature) -> SigningSecret:
        """The secret for the access key of a signature. Raises S3Error for an unknown key."""
        if signature.token:
            return self._session(signature.access_key, signature.token)
        if self._pair is not None and self.is_in_settings(signature):
            return SigningSecret(self._pair[1], lambda: self._service)
        # Keys of any other format are not in the table, so they cause no query.
        if self._stored is not None and _STORED.fullmatch(signature.access_key):
            key = self._stored.find(signature.access_key)
            if key is not None and key.secret is not None:
                claims = key.claims
                buckets = None if key.buckets is None else frozenset(key.buckets)
                return SigningSecret(key.secret, lambda: self._caller(claims), buckets=buckets, stored=key.id)
        raise S3Error("InvalidAccessKeyId", 403, "The AWS access key ID you provided does not exist in our records.")

    def is_in_settings(self, signature: RequestSignature) -> bool:
        """Whether the access key of a signature is that of the settings, so that ``find`` reads no table."""
        is_session = bool(signature.token)
        return self._pair is not None and not is_session and _same(signature.access_key, self._pair[0])

    @cached_property
    def _service(self) -> Caller:
        return self._caller({"role": SERVICE_ROLE})

    def _session(self, access_key: str, token: str) -> SigningSecret:
        if self._anon_key is None or (self._project_ref and not _same(access_key, self._project_ref)):
            raise access_denied("Invalid Access Key")
        return SigningSecret(self._anon_key, lambda: self._bearer(token), token=token)

    def _bearer(self, token: str) -> Caller:
        try:
            return self._identity.bearer(token, default_role=ANON)
        except TokenError as ex:
            raise access_denied(TOKEN_MESSAGES[ex.reason]) from None
        except AccessError as ex:
            raise access_denied(ex.message) from None

    def _caller(self, claims: Mapping[str, object]) -> Caller:
        try:
            caller = Caller.of(claims, default_role=SERVICE_ROLE)
            self._identity.check_role(caller.role)
        except AccessError as ex:
            raise access_denied(ex.message) from None
        return caller


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode(), wanted.encode())
