"""Reading objects over HTTP: permissions, headers, ranges and conditions."""

from __future__ import annotations

import time
from email.utils import parsedate_to_datetime
from urllib.parse import unquote

import pytest

from tests.storage.service import USER, Service, error, raw_request, token, unique

NO_BUCKET = (400, "404", "NoSuchBucket", "Bucket not found")
NO_OBJECT = (400, "404", "NoSuchKey", "Object not found")
CONTENT = b"0123456789"
READS = ("/object", "/object/authenticated", "/object/public")
INFOS = ("/object/info", "/object/info/authenticated", "/object/info/public")


@pytest.fixture(scope="module")
def public(service: Service) -> str:
    """The path of an object in a public bucket."""
    path = f"{service.bucket(public=True)}/k"
    service.upload(path, CONTENT, content_type="text/css", cache_control="max-age=9").raise_for_status()
    return path


@pytest.fixture(scope="module")
def private(service: Service) -> str:
    path = f"{service.bucket()}/k"
    service.upload(path, CONTENT).raise_for_status()
    return path


def test_downloads_have_their_headers(service: Service, public: str) -> None:
    answer = service.get(f"/object/public/{public}", None)
    assert answer.status_code == 200
    assert answer.content == CONTENT
    headers = answer.headers
    assert headers["accept-ranges"] == "bytes"
    assert headers["content-type"] == "text/css"
    assert headers["etag"] == '"781e5e245d69b566979b86e28d23f2c7"'
    assert headers["x-robots-tag"] == "none"
    assert headers["content-length"] == "10"
    assert headers["cache-control"] == "max-age=9"
    assert parsedate_to_datetime(headers["last-modified"]).tzinfo is not None
    assert "content-disposition" not in headers
    head = service.request("HEAD", f"/object/public/{public}", None)
    assert (head.status_code, head.content) == (200, b"")
    for name in ("etag", "content-type", "content-length", "cache-control", "last-modified"):
        assert head.headers[name] == headers[name]


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("route", READS + INFOS)
def test_public_objects_are_read_by_everybody(service: Service, public: str, route: str, method: str) -> None:
    assert service.request(method, f"{route}/{public}").status_code == 200
    assert service.request(method, f"{route}/{public}", token(sub=USER)).status_code == 200
    anonymous = service.request(method, f"{route}/{public}", None)
    rubbish = service.request(method, f"{route}/{public}", "rubbish")
    if "authenticated" in route:
        assert anonymous.status_code == rubbish.status_code == 400
        if method == "GET":
            assert error(anonymous)[3] == "headers must have required property 'authorization'"
            assert error(rubbish) == (400, "403", "AccessDenied", "Invalid Compact JWS")
    else:
        assert anonymous.status_code == rubbish.status_code == 200


@pytest.mark.parametrize("route", READS + INFOS)
def test_private_objects_need_rights(service: Service, private: str, route: str) -> None:
    service_answer = service.get(f"{route}/{private}")
    user_answer = service.get(f"{route}/{private}", token(sub=USER))
    anonymous = service.get(f"{route}/{private}", None)
    if "public" in route:
        assert error(service_answer) == error(user_answer) == error(anonymous) == NO_BUCKET
    else:
        assert service_answer.status_code == 200
        assert error(user_answer) == NO_OBJECT
        assert error(anonymous) == (
            (400, "400", "InvalidRequest", "headers must have required property 'authorization'")
            if "authenticated" in route
            else NO_BUCKET
        )
    head = service.request("HEAD", f"{route}/{private}", None)
    assert (head.status_code, head.content) == (400, b"")


@pytest.mark.parametrize("route", READS + INFOS)
def test_missing_objects_and_buckets_are_reported(service: Service, public: str, route: str) -> None:
    assert error(service.get(f"{route}/{public}.no")) == NO_OBJECT
    assert error(service.get(f"{route}/{unique()}/k")) == NO_BUCKET


def test_info_describes_an_object(service: Service, public: str) -> None:
    answer = service.get(f"/object/info/public/{public}", None)
    assert list(answer.json()) == [
        "id", "name", "version", "bucket_id", "size", "content_type", "content_encoding", "cache_control", "etag",
        "metadata", "last_modified", "created_at",
    ]  # fmt: skip
    assert answer.headers["etag"] == answer.json()["etag"]
    head = service.request("HEAD", f"/object/info/public/{public}", None)
    assert head.headers["content-length"] == "10"


@pytest.mark.parametrize("html", ["text/html", "TEXT/Html"])
def test_html_is_not_shown_as_a_page(service: Service, html: str) -> None:
    bucket = service.bucket(public=True)
    service.upload(f"{bucket}/k", content_type=f"{html}; charset=utf-8").raise_for_status()
    assert service.get(f"/object/public/{bucket}/k", None).headers["content-type"] == "text/plain; charset=utf-8"


@pytest.mark.parametrize(
    ("content_type", "policy"),
    [
        ("image/svg+xml", "sandbox"),
        ("application/xhtml+xml", "sandbox"),
        ("multipart/x-mixed-replace", "sandbox"),
        ("unknown/unknown", "sandbox"),
        ("text/html", "sandbox"),
        ("image/png", "sandbox"),
        ("application/pdf", None),
    ],
)
def test_objects_run_no_scripts(service: Service, content_type: str, policy: str | None) -> None:
    bucket = service.bucket(public=True)
    service.upload(f"{bucket}/k", content_type=content_type).raise_for_status()
    for method in ("GET", "HEAD"):
        answer = service.request(method, f"/object/public/{bucket}/k", None)
        assert answer.headers.get("content-security-policy") == policy


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "yesterday"])
def test_a_malformed_stored_time_is_not_an_error(service: Service, public: str, time: str) -> None:
    bucket, _, key = public.partition("/")
    changed = f'metadata = metadata || \'{{"lastModified": "{time}"}}\''
    service.sql(f"update storage.objects set {changed} where bucket_id = '{bucket}' and name = '{key}'")
    for path in (f"/object/public/{public}", f"/object/info/public/{public}"):
        assert service.request("HEAD", path, None).status_code == 200


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("download=", "attachment"),
        ("download", "attachment"),
        ("download=report-1.2_x.pdf", "attachment; filename=report-1.2_x.pdf; filename*=UTF-8''report-1.2_x.pdf"),
        ("download=a%20b.txt", "attachment; filename=\"a b.txt\"; filename*=UTF-8''a%20b.txt"),
        ("download=%C3%BC.txt", "attachment; filename=\"_.txt\"; filename*=UTF-8''%C3%BC.txt"),
        ("download=John's%20Resume.pdf",
         "attachment; filename=\"John's Resume.pdf\"; filename*=UTF-8''John%27s%20Resume.pdf"),
        ("download=report(1).pdf", "attachment; filename=\"report(1).pdf\"; filename*=UTF-8''report%281%29.pdf"),
        ("download=a%22b%5Cc.txt", "attachment; filename=\"a_b_c.txt\"; filename*=UTF-8''a%22b%5Cc.txt"),
        ("download=100%25.txt", "attachment; filename=\"100%.txt\"; filename*=UTF-8''100%25.txt"),
        ("download=a%252Fb.txt", "attachment; filename=\"a_2Fb.txt\"; filename*=UTF-8''a%252Fb.txt"),
        ("download=a%0D%0Ab%3Bc*d", "attachment; filename=\"a__b;c*d\"; filename*=UTF-8''a%0D%0Ab%3Bc%2Ad"),
    ],
)  # fmt: skip
def test_the_parameter_download_names_the_file(service: Service, public: str, query: str, expected: str) -> None:
    assert service.get(f"/object/public/{public}?{query}", None).headers["content-disposition"] == expected
    assert unquote(expected.partition("''")[2]) == unquote(query.partition("=")[2])


@pytest.mark.parametrize(
    ("given", "content", "content_range"),
    [
        ("bytes=0-0", b"0", "bytes 0-0/10"),
        ("bytes=2-4", b"234", "bytes 2-4/10"),
        ("bytes=7-", b"789", "bytes 7-9/10"),
        ("bytes=7-1000", b"789", "bytes 7-9/10"),
        ("bytes=-3", b"789", "bytes 7-9/10"),
        ("bytes=-30", CONTENT, "bytes 0-9/10"),
        ("Bytes=2-4", b"234", "bytes 2-4/10"),
        ("bytes=7-" + "9" * 34, b"789", "bytes 7-9/10"),
        ("bytes=7-" + "9" * 5000, b"789", "bytes 7-9/10"),
        ("bytes=-" + "9" * 34, CONTENT, "bytes 0-9/10"),
        ("bytes=" + "0" * 5000 + "7-8", b"78", "bytes 7-8/10"),
    ],
)
def test_ranges_are_answered(service: Service, public: str, given: str, content: bytes, content_range: str) -> None:
    answer = service.get(f"/object/public/{public}", None, headers={"range": given})
    assert (answer.status_code, answer.content) == (206, content)
    assert answer.headers["content-range"] == content_range
    assert answer.headers["content-length"] == str(len(content))


@pytest.mark.parametrize(
    "given",
    [
        "bytes=10-",
        "bytes=5-2",
        "bytes=-0",
        "bytes=-",
        "bytes=0-1,3-4",
        "bytes=a-b",
        "bytes=" + "9" * 34 + "-",
    ],
)
def test_unsatisfiable_ranges_are_refused(service: Service, public: str, given: str) -> None:
    answer = service.get(f"/object/public/{public}", None, headers={"range": given})
    assert error(answer) == (416, "416", "InvalidRange", "invalid range provided")
    assert answer.json()["error"] == "invalid_range"
    assert answer.headers["content-range"] == "bytes */10"


@pytest.mark.parametrize(
    "given", ["lines=1-2", "x-bytes=0-0", "bytesx=0-0", "invalid", "bytes", "bytes 0-1", "=0-1", "0-1", "bytes =0-1"]
)
def test_ranges_of_other_units_or_none_are_ignored(service: Service, public: str, given: str) -> None:
    answer = service.get(f"/object/public/{public}", None, headers={"range": given})
    assert (answer.status_code, answer.content) == (200, CONTENT)


def test_a_range_of_an_empty_object_is_refused(service: Service) -> None:
    bucket = service.bucket(public=True)
    service.upload(f"{bucket}/k", b"").raise_for_status()
    answer = service.get(f"/object/public/{bucket}/k", None, headers={"range": "bytes=0-"})
    assert answer.status_code == 416
    whole = service.get(f"/object/public/{bucket}/k", None)
    assert (whole.status_code, whole.content, whole.headers["content-length"]) == (200, b"", "0")


def test_a_range_is_sent_only_if_if_range_matches(service: Service, public: str) -> None:
    full = service.get(f"/object/public/{public}", None)

    def with_condition(condition: str) -> int:
        headers = {"range": "bytes=0-0", "if-range": condition}
        return service.get(f"/object/public/{public}", None, headers=headers).status_code

    assert with_condition(full.headers["etag"]) == 206
    assert with_condition(full.headers["last-modified"]) == 206
    assert with_condition('"other"') == 200
    assert with_condition("W/" + full.headers["etag"]) == 200
    assert with_condition("Sat, 01 Jan 2000 00:00:00 GMT") == 200
    assert with_condition("nonsense") == 200


def test_conditions_are_checked(service: Service, public: str) -> None:
    full = service.get(f"/object/public/{public}", None)
    etag, modified = full.headers["etag"], full.headers["last-modified"]
    old, later = "Sat, 01 Jan 2000 00:00:00 GMT", "Tue, 01 Jan 2999 00:00:00 GMT"

    def status(**headers: str) -> int:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        answers = [
            service.request(method, f"/object/public/{public}", None, headers=given) for method in ("GET", "HEAD")
        ]
        assert answers[0].status_code == answers[1].status_code
        if answers[0].status_code == 304:
            assert answers[0].content == b""
            assert answers[0].headers["etag"] == etag
            assert "cache-control" in answers[0].headers
        return answers[0].status_code

    assert status(if_none_match=etag) == 304
    assert status(if_none_match=f"W/{etag}") == 304
    assert status(if_none_match=f'"other", {etag}') == 304
    assert status(if_none_match="*") == 304
    assert status(if_none_match='"other"') == 200
    assert status(if_modified_since=modified) == 304
    assert status(if_modified_since=old) == 200
    assert status(if_modified_since="nonsense") == 200
    # If-None-Match is stronger than If-Modified-Since, and If-Match than If-Unmodified-Since.
    assert status(if_none_match='"other"', if_modified_since=later) == 200
    assert status(if_match=etag) == 200
    assert status(if_match="*") == 200
    assert status(if_match=f"W/{etag}") == 412
    assert status(if_match='"other"') == 412
    assert status(if_unmodified_since=old) == 412
    assert status(if_unmodified_since=modified) == 200
    assert status(if_match=etag, if_unmodified_since=old) == 200
    assert status(if_match=etag, if_none_match=etag) == 304


@pytest.mark.timing
def test_a_condition_of_many_entity_tags_takes_no_time(service: Service, public: str) -> None:
    began = time.monotonic()
    tags = "y," * 30_000
    ask = f"GET /object/public/{public} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nIf-None-Match: {tags}\r\n\r\n"
    assert raw_request(service.address, ask.encode()).startswith(b"HTTP/1.1 200 ")
    assert time.monotonic() - began < 5


def test_cache_control_asks_for_revalidation(service: Service, public: str) -> None:
    answer = service.get(f"/object/public/{public}", None, headers={"if-none-match": '"other"'})
    assert answer.headers["cache-control"] == "max-age=9, stale-while-revalidate=30"
    answer = service.request("HEAD", f"/object/public/{public}", None, headers={"if-none-match": '"other"'})
    assert answer.headers["cache-control"] == "max-age=9, must-revalidate"
    unchanged = service.get(f"/object/public/{public}", None, headers={"if-none-match": "*"})
    assert (unchanged.status_code, unchanged.headers["cache-control"]) == (304, "max-age=9")


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_the_connection_continues_after_not_modified(service: Service, public: str, method: str) -> None:
    ask = f"{method} /object/public/{public} HTTP/1.1\r\nHost: x\r\n"
    answers = raw_request(service.address, f"{ask}If-None-Match: *\r\n\r\n{ask}Connection: close\r\n\r\n".encode())
    first, _, second = answers.partition(b"\r\n\r\n")
    assert first.startswith(b"HTTP/1.1 304 ")
    assert b"Connection:" not in first
    assert second.startswith(b"HTTP/1.1 200 ")
    last = raw_request(service.address, f"{ask}If-None-Match: *\r\nConnection: close\r\n\r\n".encode())
    assert b"Connection: close" in last


def test_missing_bytes_are_reported_and_logged(service: Service) -> None:
    path = f"{service.bucket()}/k"
    service.upload(path).raise_for_status()
    version = service.get(f"/object/info/{path}").json()["version"]
    next((service.folder / "blobs").rglob(version)).unlink()
    answer = service.get(f"/object/{path}")
    assert error(answer) == (400, "404", "NoSuchKey", "The resource was not found")
    assert answer.headers["cache-control"] == "no-store"
    bucket = path.partition("/")[0]
    copy = {"bucketId": bucket, "sourceKey": "k", "destinationKey": "l"}
    assert error(service.post("/object/copy", json=copy))[2] == "NoSuchKey"
    assert service.request("HEAD", f"/object/{path}").status_code == 200


def test_rows_written_by_sql_have_no_bytes(service: Service) -> None:
    bucket = service.bucket()
    service.sql(f"insert into storage.objects (bucket_id, name, version) values ('{bucket}', 'k', '../../etc/passwd')")
    service.sql(f"insert into storage.objects (bucket_id, name) values ('{bucket}', 'l')")
    for key in "kl":
        assert error(service.get(f"/object/{bucket}/{key}"))[2] == "NoSuchKey"
        assert service.get(f"/object/info/{bucket}/{key}").json()["etag"] is None


def test_stored_values_that_cannot_be_headers_are_left_out(service: Service) -> None:
    bucket = service.bucket()
    service.upload(f"{bucket}/k").raise_for_status()
    service.sql(
        """update storage.objects set metadata = metadata || '{"cacheControl": "a\\nb"}' """
        f"where bucket_id = '{bucket}'"
    )
    assert error(service.get(f"/object/{bucket}/k"))[2] == "invalid_header_char"
    service.sql(f"""update storage.objects set metadata = '{{"mimetype": "a\\nb"}}' where bucket_id = '{bucket}'""")
    assert error(service.get(f"/object/{bucket}/k"))[2] == "invalid_header_char"
    service.sql(f"""update storage.objects set metadata = '{{"mimetype": "ä/€"}}' where bucket_id = '{bucket}'""")
    assert service.get(f"/object/{bucket}/k").status_code == 200


def test_reads_update_last_accessed_at(service: Service) -> None:
    bucket = service.bucket()
    service.upload(f"{bucket}/k").raise_for_status()
    service.sql(f"update storage.objects set last_accessed_at = now() - interval '1 day' where bucket_id = '{bucket}'")
    service.get(f"/object/{bucket}/k").raise_for_status()
    service.application.services.storage.background.work_now()
    assert service.sql(
        f"select last_accessed_at > now() - interval '1 hour', updated_at < last_accessed_at from storage.objects "
        f"where bucket_id = '{bucket}'"
    ) == [[True, True]]


@pytest.mark.parametrize(
    "content_type",
    [
        "application/pdf;, application/xhtml+xml", "image/png, text/html", 'image/png;a="b,text/html"', "image/png,",
        "text/html\t;charset=x", "text/x;a=\tb",
    ],
)  # fmt: skip
def test_a_malformed_media_type_is_not_stored(service: Service, content_type: str) -> None:
    bucket = service.bucket()
    answer = service.upload(f"{bucket}/k", content_type=content_type)
    assert error(answer) == (400, "415", "InvalidMimeType", "Invalid Content-Type header")
    form = {"": ("n", b"x", content_type)}
    assert error(service.post(f"/object/{bucket}/k", files=form))[2] == "InvalidMimeType"
    service.upload(f"{bucket}/k").raise_for_status()
    body = {"bucketId": bucket, "sourceKey": "k", "destinationKey": "c", "copyMetadata": False}
    answer = service.post("/object/copy", json={**body, "metadata": {"mimetype": content_type}})
    assert error(answer)[2] == "InvalidMimeType"


def test_rows_with_malformed_media_types_are_sent_as_bytes(service: Service) -> None:
    bucket = service.bucket(public=True)
    service.upload(f"{bucket}/k").raise_for_status()
    for kind in ("application/pdf;, application/xhtml+xml", "application/pdf,"):
        changed = f"""metadata || '{{"mimetype": "{kind}"}}'"""
        service.sql(f"update storage.objects set metadata = {changed} where bucket_id = '{bucket}'")
        headers = service.get(f"/object/public/{bucket}/k").headers
        assert headers["content-type"] == "application/octet-stream"
        assert headers["content-security-policy"] == "sandbox"


def test_a_tab_in_a_header_is_a_space_in_the_answer(service: Service) -> None:
    path = f"{service.bucket()}/k"
    given = {"cache-control": "max-age=1,\tpublic", "content-disposition": "attachment;\tfilename=x"}
    service.upload(path, **given).raise_for_status()
    headers = service.get(f"/object/{path}").headers
    assert headers["cache-control"] == "max-age=1, public"
    assert headers["content-disposition"] == "attachment; filename=x"


def test_cache_control_beyond_ascii_is_returned_unchanged(service: Service) -> None:
    path = f"{service.bucket()}/k"
    given = 'max-age=1, a="é"'.encode().decode("latin-1")
    service.upload(path, cache_control=given).raise_for_status()
    assert service.get(f"/object/{path}").headers["cache-control"] == given


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize(
    ("content_type", "expected"),
    [
        ("image/png", "nosniff"),
        ("text/html", "nosniff"),
        ("text/javascript", "nosniff"),
        ("text/plain; charset=x", None),
        ("text/plainest", "nosniff"),
    ],
)
def test_browsers_never_detect_scripts(service: Service, method: str, content_type: str, expected: str | None) -> None:
    """Never a script or HTML; but in files declared as text, which some clients send for every file, images."""
    bucket = service.bucket(public=True)
    service.upload(f"{bucket}/k", content_type=content_type).raise_for_status()
    headers = service.request(method, f"/object/public/{bucket}/k").headers
    assert headers.get("x-content-type-options") == expected
    assert headers["cross-origin-resource-policy"] == "cross-origin"
    assert service.get("/object/public/none/k").headers["x-content-type-options"] == "nosniff"
