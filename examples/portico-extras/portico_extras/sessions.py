"""A session cookie as a credential, signed by the application that signs users in. SESSION_SECRET turns it on.

The cookie ``session`` is the base64url of JSON claims, a dot, and the hexadecimal HMAC-SHA256 of the text before the
dot.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from functools import partial

from portico import AccessError, Caller, Identification, Setting, hookimpl, setting_kinds

SESSION_SECRET = Setting("session_secret", setting_kinds.SECRET, None, "The secret that signs session cookies.")


@hookimpl
def settings():
    return [SESSION_SECRET]


@hookimpl
def identifications(settings):
    secret = settings[SESSION_SECRET]
    return [Identification("cookie", partial(_caller, secret))] if secret else []


def make_cookie(secret, **claims):
    """The value of a session cookie. ``exp`` is the time at which it expires, in seconds since 1970."""
    payload = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode()
    return f"{payload}.{_signature(secret, payload)}"


def _caller(secret, head):
    payload, dot, signature = (head.cookie("session") or "").partition(".")
    if not dot:
        return None
    if not hmac.compare_digest(signature.encode(), _signature(secret, payload).encode()):
        raise AccessError("The session cookie has an invalid signature.", code="INVALID_SESSION")
    claims = json.loads(base64.urlsafe_b64decode(payload))
    if claims.get("exp", 0) < time.time():
        raise AccessError("The session has expired.", code="SESSION_EXPIRED", hint="Sign in again.")
    return Caller.of(claims, default_role="authenticated")


def _signature(secret, payload):
    return hmac.new(secret.encode(), payload.encode(), hashlib.sha256).hexdigest()
