"""Writing objects over HTTP: raw, form and chunked bodies, limits, types, metadata, conditions."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import uuid
from collections.abc import Callable

import pytest

from app.hooks import hookimpl
from app.settings import Settings
from app.storage.upkeep.events import ObjectCheck, UploadedObject
from tests.storage.service import SERVICE, USER, Service, error, raw_request, token, unique

EXISTS = (400, "409", "KeyAlreadyExists", "The resource already exists")
TOO_LARGE = (400, "413", "EntityTooLarge", "The object exceeded the maximum allowed size")


def b64(value: object) -> str:
    return base64.b64encode(json.dumps(value).encode()).decode()


def info(service: Service, path: str) -> dict[str, object]:
    answer = service.get(f"/object/info/authenticated/{path}")
    answer.raise_for_status()
    found: dict[str, object] = answer.json()
    return found


def test_a_raw_body_is_stored(service: Service) -> None:
    bucket = service.bucket()
    path = f"{bucket}/folder/a.json"
    answer = service.post(
        f"/object/{path}",
        token("service_role", sub=USER),
        data=b'{"a": 1}',
        headers={"content-type": "application/json", "cache-control": "max-age=5", "x-metadata": b64({"who": "me"})},
    )
    body = answer.json()
    assert list(body) == ["Key", "Id"]
    assert body["Key"] == path
    assert str(uuid.UUID(body["Id"])) == body["Id"]
    found = info(service, path)
    assert found["metadata"] == {"who": "me"}
    assert (found["size"], found["content_type"], found["cache_control"]) == (8, "application/json", "max-age=5")
    digest = hashlib.md5(b'{"a": 1}').hexdigest()
    assert found["etag"] == f'"{digest}"'
    row = service.sql(
        f"select owner::text, owner_id, metadata, user_metadata from storage.objects where id = '{body['Id']}'"
    )
    assert row[0][:2] == [USER, USER]
    assert row[0][2].keys() == {
        "eTag", "size", "mimetype", "cacheControl", "lastModified", "contentLength", "httpStatusCode"
    }  # fmt: skip


def test_a_sub_that_is_not_a_uuid_is_only_the_owner_id(service: Service) -> None:
    path = f"{service.bucket()}/k"
    service.upload(path, credential=token("service_role", sub="someone")).raise_for_status()
    assert service.sql(f"select owner, owner_id from storage.objects where bucket_id = '{path[:-2]}'") == [
        [None, "someone"]
    ]


def test_an_upload_without_headers_has_defaults(service: Service) -> None:
    path = f"{service.bucket()}/k"
    service.upload(path, b"", x_metadata="%%%").raise_for_status()
    found = info(service, path)
    assert (found["size"], found["content_type"], found["cache_control"]) == (0, "application/octet-stream", "no-cache")
    assert found["metadata"] == {}


def test_x_upsert_decides_about_replacing(service: Service) -> None:
    path = f"{service.bucket()}/k"
    first = service.upload(path, b"one").json()
    version = info(service, path)["version"]
    assert error(service.upload(path, b"two")) == EXISTS
    assert error(service.upload(path, b"two", x_upsert="TRUE")) == EXISTS
    assert service.get(f"/object/{path}").content == b"one"
    assert service.upload(path, b"two", x_upsert="true").json() == first
    assert info(service, path)["version"] != version
    assert service.put(f"/object/{path}", data=b"three").json() == first
    assert service.get(f"/object/{path}").content == b"three"
    assert service.put(f"/object/{path}.new", data=b"made").status_code == 200


def test_a_refused_upload_leaves_nothing(service: Service) -> None:
    bucket = service.bucket(file_size_limit=5, allowed_mime_types=["image/*", "text/plain"])
    service.sql("create table seen (name text)")
    service.sql(
        "create function see() returns trigger language plpgsql security definer set search_path = public as"
        " 'begin insert into seen values (new.name); return new; end'"
    )
    service.sql("create trigger see before insert on storage.objects for each row execute function see()")
    try:
        assert service.upload(f"{bucket}/k", b"first", content_type="image/png").status_code == 200
        with service.keeping_blobs():
            assert error(service.upload(f"{bucket}/k", b"again", content_type="text/plain")) == EXISTS
            assert error(service.upload(f"{bucket}/new", b"longer", content_type="text/plain")) == TOO_LARGE
            assert error(service.upload(f"{bucket}/new", b"html", content_type="text/html"))[2] == "InvalidMimeType"
            assert error(service.upload(f"{bucket}/k", b"longer", content_type="text/plain")) == TOO_LARGE
        assert service.sql("select name from seen") == [["k"]]
    finally:
        service.sql("drop trigger see on storage.objects; drop function see; drop table seen")


def test_a_form_is_stored(service: Service) -> None:
    path = f"{service.bucket()}/k"
    answer = service.post(
        f"/object/{path}",
        data={"cacheControl": "77", "metadata": '{"a": [1]}'},
        files={"": ("name.png", b"bytes", "image/png")},
    )
    assert answer.status_code == 200
    found = info(service, path)
    assert (found["content_type"], found["cache_control"], found["metadata"]) == ("image/png", "max-age=77", {"a": [1]})
    assert service.get(f"/object/{path}").content == b"bytes"


def test_an_encoding_in_a_form_is_kept(service: Service) -> None:
    """storage-js sends that of a Blob as a field, because a header would be that of the whole form."""
    path = f"{service.bucket()}/k"
    page = b"a page " * 100
    files = {"": ("page.css", gzip.compress(page), "text/css")}
    service.post(f"/object/{path}", data={"contentEncoding": " gzip"}, files=files).raise_for_status()
    assert info(service, path)["content_encoding"] == "gzip"
    answer = service.get(f"/object/{path}")
    assert (answer.content, answer.headers["content-encoding"]) == (page, "gzip")
    for none in ("", "identity"):
        service.put(f"/object/{path}", data={"contentEncoding": none}, files=files).raise_for_status()
        assert info(service, path)["content_encoding"] is None
        assert "content-encoding" not in service.get(f"/object/{path}").headers
    refused = service.put(f"/object/{path}", data={"contentEncoding": "gzip; level=9"}, files=files)
    assert error(refused)[2:] == ("InvalidRequest", "contentEncoding must be a list of content codings")


def test_form_fields_after_a_large_file_are_read(service: Service) -> None:
    path = f"{service.bucket()}/k"
    content = bytes(range(256)) * 4096
    form = (
        b'--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n' + content + b"\r\n"
        b'--x\r\nContent-Disposition: form-data; name="contentType"\r\n\r\ntext/csv\r\n'
        b'--x\r\nContent-Disposition: form-data; name="cacheControl"\r\n\r\nsoon\r\n--x--\r\n'
    )
    service.upload(path, form, content_type="multipart/form-data; boundary=x").raise_for_status()
    found = info(service, path)
    assert (found["content_type"], found["cache_control"], found["size"]) == ("text/csv", "no-cache", len(content))
    assert service.get(f"/object/{path}").content == content


def test_a_file_of_a_form_is_text_by_default(service: Service) -> None:
    path = f"{service.bucket()}/k"
    form = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc\r\n--x--\r\n'
    service.upload(path, form, content_type="multipart/form-data; boundary=x").raise_for_status()
    assert info(service, path)["content_type"] == "text/plain"


FIELD = b'--x\r\nContent-Disposition: form-data; name="cacheControl"\r\n\r\n60\r\n'
FILE = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\nabc\r\n'
APACHE = b"\r\nContent-Transfer-Encoding: "
NAMED = b'name="file"; filename="a.png"'


@pytest.mark.parametrize(
    "form",
    [
        pytest.param(FIELD + FILE, id="as browsers send it"),
        pytest.param(FILE + FIELD, id="file first"),
        pytest.param((FIELD + FILE).replace(b": ", b":"), id="no space after a colon"),
        pytest.param((FIELD + FILE).replace(b": ", b":\t").replace(b"; ", b" ;"), id="other white space"),
        pytest.param((FIELD + FILE).replace(b"; name", b";\r\n name"), id="folded headers"),
        pytest.param((FIELD + FILE).replace(b"--x\r\n", b"--x \t\r\n"), id="white space after a boundary"),
        pytest.param(b"a preamble\r\n" + FIELD + FILE, id="preamble"),
        # Apache's HttpClient declares how it encodes parts, though forms in HTTP never do.
        pytest.param(
            FIELD.replace(b'Control"', b'Control"' + APACHE + b"8bit")
            + FILE.replace(b"/png", b"/png" + APACHE + b"BINARY"),
            id="with encodings that leave the bytes alone",
        ),
        pytest.param(b"--x\r\n\r\nnothing\r\n" + FIELD + FILE, id="a part without headers"),
        pytest.param(FIELD + FILE.replace(NAMED, b"name=file; filename*=UTF-8''%e2%82%ac.png"), id="extended filename"),
        pytest.param(FIELD + FILE.replace(NAMED, 'name=""; filename="\u20ac.png"'.encode()), id="filename in UTF-8"),
        pytest.param(FIELD + FILE.replace(NAMED, b'name=""; filename="\xe9.png"'), id="filename in Latin-1"),
    ],
)
def test_forms_of_many_clients_are_accepted(service: Service, form: bytes) -> None:
    path = f"{service.bucket()}/k"
    service.upload(path, form + b"--x--\r\n", content_type="multipart/form-data; boundary=x").raise_for_status()
    found = info(service, path)
    assert (found["content_type"], found["cache_control"], found["size"]) == ("image/png", "max-age=60", 3)
    assert service.get(f"/object/{path}").content == b"abc"


def test_bytes_without_a_file_name_are_the_file(service: Service) -> None:
    """To Supabase's storage they are the file too."""
    path = f"{service.bucket()}/k"
    form = FIELD + FILE.replace(NAMED, b'name="file"').replace(b"image/png", b"application/octet-stream")
    service.upload(path, form + b"--x--\r\n", content_type="multipart/form-data; boundary=x").raise_for_status()
    assert info(service, path)["content_type"] == "application/octet-stream"
    assert service.get(f"/object/{path}").content == b"abc"


@pytest.mark.parametrize(
    ("form", "message"),
    [
        (b"", "The multipart form is broken"),
        (FILE.replace(b"/png", b"/png" + APACHE + b"base64") + b"--x--", "The multipart form is broken"),
        (FIELD + FILE.replace(b"abc", b"abc\r\n--xy") + b"--x--", "The multipart form is broken"),
        (
            FILE.replace(b"abc", b"\r\n" * 5000 + b"abc").replace(b"\r\n\r\n", b"\r\na:\r\n"),
            "The multipart form is broken",
        ),
        (FIELD * 129 + FILE + b"--x--", "The multipart form is broken"),
        (FILE + FILE + b"--x--", "The form has more than one file"),
        (b"nothing of the kind", "The multipart form is broken"),
        (
            b'--x\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\ncut off',
            "The multipart form is broken",
        ),
        (b'--x\r\nContent-Disposition: form-data; name="f"\r\n\r\nfield\r\n--x--\r\n', "No content provided"),
        (b"--x--\r\n", "No content provided"),
    ],
)
def test_broken_forms_are_refused(service: Service, form: bytes, message: str) -> None:
    bucket = service.bucket()
    with service.keeping_blobs():
        answer = service.upload(f"{bucket}/k", form, content_type="multipart/form-data; boundary=x")
        assert error(answer) == (400, "400", "InvalidRequest", message)
    assert error(service.upload(f"{bucket}/k", form, content_type="multipart/form-data"))[2] == "InvalidRequest"


def test_too_many_fields_are_refused(service: Service) -> None:
    files = {"file": ("a", b"x")}
    path = f"/object/{service.bucket()}/k"
    assert service.post(path, data={f"f{i}": "x" for i in range(10)}, files=files).status_code == 200
    answer = service.put(path, data={f"f{i}": "x" for i in range(11)}, files=files)
    assert error(answer)[2] == "InvalidRequest"


def test_user_metadata_over_its_limit_is_refused(service: Service) -> None:
    path = f"/object/{service.bucket()}/k"
    answer = service.post(path, data={"metadata": json.dumps({"a": "x" * 1024 * 1024})}, files={"f": ("a", b"x")})
    assert error(answer)[1:] == ("413", "EntityTooLarge", "The user_metadata exceeded the maximum allowed size")
    assert service.post(path, data={"metadata": "no json"}, files={"f": ("a", b"x")}).status_code == 200


def test_a_chunked_body_is_stored(service: Service) -> None:
    path = f"{service.bucket()}/k"
    answer = service.post(f"/object/{path}", data=iter([b"one ", b"two"]), headers={"content-type": "text/css"})
    assert answer.status_code == 200
    assert service.get(f"/object/{path}").content == b"one two"


@pytest.mark.parametrize("times", [1, 3, 9])
def test_pieces_of_any_size_arrive_in_order(service: Service, times: int) -> None:
    """Short ones are put together in memory; beyond 2 MiB they are written to a file."""
    path = f"/object/{service.bucket()}/k"
    pieces = [os.urandom(size) for size in (1, 2, 5000, 1, 1, 4095, 4096, 3, 300_000, 1)] * times
    service.post(path, data=iter(pieces)).raise_for_status()
    assert service.get(path).content == b"".join(pieces)


def test_the_bucket_limits_size(service: Service) -> None:
    bucket = service.bucket(file_size_limit=10)
    before = service.blobs()
    assert service.upload(f"{bucket}/fits", bytes(10)).status_code == 200
    refused = service.upload(f"{bucket}/k", bytes(11))
    assert error(refused) == TOO_LARGE
    limits = "UPLOAD_SIZE_LIMIT and the bucket's file_size_limit"
    assert refused.json()["hint"] == f"{limits} say how large an object may be."
    assert error(service.post(f"/object/{bucket}/k", data=iter([bytes(6), bytes(6)]))) == TOO_LARGE
    assert error(service.post(f"/object/{bucket}/k", files={"f": ("a", bytes(11))})) == TOO_LARGE
    assert len(service.blobs() - before) == 1
    nothing = service.bucket(file_size_limit=0)
    assert error(service.upload(f"{nothing}/k", b"x")) == TOO_LARGE
    assert service.upload(f"{nothing}/k", b"").status_code == 200


def test_the_service_limits_size(own_service: Callable[..., Service]) -> None:
    service = own_service(upload_size_limit=1000)
    bucket = service.bucket()
    assert service.upload(f"{bucket}/k", bytes(1000)).status_code == 200
    assert error(service.upload(f"{bucket}/l", bytes(1001))) == TOO_LARGE
    assert error(service.post(f"/object/{bucket}/l", data=iter([bytes(1001)]))) == TOO_LARGE
    assert error(service.post(f"/object/{bucket}/l", files={"f": ("a", bytes(1001))})) == TOO_LARGE
    assert service.session.get(f"{service.url}/status").status_code == 200


@pytest.mark.parametrize(
    ("allowed", "given", "taken"),
    [
        (["image/png"], "image/png", True),
        (["image/png"], "IMAGE/PNG", True),
        (["image/*"], "image/webp", True),
        (["image/*"], "text/plain", False),
        (["text/html"], "text/html; charset=utf-8", True),
        (["text/html;charset=utf-8"], "text/html", False),
        (["*/*"], "application/pdf", True),
        ([], "application/pdf", True),
    ],
)
def test_allowed_types_are_checked(service: Service, allowed: list[str], given: str, taken: bool) -> None:
    bucket = service.bucket(allowed_mime_types=allowed)
    answer = service.upload(f"{bucket}/k", content_type=given)
    if taken:
        assert answer.status_code == 200
    else:
        assert error(answer) == (400, "415", "InvalidMimeType", f"mime type {given} is not supported")
        assert answer.json()["error"] == "invalid_mime_type"
    placeholder = service.upload(f"{bucket}/f/.emptyFolderPlaceholder", b"", content_type="x/y")
    assert placeholder.status_code == 200
    assert error(service.upload(f"{bucket}/g/.emptyFolderPlaceholder", b"x", content_type="x/y")) == TOO_LARGE


def test_a_malformed_content_type_is_refused(service: Service) -> None:
    answer = service.upload(f"{service.bucket()}/k", content_type="nonsense")
    assert error(answer) == (400, "415", "InvalidMimeType", "Invalid Content-Type header")


def test_a_missing_bucket_is_reported(service: Service) -> None:
    expected = (400, "404", "NoSuchBucket", "Bucket not found")
    assert error(service.upload(f"{unique()}/k")) == expected
    assert error(service.put(f"/object/{unique()}/k", data=b"")) == expected
    # A caller who may not write gets the same error for every bucket, existing or not.
    refused = (400, "403", "AccessDenied", "new row violates row-level security policy")
    for bucket in (unique(), service.bucket(file_size_limit=1)):
        assert error(service.upload(f"{bucket}/k", credential=token())) == refused
        assert error(service.upload(f"{bucket}/a%25", credential=token()))[2] == "InvalidKey"


def test_metadata_that_postgresql_cannot_hold_is_converted(service: Service) -> None:
    path = f"{service.bucket()}/k"
    metadata = {"nul": "a\0b", "text": "\\u0000", "both": "\\\0", "half": "\ud800"}
    service.upload(path, x_metadata=b64(metadata)).raise_for_status()
    assert info(service, path)["metadata"] == {"nul": "ab", "text": "\\u0000", "both": "\\", "half": "?"}


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
@pytest.mark.parametrize("left_out", [b"", b"="])
def test_metadata_in_every_form_of_base64_is_read(
    service: Service, encode: Callable[[bytes], bytes], left_out: bytes
) -> None:
    path = f"{service.bucket()}/k"
    for text in ("a?>", "a??>", "a???>"):
        encoded = encode(json.dumps({"text": text}).encode()).rstrip(left_out)
        service.upload(path, x_metadata=encoded.decode(), x_upsert="true").raise_for_status()
        assert info(service, path)["metadata"] == {"text": text}


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
def test_metadata_that_is_not_json_is_ignored(service: Service, number: str) -> None:
    path = f"{service.bucket()}/k"
    encoded = base64.b64encode(f'{{"a": {number}}}'.encode()).decode()
    assert service.upload(path, x_metadata=encoded).status_code == 200
    assert service.get(f"/object/info/{path}").json()["metadata"] == {}


def test_types_that_cannot_be_headers_are_refused(service: Service) -> None:
    path = f"/object/{service.bucket()}/k"
    answer = service.post(path, data={"contentType": "text/plain; a=\r\nX-Evil: 1"}, files={"f": ("a", b"x")})
    assert error(answer)[2] == "InvalidMimeType"


def test_x_robots_tag_is_kept(service: Service) -> None:
    bucket = service.bucket(public=True)
    service.upload(f"{bucket}/k", x_robots_tag="googlebot: noindex, max-snippet: 20").raise_for_status()
    assert service.get(f"/object/public/{bucket}/k").headers["x-robots-tag"] == "googlebot: noindex, max-snippet: 20"
    for wrong in ("sometimes", "max-snippet: many", ",", "googlebot:", "unavailable_after", "none, unavailable_after:"):
        assert error(service.upload(f"{bucket}/l", x_robots_tag=wrong))[2] == "invalid_x_robots_tag"
    for right in ("noindex,", "noindex, ,nofollow", "none, bot: Unavailable_After: Friday, 25-Jun-10 15:00:00 GMT"):
        service.upload(f"{bucket}/k", x_robots_tag=right, x_upsert="true").raise_for_status()


def test_a_repeated_content_type_is_read_once(service: Service) -> None:
    """As by clients that add it to one of their library's."""
    path = f"{service.bucket()}/k"
    for twice in ("image/png, image/png", "image/png,image/png"):
        service.upload(path, content_type=twice, x_upsert="true").raise_for_status()
        assert info(service, path)["content_type"] == "image/png"
    lines = f"POST /object/{path}2 HTTP/1.1", "Host: x", f"Authorization: Bearer {SERVICE}", "Content-Length: 1"
    sent = "\r\n".join([*lines, "Content-Type: text/css", "content-type: text/css", "", "x"])
    assert raw_request(service.address, sent.encode()).startswith(b"HTTP/1.1 200")
    assert info(service, f"{path}2")["content_type"] == "text/css"
    json_twice = {"content-type": "application/json, application/json"}
    made = service.post("/bucket", data=json.dumps({"name": unique()}), headers=json_twice)
    assert made.status_code == 200
    assert error(service.upload(f"{path}3", content_type="image/png, text/html"))[2] == "InvalidMimeType"


def test_encoding_and_disposition_are_kept(service: Service) -> None:
    """Browsers can show a page that is stored compressed; a file name can be stored with it."""
    bucket = service.bucket(public=True)
    page = b"a page " * 100
    name = 'attachment; filename="\u00fc.txt"'.encode().decode("latin-1")
    headers = {"content-type": "text/css", "content-encoding": "gzip", "content-disposition": name}
    service.post(f"/object/{bucket}/k", data=gzip.compress(page), headers=headers).raise_for_status()
    service.post(
        "/object/copy", json={"bucketId": bucket, "sourceKey": "k", "destinationKey": "copied"}
    ).raise_for_status()
    for key in ("k", "copied"):
        answer = service.get(f"/object/public/{bucket}/{key}", None)
        assert answer.content == page
        assert (answer.headers["content-encoding"], answer.headers["content-disposition"]) == ("gzip", name)
        head = service.request("HEAD", f"/object/public/{bucket}/{key}", None)
        assert (head.headers["content-encoding"], head.headers["content-disposition"]) == ("gzip", name)
    named = service.get(f"/object/public/{bucket}/k?download=", None)
    assert named.headers["content-disposition"] == "attachment"
    url = service.post(f"/object/upload/sign/{bucket}/signed").json()["url"]
    service.put(url, None, data=gzip.compress(page), headers=headers).raise_for_status()
    assert service.get(f"/object/{bucket}/signed").content == page


@pytest.mark.parametrize("given", ["", "identity"])
def test_an_empty_encoding_is_not_kept(service: Service, given: str) -> None:
    path = f"{service.bucket()}/k"
    service.upload(path, content_encoding=given).raise_for_status()
    answer = service.get(f"/object/{path}")
    assert answer.headers.keys().isdisjoint({"content-encoding", "content-disposition"})


def test_a_malformed_encoding_is_refused(service: Service) -> None:
    answer = service.upload(f"{service.bucket()}/k", content_encoding="gzip; level=9")
    assert error(answer)[2:] == ("InvalidRequest", "headers/content-encoding must be a list of content codings")


def test_conditions_are_checked(service: Service) -> None:
    path = f"{service.bucket()}/k"
    failed = (412, "412", "PreconditionFailed", "A precondition of the request does not hold")
    assert error(service.put(f"/object/{path}", data=b"0", headers={"if-match": "*"})) == failed
    assert service.put(f"/object/{path}", data=b"1", headers={"if-none-match": "*"}).status_code == 200
    assert error(service.put(f"/object/{path}", data=b"2", headers={"if-none-match": "*"})) == failed
    etag = service.get(f"/object/{path}").headers["etag"]
    assert error(service.put(f"/object/{path}", data=b"2", headers={"if-match": f"W/{etag}"})) == failed
    assert service.put(f"/object/{path}", data=b"3", headers={"if-match": f'"other", {etag}'}).status_code == 200
    # A client that names the existing tag intends to replace it.
    etag_of_3 = service.get(f"/object/{path}").headers["etag"]
    assert service.upload(path, b"3", if_match=etag_of_3).status_code == 200
    with service.keeping_blobs():
        assert error(service.put(f"/object/{path}", data=b"4", headers={"if-match": etag})) == failed
    assert service.get(f"/object/{path}").content == b"3"
    assert error(service.delete(f"/object/{path}", headers={"if-match": etag})) == failed
    assert error(service.delete(f"/object/{path}", headers={"if-none-match": "*"})) == failed
    for method in ("PUT", "DELETE"):
        answer = service.request(method, f"/object/{path}", headers={"if-none-match": etag})
        assert error(answer)[2:] == ("InvalidRequest", "headers/if-none-match of a change must be *")
    assert service.get(f"/object/{path}").content == b"3"
    assert service.delete(f"/object/{path}", headers={"if-match": "*"}).status_code == 200


def test_the_connection_is_usable_after_a_refusal(service: Service) -> None:
    """After a refused upload the connection is usable for the next request."""
    bucket = service.bucket(file_size_limit=5)
    head = f"POST /object/{bucket}/k HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {SERVICE}\r\n"
    refused = f"{head}Content-Length: 1000000\r\n\r\n".encode() + bytes(1_000_000)
    taken = f"{head}Content-Length: 5\r\n\r\n12345".encode()
    answer = raw_request(service.address, refused + taken, answers=2)
    assert answer.count(b"HTTP/1.1 400") == 1
    assert answer.count(b"HTTP/1.1 200") == 1


@pytest.mark.parametrize(
    ("content_type", "content", "taken"),
    [
        ("image/png", b"\x89PNG\r\n\x1a\n...", True),
        ("image/png; x=y", b"GIF89a", False),
        ("image/gif", b"GIF89a", True),
        ("image/webp", b"RIFF....WEBP", True),
        ("application/pdf", b"", False),
        ("text/plain", b"\x89PNG", True),
        ("image/tiff", b"II+\0\x08\0\0\0", True),
        ("image/tiff", b"MM\0+\0\x08\0\0", True),
    ],
)
def test_content_types_are_checked_with_a_setting(
    own_service: Callable[..., Service], content_type: str, content: bytes, taken: bool
) -> None:
    service = own_service(check_content_types=True)
    answer = service.upload(f"{service.bucket()}/k", content, content_type=content_type)
    assert (answer.status_code == 200) == taken
    if not taken:
        assert error(answer)[1:3] == ("415", "InvalidMimeType")
        assert service.blobs() == set()


def test_copies_are_checked_as_uploads_are(own_service: Callable[..., Service]) -> None:
    service = own_service(check_content_types=True)
    bucket = service.bucket()
    service.upload(f"{bucket}/text", b"no image", content_type="text/plain").raise_for_status()
    before = service.blobs()
    body = {"bucketId": bucket, "sourceKey": "text", "destinationKey": "copy", "copyMetadata": False}
    answer = service.post("/object/copy", json={**body, "metadata": {"mimetype": "image/png"}})
    assert error(answer)[1:3] == ("415", "InvalidMimeType")
    assert service.blobs() == before
    assert error(service.get(f"/object/{bucket}/copy"))[2] == "NoSuchKey"
    service.post("/object/copy", json={**body, "metadata": {"mimetype": "text/css"}}).raise_for_status()
    assert service.get(f"/object/{bucket}/copy").content == b"no image"


class FaultyCheck:
    """A plugin with a mistake in its check."""

    @hookimpl
    def object_checks(self, settings: Settings) -> list[ObjectCheck]:
        return [self.check]

    def check(self, uploaded: UploadedObject) -> None:
        raise KeyError("a mistake")


def test_a_check_that_fails_leaves_no_bytes(own_service: Callable[..., Service]) -> None:
    service = own_service(plugins={"faulty": FaultyCheck()})
    answer = service.upload(f"{service.bucket()}/k")
    assert error(answer)[:3] == (500, "500", "InternalError")
    assert "mistake" not in answer.text
    assert service.blobs() == set()


@pytest.mark.parametrize("version", ["1.0", "1.1"])
@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_an_upload_without_a_declared_length_changes_nothing(service: Service, method: str, version: str) -> None:
    """As with `curl -X PUT`, where the file was forgotten."""
    bucket = service.bucket()
    service.upload(f"{bucket}/k", b"precious").raise_for_status()
    credential = f"Host: x\r\nx-upsert: true\r\nAuthorization: Bearer {SERVICE}"
    body = b"" if version == "1.1" else b"a body that ends with the connection"
    for key in ("k", "new"):
        head = f"{method} /object/{bucket}/{key} HTTP/{version}\r\n{credential}\r\n\r\n"
        answer = raw_request(service.address, head.encode() + body)
        assert answer.split()[1] == b"411"
        assert json.loads(answer.partition(b"\r\n\r\n")[2])["code"] == "MissingContentLength"
    assert service.get(f"/object/{bucket}/k").content == b"precious"
    url = service.post(f"/object/upload/sign/{bucket}/k", headers={"x-upsert": "true"}).json()["url"]
    assert raw_request(service.address, f"PUT {url} HTTP/1.1\r\nHost: x\r\n\r\n".encode()).split()[1] == b"411"
    assert service.sql(f"select name from storage.objects where bucket_id = '{bucket}'") == [["k"]]


@pytest.mark.parametrize("framing", ["Content-Length: 0\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"])
def test_an_empty_upload_with_a_length_is_stored(service: Service, framing: str) -> None:
    bucket = service.bucket()
    service.upload(f"{bucket}/k", b"old").raise_for_status()
    head = f"PUT /object/{bucket}/k HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {SERVICE}\r\n{framing}"
    assert raw_request(service.address, head.encode()).split()[1] == b"200"
    assert service.get(f"/object/{bucket}/k").content == b""
