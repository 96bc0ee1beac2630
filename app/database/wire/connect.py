"""Opens a connection: chooses the host, opens the socket, negotiates TLS, starts the session and authenticates.

pg8000 does start-up and authentication (SCRAM, MD5, password) on a socket that is opened here; afterwards only
``app.database.wire.wire`` uses the connection.
"""

from __future__ import annotations

import contextlib
import dataclasses
import random
import socket
import ssl
from collections.abc import Mapping, Sequence
from functools import partial

import pg8000.exceptions

from app.database.wire.cancelling import process_of, request_cancel
from app.database.wire.driver import DriverSession
from app.database.wire.failure import ConnectionLost, StatementError, read_diagnosis, unavailable
from app.database.wire.one_server import SeveralServers, check_one_server
from app.database.wire.pinned import ACCEPTED, PINNED, SESSION_STATE, is_about_a_setting
from app.database.wire.session import CLEANING, cleaning_of
from app.database.wire.session_attrs import SessionMisfit, misfit, rounds
from app.database.wire.sqlstates import (
    ADMIN_SHUTDOWN,
    CANNOT_CONNECT_NOW,
    CRASH_SHUTDOWN,
    INVALID_AUTHORIZATION_SPECIFICATION,
    INVALID_PASSWORD,
    TOO_MANY_CONNECTIONS,
)
from app.database.wire.target import Target
from app.database.wire.tls import TlsRefused, negotiate
from app.database.wire.wire import DatabaseConnection
from app.errors import Diagnosis

# Half-open connections are detected after about two minutes, not after the kernel's two hours.
_KEEPALIVE = (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 15), ("TCP_KEEPCNT", 4), ("TCP_USER_TIMEOUT", 120_000))
# Short, because a service that stops waits for it.
_CANCEL_S = 1.0
_NO_PASSWORD = "; no password was given, or found in a password file that only its owner can read"  # noqa: S105

# The server is reachable but accepts no session now. Another host may accept one.
_TRY_NEXT_HOST = frozenset({TOO_MANY_CONNECTIONS, ADMIN_SHUTDOWN, CRASH_SHUTDOWN, CANNOT_CONNECT_NOW})


class ConnectionRefused(ConnectionError):
    """The server at ``target`` refused this connection. The message is for the operator."""

    def __init__(self, diagnosis: Diagnosis, target: Target) -> None:
        addition = _NO_PASSWORD if target.password is None and diagnosis.sqlstate == INVALID_PASSWORD else ""
        super().__init__(f"{target.place}: {diagnosis.message} (SQLSTATE {diagnosis.sqlstate}){addition}")
        self.diagnosis = diagnosis


def is_at_limit(failure: BaseException | None) -> bool:
    """Whether the server, or the role's limit, allows no further connection."""
    return isinstance(failure, ConnectionRefused) and failure.diagnosis.sqlstate == TOO_MANY_CONNECTIONS


class NoHost(ConnectionError):
    """None of several hosts can be used; ``failures`` has the reason for each."""

    def __init__(self, failures: Sequence[OSError]) -> None:
        super().__init__("; ".join(map(str, failures)))
        self.failures = failures


def connect(target: Target, tls: ssl.SSLContext | None, *, prepared_limit: int) -> DatabaseConnection:
    """Open a connection to ``target``, to the first of its hosts that is reachable and matches
    ``target_session_attrs``. ``tls`` is the context that ``tls_context`` made for ``target``.

    Raises Unavailable. Its cause names host and port, with details for the operator that clients must not see.
    """
    try:
        return _connect_to_first_suitable(target, tls, prepared_limit)
    except ConnectionRefused as ex:
        raise unavailable(ex.diagnosis, "The database refused the service's connection.") from ex
    except OSError as ex:
        raise unavailable(None) from ex


def _connect_to_first_suitable(target: Target, tls: ssl.SSLContext | None, prepared_limit: int) -> DatabaseConnection:
    """A connection to the first suitable host. As in libpq, the next host is tried unless a server refused the
    connection because of its parameters, such as user or database. Raises OSError."""
    failures: list[OSError] = []
    for session_attrs in rounds(target.session_attrs):
        hosts = target.per_host()
        if target.balanced:
            random.shuffle(hosts)
        for host in hosts:
            try:
                return _connect_checked(host, session_attrs, tls, prepared_limit)
            except ConnectionRefused as ex:
                if ex.diagnosis.sqlstate not in _TRY_NEXT_HOST:
                    raise
                failures.append(ex)
            except OSError as ex:
                failures.append(ex)
    if len(failures) == 1:
        raise failures[0]
    raise NoHost(failures)


def _connect_checked(
    target: Target, session_attrs: str, tls: ssl.SSLContext | None, prepared_limit: int
) -> DatabaseConnection:
    """A connection whose session matches ``session_attrs`` and whose flights reach a single server. Raises OSError with
    a message that names host and port."""
    try:
        connection = _open_by_sslmode(target, tls, prepared_limit)
    except ConnectionRefused:
        raise
    except OSError as ex:
        raise ConnectionError(f"{target.place}: {ex}") from ex
    try:
        connection.wait_at_most(target.connect_timeout_s or 0.0)
        state, process = check_one_server(connection, SESSION_STATE)
        connection.cleaning = cleaning_of(state)
        # A pooler sends its own cancel key, which does not have the process id of the session. And settings that each
        # flight must pin end with it.
        is_direct = process is not None and process == connection.process
        connection.keeps_contexts = is_direct and connection.cleaning is CLEANING
        difference = None if session_attrs == "any" else misfit(connection, session_attrs)
    except (ConnectionLost, StatementError, SeveralServers) as ex:
        connection.close()
        raise ConnectionError(f"{target.place}: {ex}") from ex
    if difference is None:
        connection.wait_at_most(0.0)
        return connection
    connection.close()
    raise SessionMisfit(f"{target.place}: {difference} (target_session_attrs={target.session_attrs})")


def _open_by_sslmode(target: Target, tls: ssl.SSLContext | None, prepared_limit: int) -> DatabaseConnection:
    if tls is None or target.socket_path is not None:
        return _open(target, None, prepared_limit)
    if target.sslmode not in ("allow", "prefer"):
        return _open(target, tls, prepared_limit)
    first, second = (tls, None) if target.sslmode == "prefer" else (None, tls)
    try:
        return _open(target, first, prepared_limit)
    except (ssl.SSLError, ConnectionRefused) as ex:
        # The second mode is tried only if TLS failed, or if pg_hba.conf has no line for the first mode.
        if isinstance(ex, ConnectionRefused) and ex.diagnosis.sqlstate != INVALID_AUTHORIZATION_SPECIFICATION:
            raise
        with contextlib.suppress(TlsRefused):
            return _open(target, second, prepared_limit)
        raise


def _open(target: Target, tls: ssl.SSLContext | None, prepared_limit: int) -> DatabaseConnection:
    try:
        return _open_with({**ACCEPTED, **PINNED}, target, tls, prepared_limit)
    except ConnectionRefused as ex:
        # A pooler, or a server other than PostgreSQL, may not know the pinned settings.
        if not is_about_a_setting(ex.diagnosis.message):
            raise
    return _open_with(ACCEPTED, target, tls, prepared_limit)


def _open_with(
    settings: Mapping[str, str], target: Target, tls: ssl.SSLContext | None, prepared_limit: int
) -> DatabaseConnection:
    sock = _dial(target)
    try:
        if tls is not None:
            sock = negotiate(sock, tls, target)
        session = _start_session(settings, target, sock)
        _check_channel_binding(target, session)
    except BaseException:
        sock.close()
        raise
    key = session.cancel_key
    return DatabaseConnection(
        sock,
        prepared_limit=prepared_limit,
        release=session.close,
        cancel=None if key is None else partial(_cancel, target, tls, key),
        process=None if key is None else process_of(key),
        parameters=session.parameter_statuses,
    )


def _cancel(target: Target, tls: ssl.SSLContext | None, key: bytes) -> None:
    target = dataclasses.replace(target, connect_timeout_s=_CANCEL_S)
    with contextlib.closing(_dial(target)) as sock:
        sock.settimeout(_CANCEL_S)
        with negotiate(sock, tls, target) if tls is not None else contextlib.nullcontext(sock) as secure:
            request_cancel(secure, key)


def _start_session(settings: Mapping[str, str], target: Target, sock: socket.socket) -> DriverSession:
    try:
        return DriverSession(
            target.user,
            database=target.database,
            # Without a password the driver fails with an unclear error; the server refuses an empty one properly.
            password=target.password or "",
            sock=sock,
            ssl_context=False,
            application_name=target.application_name or "portico",
            startup_params={**settings, **({} if target.options is None else {"options": target.options})},
        )
    except Exception as ex:
        # After a refusal the driver sends Terminate, which fails if the server has closed the connection: the server's
        # error is then further down in the exception chain.
        cause: BaseException | None = ex
        while cause is not None:
            if isinstance(cause, pg8000.exceptions.DatabaseError):
                raise ConnectionRefused(_diagnosis(cause), target) from None
            cause = cause.__context__
        # The driver also raises exceptions other than its own, for example if the server is not PostgreSQL.
        raise ConnectionError(f"the start of the session failed: {type(ex).__name__}: {ex}") from ex


def _dial(target: Target) -> socket.socket:
    path = target.socket_path
    if path is None:
        sock = socket.create_connection((target.address or target.host, target.port), target.connect_timeout_s)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in _KEEPALIVE:
            if hasattr(socket, name):
                sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
        return sock
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        sock.settimeout(target.connect_timeout_s)
        sock.connect(path)
    except BaseException:
        sock.close()
        raise
    return sock


def _check_channel_binding(target: Target, session: DriverSession) -> None:
    if target.channel_binding == "require":
        mechanism = getattr(getattr(session, "auth", None), "mechanism_name", "")
        if not mechanism.endswith("-PLUS"):
            raise ConnectionError("channel_binding=require, but the server did not offer it")


def _diagnosis(error: pg8000.exceptions.DatabaseError) -> Diagnosis:
    fields = error.args[0] if error.args and isinstance(error.args[0], dict) else {}
    body = b"\0".join(f"{letter}{text}".encode() for letter, text in fields.items())
    return read_diagnosis(body)[0]
