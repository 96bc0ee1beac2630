"""Resumable uploads (tus 1.0.0): requests, errors, permissions, and the resulting object."""

from __future__ import annotations

import hashlib
import json
import zlib
from base64 import b64encode
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
import requests

from app.http.head import ReceivedHead
from tests.postgres_server import connect
from tests.process.running import PATIENCE_S, until
from tests.storage.gated import Gate
from tests.storage.service import SERVICE, USER, Service, raw_request, token, unique

BYTES = "application/offset+octet-stream"
COLLECTION = "/upload/resumable"


def tus_metadata(**values: str) -> str:
    return ",".join(f"{name} {b64encode(value.encode()).decode()}" for name, value in values.items())


class Client:
    """Sends the protocol's requests with one credential."""

    def __init__(self, service: Service, credential: str | None = SERVICE, **headers: str) -> None:
        self.service, self.credential = service, credential
        self.headers = {"tus-resumable": "1.0.0"} | {name.replace("_", "-"): value for name, value in headers.items()}

    def send(
        self, method: str, path: str, *, without: str = "", data: bytes = b"", **headers: str
    ) -> requests.Response:
        sent = self.headers | {name.replace("_", "-"): value for name, value in headers.items()}
        sent.pop(without, None)
        return self.service.request(method, path, self.credential, sent, data=data)

    def create(self, path: str, length: int | None = None, data: bytes = b"", **headers: str) -> requests.Response:
        bucket, _, key = path.partition("/")
        sent = {"upload-metadata": tus_metadata(bucketName=bucket, objectName=key), **headers}
        sent |= {"upload-length": str(length)} if length is not None else {"upload-defer-length": "1"}
        return self.send("POST", COLLECTION, data=data, **sent)

    def begin(self, path: str, length: int | None = None, **headers: str) -> str:
        """Create an upload and return the path of its URL."""
        answer = self.create(path, length, **headers)
        assert answer.status_code == 201, answer.text
        return str(answer.headers["location"]).removeprefix(self.service.url)

    def patch(self, path: str, offset: int, data: bytes, **headers: str) -> requests.Response:
        sent = {"content-type": BYTES, "upload-offset": str(offset), **headers}
        return self.send("PATCH", path, data=data, **sent)

    def head(self, path: str) -> requests.Response:
        return self.send("HEAD", path)


@pytest.fixture
def client(service: Service) -> Client:
    return Client(service)


@pytest.fixture
def path(service: Service) -> str:
    return f"{service.bucket()}/folder/a key.txt"


def status_and_text(answer: requests.Response) -> tuple[int, str]:
    return answer.status_code, answer.text


def protocol_headers(answer: requests.Response) -> dict[str, str]:
    """The protocol's headers of an answer."""
    names = ("upload-", "tus-", "location", "cache-control", "retry-after")
    return {name.lower(): value for name, value in answer.headers.items() if name.lower().startswith(names)}


def test_options_describe_the_protocol(service: Service) -> None:
    for path in (COLLECTION, f"{COLLECTION}/some-id", f"/storage/v1{COLLECTION}/sign", f"{COLLECTION}/sign/some-id"):
        answer = service.request("OPTIONS", path, None)
        assert status_and_text(answer) == (204, "")
        assert protocol_headers(answer) == {
            "tus-resumable": "1.0.0",
            "tus-version": "1.0.0",
            "tus-extension": "creation,creation-with-upload,creation-defer-length,termination,expiration,checksum",
            "tus-max-size": str(50 * 1024 * 1024),
            "tus-checksum-algorithm": "md5,sha1,sha256,crc32",
        }


def test_an_upload_in_three_requests_is_stored(client: Client, path: str) -> None:
    bucket, _, key = path.partition("/")
    sent_metadata = tus_metadata(
        bucketName=bucket, objectName=key, contentType="text/x-story", cacheControl="60", metadata='{"a": 1}', mine="x"
    )
    created = client.send(
        "POST", f"/storage/v1{COLLECTION}/", **{"upload-length": "9", "upload-metadata": sent_metadata}
    )
    assert status_and_text(created) == (201, "")
    assert set(protocol_headers(created)) == {"tus-resumable", "location", "upload-expires"}
    base = f"{client.service.url}/storage/v1{COLLECTION}/"
    url = created.headers["location"].removeprefix(client.service.url)
    assert created.headers["location"].startswith(base)
    assert len(url.rpartition("/")[2]) >= 22
    first = client.patch(url, 0, b"abc")
    assert (first.status_code, first.headers["upload-offset"], "upload-expires" in first.headers) == (204, "3", True)
    assert protocol_headers(client.head(url + "/?x=y")) == {
        "tus-resumable": "1.0.0",
        "upload-offset": "3",
        "upload-length": "9",
        "upload-metadata": sent_metadata,
        "cache-control": "no-store",
    }
    assert client.service.get(f"/object/{path}").status_code == 400
    assert client.patch(url, 3, b"").headers["upload-offset"] == "3"
    last = client.patch(url, 3, b"defghi")
    assert protocol_headers(last) == {"tus-resumable": "1.0.0", "upload-offset": "9", "tus-complete": "1"}
    found = client.service.get(f"/object/{path}")
    assert (found.content, found.headers["content-type"], found.headers["cache-control"]) == (
        b"abcdefghi", "text/x-story", "max-age=60",
    )  # fmt: skip
    assert client.service.get(f"/object/info/{path}").json()["metadata"] == {"a": 1}
    assert protocol_headers(client.head(url))["upload-offset"] == "9"
    assert protocol_headers(client.patch(url, 9, b"")) == protocol_headers(last)
    assert status_and_text(client.patch(url, 9, b"x")) == (413, "upload's size exceeded\n")
    assert status_and_text(client.send("DELETE", url)) == (400, "Cannot terminate an already completed upload")


def test_the_row_has_the_same_columns_as_that_of_a_plain_upload(client: Client, path: str) -> None:
    owner = Client(client.service, token("service_role", sub=USER))
    url = owner.begin(path, 3)
    client.patch(url, 0, b"abc").raise_for_status()
    bucket = path.partition("/")[0]
    rows = client.service.sql(
        f"select metadata, owner_id, owner::text, user_metadata from storage.objects where bucket_id = '{bucket}'"
    )
    members, owner_id, owner_uuid, user_metadata = rows[0]
    assert (owner_id, owner_uuid, user_metadata) == (USER, USER, None)
    assert members.keys() == {
        "eTag", "size", "mimetype", "cacheControl", "lastModified", "contentLength", "httpStatusCode"
    }  # fmt: skip
    assert members["eTag"] == f'"{hashlib.md5(b"abc").hexdigest()}"'
    assert (members["mimetype"], members["cacheControl"]) == ("application/octet-stream", "no-cache")


@pytest.mark.parametrize("separator", [", ", " ,", "\t,  ", " , "])
def test_blanks_around_commas_of_the_metadata_are_ignored(service: Service, path: str, separator: str) -> None:
    bucket, _, key = path.partition("/")
    pairs = [
        tus_metadata(bucketName=bucket),
        tus_metadata(objectName=key),
        tus_metadata(contentType="text/css"),
    ]
    sent_metadata = separator.join([*pairs, "flag ", "other /w=="])
    url = Client(service).begin(path, 1, **{"upload-metadata": sent_metadata})
    assert Client(service).head(url).headers["upload-metadata"] == sent_metadata
    assert Client(service).patch(url, 0, b"x").status_code == 204
    assert service.get(f"/object/{path}").headers["content-type"] == "text/css"


def test_metadata_in_two_lines_is_joined(service: Service, path: str) -> None:
    bucket, _, key = path.partition("/")
    lines = f"Upload-Metadata: {tus_metadata(bucketName=bucket)}\r\nUpload-Metadata: {tus_metadata(objectName=key)}\r\n"
    head = f"POST {COLLECTION} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {SERVICE}\r\nTus-Resumable: 1.0.0\r\n"
    answer = raw_request(service.address, f"{head}Upload-Length: 1\r\n{lines}Content-Length: 0\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 201 ")


def test_a_creation_may_carry_bytes(client: Client, service: Service) -> None:
    bucket = service.bucket()
    some = client.create(f"{bucket}/some", 6, b"abc", **{"content-type": BYTES})
    assert (some.status_code, some.headers["upload-offset"], "tus-complete" in some.headers) == (201, "3", False)
    whole = client.create(f"{bucket}/whole", 3, b"abc", **{"content-type": BYTES})
    assert (whole.headers["upload-offset"], whole.headers["tus-complete"]) == ("3", "1")
    ignored = client.create(f"{bucket}/ignored", 3, b"abc", **{"content-type": "text/plain"})
    assert (ignored.status_code, "upload-offset" in ignored.headers) == (201, False)
    empty = client.create(f"{bucket}/empty", 0)
    assert (empty.status_code, empty.headers["tus-complete"]) == (201, "1")
    assert service.get(f"/object/{bucket}/empty").content == b""
    too_long = client.create(f"{bucket}/long", 2, b"abc", **{"content-type": BYTES})
    assert status_and_text(too_long) == (413, "upload's size exceeded\n")
    assert service.sql(f"select name from storage.uploads where bucket_id = '{bucket}' and name = 'long'") == []


def test_a_deferred_length_is_accepted(client: Client, path: str) -> None:
    url = client.begin(path)
    assert protocol_headers(client.head(url))["upload-defer-length"] == "1"
    client.patch(url, 0, b"abc").raise_for_status()
    wrong = (400, "Upload-Length or Upload-Defer-Length header required\n")
    assert status_and_text(client.patch(url, 3, b"", **{"upload-length": "2"})) == wrong
    assert client.patch(url, 3, b"", **{"upload-length": "4"}).headers["upload-offset"] == "3"
    assert client.patch(url, 3, b"", **{"upload-length": "4"}).headers["upload-offset"] == "3"
    assert status_and_text(client.patch(url, 3, b"", **{"upload-length": "5"})) == wrong
    assert status_and_text(client.patch(url, 3, b"de")) == (413, "upload's size exceeded\n")
    assert client.patch(url, 3, b"d").headers["tus-complete"] == "1"
    other = client.begin(path + "2")
    client.patch(other, 0, b"abc").raise_for_status()
    assert client.patch(other, 3, b"", **{"upload-length": "3"}).headers["tus-complete"] == "1"
    assert client.service.get(f"/object/{path}2").content == b"abc"


NAMES = {"bucketName": "b", "objectName": "k"}


@pytest.mark.parametrize(
    ("headers", "status", "text"),
    [
        ({"tus-resumable": "0.2.2"}, 412, "Invalid tus-resumable\n"),
        *(({"upload-length": bad}, 400, "Invalid upload-length\n") for bad in ("01", "-1", "abc", "1.0", "+1", "")),
        ({"upload-defer-length": "2"}, 400, "Invalid upload-defer-length\n"),
        ({"upload-length": "x", "upload-offset": "01", "upload-metadata": "a b"}, 400,
         "Invalid upload-length upload-offset upload-metadata\n"),
        *(({"upload-metadata": bad}, 400, "Invalid upload-metadata\n")
          for bad in ("a YQ", "a YQ==,", "a YQ==, ,b YQ==", "ä YQ==", "a YQ==,a YQ==", "a YQ== , a YQ==", "a  YQ==",
                      "a ," * 10_000)),
        *(({"upload-metadata": f"bucketName Yg==,objectName aw==,{name} /w=="}, 400, "Invalid upload-metadata\n")
          for name in ("contentType", "cacheControl", "metadata")),
        ({"upload-metadata": "bucketName Yg==,objectName /w=="}, 400, "Invalid upload-metadata\n"),
        ({"upload-concat": "partial"}, 501,
         "Concatenation extension is not (yet) supported. Disable parallel uploads in the tus client.\n"),
        ({"upload-defer-length": "1"}, 400, "Upload-Length or Upload-Defer-Length header required\n"),
        ({"upload-metadata": ""}, 400, "Metadata header is required"),
        ({"upload-metadata": tus_metadata(objectName="k")}, 400, "Bucket name invalid"),
        ({"upload-metadata": tus_metadata(bucketName="b")}, 400, "Invalid key: \nA key has at least one character\n"),
        ({"upload-metadata": tus_metadata(bucketName="b", objectName="a/../b")}, 400,
         "Invalid key: a/../b\nA key has no part . or .. between its slashes\n"),
        ({"upload-metadata": tus_metadata(bucketName="nowhere", objectName="k")}, 404, "Bucket not found"),
        ({"upload-length": str(50 * 1024 * 1024 + 1)}, 413, "Maximum size exceeded\n"),
        ({"upload-metadata": tus_metadata(**NAMES, contentType="no type")}, 415, "mime type no type is not supported"),
        ({"content-type": BYTES, "upload-checksum": "sha512 YQ=="}, 400, "Invalid upload-checksum\n"),
        ({"content-type": BYTES, "upload-checksum": "md5 ?"}, 400, "Invalid upload-checksum\n"),
    ],
)  # fmt: skip
def test_invalid_creations_are_refused(client: Client, headers: Mapping[str, str], status: int, text: str) -> None:
    client.service.post("/bucket", json={"name": "b"})
    request_headers = {
        "upload-length": "3",
        "upload-metadata": tus_metadata(bucketName="b", objectName=unique()),
        **headers,
    }
    answer = client.send("POST", COLLECTION, **request_headers)
    assert status_and_text(answer) == (status, text)
    assert answer.headers["tus-resumable"] == "1.0.0"
    assert answer.headers["content-type"] == "text/plain;charset=UTF-8"
    assert client.service.sql("select count(*) from storage.uploads where bucket_id = 'b'") == [[0]]


@pytest.mark.parametrize(
    ("change", "status", "text"),
    [
        ({"without": "tus-resumable"}, 412, "Tus-Resumable Required\n"),
        ({"content-type": BYTES + "; a=b"}, 400, "Invalid content-type\n"),
        ({"upload-offset": "01"}, 400, "Invalid upload-offset\n"),
        ({"without": "upload-offset"}, 403, "Upload-Offset header required\n"),
        ({"without": "content-type"}, 403, "Content-Type header required\n"),
        ({"upload-offset": "2"}, 409, "Upload-Offset conflict\n"),
        ({"upload-offset": "4"}, 409, "Upload-Offset conflict\n"),
        ({"upload-length": "9"}, 400, "Upload-Length or Upload-Defer-Length header required\n"),
        ({"data": b"too long"}, 413, "upload's size exceeded\n"),
        ({"upload-checksum": "sha1 " + b64encode(hashlib.sha1(b"?").digest()).decode()}, 460, "Checksum Mismatch\n"),
        ({"upload-checksum": "crc32"}, 400, "Invalid upload-checksum\n"),
    ],
)
def test_invalid_patches_are_refused(client: Client, path: str, change: dict[str, Any], status: int, text: str) -> None:
    url = client.begin(path, 6)
    client.patch(url, 0, b"abc").raise_for_status()
    arguments: dict[str, Any] = {"content-type": BYTES, "upload-offset": "3", "data": b"def", **change}
    for name in {"upload-offset", "content-type"} & {arguments.get("without")}:
        del arguments[name]
    assert status_and_text(client.send("PATCH", url, **arguments)) == (status, text)
    assert client.head(url).headers["upload-offset"] == "3"
    assert client.patch(url, 3, b"def").status_code == 204
    assert client.service.get(f"/object/{path}").content == b"abcdef"


def test_checksums_are_verified(client: Client, path: str) -> None:
    data = b"some bytes"
    sums = {
        "md5": hashlib.md5(data).digest(),
        "sha1": hashlib.sha1(data).digest(),
        "sha256": hashlib.sha256(data).digest(),
        "crc32": zlib.crc32(data).to_bytes(4, "big"),
    }
    url = client.begin(path)
    for number, (name, digest) in enumerate(sums.items()):
        answer = client.patch(url, number * 10, data, **{"upload-checksum": f"{name} {b64encode(digest).decode()}"})
        assert answer.headers["upload-offset"] == str(number * 10 + 10)
    wrong = client.patch(url, 40, b"", **{"upload-checksum": "md5 YQ=="})
    assert status_and_text(wrong) == (460, "Checksum Mismatch\n")


def test_unknown_deleted_and_expired_uploads_are_refused(client: Client, path: str) -> None:
    unknown = (404, "The file for this url was not found\n")
    for url in (f"{COLLECTION}/nothing", f"{COLLECTION}/%2e%2e", f"{COLLECTION}/{'x' * 32}"):
        assert client.head(url).status_code == 404
        assert status_and_text(client.patch(url, 0, b"x")) == unknown
        assert status_and_text(client.send("DELETE", url)) == unknown
    url = client.begin(path, 3)
    assert status_and_text(client.send("DELETE", url)) == (204, "")
    assert status_and_text(client.send("DELETE", url)) == unknown
    url = client.begin(path, 3)
    client.service.sql(f"update storage.uploads set expires_at = now() where id = '{url.rpartition('/')[2]}'")
    assert client.head(url).status_code == 410
    assert status_and_text(client.patch(url, 0, b"x")) == (410, "The file for this url no longer exists\n")


@pytest.mark.parametrize("bytes_are_deleted", [False, True])
def test_an_upload_that_expires_while_its_last_bytes_are_stored_leaves_no_blob(
    gated: tuple[Service, Gate], bytes_are_deleted: bool
) -> None:
    service, gate = gated
    path = f"{service.bucket()}/k"
    client, other = Client(service), Client(service)
    url = client.begin(path, 6)
    assert status_and_text(client.patch(url, 0, b"abc")) == (204, "")
    with ThreadPoolExecutor() as pool, gate.hold():
        last = pool.submit(other.patch, url, 3, b"def")
        assert gate.reached.wait(PATIENCE_S)
        service.sql("update storage.uploads set expires_at = clock_timestamp()")
        service.application.services.storage.background.work_now()
        if bytes_are_deleted:
            service.sql("update storage.work set due_at = now() - interval '1 hour'")
            service.application.services.storage.background.work_now()
        gate.open.set()
        assert status_and_text(last.result()) == (410, "The file for this url no longer exists\n")
    assert service.get(f"/object/{path}").status_code == 400
    service.sql("update storage.work set due_at = now() - interval '1 hour'")
    service.application.services.storage.background.work_now()
    assert service.blobs() == set()


def test_an_upload_continued_while_it_expires_is_kept(own_service: Callable[..., Service]) -> None:
    service = own_service()
    client = Client(service)
    path = f"{service.bucket()}/k"
    url = client.begin(path, 6)
    assert status_and_text(client.patch(url, 0, b"abc")) == (204, "")
    service.sql("update storage.uploads set expires_at = clock_timestamp()")
    with closing(connect(service.database_url)) as continuing:
        continuing.run("begin")
        continuing.run("update storage.uploads set expires_at = clock_timestamp() + interval '1 hour'")
        service.application.services.storage.background.work_now()
        continuing.run("commit")
    assert status_and_text(client.patch(url, 3, b"def")) == (204, "")
    assert service.get(f"/object/{path}").content == b"abcdef"


def test_other_methods_have_no_route(client: Client) -> None:
    answer = client.send("GET", f"{COLLECTION}/some-id")
    assert answer.status_code == 404
    assert answer.json() == {
        "message": f"Route GET:{COLLECTION}/some-id not found", "error": "Not Found", "statusCode": 404,
    }  # fmt: skip
    for override in ("", "GET", "PUT"):
        answer = client.send("POST", f"{COLLECTION}/some-id", **{"x-http-method-override": override})
        assert answer.json()["message"] == f"Route POST:{COLLECTION}/some-id not found"
    answer = client.send("POST", COLLECTION, **{"x-http-method-override": "PATCH"})
    assert answer.json()["message"] == f"Route POST:{COLLECTION} not found"


def test_the_method_override_header_is_followed(client: Client, service: Service, path: str) -> None:
    """tus-java-client sends this header, and a chunked body."""
    url = client.begin(path, 6)
    headers = {
        **client.headers, "authorization": f"Bearer {SERVICE}", "x-http-method-override": "PATCH",
        "content-type": BYTES, "upload-offset": "0",
    }  # fmt: skip
    answer = requests.post(service.url + url, iter([b"abc", b"de"]), headers=headers, timeout=30)
    assert (answer.status_code, answer.headers["upload-offset"]) == (204, "5")
    last = {"content-type": BYTES, "upload-offset": "5", "x-http-method-override": "patch"}
    assert client.send("POST", url, data=b"f", **last).status_code == 204
    assert service.get(f"/object/{path}").content == b"abcdef"
    other = client.begin(f"{path}2", 6)
    assert client.send("POST", other, **{"x-http-method-override": "DELETE"}).status_code == 204
    assert client.head(other).status_code == 404


def test_bad_credentials_are_refused(service: Service, path: str) -> None:
    for credential, message in (
        ("nonsense", "Invalid Compact JWS"),
        (token(exp=1), '"exp" claim timestamp check failed'),
    ):
        answer = Client(service, credential).create(path, 3)
        assert (answer.status_code, answer.json()["statusCode"], answer.json()["message"]) == (400, "403", message)
        assert answer.headers["content-type"].startswith("application/json")
    none = Client(service, None).create(path, 3)
    assert none.json()["message"] == "headers must have required property 'authorization'"


def test_policies_are_checked_at_creation_and_for_each_part(own_service: Callable[..., Service]) -> None:
    service = own_service()
    path = f"{service.bucket()}/{USER}/file"
    denied = (403, "new row violates row-level security policy")
    creator, other = (Client(service, token(sub=sub)) for sub in (USER, USER.replace("3", "4")))
    assert status_and_text(creator.create(path, 3)) == denied
    service.sql(
        "create policy own_folder on storage.objects for insert to authenticated with check ("
        " (storage.foldername(name))[1] = auth.uid()::text and (metadata ->> 'contentLength')::int < 5"
        " and metadata ->> 'mimetype' = 'text/plain' and user_metadata ->> 'a' = 'b'"
        " and storage.allow_any_operation(array['tus.upload.create', 'tus.upload.part', 'tus.upload.delete']))"
    )
    bucket, _, key = path.partition("/")
    allowed_metadata = tus_metadata(bucketName=bucket, objectName=key, contentType="text/plain", metadata='{"a": "b"}')
    assert status_and_text(creator.create(path, 5, **{"upload-metadata": allowed_metadata})) == denied
    assert status_and_text(creator.create(path, 4)) == denied
    url = creator.begin(path, 3, **{"upload-metadata": allowed_metadata})
    assert [other.patch(url, 0, b"abc").status_code, other.send("DELETE", url).status_code] == [404, 404]
    assert other.head(url).status_code == 404
    assert creator.head(url).status_code == 200
    assert creator.patch(url, 0, b"abc").headers["tus-complete"] == "1"
    assert other.head(url).status_code == 404
    assert [other.patch(url, offset, b"").status_code for offset in (3, 2)] == [404, 404]
    assert creator.patch(url, 3, b"").headers["tus-complete"] == "1"
    assert service.get(f"/object/{path}").content == b"abc"
    assert status_and_text(creator.create(path, 3, **{"upload-metadata": allowed_metadata})) == (
        409,
        "The resource already exists",
    )
    assert status_and_text(creator.create(path, 3, x_upsert="true", **{"upload-metadata": allowed_metadata})) == denied


def test_limits_of_the_bucket_are_enforced(client: Client, service: Service) -> None:
    bucket = service.bucket(file_size_limit=5, allowed_mime_types=["text/*"])
    path = f"{bucket}/k"
    request_headers = {"upload-metadata": tus_metadata(bucketName=bucket, objectName="k", contentType="text/plain")}
    assert status_and_text(client.create(path, 6, **request_headers)) == (413, "Maximum size exceeded\n")
    assert status_and_text(client.create(path, 5)) == (415, "mime type application/octet-stream is not supported")
    url = client.begin(path, None, **request_headers)
    client.patch(url, 0, b"abc").raise_for_status()
    assert status_and_text(client.patch(url, 3, b"def")) == (413, "upload's size exceeded\n")
    assert status_and_text(client.patch(url, 3, b"", **{"upload-length": "6"})) == (413, "Maximum size exceeded\n")
    client.patch(url, 3, b"de", **{"upload-length": "5"}).raise_for_status()
    nothing = service.bucket(file_size_limit=0)
    assert status_and_text(client.create(f"{nothing}/k", 1)) == (413, "Maximum size exceeded\n")
    assert client.create(f"{nothing}/k", 0).headers["tus-complete"] == "1"


def test_an_upload_replaces_an_object_only_with_x_upsert(client: Client, service: Service) -> None:
    path = f"{service.bucket()}/k"
    first = client.begin(path, 3)
    service.upload(path, b"there").raise_for_status()
    exists = (409, "The resource already exists")
    assert status_and_text(client.patch(first, 0, b"abc")) == exists
    assert status_and_text(client.create(path, 3)) == exists
    assert service.get(f"/object/{path}").content == b"there"
    second = client.begin(path, 3, x_upsert="true")
    client.patch(second, 0, b"new").raise_for_status()
    assert service.get(f"/object/{path}").content == b"new"
    assert client.head(first).headers["upload-offset"] == "0"
    client.patch(first, 0, b"abc", x_upsert="true").raise_for_status()
    assert service.get(f"/object/{path}").content == b"abc"


def signed_token(service: Service, path: str, credential: str = SERVICE, **headers: str) -> str:
    answer = service.post(f"/object/upload/sign/{path}", credential, headers=headers, json={})
    answer.raise_for_status()
    return str(answer.json()["token"])


def test_signed_uploads_are_stored(service: Service, path: str) -> None:
    signer = token("service_role", sub=USER)
    signed = Client(service, None, x_signature=signed_token(service, path, signer))
    bucket, _, key = path.partition("/")
    request_headers = {"upload-length": "6", "upload-metadata": tus_metadata(bucketName=bucket, objectName=key)}
    for endpoint in (f"{COLLECTION}/sign", f"{COLLECTION}/sign/"):
        created = signed.send("POST", endpoint, x_upsert="true", **request_headers)
        assert created.status_code == 201
        assert created.headers["location"].startswith(f"{service.url}{COLLECTION}/sign/")
    url = created.headers["location"].removeprefix(service.url)
    signed.patch(url, 0, b"abc").raise_for_status()
    assert status_and_text(signed.send("PATCH", url, without="x-signature")) == (400, "Missing x-signature header")
    assert signed.head(url).headers["upload-offset"] == "3"
    other = Client(service, None, x_signature=signed_token(service, path + "2", signer))
    assert status_and_text(other.patch(url, 3, b"def")) == (400, "Invalid signature")
    assert status_and_text(Client(service, None, x_signature="x.y.z").patch(url, 3, b"def")) == (
        400,
        "Invalid Compact JWS",
    )
    assert signed.patch(url, 3, b"def").headers["tus-complete"] == "1"
    assert service.sql(f"select owner_id from storage.objects where bucket_id = '{bucket}'") == [[USER]]
    # The token does not permit replacing, despite the header.
    assert status_and_text(signed.send("POST", f"{COLLECTION}/sign", x_upsert="true", **request_headers)) == (
        409,
        "The resource already exists",
    )
    replacing = Client(service, None, x_signature=signed_token(service, path, signer, **{"x-upsert": "true"}))
    assert replacing.send("POST", f"{COLLECTION}/sign", **request_headers).status_code == 201
    assert replacing.send("DELETE", url).status_code == 400


def test_a_signed_upload_outlives_its_token(own_service: Callable[..., Service]) -> None:
    service = own_service(signed_upload_s=2)
    path = f"{service.bucket()}/k"
    signed = Client(service, None, x_signature=signed_token(service, path))
    bucket, _, key = path.partition("/")
    request_headers = {"upload-length": "3", "upload-metadata": tus_metadata(bucketName=bucket, objectName=key)}
    created = signed.send("POST", f"{COLLECTION}/sign", **request_headers)
    url = created.headers["location"].removeprefix(service.url)
    expired = (400, '"exp" claim timestamp check failed')
    until(lambda: status_and_text(signed.send("POST", f"{COLLECTION}/sign", **request_headers)) == expired)
    assert signed.patch(url, 0, b"abc").headers["tus-complete"] == "1"


@pytest.mark.parametrize(
    ("settings", "headers", "url"),
    [
        ({"public_url": "https://api.example:443/base/"}, {}, "https://api.example/base/storage/v1"),
        ({"public_url": "https://x.example:8443/storage/v1"}, {}, "https://x.example:8443/storage/v1"),
        ({}, {"host": "y.example:80"}, "http://y.example"),
        ({}, {"host": "y.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "https"}, "http://y.example"),
        ({"trusted_proxy": "127.0.0.1"},
         {"host": "inner:8000", "x-forwarded-host": "z.example, inner", "x-forwarded-proto": "https, http",
          "x-forwarded-prefix": "/gate/"}, "https://z.example/gate"),
        ({"trusted_proxy": "127.0.0.1"},
         {"host": "inner", "x-forwarded-host": "z.example", "x-forwarded-port": "8443", "x-forwarded-proto": "https"},
         "https://z.example:8443"),
        ({"trusted_proxy": "127.0.0.1"},
         {"host": "inner", "x-forwarded-host": "z.example:8443", "x-forwarded-port": "9", "x-forwarded-proto": "ftp"},
         "http://z.example:8443"),
    ],
)  # fmt: skip
def test_the_location_follows_the_proxy(
    own_service: Callable[..., Service], settings: dict[str, str], headers: dict[str, str], url: str
) -> None:
    service = own_service(**settings)
    path = f"{service.bucket()}/k"
    created = Client(service).create(path, 3, **headers)
    assert created.status_code == 201, created.text
    assert created.headers["location"].rpartition("/")[0] == url + COLLECTION
    prefixed_client = Client(service)
    bucket, _, key = path.partition("/")
    request_headers = {
        "upload-length": "3",
        "upload-metadata": tus_metadata(bucketName=bucket, objectName=key),
        **headers,
    }
    prefixed = prefixed_client.send("POST", f"/storage/v1{COLLECTION}", **request_headers)
    with_prefix = url if url.endswith("/storage/v1") else f"{url}/storage/v1"
    assert prefixed.headers["location"].rpartition("/")[0] == with_prefix + COLLECTION


def test_pages_from_allowed_origins_can_upload(own_service: Callable[..., Service]) -> None:
    service = own_service(cors_origins=("https://page.example",))
    path = f"{service.bucket()}/k"
    page = Client(service, origin="https://page.example")
    requested = {"access-control-request-method": "PATCH", "access-control-request-headers": "upload-offset"}
    preflight = service.request("OPTIONS", COLLECTION, None, {"origin": "https://page.example", **requested})
    assert "PATCH" in preflight.headers["access-control-allow-methods"]
    assert preflight.headers["access-control-allow-headers"] == "upload-offset"
    for answer in (
        page.create(path, 3),
        page.create(path, 3, **{"upload-metadata": ""}),
        page.send("POST", COLLECTION, without="tus-resumable"),
        Client(service, "nonsense", origin="https://page.example").create(path, 3, b"abc"),
    ):
        assert answer.headers["access-control-allow-origin"] == "https://page.example"
        for name in ("location", "upload-offset", "upload-expires", "tus-complete", "retry-after"):
            assert name in answer.headers["access-control-expose-headers"]


def test_the_routes_can_be_turned_off(own_service: Callable[..., Service]) -> None:
    service = own_service(resumable_uploads=False)
    path = f"{service.bucket()}/k"
    answer = Client(service).create(path, 3)
    assert answer.status_code == 404
    assert answer.json()["message"] == f"Route POST:{COLLECTION} not found"
    assert service.request("OPTIONS", COLLECTION, None).status_code == 404


def test_an_event_is_sent_for_each_upload(own_service: Callable[..., Service]) -> None:
    received: list[dict[str, Any]] = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        service = own_service(webhook_url=f"http://127.0.0.1:{server.server_port}/")
        client, path = Client(service), f"{service.bucket()}/k"
        for _ in range(2):
            url = client.begin(path, 3, x_upsert="true")
            client.patch(url, 0, b"abc").raise_for_status()
            client.patch(url, 3, b"").raise_for_status()
        until(lambda: len(received) == 2)
        server.shutdown()
    events = [each["event"] for each in received]
    assert {each["type"] for each in events} == {"ObjectCreated:Post", "ObjectCreated:Put"}
    assert {each["payload"]["uploadType"] for each in events} == {"resumable"}


def test_a_failing_head_request_gets_a_status_that_does_not_restart_the_upload(
    own_service: Callable[..., Service],
) -> None:
    service = own_service()
    client, path = Client(service), f"{service.bucket()}/k"
    url = client.begin(path, 3)
    service.sql("alter table storage.uploads rename to elsewhere")
    answer = client.head(url)
    assert (answer.status_code, answer.headers["retry-after"]) == (423, "1")
    assert client.patch(url, 0, b"abc").status_code >= 500
    service.sql("alter table storage.elsewhere rename to uploads")
    assert client.head(url).headers["upload-offset"] == "0"
    client.patch(url, 0, b"abc").raise_for_status()


@pytest.mark.parametrize(("method", "path", "status"), [
    ("HEAD", f"{COLLECTION}/some-id", 423),
    ("HEAD", f"/storage/v1{COLLECTION}/some-id", 423),
    ("PATCH", f"{COLLECTION}/some-id", 503),
    ("HEAD", "/object/b/k", 503),
    ("POST", "/graphql/v1", 503),
])  # fmt: skip
def test_an_overloaded_service_sends_a_status_that_does_not_restart_the_upload(
    service: Service, method: str, path: str, status: int
) -> None:
    block = f"{method} {path} HTTP/1.1\r\nHost: x".encode()
    assert service.application.admission.busy_status(ReceivedHead(method, path, {"host": "x"}, block)) == status


@pytest.mark.parametrize(
    ("header", "status", "text"),
    [
        (f"authorization: Bearer {SERVICE}\r\ncontent-length: 99999999999", b"413", b"Maximum size exceeded\n"),
        ("authorization: Bearer nonsense\r\ncontent-length: 1000", b"400", b"Invalid Compact JWS"),
        (
            f"authorization: Bearer {SERVICE}\r\nupload-length: x\r\ncontent-length: 9",
            b"400",
            b"Invalid upload-length\n",
        ),
    ],
)
def test_invalid_requests_are_refused_before_the_body(
    service: Service, header: str, status: bytes, text: bytes
) -> None:
    lines = f"PATCH {COLLECTION}/some-id HTTP/1.1\r\nhost: x\r\ntus-resumable: 1.0.0\r\ncontent-type: {BYTES}\r\n"
    response = raw_request(service.address, f"{lines}upload-offset: 0\r\n{header}\r\n\r\n".encode())
    assert response.startswith(b"HTTP/1.1 " + status)
    assert b"\r\nTus-Resumable: 1.0.0\r\n" in response
    assert text in response
