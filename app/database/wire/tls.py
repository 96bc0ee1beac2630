"""Implements ``sslmode``: makes the TLS context, one per process, and negotiates TLS on a new socket."""

from __future__ import annotations

import socket
import ssl

from app.database.wire.target import DatabaseUrlError, Target

# The SSLRequest message. PostgreSQL documentation, "Message Formats".
_SSL_REQUEST = b"\x00\x00\x00\x08\x04\xd2\x16\x2f"


class TlsRefused(OSError):
    """The server does not offer TLS although ``sslmode`` requires it."""


def tls_context(target: Target) -> ssl.SSLContext | None:
    """The context for all connections to ``target``, to each of its hosts; None if TLS is never used.

    Made once: loading the trusted certificates takes about 20 ms. As in libpq, ``verify-ca`` checks the chain, and
    ``verify-full`` also checks the host name. ``require`` only encrypts; with ``sslrootcert`` it means ``verify-ca``.
    Without ``sslrootcert`` the system's certificates are trusted. Raises DatabaseUrlError.
    """
    if target.sslmode == "disable" or all(each.socket_path is not None for each in target.per_host()):
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    verify = target.sslmode.startswith("verify-") or (target.sslmode == "require" and target.sslrootcert is not None)
    context.check_hostname = target.sslmode == "verify-full"
    context.verify_mode = ssl.CERT_REQUIRED if verify else ssl.CERT_NONE
    if verify:
        _trust(context, target.sslrootcert)
    if target.sslcert is not None:
        try:
            context.load_cert_chain(target.sslcert, target.sslkey)
        except OSError as ex:  # ssl.SSLError is one
            raise DatabaseUrlError(
                f"sslcert={target.sslcert} or its sslkey cannot be used: {ex.strerror or ex}"
            ) from None
    return context


def _trust(context: ssl.SSLContext, sslrootcert: str | None) -> None:
    if sslrootcert in (None, "system"):
        context.load_default_certs(ssl.Purpose.SERVER_AUTH)
        return
    try:
        context.load_verify_locations(cafile=sslrootcert)
    except OSError as ex:
        raise DatabaseUrlError(f"sslrootcert={sslrootcert} cannot be used: {ex.strerror or ex}") from None


def negotiate(sock: socket.socket, context: ssl.SSLContext, target: Target) -> socket.socket:
    """Negotiate TLS on ``sock``. Returns the encrypted socket, or ``sock`` itself if the server offers no TLS and
    ``sslmode`` permits that. Raises TlsRefused and other OSErrors."""
    sock.sendall(_SSL_REQUEST)
    response = sock.recv(1)
    if response == b"S":
        return context.wrap_socket(sock, server_hostname=target.host)
    # A server that cannot start a process for the connection sends an error instead, whose 'E' is read here.
    if response == b"N" and target.sslmode in ("allow", "prefer"):
        return sock
    if response == b"N":
        raise TlsRefused("the server does not offer TLS")
    raise ConnectionError("the server ended the connection")
