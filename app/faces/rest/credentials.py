"""What a route demands of a request's credential, and the caller that the credential stands for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from app.errors import AccessError
from app.faces.rest.errors import access_denied, invalid_request
from app.faces.shared.credentials import TOKEN_MESSAGES, bearer_token, signed_token
from app.identity import ANON, Caller, Identity, TokenError

Credential = Literal["required", "judged", "optional", "ignored"]
"""``required``: without one the request is malformed. ``judged``: without one the answer is that for an invalid one.
``optional``: without a valid one the caller is anonymous. ``ignored``: it is not read."""


def presented_token(credential: Credential, headers: Mapping[str, str], query: Mapping[str, str]) -> str | None:
    """The token, None if there is none or the route ignores it. Raises RestError if the route demands one."""
    if credential == "ignored":
        return None
    token = bearer_token(headers, query)
    if token is None and credential == "required":
        raise invalid_request("headers must have required property 'authorization'")
    if not token and credential == "judged":
        raise access_denied(TOKEN_MESSAGES["malformed"])
    return token


def required_signed_token(query: Mapping[str, str]) -> str:
    """The token of a signed URL. Raises RestError if there is none."""
    token = signed_token(query)
    if token is None:
        raise invalid_request("querystring must have required property 'token'")
    return token


def caller_of(identity: Identity, token: str | None) -> Caller:
    """The caller with this token. Raises RestError (AccessDenied) with the messages that clients know."""
    if not token:
        raise access_denied(TOKEN_MESSAGES["malformed"])
    try:
        return identity.bearer(token, default_role=ANON)
    except TokenError as ex:
        raise access_denied(TOKEN_MESSAGES[ex.reason]) from None
    except AccessError as ex:
        raise access_denied(ex.message) from None
