"""Genuine tokens of every algorithm, forged ones, and the lifetime of keys."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jwt
import pytest

from app.errors import AccessError, Unavailable
from app.identity import TokenError
from app.identity.key_sets import KeySet, load_key_set
from app.identity.tokens import MAX_TOKEN_LENGTH
from tests.identity.conftest import SECRET, Clock, make_identity
from tests.identity.key_server import KeyServer, SigningKey, key_set
from tests.process.running import until

RSA, OTHER_RSA = SigningKey("RS256", "rsa-1"), SigningKey("RS256", "rsa-2")
KEYS = {name: SigningKey(name, f"key-{name}") for name in ("ES256", "ES384", "ES512", "ES256K", "EdDSA")}


def reason(token: str, **options: Any) -> str:
    with pytest.raises(TokenError) as raised:
        make_identity(**options).verify(token)
    assert raised.value.status == 401
    return raised.value.reason


def forge(header: dict[str, Any], claims: dict[str, Any], secret: bytes | None) -> str:
    """Make a token by hand, since libraries refuse to make such tokens."""
    parts = [_encoded(json.dumps(part).encode()) for part in (header, claims)]
    signature = b"" if secret is None else hmac.digest(secret, ".".join(parts).encode(), hashlib.sha256)
    return ".".join([*parts, _encoded(signature)])


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


@pytest.mark.parametrize("algorithm", ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"])
def test_rsa_signatures_are_verified(algorithm: str) -> None:
    identity = make_identity(jwt_jwks=key_set(OTHER_RSA, RSA))
    assert identity.verify(RSA.sign({"sub": "u"}, algorithm)) == {"sub": "u"}


@pytest.mark.parametrize("algorithm", list(KEYS))
def test_signatures_of_elliptic_curves_are_verified(algorithm: str) -> None:
    identity = make_identity(jwt_jwks=key_set(RSA, *KEYS.values()), jwt_secret=None)
    assert identity.verify(KEYS[algorithm].sign({"sub": "u"})) == {"sub": "u"}


def test_a_secret_and_a_key_set_work_together() -> None:
    identity = make_identity(jwt_jwks=key_set(RSA))
    assert identity.verify(jwt.encode({"sub": "u"}, SECRET, "HS256")) == {"sub": "u"}
    assert identity.verify(jwt.encode({"sub": "u"}, SECRET, "HS256", headers={"kid": "any"})) == {"sub": "u"}


def test_a_shared_key_in_a_private_set_verifies() -> None:
    data = {"kty": "oct", "kid": "s", "alg": "HS512", "k": _encoded(b"k" * 64)}
    identity = make_identity(jwt_jwks=json.dumps({"keys": [data]}))
    assert identity.verify(jwt.encode({"sub": "u"}, b"k" * 64, "HS512", headers={"kid": "s"})) == {"sub": "u"}
    assert reason(jwt.encode({}, b"k" * 64, "HS384", headers={"kid": "s"}), jwt_jwks=json.dumps(data)) == "signature"


def test_tokens_without_the_keys_name_are_tried_with_all() -> None:
    nameless = SigningKey("RS256")
    identity = make_identity(jwt_jwks=key_set(RSA, nameless, OTHER_RSA))
    assert identity.verify(nameless.sign({"sub": "u"})) == {"sub": "u"}
    assert identity.verify(jwt.encode({"sub": "v"}, OTHER_RSA.private, "RS256")) == {"sub": "v"}


@pytest.mark.parametrize(
    "token", ["", ".", "..", "a.b", "a.b.c", "a.b.c.d", "ä.ä.ä", "e30.e30.", "bnVsbA.e30.e30", "W10.e30.x"]
)
def test_malformed_tokens_are_refused(token: str) -> None:
    assert reason(token, jwt_jwks=key_set(RSA)) in ("malformed", "algorithm")


def test_huge_tokens_are_not_parsed() -> None:
    assert reason(jwt.encode({"x": "y" * MAX_TOKEN_LENGTH}, SECRET, "HS256")) == "malformed"
    assert reason("." * 10_000_000) == "malformed"


@pytest.mark.parametrize("algorithm", ["none", "None", "NONE", "nOnE", "", None, 1, [], "HS1", "RSA", "dir", "A128KW"])
def test_unknown_algorithms_are_refused(algorithm: Any) -> None:
    for secret in (None, SECRET.encode(), b""):
        assert reason(forge({"alg": algorithm}, {"role": "service_role"}, secret), jwt_jwks=key_set(RSA)) == "algorithm"
    assert reason(forge({}, {}, SECRET.encode())) == "algorithm"


@pytest.mark.parametrize("secret", [RSA.public_pem(), RSA.public_pem().strip(), json.dumps(RSA.jwk).encode(), b""])
@pytest.mark.parametrize("header", [{"alg": "HS256"}, {"alg": "HS256", "kid": "rsa-1"}])
def test_a_public_key_is_no_secret(secret: bytes, header: dict[str, str]) -> None:
    token = forge(header, {"role": "service_role"}, secret)
    assert reason(token, jwt_jwks=key_set(RSA)) == "signature"
    assert reason(token, jwt_jwks=key_set(RSA), jwt_secret=None) == "signature"


def test_keys_only_serve_their_own_algorithms() -> None:
    declared = dict(RSA.jwk, alg="RS512")
    assert reason(RSA.sign({}), jwt_jwks=json.dumps({"keys": [declared]})) == "signature"
    lying = dict(RSA.jwk, alg="HS256")
    assert (
        reason(forge({"alg": "HS256", "kid": "rsa-1"}, {}, b""), jwt_jwks=json.dumps({"keys": [lying]})) == "signature"
    )
    curve = dict(KEYS["ES256"].jwk, crv="P-384")
    assert reason(KEYS["ES256"].sign({}), jwt_jwks=json.dumps({"keys": [curve]})) == "signature"
    other_name = dict(KEYS["ES256"].jwk, kid="rsa-1")
    assert reason(RSA.sign({}), jwt_jwks=json.dumps({"keys": [other_name]})) == "signature"


@pytest.mark.parametrize("change", [{"use": "enc"}, {"key_ops": ["encrypt"]}])
def test_keys_for_other_uses_are_ignored(change: dict[str, Any]) -> None:
    assert reason(RSA.sign({}), jwt_jwks=json.dumps({"keys": [dict(RSA.jwk, **change)]})) == "signature"


def test_wrong_signatures_are_refused() -> None:
    token = jwt.encode({"sub": "u"}, SECRET, "HS256")
    head, body, signature = token.split(".")
    assert reason(f"{head}.{_encoded(b'{}')}.{signature}") == "signature"
    assert reason(f"{head}.{body}.") == "signature"
    assert reason(jwt.encode({"sub": "u"}, SECRET + "x", "HS256")) == "signature"
    assert reason(jwt.encode({"sub": "u"}, SECRET * 2, "HS512")) == "algorithm"
    assert reason(OTHER_RSA.sign({}), jwt_jwks=key_set(RSA)) == "signature"
    assert reason(RSA.sign({})) == "algorithm"


def test_an_unknown_critical_extension_is_refused() -> None:
    assert reason(forge({"alg": "HS256", "crit": ["x"], "x": 1}, {}, SECRET.encode())) == "malformed"


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        ({"exp": -1500}, "expired"),
        ({"exp": -500}, None),
        ({"exp": 500}, None),
        ({"nbf": 1500}, "not_yet_valid"),
        ({"nbf": 500}, None),
        ({"iat": 5000}, None),
    ],
)
def test_times_are_checked_with_leeway(claims: dict[str, int], expected: str | None) -> None:
    now = int(time.time())
    token = jwt.encode({name: now + offset for name, offset in claims.items()}, SECRET, "HS256")
    # The margins are larger than any machine is slow.
    if expected is None:
        make_identity(leeway_s=1000).verify(token)
    else:
        assert reason(token, leeway_s=1000) == expected


def test_a_refusal_names_the_page_that_explains_it() -> None:
    with pytest.raises(AccessError) as raised:
        make_identity().verify(forge({"alg": "HS256"}, {}, b"another secret"))
    assert raised.value.message == "The token's signature cannot be verified."
    assert raised.value.hint == 'docs/identity-providers.md, "If a token is refused"'


@pytest.mark.parametrize("value", ["soon", None, [], {}, float("nan"), float("inf"), 10**400])
def test_invalid_times_are_refused(value: Any) -> None:
    """The largest value is a time, but beyond what Python can represent."""
    with pytest.raises(AccessError) as raised:
        make_identity().verify(forge({"alg": "HS256"}, {"exp": value}, SECRET.encode()))
    assert raised.value.code == "INVALID_JWT"


@pytest.mark.parametrize(
    ("configured", "aud", "accepted"),
    [
        (None, None, True), (None, "anything", True), (None, ["a", "b"], True),
        ("mine", "mine", True), ("mine", ["x", "mine"], True), ("mine, yours", "yours", True),
        ("mine", "other", False), ("mine", ["x"], False), ("mine", None, False), ("mine", 7, False),
        ("mine", "", False),
    ],
)  # fmt: skip
def test_the_audience_is_checked(configured: str | None, aud: Any, accepted: bool) -> None:
    token = forge({"alg": "HS256"}, {} if aud is None else {"aud": aud}, SECRET.encode())
    if accepted:
        make_identity(jwt_audience=configured).verify(token)
    else:
        assert reason(token, jwt_audience=configured) == "audience"


def test_a_numeric_subject_is_accepted() -> None:
    assert make_identity().verify(jwt.encode({"sub": "1", "jti": "x"}, SECRET, "HS256"))["sub"] == "1"
    assert make_identity().verify(forge({"alg": "HS256"}, {"sub": 1}, SECRET.encode()))["sub"] == 1


def test_keys_are_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "key set.json"
    path.write_text(key_set(RSA))
    for source in (str(path), path.as_uri()):
        assert make_identity(jwt_jwks=source).verify(RSA.sign({"sub": "u"})) == {"sub": "u"}


@pytest.mark.parametrize("source", ["{", "[1", '{"keys": 5}'])
def test_a_damaged_inline_key_set_is_reported_at_once(source: str) -> None:
    with pytest.raises(ValueError, match="JWT_JWKS"):
        make_identity(jwt_jwks=source)


def test_damaged_keys_are_ignored() -> None:
    document = {"keys": [7, {}, {"kty": "RSA", "n": "x"}, {"kty": "x"}, dict(RSA.jwk, kid=7), OTHER_RSA.jwk]}
    assert make_identity(jwt_jwks=json.dumps(document)).verify(OTHER_RSA.sign({"sub": "u"})) == {"sub": "u"}


def test_keys_are_fetched_once(key_server: KeyServer) -> None:
    key_server.serve(RSA)
    identity = make_identity(jwt_jwks=key_server.url)
    assert key_server.fetches == 0
    for number in range(20):
        assert identity.verify(RSA.sign({"n": number})) == {"n": number}
    assert key_server.fetches == 1


def test_a_shared_key_in_a_public_set_proves_nothing(key_server: KeyServer) -> None:
    key_server.body = json.dumps({"keys": [{"kty": "oct", "kid": "s", "k": _encoded(b"k" * 32)}, RSA.jwk]}).encode()
    token = jwt.encode({}, b"k" * 32, "HS256", headers={"kid": "s"})
    assert reason(token, jwt_jwks=key_server.url) == "signature"
    assert reason(token, jwt_jwks=key_server.url, jwt_secret=None) == "algorithm"


def test_new_keys_are_fetched_after_a_rotation(key_server: KeyServer) -> None:
    clock = Clock(1000.0)
    keys = KeySet(key_server.url, now=clock)
    key_server.serve(RSA)
    assert [key.kid for key in keys.matching("RS256", "rsa-1")] == ["rsa-1"]
    key_server.serve(OTHER_RSA)
    assert keys.matching("RS256", "rsa-2", renewed=True) == []  # asked too soon after the last time
    assert key_server.fetches == 1
    clock.now += 11
    assert [key.kid for key in keys.matching("RS256", "rsa-2", renewed=True)] == ["rsa-2"]
    assert keys.matching("RS256", "rsa-1") == []
    assert key_server.fetches == 2
    for _ in range(50):
        assert keys.matching("RS256", "unknown", renewed=True) == []
    assert key_server.fetches == 2


def test_a_new_key_is_found_by_the_first_token_that_names_it(
    key_server: KeyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Keys are otherwise fetched again only after some seconds.
    monkeypatch.setattr("app.identity.key_sets._MIN_INTERVAL_S", 0.0)
    key_server.serve(RSA)
    identity = make_identity(jwt_jwks=key_server.url)
    identity.verify(RSA.sign({"sub": "u"}))
    key_server.serve(RSA, OTHER_RSA)
    assert identity.verify(OTHER_RSA.sign({"sub": "v"})) == {"sub": "v"}
    assert key_server.fetches == 2


def test_a_forged_token_of_a_known_key_fetches_no_keys(key_server: KeyServer, monkeypatch: pytest.MonkeyPatch) -> None:
    # So that only the known key keeps it from fetching.
    monkeypatch.setattr("app.identity.key_sets._MIN_INTERVAL_S", 0.0)
    key_server.serve(RSA)
    identity = make_identity(jwt_jwks=key_server.url)
    identity.verify(RSA.sign({"sub": "u"}))
    forged = jwt.encode({"sub": "u"}, OTHER_RSA.private, "RS256", headers={"kid": RSA.kid})
    with pytest.raises(TokenError):
        identity.verify(forged)
    assert key_server.fetches == 1


def test_old_keys_are_fetched_again_in_time(key_server: KeyServer) -> None:
    clock = Clock(1000.0)
    keys = KeySet(key_server.url, now=clock)
    key_server.serve(RSA, OTHER_RSA)
    keys.matching("RS256", "rsa-1")
    key_server.serve(OTHER_RSA)
    clock.now += 601
    assert keys.matching("RS256", "rsa-1") == []
    assert key_server.fetches == 2


def test_old_keys_are_not_used_while_new_ones_are_fetched(key_server: KeyServer) -> None:
    """A token of a withdrawn key would be remembered, however long ago the old ones were read."""
    clock = Clock(1000.0)
    keys = KeySet(key_server.url, now=clock)
    key_server.serve(RSA, OTHER_RSA)
    keys.matching("RS256", "rsa-1")
    key_server.serve(OTHER_RSA)
    key_server.awaited.clear()
    clock.now += 86400
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(keys.matching, "RS256", "rsa-1") for _ in range(4)]
        until(lambda: key_server.fetches == 2)
        key_server.awaited.set()
        assert [each.result() for each in asked] == [[]] * 4


@pytest.mark.parametrize("trouble", ["status", "body", "depth", "protocol", "gone"])
def test_the_old_keys_are_kept_when_the_server_fails(key_server: KeyServer, trouble: str) -> None:
    clock = Clock(1000.0)
    keys = KeySet(key_server.url, now=clock)
    key_server.serve(RSA)
    keys.matching("RS256", "rsa-1")
    if trouble == "status":
        key_server.status = 500
    elif trouble == "body":
        key_server.body = b"<html>"
    elif trouble == "depth":
        key_server.body = b"[" * 200_000
    elif trouble == "protocol":
        key_server.speaks_http = False
    else:
        key_server.close()
    clock.now += 1000
    for _ in range(3):
        assert [key.kid for key in keys.matching("RS256", "rsa-1")] == ["rsa-1"]
    if trouble != "gone":
        assert key_server.fetches == 2


@pytest.mark.timing
def test_a_hanging_key_server_delays_unknown_keys_by_a_second_in_all(key_server: KeyServer) -> None:
    clock = Clock(1000.0)
    keys = KeySet(key_server.url, now=clock)
    key_server.serve(RSA)
    keys.matching("RS256", "rsa-1")
    key_server.awaited.clear()
    clock.now += 11
    began = time.monotonic()
    for number in range(20):
        assert keys.matching("RS256", f"unknown-{number}", renewed=True) == []
    assert [key.kid for key in keys.matching("RS256", "rsa-1")] == ["rsa-1"]
    assert 0.5 < time.monotonic() - began < 3
    assert key_server.fetches == 2


def test_a_slow_response_is_cut_off(key_server: KeyServer, monkeypatch: pytest.MonkeyPatch) -> None:
    # The answer has no end, so each attempt takes this long.
    monkeypatch.setattr("app.identity.key_sets._TIMEOUT_S", 0.3)
    clock = Clock(1000.0)
    keys = KeySet(key_server.url, now=clock)
    key_server.drips = True
    with pytest.raises(Unavailable):
        keys.matching("RS256", "rsa-1")
    key_server.drips = False
    key_server.serve(RSA)

    def found() -> bool:
        clock.now += 11
        try:
            return [key.kid for key in keys.matching("RS256", "rsa-1")] == ["rsa-1"]
        except Unavailable:
            return False

    until(found, 10.0)


@pytest.mark.timing
def test_the_body_of_a_redirect_is_not_read(key_server: KeyServer) -> None:
    key_server.redirects = True
    keys = KeySet(key_server.url)
    began = time.monotonic()
    with pytest.raises(Unavailable):
        keys.matching("RS256", "rsa-1")
    # urllib follows this number of redirects to the same URL.
    assert key_server.fetches > 1
    assert time.monotonic() - began < 4


@pytest.mark.parametrize("protocol", ["ftp", "file", "data"])
def test_redirects_to_other_protocols_are_refused(key_server: KeyServer, tmp_path: Path, protocol: str) -> None:
    path = tmp_path / "keys"
    path.write_text(key_set(RSA))
    with socket.create_server(("127.0.0.1", 0)) as internal:
        internal.settimeout(0.2)
        host = f"127.0.0.1:{internal.getsockname()[1]}" if protocol == "ftp" else ""
        key_server.redirects, key_server.location = True, f"{protocol}://{host}{path}"
        with pytest.raises(OSError, match=r"redirects to another protocol|not allowed"):
            load_key_set(key_server.url)
        with pytest.raises(TimeoutError):
            internal.accept()


def test_a_set_of_unusable_keys_does_not_fill_the_log(caplog: pytest.LogCaptureFixture) -> None:
    document = {"keys": [1] * 100_000 + [{"kid": "k" * 100_000}, RSA.jwk]}
    assert make_identity(jwt_jwks=json.dumps(document)).verify(RSA.sign({"sub": "u"})) == {"sub": "u"}
    assert len(caplog.text) < 2000
    assert "99991 more keys of JWT_JWKS cannot be used" in caplog.text


def test_tokens_cannot_be_verified_without_keys(key_server: KeyServer) -> None:
    key_server.status = 503
    identity = make_identity(jwt_jwks=key_server.url)
    for _ in range(3):
        with pytest.raises(Unavailable) as raised:
            identity.verify(RSA.sign({}))
        assert raised.value.code == "KEYS_UNAVAILABLE"
    assert key_server.fetches == 1
    assert identity.verify(jwt.encode({"sub": "u"}, SECRET, "HS256")) == {"sub": "u"}
