"""Finds the caller of a request to the storage, by a token or by another credential that a plugin accepts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.errors import AccessError
from app.faces.rest.credentials import Credential, caller_of, request_token
from app.faces.rest.errors import RestError, access_denied
from app.faces.shared.credentials import bearer_token
from app.identity import Caller, Identity
from app.identity.further_credentials import Identifications, RequestHead


@dataclass(frozen=True, slots=True)
class Callers:
    """Finds callers of requests."""

    identity: Identity
    identifications: Identifications

    def identify(
        self, credential: Credential, head: RequestHead, headers: Mapping[str, str], query: Mapping[str, str]
    ) -> tuple[Caller | None, str]:
        """The caller and its token. The caller is None if the request has no credential and the route allows that.

        Raises RestError.
        """
        if credential == "ignored":
            return None, ""
        if self.identifications.headers and bearer_token(headers, query) is None:
            known = self._by_other_credential(credential, head)
            if known is not None:
                return known, ""
        token = request_token(credential, headers, query) or ""
        try:
            return caller_of(self.identity, token), token
        except RestError:
            if credential == "optional":
                return None, ""
            raise

    def _by_other_credential(self, credential: Credential, head: RequestHead) -> Caller | None:
        try:
            return self.identifications.caller(head)
        except AccessError as ex:
            if credential == "optional":
                return None
            raise access_denied(ex.message) from None
