"""Downloads that lead to where the bytes are: short-lived URLs of S3 and Azure, from real servers of their kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from app.discovery import plugin_manager
from app.storage.bytes.backend import Labels, Linking, open_backend
from app.storage.bytes.blobs import blob_key
from app.storage.bytes.upload_links import UploadLinking
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S
from tests.storage.service import SERVICE, Service, error, running, token
from tests.storage_backends.conftest import places as places
from tests.storage_backends.places import Place, Places

NO_OBJECT = (400, "404", "NoSuchKey", "Object not found")


@pytest.fixture(scope="module", params=["s3", "azure"])
def remote(request: pytest.FixtureRequest, places: Places) -> Place:
    return places.get(request.param)


@pytest.fixture(scope="module")
def redirecting(
    remote: Place,
    postgres: PostgresServer,
    storage_database: Callable[[], str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Service]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in remote.environment.items():
            patch.setenv(name, value)
        chosen = {"storage_url": remote.url, "remote_downloads": "redirect"}
        with running(postgres, storage_database(), tmp_path_factory.mktemp("unused"), **chosen) as service:
            yield service


def at_once(service: Service, path: str, credential: str | None = SERVICE, **headers: str) -> requests.Response:
    """The service's own answer."""
    given = {**headers, **({"authorization": f"Bearer {credential}"} if credential else {})}
    return requests.get(service.url + path, headers=given, allow_redirects=False, timeout=PATIENCE_S)


def test_a_download_is_redirected_to_the_backend(redirecting: Service, remote: Place) -> None:
    bucket = redirecting.bucket(public=True)
    content = bytes(range(256)) * 100
    redirecting.upload(
        f"{bucket}/k", content, content_type="text/html", cache_control="max-age=77", content_disposition="inline"
    ).raise_for_status()
    found = at_once(redirecting, f"/object/public/{bucket}/k", None)
    assert (found.status_code, found.content) == (307, b"")
    assert found.headers["cache-control"] == "no-store"
    assert found.headers["referrer-policy"] == "no-referrer"
    link = found.headers["location"]
    assert urlsplit(link).port == remote.port

    got = redirecting.get(f"/object/authenticated/{bucket}/k")
    assert [each.status_code for each in got.history] == [307]
    assert got.content == content
    # Content that a browser would run is sent as text there too.
    answered = (got.headers["content-type"], got.headers["cache-control"], got.headers["content-disposition"])
    assert answered == ("text/plain", "max-age=77", "inline")
    named = redirecting.get(f"/object/authenticated/{bucket}/k?download=a b.txt")
    assert named.headers["content-disposition"] == "attachment; filename=\"a b.txt\"; filename*=UTF-8''a%20b.txt"

    ranged = redirecting.get(f"/object/{bucket}/k", headers={"range": "bytes=10-19"})
    assert (ranged.status_code, ranged.content) == (206, content[10:20])
    assert ranged.headers["content-range"] == f"bytes 10-19/{len(content)}"
    beyond = redirecting.get(f"/object/{bucket}/k", headers={"range": f"bytes={len(content)}-"})
    assert beyond.status_code == 416


def test_requests_without_bytes_are_not_redirected(redirecting: Service) -> None:
    bucket = redirecting.bucket()
    redirecting.upload(f"{bucket}/k", b"0123456789", content_type="text/css").raise_for_status()
    head = redirecting.request("HEAD", f"/object/{bucket}/k")
    assert (head.status_code, head.history, head.headers["content-length"]) == (200, [], "10")
    same = at_once(redirecting, f"/object/{bucket}/k", **{"if-none-match": head.headers["etag"]})
    assert (same.status_code, same.headers["etag"]) == (304, head.headers["etag"])
    assert at_once(redirecting, f"/object/{bucket}/k", **{"if-match": '"other"'}).status_code == 412
    assert error(at_once(redirecting, f"/object/{bucket}/none")) == NO_OBJECT


def test_private_objects_stay_private(redirecting: Service, remote: Place) -> None:
    bucket = redirecting.bucket()
    for key in ("k", "other"):
        redirecting.upload(f"{bucket}/{key}", key.encode()).raise_for_status()
    assert error(at_once(redirecting, f"/object/{bucket}/k", token())) == NO_OBJECT
    signed = redirecting.post(f"/object/sign/{bucket}/k", json={"expiresIn": 3600}).json()["signedURL"]
    found = at_once(redirecting, signed, None)
    assert found.status_code == 307
    link = found.headers["location"]
    assert requests.get(link, timeout=PATIENCE_S).content == b"k"
    assert_short_lived(link)
    assert SERVICE not in link
    rows = redirecting.sql(f"select version from storage.objects where bucket_id = '{bucket}' order by name")
    (version,), (other,) = rows
    if remote.kind == "azure":
        # The S3 server of the tests checks no signatures.
        elsewhere = link.replace(blob_key(version), blob_key(other))
        assert elsewhere != link
        assert requests.get(elsewhere, timeout=PATIENCE_S).status_code == 403
        assert requests.delete(link, timeout=PATIENCE_S).status_code == 403


def assert_short_lived(link: str) -> None:
    query = {name: values[0] for name, values in parse_qs(urlsplit(link).query).items()}
    if "se" in query:
        assert query["sp"] == "r"
        ends = datetime.fromisoformat(query["se"])
        assert datetime.now(UTC) < ends <= datetime.now(UTC) + timedelta(seconds=61)
    else:
        assert (query["X-Amz-Algorithm"], query["X-Amz-Expires"]) == ("AWS4-HMAC-SHA256", "60")


def test_a_released_client_follows_redirects(
    redirecting: Service, storage3_client: Callable[[Service, str], Any]
) -> None:
    files = storage3_client(redirecting, SERVICE).from_(redirecting.bucket())
    files.upload("a b.txt", b"from elsewhere", {"content-type": "text/plain"})
    assert files.download("a b.txt") == b"from elsewhere"


def test_downloads_pass_through_by_default(
    places: Places, own_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = places.get("s3")
    for name, value in remote.environment.items():
        monkeypatch.setenv(name, value)
    service = own_service(storage_url=remote.url)
    path = f"{service.bucket()}/k"
    service.upload(path, b"here").raise_for_status()
    found = at_once(service, f"/object/{path}")
    assert (found.status_code, found.content) == (200, b"here")


def test_a_folder_has_no_links(own_service: Callable[..., Service]) -> None:
    service = own_service(remote_downloads="redirect")
    path = f"{service.bucket()}/k"
    service.upload(path, b"here").raise_for_status()
    found = at_once(service, f"/object/{path}")
    assert (found.status_code, found.content) == (200, b"here")


def test_credentials_that_cannot_sign_give_no_links(places: Places) -> None:
    """Google's emulator needs no credentials, so there is no key to sign with."""
    with places.get("gcs").backend() as backend:
        assert isinstance(backend, Linking)
        assert backend.link("blobs/k", Labels("text/plain"), 60) is None
        assert isinstance(backend, UploadLinking)
        assert backend.upload_link("blobs/k", 12, "text/plain", 60) is None


def test_links_of_google_are_signed(monkeypatch: pytest.MonkeyPatch) -> None:
    credentials = pytest.importorskip("google.oauth2.service_account").Credentials
    storage = pytest.importorskip("google.cloud.storage")
    signer = pytest.importorskip("google.auth.crypt").RSASigner.from_string(_private_key())
    account = credentials(signer, "portico@example.iam.gserviceaccount.com", "https://oauth2.googleapis.com/token")
    client = storage.Client("project", account)
    # Signs with a key of the tests, without Google's credentials or a request.
    monkeypatch.setattr(storage, "Client", lambda: client)
    backend = open_backend(plugin_manager(), "gs://portico-blobs/below")
    assert isinstance(backend, Linking)
    link = backend.link("blobs/k", Labels("text/plain", "max-age=5", "attachment;"), 60)
    assert link is not None
    place, query = link.split("?")
    assert place == "https://storage.googleapis.com/portico-blobs/below/blobs/k"
    given = {name: values[0] for name, values in parse_qs(query).items()}
    answered = (given["X-Goog-Expires"], given["response-content-type"], given["response-content-disposition"])
    assert answered == ("60", "text/plain", "attachment;")
    assert re.fullmatch(r"[0-9a-f]+", given["X-Goog-Signature"])
    assert backend.link("blobs/k", Labels("text/plain", encoding="gzip"), 60) is None
    assert isinstance(backend, UploadLinking)
    sent = backend.upload_link("blobs/k", 12, "text/plain", 60)
    assert sent is not None
    assert sent.headers == {"content-type": "text/plain", "x-goog-content-length-range": "12,12"}
    given = {name: values[0] for name, values in parse_qs(urlsplit(sent.url).query).items()}
    assert given["X-Goog-SignedHeaders"] == "content-type;host;x-goog-content-length-range"
    backend.close()


def _private_key() -> str:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(65537, 2048)
    kind, form = serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL
    return key.private_bytes(kind, form, serialization.NoEncryption()).decode()
