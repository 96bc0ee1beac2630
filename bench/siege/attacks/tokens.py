"""Tokens that must be rejected, and roles that no caller may take."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Iterator
from typing import Any

from bench.siege.client import ANON, SECRET, Answer, token
from bench.siege.finding import Attack, Finding, Tally
from bench.siege.grounds import Besieged, Grounds

_ROLES: tuple[Any, ...] = (
    "postgres", "pg_database_owner", "pg_read_all_data", "pg_write_all_data", "pg_monitor", "none", "NONE", "", " anon",
    "Anon", "\ud800", "\0", "a\0b", "public", "current_user", "session_user", "nobody at all", "x" * 100,
    "anon; reset role", '"anon"', "anon\n", 0, True, [], ["anon"], {}, {"role": "anon"},
)  # fmt: skip


_ALGORITHMS: tuple[Any, ...] = (
    "none", "None", "NONE", "nOnE", "", None, 0, [], "HS256", "HS384", "HS512", "RS256", "ES256", "PS256", "EdDSA",
)  # fmt: skip


def forge(header: Any, claims: Any, secret: bytes | None, digest: str = "sha256") -> str:
    """Make a token by hand, since libraries refuse to make such tokens."""
    parts = [_encoded(json.dumps(part).encode()) for part in (header, claims)]
    signature = b"" if secret is None else hmac.digest(secret, ".".join(parts).encode(), digest)
    return ".".join([*parts, _encoded(signature)])


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _forgeries() -> Iterator[tuple[str, str]]:
    genuine = token("service_role", sub="user 1")
    head, body, signature = genuine.split(".")
    claims = {"role": "service_role", "sub": "user 1"}
    for algorithm in _ALGORITHMS:
        yield f"alg {algorithm}, no signature", forge({"alg": algorithm, "typ": "JWT"}, claims, None)
        yield f"alg {algorithm}, wrong key", forge({"alg": algorithm, "typ": "JWT"}, claims, b"guessed")
        yield f"alg {algorithm}, empty key", forge({"alg": algorithm, "typ": "JWT"}, claims, b"")
    for name in ("jwk", "jku", "x5u", "x5c", "kid", "crit"):
        value = {"jwk": {"kty": "oct", "k": _encoded(b"guessed")}, "crit": ["exp"], "x5c": []}.get(name, "/dev/null")
        yield f"its own {name}", forge({"alg": "HS256", name: value}, claims, b"guessed")
    yield "the wrong digest", forge({"alg": "HS256"}, claims, SECRET.encode(), "sha512")
    yield "expired", token("service_role", exp=1)
    yield "not yet valid", token("service_role", nbf=int(time.time()) + 3600)
    yield "the hash of the secret", forge({"alg": "HS256"}, claims, hashlib.sha256(SECRET.encode()).digest())
    for changed in (
        f"{head}.{body}.",
        f"{head}.{body}",
        f".{body}.{signature}",
        f"{head}..{signature}",
        f"{head}.{body}.{signature[:-2]}",
        f"{head}.{_encoded(json.dumps({**claims, 'x': 1}).encode())}.{signature}",
        f"{genuine}.{signature}",
    ):
        yield "changed", changed


def _believed(service: Besieged, credential: str) -> Iterator[tuple[str, Answer]]:
    yield "graphql, Authorization", service.graphql("{ noteCollection { edges { node { owner } } } }", None, credential)
    body = {"query": "{ __typename }"}
    yield "graphql, apiKey", service.ask("POST", "/graphql/v1", body, None, apiKey=credential)
    yield "storage, Authorization", service.ask("GET", "/bucket", None, credential)
    yield "storage, apikey", service.ask("GET", "/bucket", None, None, apikey=credential)
    yield "storage, query", service.ask("POST", f"/object/none/k?authorization={credential}", b"x", None)


def _forged(grounds: Grounds, _: float) -> Finding:
    tally = Tally()
    for kind, credential in _forgeries():
        for face, answer in _believed(grounds.service, credential):
            reported = b"NoSuchBucket" in answer.body or b"Bucket not found" in answer.body
            tally.add(400 <= answer.status < 500 and not reported, (kind, face, answer.status, answer.body))
    return tally.finding()


def _is_proper_response(answer: Answer) -> bool:
    """Whether the response is not a failure of the service. Supabase's storage also answers 500 for an unknown role."""
    return answer.status in range(200, 500) or (answer.json or {}).get("code") == "DatabaseError"


def _roles(grounds: Grounds, _: float) -> Finding:
    """Genuine signatures; that role must not be taken, and no answer may be the service's own failure."""
    service, tally = grounds.service, Tally()
    for role in (*_ROLES, grounds.login):
        credential = forge({"alg": "HS256"}, {"role": role}, SECRET.encode())
        for face, answer in _believed(service, credential):
            refused = answer.status >= 400 or b'"errors"' in answer.body or role == ""
            tally.add(refused and _is_proper_response(answer), (role, face, answer.status, answer.body))
    return tally.finding()


def _two_kinds(grounds: Grounds, _: float) -> Finding:
    """A signed URL's token is not a user's, and a user's token with such claims is not a signed URL's."""
    service, tally = grounds.service, Tally()
    bucket = service.bucket()
    service.ask("POST", f"/object/{bucket}/k", b"secret")
    signed = service.ask("POST", f"/object/sign/{bucket}/k", {"expiresIn": 60}).json["signedURL"].partition("token=")[2]
    upload = service.ask("POST", f"/object/upload/sign/{bucket}/new").json["token"]
    for credential in (signed, upload):
        for face, answer in _believed(service, credential):
            tally.add(400 <= answer.status < 500, ("a URL as a user", face, answer.status, answer.body))
    later = int(time.time()) + 3600
    for scope in ("download", "upload", None):
        claims = {"url": f"{bucket}/k", "exp": later, "upsert": True, "owner": "x", "transformations": ""}
        forged = token("anon", **claims, **({"scope": scope} if scope else {}))
        read = service.ask("GET", f"/object/sign/{bucket}/k?token={forged}", None, None)
        tally.add(read.status >= 400 and read.body != b"secret", ("a user's token reads", scope, read.body))
        write = service.ask("PUT", f"/object/upload/sign/{bucket}/k?token={forged}", b"x", None)
        tally.add(write.status >= 400, ("a user's token writes", scope, write.body))
    for credential, path in ((upload, f"/object/sign/{bucket}/k"), (signed, f"/object/sign/{bucket}/other")):
        answer = service.ask("GET", f"{path}?token={credential}", None, ANON)
        tally.add(answer.status >= 400, ("another purpose", path, answer.body))
    answer = service.ask("PUT", f"/object/upload/sign/{bucket}/new?token={signed}", b"x", None)
    tally.add(answer.status >= 400, ("a download writes", answer.body))
    return tally.finding()


def _kept_out(grounds: Grounds, _: float) -> Finding:
    """The database learns the caller of a request, and no credential."""
    service, tally = grounds.service, Tally()
    for number in range(5):
        credential = token("anon", sub=f"user {number}")
        for more in ({}, {"apikey": credential}, {"Cookie": f"token={credential}"}):
            headers = {"apikey": ANON, **more}
            answer = service.ask("POST", "/graphql/v1", {"query": "{ claims_seen }"}, credential, **headers)
            reported = ((answer.json or {}).get("data") or {}).get("claims_seen") or ""
            signature = credential.rpartition(".")[2]
            tally.add(f"user {number}" in reported and signature not in reported, (list(more), answer.status, reported))
    return tally.finding()


ATTACKS = (
    Attack("forged tokens", "a token is believed only if it was signed with the configured key", _forged),
    Attack(
        "roles in genuine tokens", "only roles of the API are taken, and no role is a failure of the service", _roles
    ),
    Attack("tokens and the database", "the database learns the caller, and no token", _kept_out),
    Attack(
        "tokens of two kinds",
        "the token of a signed URL is not a credential, and a user's token cannot replace it",
        _two_kinds,
    ),
)
