"""The two logins of a service: one can become the roles of callers, the other one can become service_role."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from app.database.identifiers import quoted
from app.identity import SERVICE_ROLE
from app.installation.state import QueryValue

_ITERATIONS = 4096
_OF_CALLER = "_api"
_OF_SERVICE = "_service"


class Login(NamedTuple):
    """A role that can log in, its password, and the roles that it may become."""

    name: str
    password: str
    roles: tuple[str, ...]


class Logins(NamedTuple):
    """The database URLs of both logins, with their passwords."""

    database_url: str
    service_database_url: str


def two_logins(name: str, roles: Sequence[str]) -> tuple[Login, Login]:
    """The logins ``name``_api, for all of ``roles`` except service_role, and ``name``_service, for service_role."""
    others = tuple(role for role in roles if role != SERVICE_ROLE)
    return _login(name + _OF_CALLER, others), _login(name + _OF_SERVICE, (SERVICE_ROLE,))


def creation_sql(read: QueryValue, login: Login) -> str:
    """SQL that creates the login. It contains a verifier instead of the password, since the server may log the SQL."""
    database = read("select quote_ident(current_database())") or b""
    number = int(read("select current_setting('server_version_num')") or 0)
    how = " with inherit false, set true" if number >= 160000 else ""
    commands = [f"create role {quoted(login.name)} login noinherit password '{_verifier(login.password)}'"]
    commands += [f"grant {quoted(role)} to {quoted(login.name)}{how}" for role in login.roles]
    commands.append(f"grant connect on database {database.decode()} to {quoted(login.name)}")
    return ";\n".join(commands)


def url_of(database_url: str, login: Login) -> str:
    """The URL of the same database for the login. ``database_url`` may have any of libpq's formats."""
    if "://" not in database_url:
        return f"{database_url} user={login.name} password={login.password}"
    parts = urlsplit(database_url)
    place = parts.netloc.rpartition("@")[2]
    kept = [pair for pair in parse_qsl(parts.query, keep_blank_values=True) if pair[0] not in ("user", "password")]
    netloc = f"{quote(login.name, safe='')}:{login.password}@{place}"
    return urlunsplit((parts.scheme, netloc, parts.path, urlencode(kept, quote_via=quote, safe="/"), parts.fragment))


def _login(name: str, roles: tuple[str, ...]) -> Login:
    return Login(name, secrets.token_urlsafe(24), roles)


def _verifier(password: str) -> str:
    """The password's verifier, as PostgreSQL stores it (RFC 5803; PostgreSQL documentation, "pg_authid")."""
    salt = secrets.token_bytes(16)
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, _ITERATIONS)
    stored = hashlib.sha256(hmac.digest(salted, b"Client Key", "sha256")).digest()
    server = hmac.digest(salted, b"Server Key", "sha256")
    encoded = [base64.b64encode(each).decode() for each in (salt, stored, server)]
    return f"SCRAM-SHA-256${_ITERATIONS}:{encoded[0]}${encoded[1]}:{encoded[2]}"
