"""Endpoints for the start of the page, and for test users: a role and claims, signed by a development service."""

from __future__ import annotations

import json
import time

import jwt

from portico import AccessError, Caller, RequestError
from portico_studio.answers import JsonResource

_LONGEST_S = 24 * 60 * 60
_MAX_BODY_BYTES = 16 * 1024
_SIGN_IN = "/auth/v1"


class SessionResource(JsonResource):
    """``GET /studio/api/session``: the settings that the page needs, and in development the keys."""

    def get(self, req):
        self.guard.check_page(req)
        settings = self.services.settings
        hands_out = self.guard.hands_out_keys(req)
        return {
            "development": self.guard.is_development,
            "canSign": hands_out and bool(settings.jwt_secret),
            "signIn": hands_out and self._has_sign_in(),
            "canRunSql": hands_out,
            "keys": {"anon": settings.anon_key, "service": settings.service_role_key} if hands_out else None,
            "roles": list(settings.api_roles),
            "dialect": settings.graphql_dialect,
            "uploadSizeLimit": settings.upload_size_limit,
        }

    def _has_sign_in(self):
        """Whether a plugin serves sign-in for development."""
        offered = self.services.plugins.hook.entrances(settings=self.services.settings)
        return any(each.path == _SIGN_IN for some in offered for each in some)


class TokenResource(JsonResource):
    """``POST /studio/api/tokens``: a token for ``role`` and ``claims``. Only in development, and from this machine."""

    def post(self, req):
        self.guard.check_development(req, "Test users exist")
        secret = self.services.settings.jwt_secret
        if not secret:
            raise AccessError("Test users need JWT_SECRET.", code="DEVELOPMENT_ONLY", status=403)
        given = _read(req)
        now = int(time.time())
        audience = self.services.settings.jwt_audience
        claims = {
            "iss": "portico-studio",
            **({"aud": audience} if audience else {}),
            **given["claims"],
            "role": given["role"],
            "iat": now,
            "exp": now + _LONGEST_S,
        }
        # The same check as for the token of a request.
        Caller.of(claims, default_role="anon")
        return {"token": jwt.encode(claims, secret, "HS256"), "claims": claims}


def _read(req):
    raw = req.bounded_stream.read(_MAX_BODY_BYTES + 1)
    try:
        given = json.loads(raw) if len(raw) <= _MAX_BODY_BYTES else None
    except (ValueError, RecursionError):
        given = None
    if (
        not isinstance(given, dict)
        or not isinstance(given.get("role"), str)
        or not isinstance(given.get("claims"), dict)
    ):
        raise RequestError('The body must be JSON of at most 16 KB, with "role", a string, and "claims", an object.')
    return given
