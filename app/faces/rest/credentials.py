"""The credential that a route requires, and the caller that a token identifies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from app.errors import AccessError
from app.faces.rest.errors import access_denied, invalid_request
from app.faces.shared.credentials import TOKEN_MESSAGES, bearer_token
from app.identity import ANON, Caller, Identity, TokenError

Credential = Literal["required", "verified", "optional", "ignored"]
"""``required``: a request without a credential is malformed. ``verified``: a missing credential is an invalid one.
``optional``: without a valid credential the caller is anonymous. ``ignored``: the credential is not read."""


def request_token(credential: Credential, headers: Mapping[str, str], query: Mapping[str, str]) -> str | None:
    """The token; None if there is none or the route ignores it. Raises RestError if the route requires one."""
    if credential == "ignored":
        return None
    token = bearer_token(headers, query)
    if token is None and credential == "required":
        raise invalid_request("headers must have required property 'authorization'")
    if not token and credential == "verified":
        raise access_denied(TOKEN_MESSAGES["malformed"])
    return token


def required_signed_token(query: Mapping[str, str]) -> str:
    """The token of a signed URL. Raises RestError if there is none."""
    token = query.get("token")
    if token is None:
        raise invalid_request("querystring must have required property 'token'")
    return token


def caller_of(identity: Identity, token: str | None) -> Caller:
    """The caller with this token. Raises RestError (AccessDenied) with the messages that clients expect."""
    if not token:
        raise access_denied(TOKEN_MESSAGES["malformed"])
    try:
        return identity.bearer(token, default_role=ANON)
    except TokenError as ex:
        raise access_denied(TOKEN_MESSAGES[ex.reason]) from None
    except AccessError as ex:
        raise access_denied(ex.message) from None
