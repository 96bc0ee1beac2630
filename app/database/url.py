"""DATABASE_URL as platforms and libpq write it, read into one value.

Grammar and parameter names: PostgreSQL documentation, "Connection URIs" and "Parameter Key Words".
"""

from __future__ import annotations

import getpass
import os
import re
from dataclasses import dataclass, field
from urllib.parse import unquote

SSL_MODES = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
DEFAULT_CONNECT_TIMEOUT_S = 10.0

_SCHEMES = frozenset({"postgres", "postgresql", "postgresql+pg8000"})
_SOCKET_DIRECTORY = "/var/run/postgresql"
# These ask for protection that ignoring them would silently drop.
_REFUSED = frozenset({"sslcrl", "sslcrldir", "require_auth", "ssl_min_protocol_version", "requirepeer", "hostaddr"})
# Defaults of libpq and hints for other drivers: ignoring them changes nothing that can be observed.
_MEANINGLESS = frozenset({"gssencmode", "krbsrvname", "fallback_application_name", "sslcompression", "sslsni"})


class DatabaseUrlError(ValueError):
    """The database URL is invalid. The message never contains the password."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where the database is and as whom to connect.

    ``host`` is a name or an address, or the directory of a Unix socket when it starts with ``/``.
    ``options`` are command line options for the server (``-c name=value``), as libpq sends them.
    ``ignored`` names unknown parameters, which have no effect.
    """

    host: str
    port: int
    user: str
    database: str
    password: str | None = field(default=None, repr=False)
    sslmode: str = "prefer"
    sslrootcert: str | None = None
    sslcert: str | None = None
    sslkey: str | None = None
    channel_binding: str = "prefer"
    application_name: str | None = None
    options: str | None = None
    connect_timeout_s: float | None = DEFAULT_CONNECT_TIMEOUT_S
    ignored: tuple[str, ...] = ()

    @property
    def socket_path(self) -> str | None:
        """The Unix socket's path, or None when the database is reached over TCP."""
        return f"{self.host}/.s.PGSQL.{self.port}" if self.host.startswith("/") else None

    def __str__(self) -> str:
        return f"{self.user}@{self.host}:{self.port}/{self.database}"


def parse_database_url(url: str) -> Target:
    """Read ``url``; raises DatabaseUrlError with a message that can be shown to the operator."""
    scheme, separator, rest = url.strip().partition("://")
    if not separator:
        raise DatabaseUrlError("the database URL must look like postgresql://user:password@host:5432/database")
    if scheme.lower() not in _SCHEMES:
        raise DatabaseUrlError(f"the database URL starts with {scheme}://; postgresql:// or postgres:// was expected")
    located, _, query = rest.partition("?")
    authority, _, path = located.partition("/")
    if "@" in path:
        raise DatabaseUrlError("the database URL has '@' after '/'; write special characters of the password as %XX")
    credentials, has_user, host_and_port = authority.rpartition("@")
    user, has_password, password = credentials.partition(":")
    host, port = _split_port(host_and_port)

    parameters = _parameters(query)
    found = {
        "user": _decode(user) if has_user else "",
        "password": _decode(password) if has_password else "",
        "host": _decode(host),
        "port": port,
        "dbname": _decode(path),
    }
    for name in found:
        found[name] = parameters.pop(name, found[name])
    return _target(found, parameters)


def _target(found: dict[str, str], parameters: dict[str, str]) -> Target:
    host = found["host"] or os.environ.get("PGHOST") or _default_host()
    if "," in host or "," in found["port"]:
        raise DatabaseUrlError("the database URL names several hosts; give the one to connect to")
    user = found["user"] or os.environ.get("PGUSER") or getpass.getuser()
    refused = sorted(_REFUSED & parameters.keys())
    if refused:
        raise DatabaseUrlError(f"the database URL has the parameter {refused[0]}, which is not supported")
    if parameters.get("gssencmode") == "require":
        raise DatabaseUrlError("gssencmode=require is not supported; use sslmode")

    sslrootcert = parameters.pop("sslrootcert", None) or None
    sslmode = _choice(parameters, "sslmode", SSL_MODES, "verify-full" if sslrootcert == "system" else "prefer")
    if sslrootcert == "system" and sslmode != "verify-full":
        raise DatabaseUrlError(f"sslrootcert=system needs sslmode=verify-full, not {sslmode}")
    channel_binding = _choice(parameters, "channel_binding", ("disable", "prefer", "require"), "prefer")
    if channel_binding == "require" and (host.startswith("/") or sslmode in ("disable", "allow", "prefer")):
        raise DatabaseUrlError("channel_binding=require needs sslmode=require, verify-ca or verify-full")
    return Target(
        host=host.rstrip("/") if host.startswith("/") else host,
        port=_port(found["port"] or os.environ.get("PGPORT") or "5432"),
        user=user,
        database=found["dbname"] or os.environ.get("PGDATABASE") or user,
        password=found["password"] or os.environ.get("PGPASSWORD") or None,
        sslmode=sslmode,
        sslrootcert=sslrootcert,
        sslcert=parameters.pop("sslcert", None) or None,
        sslkey=parameters.pop("sslkey", None) or None,
        channel_binding=channel_binding,
        application_name=parameters.pop("application_name", None) or None,
        options=parameters.pop("options", None) or None,
        connect_timeout_s=_timeout(parameters.pop("connect_timeout", "")),
        ignored=tuple(sorted(parameters.keys() - _MEANINGLESS)),
    )


def _split_port(host_and_port: str) -> tuple[str, str]:
    if host_and_port.startswith("["):
        host, bracket, rest = host_and_port[1:].partition("]")
        if not bracket or (rest and not rest.startswith(":")):
            raise DatabaseUrlError("the database URL has an IPv6 address that does not end with ']'")
        return host, rest[1:]
    host, _, port = host_and_port.partition(":")
    return host, port


def _parameters(query: str) -> dict[str, str]:
    parameters = {}
    for pair in filter(None, query.split("&")):
        name, equals, value = pair.partition("=")
        if not equals:
            raise DatabaseUrlError("the database URL has a parameter without '='")
        # Unlike in an HTML form, '+' is a plain character here.
        parameters[_decode(name)] = _decode(value)
    if parameters.pop("ssl", None) == "true":
        parameters.setdefault("sslmode", "require")
    return parameters


def _decode(text: str) -> str:
    if re.search(r"%(?![0-9A-Fa-f]{2})", text):
        raise DatabaseUrlError("the database URL has '%' without two hexadecimal digits; write a plain '%' as %25")
    try:
        decoded = unquote(text, errors="strict")
    except UnicodeDecodeError:
        raise DatabaseUrlError("the database URL has percent-encoded bytes that are not UTF-8") from None
    if "\0" in decoded:
        raise DatabaseUrlError("the database URL contains %00")
    return decoded


def _choice(parameters: dict[str, str], name: str, allowed: tuple[str, ...], default: str) -> str:
    value = parameters.pop(name, "") or default
    if value not in allowed:
        raise DatabaseUrlError(f"{name}={value} is not known; use one of {', '.join(allowed)}")
    return value


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 65536):
        raise DatabaseUrlError(
            "the database URL has a port that is not a number from 1 to 65535"
            " (if the password has special characters, write them as %XX)"
        )
    return int(text)


def _timeout(text: str) -> float | None:
    """libpq: whole seconds; zero or negative means without limit."""
    if not text:
        return DEFAULT_CONNECT_TIMEOUT_S
    try:
        seconds = int(text)
    except ValueError:
        raise DatabaseUrlError("connect_timeout must be a whole number of seconds") from None
    return float(seconds) if seconds > 0 else None


def _default_host() -> str:
    return _SOCKET_DIRECTORY if os.path.isdir(_SOCKET_DIRECTORY) else "localhost"
