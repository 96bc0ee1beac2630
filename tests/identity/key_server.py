"""Keys that sign tokens, and a server from which a service reads those that verify them."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa


class SigningKey:
    """A private key that signs tokens, and its public half as a JSON Web Key."""

    def __init__(self, algorithm: str, kid: str | None = None) -> None:
        self.algorithm, self.kid = algorithm, kid
        self.private: Any
        if algorithm[:2] in ("RS", "PS"):
            self.private = rsa.generate_private_key(65537, 2048)
            data = jwt.algorithms.RSAAlgorithm.to_jwk(self.private.public_key())
        elif algorithm == "EdDSA":
            self.private = ed25519.Ed25519PrivateKey.generate()
            data = jwt.algorithms.OKPAlgorithm.to_jwk(self.private.public_key())
        else:
            curve = {"ES256": ec.SECP256R1, "ES384": ec.SECP384R1, "ES512": ec.SECP521R1, "ES256K": ec.SECP256K1}
            self.private = ec.generate_private_key(curve[algorithm]())
            data = jwt.algorithms.ECAlgorithm.to_jwk(self.private.public_key())
        self.jwk: dict[str, Any] = json.loads(data)
        self.jwk.pop("key_ops", None)
        if kid is not None:
            self.jwk["kid"] = kid

    def sign(self, claims: dict[str, Any], algorithm: str | None = None) -> str:
        headers = {"kid": self.kid} if self.kid is not None else None
        return jwt.encode(claims, self.private, algorithm or self.algorithm, headers=headers)

    def public_pem(self) -> bytes:
        return self.private.public_key().public_bytes(  # type: ignore[no-any-return]
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )


def key_set(*keys: SigningKey) -> str:
    return json.dumps({"keys": [key.jwk for key in keys]})


class KeyServer:
    """Serves a key set over HTTP and counts how often it is fetched."""

    def __init__(self) -> None:
        self.body = b'{"keys": []}'
        self.status = 200
        self.speaks_http = True
        self.drips = False
        self.redirects = False
        self.location = "/elsewhere"
        self.awaited, self.closed = threading.Event(), threading.Event()
        self.awaited.set()
        self.fetches = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.fetches += 1
                outer.awaited.wait()
                if outer.drips or outer.redirects:
                    self._send_without_end()
                    return
                if not outer.speaks_http:
                    self.wfile.write(b"220 mail.example.com ESMTP\r\n")
                    return
                self.send_response(outer.status)
                self.send_header("Content-Length", str(len(outer.body)))
                self.end_headers()
                self.wfile.write(outer.body)

            def _send_without_end(self) -> None:
                if outer.redirects:
                    self.send_response(302)
                    self.send_header("Location", outer.location)
                    self.end_headers()
                with suppress(OSError):
                    self.wfile.write(b"" if outer.redirects else b"HTTP/1.0 200 OK\r\nX: ")
                    while not outer.closed.wait(0.05):
                        self.wfile.write(b"x")

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/keys"

    def serve(self, *keys: SigningKey) -> None:
        self.body = key_set(*keys).encode()

    def close(self) -> None:
        self.awaited.set()
        self.closed.set()
        self._server.shutdown()
        self._server.server_close()
