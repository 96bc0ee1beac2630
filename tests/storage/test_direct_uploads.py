"""Signed uploads whose bytes the client sends to the store itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import requests

from app.faces.shared.signing import COMPLETE, UPLOAD, Signer
from app.identity.derived_keys import SIGNED_URLS, derived_key
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S, until
from tests.storage.receiving_folder import ReceivingFolder, receiving
from tests.storage.service import ANON, SECRET, SERVICE, USER, Service, error, running, token, unique
from tests.storage_backends.streams import md5

PAGE = "https://page.example"
NO_OBJECT = (400, "404", "NoSuchKey", "Object not found")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ReceivingFolder, Any]]:
    with receiving(tmp_path_factory.mktemp("store")) as store:
        yield store


@pytest.fixture(scope="module")
def folder(store: tuple[ReceivingFolder, Any]) -> ReceivingFolder:
    return store[0]


@pytest.fixture(scope="module")
def direct(
    store: tuple[ReceivingFolder, Any], postgres: PostgresServer, storage_database: Callable[[], str]
) -> Iterator[Service]:
    folder, plugin = store
    settings: dict[str, Any] = {
        "remote_uploads": "direct", "plugins": {"store": plugin}, "replaced_bytes_grace_s": 0.0,
        "upload_size_limit": 1_000_000, "cors_origins": (PAGE,),
    }  # fmt: skip
    with running(postgres, storage_database(), folder.root, **settings) as service:
        yield service


def signed(service: Service, path: str, credential: str = SERVICE, **headers: str) -> str:
    """The token of a signed upload."""
    answer = service.post(f"/object/upload/sign/{path}", credential, headers=headers)
    answer.raise_for_status()
    return str(answer.json()["token"])


def begin(service: Service, path: str, permit: str, length: int | str, **headers: str) -> requests.Response:
    given = {"upload-length": str(length), "content-type": "image/png", **headers}
    return service.post(f"/upload/direct/{path}?token={permit}", None, headers=given)


def begun(service: Service, path: str, content: bytes, **headers: str) -> dict[str, Any]:
    """The answer after the bytes were sent."""
    answer = begin(service, path, signed(service, path), len(content), **headers)
    assert answer.status_code == 200, answer.text
    answered: dict[str, Any] = answer.json()
    send(answered, content)
    return answered


def send(answered: dict[str, Any], content: bytes) -> None:
    requests.put(answered["url"], content, headers=answered["headers"], timeout=PATIENCE_S).raise_for_status()


def complete(service: Service, answered: dict[str, Any]) -> requests.Response:
    return service.post(answered["completeURL"], None)


def test_conditions_are_checked_at_the_beginning(direct: Service) -> None:
    path = f"{direct.bucket()}/k"
    direct.upload(path, b"first").raise_for_status()
    permit = direct.post(f"/object/upload/sign/{path}", headers={"x-upsert": "true"}).json()["token"]
    assert error(begin(direct, path, permit, 3, **{"if-none-match": "*"}))[2] == "KeyAlreadyExists"
    assert error(begin(direct, path, permit, 3, **{"if-match": "*"}))[2] == "InvalidRequest"
    assert begin(direct, path, permit, 3).status_code == 200


def test_the_bytes_are_sent_to_the_backend(direct: Service, folder: ReceivingFolder) -> None:
    direct.sql("create policy own on storage.objects to authenticated using (true) with check (true)")
    path, user = f"{direct.bucket()}/a b/c?d.png", token(sub=USER)
    path_in_url = path.replace(" ", "%20").replace("?", "%3F")
    permit = signed(direct, path_in_url, user)
    described = {"cache-control": "max-age=7", "content-disposition": "inline", "origin": PAGE}
    answer = begin(direct, path_in_url, permit, 12, **described)
    assert answer.headers["access-control-allow-origin"] == PAGE
    answered = answer.json()
    assert (answered["method"], answered["headers"], answered["expiresIn"]) == (
        "PUT",
        {"content-type": "image/png"},
        300,
    )
    assert error(direct.get(f"/object/{path_in_url}")) == NO_OBJECT
    send(answered, b"twelve bytes")
    assert error(direct.get(f"/object/{path_in_url}")) == NO_OBJECT

    for _ in range(2):
        done = complete(direct, answered)
        assert (done.status_code, done.json()) == (200, {"Key": path})
    read = direct.get(f"/object/authenticated/{path_in_url}", user)
    said = [read.headers[name] for name in ("content-type", "cache-control", "content-disposition", "etag")]
    assert (read.content, said) == (
        b"twelve bytes", ["image/png", "max-age=7", "inline", f'"{md5(b"twelve bytes")}"']
    )  # fmt: skip
    assert error(direct.get(f"/object/{path_in_url}", ANON)) == NO_OBJECT
    assert direct.sql("select owner_id, metadata ->> 'size' from storage.objects where name = 'a b/c?d.png'") == [
        [USER, "12"]
    ]
    direct.sql("drop policy own on storage.objects")


def test_the_link_has_no_effect_after_completion(direct: Service, folder: ReceivingFolder) -> None:
    path = f"{direct.bucket()}/k"
    answered = begun(direct, path, b"first")
    complete(direct, answered).raise_for_status()
    send(answered, b"other")
    complete(direct, answered).raise_for_status()
    read = direct.get(f"/object/{path}")
    assert (read.content, read.headers["etag"]) == (b"first", f'"{md5(b"first")}"')


def test_the_entity_tag_is_that_of_the_copy(direct: Service, folder: ReceivingFolder) -> None:
    """The client may send other bytes after the service has looked at the first ones."""
    path = f"{direct.bucket()}/k"
    answered = begun(direct, path, b"first")
    folder.before_copying = lambda: send(answered, b"other")
    try:
        complete(direct, answered).raise_for_status()
    finally:
        folder.before_copying = lambda: None
    read = direct.get(f"/object/{path}")
    assert (read.content, read.headers["etag"]) == (b"other", f'"{md5(b"other")}"')


def test_a_backend_without_md5_gives_another_tag(direct: Service, folder: ReceivingFolder) -> None:
    path = f"{direct.bucket()}/k"
    tags = set()
    folder.knows_md5 = False
    try:
        for _ in range(2):
            permit = signed(direct, path, **{"x-upsert": "true"})
            answered = begin(direct, path, permit, 4).json()
            send(answered, b"same")
            complete(direct, answered).raise_for_status()
            tags.add(direct.get(f"/object/{path}").headers["etag"])
    finally:
        folder.knows_md5 = True
    assert len(tags) == 2
    assert all(re.fullmatch(r'"[0-9a-f]{32}-1"', tag) for tag in tags)


def test_missing_or_too_few_bytes_are_refused(direct: Service) -> None:
    path = f"{direct.bucket()}/k"
    answered = begin(direct, path, signed(direct, path), 4).json()
    missing = error(complete(direct, answered))
    assert missing[:3] == (400, "409", "UploadIncomplete")
    for content in (b"123", b"12345"):
        send(answered, content)
        with direct.keeping_blobs():
            assert error(complete(direct, answered))[3] == "The length of the body differs from the declared length"
        assert error(direct.get(f"/object/{path}")) == NO_OBJECT
    send(answered, b"1234")
    complete(direct, answered).raise_for_status()
    assert direct.get(f"/object/{path}").content == b"1234"


def test_an_empty_object_can_be_sent(direct: Service) -> None:
    path = f"{direct.bucket()}/k"
    complete(direct, begun(direct, path, b"")).raise_for_status()
    assert direct.get(f"/object/{path}").content == b""


def test_concurrent_completions_succeed(direct: Service) -> None:
    path = f"{direct.bucket()}/k"
    answered = begun(direct, path, b"once")
    with ThreadPoolExecutor(4) as pool:
        answers = list(
            pool.map(lambda _: requests.post(direct.url + answered["completeURL"], timeout=PATIENCE_S), "1234")
        )
    assert [answer.status_code for answer in answers] == [200] * 4, [answer.text for answer in answers]
    assert len(direct.sql(f"select from storage.objects where bucket_id = '{path.partition('/')[0]}'")) == 1
    direct.application.services.storage.background.work_now()
    (version,) = direct.sql(f"select version from storage.objects where bucket_id = '{path.partition('/')[0]}'")[0]
    assert version in direct.blobs()
    assert direct.get(f"/object/{path}").content == b"once"


def test_the_first_of_two_uploads_wins(direct: Service) -> None:
    path = f"{direct.bucket()}/k"
    first, second = (begun(direct, path, content) for content in (b"one", b"two"))
    complete(direct, second).raise_for_status()
    assert error(complete(direct, first))[1:3] == ("409", "KeyAlreadyExists")
    assert direct.get(f"/object/{path}").content == b"two"


def test_rules_are_checked_at_the_end(direct: Service) -> None:
    bucket, user = direct.bucket(), token(sub=USER)
    direct.sql(f"create policy p on storage.objects to authenticated using (true) with check (bucket_id = '{bucket}')")
    permits = [signed(direct, f"{bucket}/{key}", user) for key in "abc"]
    answered = [begin(direct, f"{bucket}/{key}", permit, 4).json() for key, permit in zip("abc", permits, strict=True)]
    for each in answered:
        send(each, b"1234")
    direct.put(f"/bucket/{bucket}", json={"public": False, "file_size_limit": 3}).raise_for_status()
    assert error(complete(direct, answered[0]))[2] == "EntityTooLarge"
    direct.put(
        f"/bucket/{bucket}", json={"public": False, "file_size_limit": None, "allowed_mime_types": ["text/plain"]}
    ).raise_for_status()
    assert error(complete(direct, answered[1]))[2] == "InvalidMimeType"
    direct.sql("drop policy p on storage.objects")
    assert error(complete(direct, answered[2]))[1:3] == ("403", "AccessDenied")
    assert direct.sql(f"select from storage.objects where bucket_id = '{bucket}'") == []


def test_an_incomplete_upload_is_deleted(direct: Service) -> None:
    path = f"{direct.bucket()}/k"
    work = direct.application.services.storage.background.work_now
    work()
    with direct.keeping_blobs() as before:
        answered = begun(direct, path, b"1234")
        work()
        assert len(direct.blobs() - before) == 1
        bucket = path.partition("/")[0]
        direct.sql(f"update storage.uploads set expires_at = clock_timestamp() where bucket_id = '{bucket}'")
        work()
        # The service's own thread may have taken the work, and not be done with it yet.
        until(lambda: direct.blobs() <= before)
    assert error(complete(direct, answered))[:3] == (400, "404", "NoSuchUpload")


def test_invalid_uploads_are_refused_before_bytes_are_sent(direct: Service) -> None:
    bucket = direct.bucket(file_size_limit=3, allowed_mime_types=["image/*"])
    path, links = f"{bucket}/k", len(direct.sql("select from storage.uploads"))
    permit = signed(direct, path, **{"content-type": "image/png"})
    for length, headers, code in (
        (4, {}, "EntityTooLarge"),
        (1_000_001, {}, "EntityTooLarge"),
        (3, {"content-type": "text/html"}, "InvalidMimeType"),
        (3, {"content-type": "image"}, "InvalidMimeType"),
        ("", {}, "InvalidRequest"),
        ("-1", {}, "InvalidRequest"),
        ("9" * 30, {}, "InvalidRequest"),
    ):
        assert error(begin(direct, path, permit, length, **headers))[2] == code, (length, headers)
    with_body = direct.post(f"/upload/direct/{path}?token={permit}", None, headers={"upload-length": "3"}, data=b"abc")
    assert error(with_body)[2] == "InvalidRequest"
    direct.upload(path, b"abc", content_type="image/png").raise_for_status()
    assert error(begin(direct, path, permit, 3))[2] == "KeyAlreadyExists"
    assert len(direct.sql("select from storage.uploads")) == links


def test_tokens_have_one_purpose(direct: Service) -> None:
    path = f"{direct.bucket()}/k"
    permit = signed(direct, path)
    answered = begin(direct, path, permit, 4).json()
    finishing = answered["completeURL"].partition("token=")[2]
    assert error(direct.post(f"/upload/complete/{path}?token={permit}", None))[2] == "InvalidSignature"
    assert error(direct.post(f"/upload/complete/{path}x?token={finishing}", None))[2] == "InvalidSignature"
    assert error(begin(direct, path, finishing, 4))[2] == "InvalidSignature"
    assert error(direct.put(f"/object/upload/sign/{path}?token={finishing}", None, data=b"x"))[2] == "InvalidSignature"
    assert error(direct.post(f"/upload/direct/{path}"))[2] == "InvalidRequest"
    assert error(begin(direct, path, SERVICE, 4))[2] == "InvalidJWT"
    signer = Signer(derived_key(SECRET, SIGNED_URLS))
    for route, scope in (("direct", UPLOAD), ("complete", COMPLETE)):
        expired = signer.sign({"url": path, "scope": scope}, lifetime_s=-1)
        answer = direct.post(f"/upload/{route}/{path}?token={expired}", None, headers={"upload-length": "4"})
        assert error(answer)[2:] == ("InvalidJWT", '"exp" claim timestamp check failed')
    # The holder of the link does not learn which upload it is.
    upload = direct.sql("select id from storage.uploads order by created_at desc limit 1")[0][0]
    assert upload not in str(answered)


@pytest.mark.parametrize("setting", ["direct", "proxy"])
def test_a_backend_without_links_refuses_direct_uploads(own_service: Callable[..., Service], setting: str) -> None:
    service = own_service(remote_uploads=setting)
    path = f"{service.bucket()}/{unique()}"
    assert error(begin(service, path, signed(service, path), 4))[1:3] == ("400", "DirectUploadUnavailable")
