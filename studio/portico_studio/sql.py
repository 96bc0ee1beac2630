"""The endpoint that runs SQL. It exists only in development, and answers only a browser on the service's machine."""

from __future__ import annotations

import json
import time
from dataclasses import asdict

from portico import RequestError, SqlConsole
from portico_studio.answers import JsonResource

ROW_LIMIT = 1000
BYTE_LIMIT = 4 * 1024 * 1024
_MAX_BODY_BYTES = 1024 * 1024


def console(database_url, settings):
    """Runs SQL with the limits of the page. It is the service's own STATEMENT_TIMEOUT_MS that ends long statements."""
    limits = {"timeout_ms": settings.statement_timeout_ms, "row_limit": ROW_LIMIT, "byte_limit": BYTE_LIMIT}
    return SqlConsole(database_url, **limits)


class SqlResource(JsonResource):
    """``GET /studio/api/sql``: the login, and the roles that it may become. ``POST``: runs ``sql`` as ``role``, with
    ``claims``, or as the login if the role is null."""

    def __init__(self, services, guard, own_console):
        super().__init__(services, guard)
        self._console = own_console

    def get(self, req):
        self.guard.check_development(req, "SQL runs")
        login, *others = self._console.roles()
        # Those of the API come first, in the order of the setting.
        own = [each for each in self.services.settings.api_roles if each in others]
        return {"login": login, "roles": [*own, *(each for each in others if each not in own)]}

    def post(self, req):
        self.guard.check_development(req, "SQL runs")
        sql, role, claims = _read(req)
        began = time.monotonic()
        outcome = self._console.run(sql, role=role, claims=json.dumps(claims) if claims else "")
        return {**asdict(outcome), "milliseconds": (time.monotonic() - began) * 1000, "rowLimit": ROW_LIMIT}


def _read(req):
    raw = req.bounded_stream.read(_MAX_BODY_BYTES + 1)
    try:
        given = json.loads(raw) if len(raw) <= _MAX_BODY_BYTES else None
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict) or not _is_text(given.get("sql")):
        raise RequestError('The body must be JSON of at most 1 MB, with "sql", a string without NUL characters.')
    role, claims = given.get("role"), given.get("claims")
    if not (role is None or (role and _is_text(role))) or not (claims is None or isinstance(claims, dict)):
        raise RequestError('"role" must be the name of a role or null, and "claims" an object or null.')
    return given["sql"], role, claims


def _is_text(value):
    """Whether a value is a text that PostgreSQL can receive: without NUL characters and lone surrogates."""
    return isinstance(value, str) and "\0" not in value and value.encode(errors="ignore").decode() == value
