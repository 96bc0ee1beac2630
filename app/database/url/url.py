"""Reads DATABASE_URL in the formats of libpq: a URI or keywords. A service file, the environment and a password file
supply the parameters that it lacks.

Names and meaning of the parameters: PostgreSQL documentation, "Parameter Key Words" and "Environment Variables".
"""

from __future__ import annotations

import getpass
import os
import re
from dataclasses import replace

from app.database.url.keywords import keyword_parameters
from app.database.url.passfile import Passwords
from app.database.url.service_file import service_parameters
from app.database.url.uri import uri_parameters
from app.database.wire.session_attrs import SESSION_ATTRS
from app.database.wire.target import DEFAULT_CONNECT_TIMEOUT_S, DatabaseUrlError, Host, Target

SSL_MODES = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")

SEVERAL_HOSTS_CONNECT_TIMEOUT_S = 2.0
"""Short, because a host that does not answer must not delay the failover to the next one."""

_SOCKET_DIRECTORY = "/var/run/postgresql"
_VARIABLES = {
    "PGHOST": "host", "PGHOSTADDR": "hostaddr", "PGPORT": "port", "PGDATABASE": "dbname", "PGUSER": "user",
    "PGPASSWORD": "password", "PGPASSFILE": "passfile", "PGSERVICE": "service", "PGOPTIONS": "options",
    "PGAPPNAME": "application_name", "PGCONNECT_TIMEOUT": "connect_timeout", "PGSSLMODE": "sslmode",
    "PGSSLROOTCERT": "sslrootcert", "PGSSLCERT": "sslcert", "PGSSLKEY": "sslkey", "PGCHANNELBINDING": "channel_binding",
    "PGTARGETSESSIONATTRS": "target_session_attrs", "PGLOADBALANCEHOSTS": "load_balance_hosts",
    "PGGSSENCMODE": "gssencmode", "PGREQUIREAUTH": "require_auth", "PGREQUIREPEER": "requirepeer",
    "PGSSLCRL": "sslcrl", "PGSSLCRLDIR": "sslcrldir", "PGSSLMINPROTOCOLVERSION": "ssl_min_protocol_version",
}  # fmt: skip
# Ignoring these would silently drop the protection that they request.
_REFUSED = frozenset({"sslcrl", "sslcrldir", "require_auth", "ssl_min_protocol_version", "requirepeer"})
# Defaults of libpq and hints for other drivers: ignoring them has no visible effect.
_MEANINGLESS = frozenset({"gssencmode", "krbsrvname", "fallback_application_name", "sslcompression", "sslsni"})


def parse_database_url(url: str) -> Target:
    """The target that ``url`` describes. Raises DatabaseUrlError with a message that can be shown to the operator."""
    given = _given(url.strip())
    environment = {name: os.environ[variable] for variable, name in _VARIABLES.items() if os.environ.get(variable)}
    service = given.pop("service", "") or environment.pop("service", "")
    file = given.pop("servicefile", None)
    kept = service_parameters(service, file) if service else {}
    found = environment | kept | {name: value for name, value in given.items() if value}
    refused = sorted(_REFUSED & found.keys())
    if refused:
        raise DatabaseUrlError(f"the connection parameter {refused[0]} is not supported")
    if found.get("gssencmode") == "require":
        raise DatabaseUrlError("gssencmode=require is not supported; use sslmode")
    return _target(found)


def _given(url: str) -> dict[str, str]:
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", url):
        return uri_parameters(url)
    if "=" in url:
        return keyword_parameters(url)
    raise DatabaseUrlError("the database URL must look like postgresql://user:password@host:5432/database")


def _target(parameters: dict[str, str]) -> Target:
    """The target that ``parameters`` describe. Known parameters are removed from the dictionary."""
    take = parameters.pop
    hosts = _hosts(take("host", ""), take("hostaddr", ""), take("port", ""))
    user = take("user", "") or getpass.getuser()
    database = take("dbname", "") or user
    hosts = _with_passwords(hosts, take("password", ""), take("passfile", None), database, user)
    sslrootcert = take("sslrootcert", None)
    sslmode = _choice(parameters, "sslmode", SSL_MODES, "verify-full" if sslrootcert == "system" else "prefer")
    if sslrootcert == "system" and sslmode != "verify-full":
        raise DatabaseUrlError(f"sslrootcert=system needs sslmode=verify-full, not {sslmode}")
    channel_binding = _choice(parameters, "channel_binding", ("disable", "prefer", "require"), "prefer")
    has_socket = any(host.name.startswith("/") for host in hosts)
    if channel_binding == "require" and (has_socket or sslmode in ("disable", "allow", "prefer")):
        raise DatabaseUrlError("channel_binding=require needs sslmode=require, verify-ca or verify-full")
    return Target(
        host=hosts[0].name,
        port=hosts[0].port,
        address=hosts[0].address,
        password=hosts[0].password,
        others=hosts[1:],
        user=user,
        database=database,
        session_attrs=_choice(parameters, "target_session_attrs", SESSION_ATTRS, "any"),
        balanced=_choice(parameters, "load_balance_hosts", ("disable", "random"), "disable") == "random",
        sslmode=sslmode,
        sslrootcert=sslrootcert,
        sslcert=take("sslcert", None),
        sslkey=take("sslkey", None),
        channel_binding=channel_binding,
        application_name=take("application_name", None),
        options=take("options", None),
        connect_timeout_s=_timeout(take("connect_timeout", ""), several=len(hosts) > 1),
        ignored=tuple(sorted(parameters.keys() - _MEANINGLESS)),
    )


def _hosts(names: str, addresses: str, ports: str) -> tuple[Host, ...]:
    """The hosts of comma-separated lists. If both names and addresses are given, there must be the same number of each.
    There may be one port for all hosts, or one for each. Raises DatabaseUrlError."""
    hosts = names.split(",") if names else [""] * len(addresses.split(","))
    numbers = addresses.split(",") if addresses else [""] * len(hosts)
    if len(numbers) != len(hosts):
        raise DatabaseUrlError(f"hostaddr has {len(numbers)} addresses for {len(hosts)} hosts")
    given = ports.split(",")
    if len(given) == 1:
        given *= len(hosts)
    if len(given) != len(hosts):
        raise DatabaseUrlError(f"there are {len(given)} ports for {len(hosts)} hosts; give one for each or one for all")
    return tuple(
        Host(_host_name(name or number), _port(port or "5432"), number or None)
        for name, number, port in zip(hosts, numbers, given, strict=True)
    )


def _host_name(given: str) -> str:
    if not given:
        return _SOCKET_DIRECTORY if os.path.isdir(_SOCKET_DIRECTORY) else "localhost"
    return given.rstrip("/") if given.startswith("/") else given


def _with_passwords(
    hosts: tuple[Host, ...], password: str, passfile: str | None, database: str, user: str
) -> tuple[Host, ...]:
    if password:
        return tuple(replace(host, password=password) for host in hosts)
    passwords = Passwords(passfile)
    return tuple(
        # In the password file, the default socket directory is called localhost.
        replace(host, password=passwords.find(_name_in_passfile(host.name), host.port, database, user))
        for host in hosts
    )


def _name_in_passfile(name: str) -> str:
    return "localhost" if name == _SOCKET_DIRECTORY else name


def _choice(parameters: dict[str, str], name: str, allowed: tuple[str, ...], default: str) -> str:
    value = parameters.pop(name, default)
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


def _timeout(text: str, *, several: bool) -> float | None:
    """The timeout in seconds; None for no limit. As in libpq, ``text`` is an integer, and 0 or less means no limit."""
    if not text:
        return SEVERAL_HOSTS_CONNECT_TIMEOUT_S if several else DEFAULT_CONNECT_TIMEOUT_S
    try:
        seconds = int(text)
    except ValueError:
        raise DatabaseUrlError("connect_timeout must be a whole number of seconds") from None
    return float(seconds) if seconds > 0 else None
