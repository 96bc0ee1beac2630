"""Signatures compared with those of botocore's own signer, over hostile keys, queries and headers."""

from __future__ import annotations

import re
import time
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from botocore.auth import S3SigV4Auth, S3SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from hypothesis import given, settings
from hypothesis import strategies as st

from app.faces.s3.errors import S3Error
from app.faces.s3.request_signature import check_time, signature_of_request
from app.faces.s3.verification import Verifier
from app.http.head import Head, lines_of

SECRET = "a secret/with+signs"
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
HEADER_NAMES = st.from_regex(r"x-amz-meta-[a-z0-9_!#$%&'*+.^`|~-]{1,12}", fullmatch=True)
HEADER_VALUES = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=30)


def url_of(host: str, key: str, query: dict[str, str]) -> str:
    pairs = "&".join(f"{quote(name, safe='-_.~')}={quote(value, safe='-_.~')}" for name, value in query.items())
    return f"http://{host}/s3/bucket/{quote(key, safe='/-_.~')}" + (f"?{pairs}" if pairs else "")


class _WithoutHost(S3SigV4Auth):  # type: ignore[misc]
    """Signs a request, but not for which host it is."""

    def headers_to_sign(self, request: Any) -> Any:
        headers = super().headers_to_sign(request)
        del headers["host"]
        return headers


def signed(
    method: str,
    url: str,
    headers: dict[str, str],
    *,
    presigned: bool = False,
    token: str | None = None,
    in_header: type[Any] = S3SigV4Auth,
) -> Head:
    """The head of a request that botocore has signed; ``in_header``: its signer of those that are not presigned."""
    request = AWSRequest(method, url, headers=dict(headers))
    credentials = Credentials("AK", SECRET, token)
    signer: Any = (
        S3SigV4QueryAuth(credentials, "s3", "auto", expires=60) if presigned else in_header(credentials, "s3", "auto")
    )
    signer.add_auth(request)
    parts = urlsplit(request.url)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    lines = [f"Host: {parts.netloc}", *(f"{name}: {value}" for name, value in request.headers.items())]
    return head(method, target, *lines)


def head(method: str, target: str, *lines: str) -> Head:
    block = "\r\n".join([f"{method} {target} HTTP/1.1", *lines, "", ""]).encode("latin-1")
    return Head.of(method, target, lines_of(block))


def check(found: Head, *, public_url: str | None = None) -> None:
    signature = signature_of_request(found, found.query())
    assert signature is not None
    check_time(signature, time.time())
    Verifier(public_url).check(found, signature, SECRET)


@settings(max_examples=150, deadline=None)
@given(
    method=st.sampled_from(["GET", "PUT", "DELETE", "HEAD", "POST"]),
    key=NAMES,
    query=st.dictionaries(NAMES, st.text(st.characters(exclude_categories=["Cs"]), max_size=20), max_size=3),
    headers=st.dictionaries(HEADER_NAMES, HEADER_VALUES, max_size=3),
    token=st.none() | st.just("a.b.c"),
    presigned=st.booleans(),
)
def test_signatures_of_botocore_match(
    method: str, key: str, query: dict[str, str], headers: dict[str, str], token: str | None, presigned: bool
) -> None:
    reserved = {"X-Amz-Signature", "X-Amz-Algorithm"}
    query = {name: value for name, value in query.items() if name not in reserved}
    check(signed(method, url_of("example.com:8000", key, query), headers, presigned=presigned, token=token))


def test_a_changed_request_does_not_match() -> None:
    found = signed("PUT", url_of("h", "key", {"a": "1"}), {"x-amz-meta-a": "1"})
    target = f"{found.path}?{found.query_string}"
    lines = found.lines
    changed = [
        Head.of("DELETE", target, lines),
        Head.of("PUT", target.replace("key", "kez"), lines),
        Head.of("PUT", target.replace("a=1", "a=2"), lines),
        Head.of("PUT", target, tuple((name, "2" if name == "x-amz-meta-a" else value) for name, value in lines)),
        Head.of("PUT", target, tuple((name, "other" if name == "host" else value) for name, value in lines)),
    ]
    check(found)
    for each in changed:
        with pytest.raises(S3Error, match="does not match"):
            check(each)


def test_a_head_that_was_checked_early_vouches_for_no_other() -> None:
    found = signed("PUT", url_of("h", "key", {}), {"x-amz-meta-a": "1"})
    signature = signature_of_request(found, found.query())
    assert signature is not None
    verifier = Verifier(None)
    verifier.check_early(found, signature, SECRET)
    changed = Head.of("PUT", found.path.replace("key", "kez"), found.lines)
    with pytest.raises(S3Error, match="does not match"):
        verifier.check(changed, signature, SECRET)
    with pytest.raises(S3Error, match="does not match"):
        verifier.check(found, signature, "another secret")
    verifier.check(found, signature, SECRET)


def test_the_host_must_be_signed() -> None:
    with pytest.raises(S3Error, match="which were not signed"):
        check(signed("GET", url_of("h", "key", {}), {}, in_header=_WithoutHost))


@pytest.mark.parametrize("name", ["x-amz-copy-source", "x-amz-acl", "x-amz-meta-b", "x-amz-security-token"])
def test_headers_that_change_the_request_must_be_signed(name: str) -> None:
    found = signed("PUT", url_of("h", "key", {}), {}, presigned=True)
    check(Head.of("PUT", f"{found.path}?{found.query_string}", (*found.lines, ("content-type", "a/b"))))
    with pytest.raises(S3Error, match="which were not signed"):
        check(Head.of("PUT", f"{found.path}?{found.query_string}", (*found.lines, (name, "other/secret"))))


@pytest.mark.parametrize(
    ("signed_url", "received", "more"),
    [
        ("https://s3.example.com/s3/b/k", "/s3/b/k", {"host": "portico:8000", "x-forwarded-host": "s3.example.com"}),
        ("https://example.com/s3/b/k", "/s3/b/k", {"host": "example.com:8000"}),
        ("https://example.com:8443/s3/b/k", "/s3/b/k", {"host": "example.com", "x-forwarded-port": "8443"}),
        ("https://example.com/storage/v1/s3/b/k", "/s3/b/k", {"host": "example.com"}),
        ("https://example.com/s3/b/k", "/storage/v1/s3/b/k", {"host": "example.com"}),
        ("https://example.com/api/s3/b/k", "/s3/b/k", {"host": "example.com", "x-forwarded-prefix": "/api"}),
        ("https://public.example.com/there/s3/b/k", "/s3/b/k", {"host": "inner"}),
        ("https://example.com/s3/b/a%28b%29", "/s3/b/a(b)", {"host": "example.com"}),
        ("https://example.com/s3/b/k", "/s3/b/k", {"host": "inner", "forwarded": 'for=1;host="example.com"'}),
    ],
)
def test_signatures_match_after_changes_by_proxies(signed_url: str, received: str, more: dict[str, str]) -> None:
    found = signed("GET", signed_url, {})
    lines = tuple((name, value) for name, value in found.lines if name != "host")
    check(Head.of("GET", received, (*lines, *more.items())), public_url="https://public.example.com/there")


def test_a_changed_accept_encoding_matches() -> None:
    # Go's SDK signs it.
    found = signed("GET", "http://h/s3/b/k", {})
    request = AWSRequest("GET", "http://h/s3/b/k", headers={"Accept-Encoding": "identity", "Host": "h"})
    signer: Any = S3SigV4Auth(Credentials("AK", SECRET), "s3", "auto")
    signer.SIGNED_HEADERS_BLACKLIST = []
    signer.add_auth(request)
    assert "accept-encoding" in request.headers["Authorization"]
    lines = [f"{name}: {'gzip, br' if name == 'Accept-Encoding' else value}" for name, value in request.headers.items()]
    check(head("GET", "/s3/b/k", *lines))
    check(found)


def test_a_long_host_is_not_kept_in_memory() -> None:
    verifier = Verifier(None)
    for number in range(200):
        host = f"{number}.{'a' * 20_000}"
        # Signed for the default port, which a proxy took away.
        found = signed("GET", url_of(f"{host}:443", "key", {}), {})
        lines = [f"{name}: {value.removesuffix(':443') if name == 'host' else value}" for name, value in found.lines]
        received = head("GET", found.path, *lines)
        signature = signature_of_request(received, received.query())
        assert signature is not None
        verifier.check(received, signature, SECRET)
    assert sum(map(len, verifier._winners)) < 100_000


def test_a_wrong_signature_does_not_fill_the_log(caplog: pytest.LogCaptureFixture) -> None:
    names = ";".join(f"x-amz-meta-{number}" for number in range(10_000))
    found = signed("GET", url_of("h" * 50_000, "k" * 50_000, {}), {})
    lines = [f"{name}: {value.replace('host;', f'host;{names};')}" for name, value in found.lines]
    with pytest.raises(S3Error, match="signature"):
        check(head("GET", found.path, *lines))
    assert "a signature does not match: GET /s3/bucket/kkk" in caplog.text
    assert len(caplog.text) < 8000


def test_repeated_and_folded_values_are_joined() -> None:
    text = "GET /s3/b/k HTTP/1.1\r\nHost: h\r\nX-Amz-Meta-A:  one \r\nX-Amz-Meta-A: two  three\r\n four\r\n\r\n"
    assert lines_of(text.encode()) == (
        ("host", "h"), ("x-amz-meta-a", "one"), ("x-amz-meta-a", "two  three four")
    )  # fmt: skip


def test_times_are_checked() -> None:
    now = time.time()
    found = signed("GET", "http://h/s3/b/k", {})
    signature = signature_of_request(found, {})
    assert signature is not None
    for off in (-890, 890):
        check_time(signature, now + off)
    for off in (-910, 910):
        with pytest.raises(S3Error) as caught:
            check_time(signature, now + off)
        assert caught.value.code == "RequestTimeTooSkewed"
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", dict(caught.value.details)["ServerTime"])
    url = signed("GET", "http://h/s3/b/k", {}, presigned=True)
    presigned = signature_of_request(url, url.query())
    assert presigned is not None
    check_time(presigned, now + 55)
    with pytest.raises(S3Error, match="expired"):
        check_time(presigned, now + 65)
    with pytest.raises(S3Error) as caught:
        check_time(presigned, now - 1000)
    assert caught.value.code == "RequestTimeTooSkewed"


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("X-Amz-Expires=604801", "AuthorizationQueryParametersError"),
        ("X-Amz-Expires=0", "AuthorizationQueryParametersError"),
        ("X-Amz-Expires=1e3", "AuthorizationQueryParametersError"),
        ("X-Amz-Signature=zz", "AuthorizationHeaderMalformed"),
        ("X-Amz-Credential=AK", "AuthorizationHeaderMalformed"),
        ("X-Amz-Credential=AK/20200101/auto/s3/aws4_request", "AuthorizationHeaderMalformed"),
        ("X-Amz-Date=yesterday", "AccessDenied"),
    ],
)
def test_malformed_parameters_are_refused(query: str, code: str) -> None:
    found = signed("GET", "http://h/s3/b/k", {}, presigned=True)
    with pytest.raises(S3Error) as caught:
        signature_of_request(found, {**found.query(), **dict([query.split("=", 1)])})
    assert caught.value.code == code


def test_older_signatures_get_a_hint() -> None:
    for found in (
        head("GET", "/s3/b/k", "Host: h", "Authorization: AWS AK:sig"),
        head("GET", "/s3/b/k?AWSAccessKeyId=AK&Signature=x&Expires=1", "Host: h"),
    ):
        with pytest.raises(S3Error, match="s3v4") as caught:
            signature_of_request(found, found.query())
        assert (caught.value.status, caught.value.code) == (400, "InvalidRequest")


def test_a_signature_for_another_service_is_refused() -> None:
    credential = "Credential=AK/20260101/r/ec2/aws4_request,SignedHeaders=host,Signature=" + "0" * 64
    authorization = f"Authorization: AWS4-HMAC-SHA256 {credential}"
    found = head("GET", "/s3/b/k", "Host: h", "X-Amz-Date: 20260101T000000Z", authorization)
    with pytest.raises(S3Error, match="Invalid Service"):
        signature_of_request(found, {})
