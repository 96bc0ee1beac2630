"""With which rights the database is asked: the contexts of an operation."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from app.database import Context, ContextBuilder
from app.errors import AccessError
from app.identity import Caller, Identity, TokenError
from app.identity.tokens import Reason
from app.storage.errors import StorageError, access_denied, invalid_request
from app.storage.records import Call

SERVICE_ROLE = "service_role"
ANONYMOUS = "anon"

_TOKEN_MESSAGES: Mapping[Reason, str] = {
    "malformed": "Invalid Compact JWS",
    "algorithm": '"alg" (Algorithm) Header Parameter value not allowed',
    "signature": "signature verification failed",
    "expired": '"exp" claim timestamp check failed',
    "not_yet_valid": '"nbf" claim timestamp check failed',
    "audience": 'unexpected "aud" claim value',
    "claims": "Invalid Compact JWS",
    "signed_url": "Token is that of a signed URL",
}


def bearer_token(headers: Mapping[str, str], query: Mapping[str, str]) -> str | None:
    """The credential of a request: the header ``authorization``, else the query parameter of that name, else None."""
    given = headers.get("authorization")
    if given is None:
        given = query.get("authorization")
    if given is None:
        return None
    given = given.strip()
    return given[7:].strip() if given[:7].lower() == "bearer " else given


def missing_credential() -> StorageError:
    return invalid_request("headers must have required property 'authorization'")


def caller_of(identity: Identity, token: str) -> Caller:
    """Who presents this token. Raises AccessDenied in the words that clients know."""
    try:
        return Caller.of(identity.verify(token), default_role=ANONYMOUS)
    except TokenError as error:
        raise access_denied(_TOKEN_MESSAGES[error.reason]) from None
    except AccessError as error:
        raise access_denied(error.message) from None


def check_service_role(call: Call) -> None:
    if call.caller.role != SERVICE_ROLE:
        raise access_denied("Access denied: Invalid role", status=403)


def anonymous() -> Caller:
    return Caller.of({}, default_role=ANONYMOUS)


def own_context(contexts: ContextBuilder, call: Call) -> Context:
    """The database is asked with the caller's own rights."""
    return _context(contexts, call, call.caller)


def service_context(contexts: ContextBuilder, call: Call) -> Context:
    """The database is asked with the service's rights; triggers still see whose request it is, by the claims."""
    caller = call.caller
    if caller.role != SERVICE_ROLE:
        caller = dataclasses.replace(caller, role=SERVICE_ROLE, cache_key=caller.cache_key + " as service")
    return _context(contexts, call, caller)


def _context(contexts: ContextBuilder, call: Call, caller: Caller) -> Context:
    return contexts.build(
        caller,
        method=call.method,
        path=call.path,
        headers=call.headers,
        extra=(
            ("request.jwt", call.token),
            ("storage.operation", call.operation),
            ("storage.allow_delete_query", "true"),
        ),
    )
