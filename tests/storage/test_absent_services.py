"""Clients of services that are not here get an error that they show, and that says what there is instead."""

from __future__ import annotations

import asyncio
import json
import subprocess
from base64 import b64encode

import httpx
import pytest

from tests.packages import program as node_program
from tests.process.running import PATIENCE_S
from tests.storage.service import ANON, Service, raw_request

AUTH = "Portico has no Auth service; use any service that signs JSON Web Tokens"
FUNCTIONS = "Portico has no Edge Functions"
REALTIME = "Portico has no Realtime service; portico live serves live queries"


def test_the_absent_rest_api_explains_itself(service: Service) -> None:
    for method in ("GET", "POST", "PATCH", "DELETE"):
        answer = service.request(method, "/rest/v1/notes", json=None if method == "GET" else {})
        assert (answer.status_code, answer.headers["content-type"]) == (404, "application/json; charset=utf-8")
        assert answer.json().keys() == {"code", "details", "hint", "message"}
        assert "/graphql/v1" in answer.json()["hint"]
    assert service.get("/restless").json().keys() == {"errors"}


@pytest.mark.parametrize("path", ["/auth/v1/token", "/functions/v1/hello", "/realtime/v1/websocket", "/realtime/v1"])
def test_every_method_is_answered(service: Service, path: str) -> None:
    status = 410 if path.startswith("/realtime") else 404
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
        answer = service.request(method, path, json=None if method == "GET" else {})
        assert (answer.status_code, answer.headers["content-type"]) == (status, "application/json; charset=utf-8")
        assert answer.json()["hint"]
    head = service.request("HEAD", path)
    assert (head.status_code, head.content) == (status, b"")
    assert service.get(path.replace("/v1", "less", 1)).json().keys() == {"errors"}


def test_supabase_js_shows_the_explanations(service: Service) -> None:
    absent = node_program("absent.mjs")
    done = subprocess.run(
        ["node", str(absent), service.url, ANON], cwd=absent.parent, capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["from"]["message"] == "Portico has no REST API for tables; it has a GraphQL API"
    for name in ("signIn", "signUp", "anonymous", "otp", "getUser", "admin"):
        assert seen[name] == ["AuthApiError", AUTH, 404, "not_found"], name
    # The client's own words, with the answer as the context.
    assert seen["function"][:2] == ["FunctionsHttpError", "Edge Function returned a non-2xx status code"]
    assert seen["functionBody"]["message"] == FUNCTIONS
    assert seen["channel"] == ["CHANNEL_ERROR", f"socket closed: 4404 ({REALTIME})"]
    assert seen["broadcast"] == REALTIME


def test_supabase_py_shows_the_explanations(service: Service) -> None:
    supabase = pytest.importorskip("supabase")
    with httpx.Client() as http:
        client = supabase.create_client(service.url, ANON, supabase.ClientOptions(httpx_client=http))
        with pytest.raises(supabase.AuthApiError) as refused:
            client.auth.sign_in_with_password({"email": "a@b.example", "password": "secret"})
        assert (refused.value.message, refused.value.status, refused.value.code) == (AUTH, 404, "not_found")
        with pytest.raises(supabase.FunctionsHttpError, match=FUNCTIONS):
            client.functions.invoke("hello", {"body": {"a": 1}})


@pytest.mark.filterwarnings("ignore:ConnectionClosed:DeprecationWarning")
def test_realtime_py_shows_the_explanation(service: Service) -> None:
    realtime = pytest.importorskip("realtime")

    async def joined() -> tuple[str, str]:
        url = service.url.replace("http", "ws") + "/realtime/v1"
        client = realtime.AsyncRealtimeClient(url, ANON, auto_reconnect=False)
        answered: asyncio.Future[tuple[str, str]] = asyncio.get_running_loop().create_future()

        def note(status: object, error: Exception | None) -> None:
            if not answered.done():
                answered.set_result((str(status), str(error)))

        await client.channel("room").subscribe(note)
        try:
            return await asyncio.wait_for(answered, PATIENCE_S)
        finally:
            await client.close()

    status, error = asyncio.run(joined())
    assert status.endswith("CHANNEL_ERROR")
    assert REALTIME in error


KEY = b64encode(b"the sample nonce")


def handshake(service: Service, *headers: bytes, method: bytes = b"GET", key: bytes = KEY) -> bytes:
    lines = [
        method + b" /realtime/v1/websocket?vsn=1.0.0 HTTP/1.1", b"Host: x", b"Connection: Upgrade",
        b"Upgrade: websocket", b"Sec-WebSocket-Version: 13", b"Sec-WebSocket-Key: " + key, *headers,
    ]  # fmt: skip
    return raw_request(service.address, b"\r\n".join(lines) + b"\r\n\r\n", answers=1)


def test_the_websocket_handshake_is_answered(service: Service) -> None:
    # The example of RFC 6455 section 1.2.
    answer = handshake(service, b"Sec-WebSocket-Protocol: phoenix, other", b"Expect-Nothing: 1\r\nX: y")
    head, _, rest = answer.partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    assert status == "HTTP/1.1 101 WebSocket"
    answered = [headers[name] for name in ("Connection", "Upgrade", "Sec-Websocket-Accept", "Sec-Websocket-Protocol")]
    assert answered == ["Upgrade", "websocket", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", "phoenix"]
    assert "Content-Length" not in headers
    assert rest == b"\x88" + bytes([2 + len(REALTIME)]) + (4404).to_bytes(2) + REALTIME.encode()


@pytest.mark.parametrize(
    ("method", "key"),
    [(b"POST", KEY), (b"GET", b""), (b"GET", b"short"), (b"GET", b"\xff" * 24), (b"GET", b"a" * 9000)],
)
def test_other_requests_to_realtime_are_refused(service: Service, method: bytes, key: bytes) -> None:
    body = b"Content-Length: 0"
    assert handshake(service, body, method=method, key=key).startswith(b"HTTP/1.1 410 ")
