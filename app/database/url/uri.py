"""The parameters in a connection URI.

Grammar: PostgreSQL documentation, "Connection URIs".
"""

from __future__ import annotations

import re
from urllib.parse import unquote

from app.database.wire.target import DatabaseUrlError

_SCHEMES = frozenset({"postgres", "postgresql", "postgresql+pg8000"})


def uri_parameters(uri: str) -> dict[str, str]:
    """The parameters of ``uri`` by libpq's names; several hosts and their ports are separated by commas.
    Raises DatabaseUrlError."""
    scheme, _, rest = uri.partition("://")
    if scheme.lower() not in _SCHEMES:
        raise DatabaseUrlError(f"the database URL starts with {scheme}://; postgresql:// or postgres:// was expected")
    located, _, query = rest.partition("?")
    authority, _, path = located.partition("/")
    if "@" in path:
        raise DatabaseUrlError("the database URL has '@' after '/'; write special characters of the password as %XX")
    credentials, has_user, hosts_and_ports = authority.rpartition("@")
    user, has_password, password = credentials.partition(":")
    places = [_split_port(each) for each in hosts_and_ports.split(",")]
    ports = [port for _, port in places]
    return {
        "user": _decode(user) if has_user else "",
        "password": _decode(password) if has_password else "",
        "host": ",".join(_decode(host) for host, _ in places),
        "port": ",".join(ports) if any(ports) else "",
        "dbname": _decode(path),
    } | _query_parameters(query)


def _split_port(host_and_port: str) -> tuple[str, str]:
    if host_and_port.startswith("["):
        host, bracket, rest = host_and_port[1:].partition("]")
        if not bracket or (rest and not rest.startswith(":")):
            raise DatabaseUrlError("the database URL has an IPv6 address that does not end with ']'")
        return host, rest[1:]
    host, _, port = host_and_port.partition(":")
    return host, port


def _query_parameters(query: str) -> dict[str, str]:
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
