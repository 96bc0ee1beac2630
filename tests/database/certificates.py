"""A certificate authority and server certificates for the tests of TLS."""

from __future__ import annotations

import datetime
import ipaddress
import ssl
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class Authority:
    """Signs certificates; ``certificate`` is the path of the authority's own."""

    def __init__(self, directory: Path, name: str) -> None:
        self._directory = directory
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        made = self._sign(self._name, self._key.public_key(), x509.BasicConstraints(ca=True, path_length=0))
        self.certificate = directory / f"{name}.crt"
        self.certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))

    def server(self, *hosts: str) -> ssl.SSLContext:
        """A context for a server with a certificate for ``hosts``."""
        key = ec.generate_private_key(ec.SECP256R1())
        names = x509.SubjectAlternativeName([_alternative(host) for host in hosts])
        made = self._sign(x509.Name([]), key.public_key(), names)
        path = self._directory / f"{'_'.join(hosts)}.pem"
        path.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
            + made.public_bytes(serialization.Encoding.PEM)
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(path)
        return context

    def _sign(
        self, subject: x509.Name, key: ec.EllipticCurvePublicKey, extension: x509.ExtensionType
    ) -> x509.Certificate:
        now = datetime.datetime.now(datetime.UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(extension, critical=True)
            .sign(self._key, hashes.SHA256())
        )


def _alternative(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)
