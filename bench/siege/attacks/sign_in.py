"""Sign-in for development: what others may do with it, and what callers may make of themselves."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from bench.siege.client import ANON, SERVICE, Answer, raw, token
from bench.siege.elsewhere import ELSEWHERE, LOCAL_NAMES, OLD_LINES, own_address
from bench.siege.finding import Attack, Finding, Tally
from bench.siege.grounds import SCHEMA, Besieged, Grounds, with_plugins
from tests.sign_in.installing import install_sign_in

_ANN = {"email": "ann@example.com", "password": "correct horse"}
_ODD: tuple[Any, ...] = (
    None, True, 0, -1, 1e400, "", " ", "a" * 60_000, "\0", "\ud800", "'", "$1", "%s", "{}", [], ["a"], {}, {"a": {}},
)  # fmt: skip
_PATHS = (
    "signup", "token?grant_type=password", "token?grant_type=refresh_token", "user", "logout?scope=global",
    "admin/users", "admin/users/0", "factors", "..%2F..%2Fgraphql/v1", "token?grant_type=%00", "admin/users/%00",
)  # fmt: skip

_NAMES = {
    "signup": ("email", "password", "data"),
    "token?grant_type=refresh_token": ("refresh_token",),
    "user": ("email", "data"),
    "admin/users": ("email", "app_metadata", "ban_duration", "id", "role"),
}
"""The members that are odd, by path."""


@contextmanager
def _serving(grounds: Grounds, development: str, **settings: str) -> Iterator[Besieged]:
    site = install_sign_in(grounds.place)
    tables = (site / "portico_sign_in" / "tables.sql").read_text()
    database = grounds.database(SCHEMA + tables)
    with grounds.serving(database, **with_plugins(site), DEVELOPMENT=development, **settings) as service:
        yield service


def _call(
    service: Besieged, method: str, path: str, body: Any = None, credential: str = ANON, **headers: str
) -> Answer:
    return service.ask(method, f"/auth/v1/{path}", body, credential, **{"apikey": ANON, **headers})


def _session(service: Besieged, number: int) -> Any:
    return _call(service, "POST", "signup", {**_ANN, "email": f"user{number}@example.com"}).json


def _outside(grounds: Grounds, _: float) -> Finding:
    """From another machine and through proxies, as far as this machine can imitate them; and with DEVELOPMENT=off."""
    tally, own = Tally(), own_address()
    with _serving(grounds, "on") as service:
        assert _call(service, "POST", "signup", _ANN).status == 200
        for headers in ELSEWHERE:
            _knock(tally, service, headers)
        for line in OLD_LINES:
            answer = raw(service.address, f"GET /auth/v1/health {line}\r\nHost: localhost\r\n\r\n".encode())
            tally.add(b"development_only" in answer, (line, answer))
    if own:
        with _serving(grounds, "on", HOST=own) as service:
            for headers in LOCAL_NAMES:
                _knock(tally, service, headers)
    with _serving(grounds, "off", SIGN_IN="everywhere") as service:
        for path in _PATHS:
            answer = _call(service, "POST", path, _ANN, SERVICE)
            absent = answer.status == 404 and b"no Auth service" in answer.body
            tally.add(absent or "graphql" in path, (path, answer.status, answer.body))
    return tally.finding("" if own else "the machine has no address but loopback")


def _knock(tally: Tally, service: Besieged, headers: dict[str, str]) -> None:
    """Sign up, sign in, refresh and list the users with these headers."""
    for path in _PATHS[:3]:
        answer = _call(service, "POST", path, _ANN, **headers)
        tally.add(answer.status in (400, 403) and b"access_token" not in answer.body, (headers, path, answer))
    answer = _call(service, "GET", "admin/users", None, SERVICE, **headers)
    tally.add(answer.status in (400, 403) and b"ann@" not in answer.body, (headers, answer))


def _ambitious(grounds: Grounds, _: float) -> Finding:
    """Users ask for more than they are: other roles, other users' rows and sessions, the administrator's requests."""
    tally = Tally()
    with _serving(grounds, "on") as service:
        one, other = _session(service, 1), _session(service, 2)
        mine, theirs = one["access_token"], other["user"]["id"]
        more = {"role": "service_role", "app_metadata": {"role": "service_role"}, "id": theirs, "aud": "x",
                "data": {"role": "service_role", "sub": theirs}, "is_super_admin": True}  # fmt: skip
        signed_up = _call(service, "POST", "signup", {**_ANN, **more}).json
        changed = _call(service, "PUT", "user", {**more, "user_metadata": {"a": 1}}, mine).json
        for user in (signed_up["user"], changed):
            held = user["role"] == "authenticated" and user["id"] != theirs and "role" not in user["app_metadata"]
            tally.add(held, user)
        for credential in (ANON, mine, token("authenticated", sub=theirs), token("anon", session_id="x", sub=theirs)):
            for method, path in (("GET", "admin/users"), ("POST", "admin/users"), ("PUT", f"admin/users/{theirs}"),
                                 ("DELETE", f"admin/users/{theirs}"), ("GET", f"admin/users/{theirs}")):  # fmt: skip
                answer = _call(service, method, path, {} if method != "GET" else None, credential)
                tally.add(answer.status in (401, 403), (method, path, answer.status, answer.body))
        for credential in (token("authenticated", sub=theirs), token("authenticated", sub=theirs, session_id="x")):
            answer = _call(service, "GET", "user", None, credential)
            tally.add(answer.status == 403, ("a token without a session", answer.body))
        for forged in _forgeries(one["refresh_token"], other["refresh_token"]):
            answer = _call(service, "POST", "token?grant_type=refresh_token", {"refresh_token": forged})
            tally.add(answer.status == 400, (forged, answer.status, answer.body))
        for kind in ("anon", "authenticated"):
            read = f"set role {kind}; select count(*) from auth.users"
            tally.add(_is_refused(service, read), read)
    return tally.finding()


def _forgeries(mine: str, theirs: str) -> Iterator[str]:
    """Refresh tokens that were never issued."""
    raw, other = base64.urlsafe_b64decode(mine), base64.urlsafe_b64decode(theirs)
    for made in (raw[:20] + other[20:], other[:16] + raw[16:], raw[:20], raw[:20] + bytes(16), raw + b"x", b""):
        yield base64.urlsafe_b64encode(made).decode()
    for at in range(len(raw)):
        yield base64.urlsafe_b64encode(raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :]).decode()


def _is_refused(service: Besieged, sql: str) -> bool:
    try:
        service.sql(sql)
    except Exception as ex:
        return "permission denied" in str(ex)
    return False


def _bodies(grounds: Grounds, _: float) -> Finding:
    """Values that no client sends: each is answered, and with no failure of the service."""
    tally = Tally()
    with _serving(grounds, "on") as service:
        own = _session(service, 1)["access_token"]
        for path in _PATHS:
            for value in _ODD:
                for name in _NAMES.get(path, ("email",)):
                    method = "PUT" if path in ("user", "admin/users/0") else "POST"
                    by = SERVICE if path.startswith("admin") else own if path in ("user", "logout") else ANON
                    answer = _call(service, method, path, {**_ANN, name: value}, by)
                    held = 0 < answer.status < 500 and b"Traceback" not in answer.body
                    tally.add(held, (path, name, str(value)[:20], answer.status, answer.body))
            for raw in (b"", b"{", b"[]", b"\xff", b"[" * 50_000, b'{"a":' * 10_000, b'{"email":1,"email":2}'):
                answer = _call(service, "POST", path, raw)
                tally.add(0 < answer.status < 500, (path, raw[:20], answer.status, answer.body))
        tally.add(service.is_responsive(), "a simple query afterwards")
    return tally.finding()


def _guesses(grounds: Grounds, _: float) -> Finding:
    """Many guesses at once, for known and unknown users; queries are answered meanwhile."""
    tally = Tally()
    with _serving(grounds, "on") as service:
        _session(service, 1)

        def guess(number: int) -> Answer:
            email = "user1@example.com" if number % 2 else "unknown@example.com"
            wrong = {"email": email, "password": f"guess {number}"}
            return _call(service, "POST", "token?grant_type=password", wrong)

        with ThreadPoolExecutor(8) as threads:
            answers = [threads.submit(guess, number) for number in range(200)]
            responsive = [service.is_responsive() for _ in range(10)]
        statuses = [each.result().status for each in answers]
        tried = statuses.count(400)
        # Ten of each user by each of two workers.
        tally.add(tried <= 40, f"{tried} passwords were compared")
        tally.add(set(statuses) <= {400, 429, 503}, sorted(set(statuses)))
        for each in responsive:
            tally.add(each, "a simple query meanwhile")
    return tally.finding(f"{tried} of 200 guesses were compared")


ATTACKS = (
    Attack("sign-in from elsewhere", "sign-in answers this machine alone, and only in development", _outside),
    Attack("users who want more", "a user gets neither another role nor another user's session", _ambitious),
    Attack("odd bodies of sign-in", "every body is answered, none with a failure of the service", _bodies),
    Attack("guessed passwords", "few guesses are compared, and queries are answered meanwhile", _guesses),
)
