"""The address of the database, and the parameters for connecting to it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

DEFAULT_CONNECT_TIMEOUT_S = 10.0


class DatabaseUrlError(ValueError):
    """The database URL is invalid. The message never contains the password. ``setting`` is the name of the setting that
    has this URL."""

    setting = "DATABASE_URL"


@dataclass(frozen=True, slots=True)
class Host:
    """``name`` is a name or an address, or the directory of a Unix socket if it starts with ``/``. ``address``: the IP
    address to use instead of looking up ``name``."""

    name: str
    port: int
    address: str | None = None
    password: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Target:
    """The address of the database, the login, and the other connection parameters.

    ``host`` is a name or an address, or the directory of a Unix socket if it starts with ``/``. ``address``: the IP
    address to use instead of looking up ``host``. ``others`` are hosts to try if this one cannot be used.
    ``session_attrs``: libpq's ``target_session_attrs``. ``balanced``: the hosts are tried in a random order.
    ``options`` are command line options for the server (``-c name=value``), as libpq sends them.
    ``ignored`` names unknown parameters, which have no effect.
    """

    host: str
    port: int
    user: str
    database: str
    password: str | None = field(default=None, repr=False)
    address: str | None = None
    others: tuple[Host, ...] = ()
    session_attrs: str = "any"
    balanced: bool = False
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
        """The Unix socket's path, or None if the database is reached over TCP."""
        return f"{self.host}/.s.PGSQL.{self.port}" if self.host.startswith("/") else None

    @property
    def place(self) -> str:
        """Host and port, or the socket's path, for the operator."""
        return self.socket_path or f"{self.host}:{self.port}"

    def per_host(self) -> list[Target]:
        """One target for each host, in the order of the URL."""
        others = [
            replace(self, host=other.name, port=other.port, address=other.address, password=other.password)
            for other in self.others
        ]
        return [self, *others]

    def __str__(self) -> str:
        return f"{self.user}@{','.join(each.place for each in self.per_host())}/{self.database}"
