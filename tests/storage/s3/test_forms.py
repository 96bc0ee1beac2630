"""Forms with a signed policy, made by boto3."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from datetime import UTC, datetime, timedelta
from typing import Any
from xml.etree import ElementTree

import pytest
import requests

from app.faces.s3.signature import Scope, sign, signing_key
from tests.storage.s3.clients import KEY, SECRET_KEY, as_user, client
from tests.storage.service import USER, Service, token, unique


@pytest.fixture
def bucket(s3_service: Service) -> str:
    return s3_service.bucket()


def post(form: dict[str, Any], data: bytes = b"0123456789", **fields: str) -> requests.Response:
    """Send a form that ``generate_presigned_post`` made, with more fields."""
    files = {"file": ("photo.png", data, "image/png")}
    return requests.post(form["url"], data={**form["fields"], **fields}, files=files, timeout=30, allow_redirects=False)


def code_of(answer: requests.Response) -> tuple[int, str]:
    found = ElementTree.fromstring(answer.text).findtext("Code")
    return answer.status_code, found or ""


def test_a_form_uploads_a_file(s3: Any, bucket: str) -> None:
    form = s3.generate_presigned_post(bucket, "folder/${filename}")
    answer = post(form)
    assert (answer.status_code, answer.text) == (204, "")
    found = s3.get_object(Bucket=bucket, Key="folder/photo.png")
    assert (found["Body"].read(), found["ETag"]) == (b"0123456789", answer.headers["etag"])


def test_fields_of_the_policy_apply(s3: Any, bucket: str) -> None:
    fields = {"Content-Type": "image/png", "x-amz-meta-user_id": "7", "success_action_status": "201"}
    conditions: list[Any] = [
        {"Content-Type": "image/png"}, ["starts-with", "$x-amz-meta-user_id", ""], {"success_action_status": "201"},
        ["content-length-range", 5, 10],
    ]  # fmt: skip
    form = s3.generate_presigned_post(bucket, "k", Fields=fields, Conditions=conditions)
    answer = post(form)
    assert answer.status_code == 201
    assert ElementTree.fromstring(answer.text).findtext("Key") == "k"
    found = s3.head_object(Bucket=bucket, Key="k")
    assert (found["ContentType"], found["Metadata"]) == ("image/png", {"user_id": "7"})
    assert code_of(post(form, b"1234")) == (400, "EntityTooSmall")
    assert code_of(post(form, b"01234567890")) == (400, "EntityTooLarge")
    assert code_of(post(form, **{"Content-Type": "text/html"})) == (403, "AccessDenied")
    assert code_of(post(form, **{"x-amz-acl": "public-read"})) == (403, "AccessDenied")
    assert post(form, **{"x-ignore-this": "1"}).status_code == 201
    assert s3.get_object(Bucket=bucket, Key="k")["Body"].read() == b"0123456789"


def test_a_form_that_ends_too_early_is_refused(s3: Any, bucket: str) -> None:
    form = s3.generate_presigned_post(bucket, "k")
    sent = requests.Request("POST", form["url"], data=form["fields"], files={"file": ("a", b"0123456789")}).prepare()
    body, headers = sent.body, sent.headers
    assert isinstance(body, bytes)
    end = body.rindex(b"\r\n--")
    for cut in (end, end - 3):
        answer = requests.post(form["url"], body[:cut], headers={"content-type": headers["content-type"]}, timeout=30)
        assert code_of(answer) == (400, "MalformedPOSTRequest")
    assert "Contents" not in s3.list_objects_v2(Bucket=bucket)


def test_a_form_with_other_white_space_is_accepted(s3: Any, bucket: str) -> None:
    form = s3.generate_presigned_post(bucket, "k")
    sent = requests.Request("POST", form["url"], data=form["fields"], files={"file": ("a", b"0123456789")}).prepare()
    assert isinstance(sent.body, bytes)
    body = sent.body.replace(b"Content-Disposition: ", b"Content-Disposition:")
    answer = requests.post(form["url"], body, headers={"content-type": sent.headers["content-type"]}, timeout=30)
    assert answer.status_code == 204


def test_a_checksum_among_the_fields_is_verified(s3: Any, bucket: str) -> None:
    for name, value in (
        ("x-amz-checksum-sha256", b64encode(hashlib.sha256(b"0123456789").digest()).decode()),
        ("Content-MD5", b64encode(hashlib.md5(b"0123456789").digest()).decode()),
    ):
        form = s3.generate_presigned_post(bucket, name, Fields={name: value}, Conditions=[{name: value}])
        assert code_of(post(form, b"another file")) == (400, "BadDigest")
        assert s3.list_objects_v2(Bucket=bucket, Prefix=name)["KeyCount"] == 0
        answer = post(form)
        assert answer.status_code == 204
        assert answer.headers.get(name) == (value if name.startswith("x-amz-") else None)
    kept = s3.head_object(Bucket=bucket, Key="x-amz-checksum-sha256", ChecksumMode="ENABLED")
    assert kept["ChecksumSHA256"] == b64encode(hashlib.sha256(b"0123456789").digest()).decode()


@pytest.mark.parametrize(
    "name",
    ["Cache-Control", "Content-Disposition", "Content-Encoding", "X-Robots-Tag", "Expires", "success_action_redirect"],
)
def test_fields_that_become_headers_have_one_line(s3: Any, s3_service: Service, bucket: str, name: str) -> None:
    """An object with such a header could never be sent."""
    lists = {"Content-Encoding": "gzip,\r\nbr", "X-Robots-Tag": "noindex,\r\nnofollow"}
    value = lists.get(name, "https://x/\r\nX-Y: z")
    form = s3.generate_presigned_post(bucket, "k", Fields={name: value}, Conditions=[{name: value}])
    with s3_service.keeping_blobs():
        assert code_of(post(form)) == (400, "InvalidArgument")
    assert s3.list_objects_v2(Bucket=bucket)["KeyCount"] == 0


def test_a_form_can_redirect(s3: Any, bucket: str) -> None:
    target = "https://example.com/done?a=1"
    fields = {"success_action_redirect": target}
    form = s3.generate_presigned_post(bucket, "k", Fields=fields, Conditions=[fields])
    answer = post(form)
    assert answer.status_code == 303
    assert answer.headers["location"].startswith(f"{target}&bucket={bucket}&key=k&etag=")


def test_invalid_forms_are_refused(s3_service: Service, s3: Any, bucket: str) -> None:
    form = s3.generate_presigned_post(bucket, "k")
    assert code_of(post(form, key="other")) == (403, "AccessDenied")
    assert code_of(post(form, policy="e30=")) == (403, "SignatureDoesNotMatch")
    expired = s3.generate_presigned_post(bucket, "k", ExpiresIn=-10)
    assert code_of(post(expired)) == (403, "AccessDenied")
    other = {**form, "url": f"{s3_service.url}/s3/{s3_service.bucket()}"}
    assert code_of(post(other)) == (403, "AccessDenied")
    assert code_of(post({"url": form["url"], "fields": {"key": "k"}})) == (403, "AccessDenied")
    wrong = client(s3_service, secret="wrong").generate_presigned_post(bucket, "k")
    assert code_of(post(wrong)) == (403, "SignatureDoesNotMatch")
    assert "Contents" not in s3.list_objects_v2(Bucket=bucket)


def test_a_field_without_a_name_is_refused(s3: Any, bucket: str) -> None:
    form = s3.generate_presigned_post(bucket, "k")
    files = [*((name, (None, value)) for name, value in form["fields"].items()), ("", ("photo.png", b"x" * 30_000))]
    assert code_of(requests.post(form["url"], files=files, timeout=30)) == (400, "MalformedPOSTRequest")


def test_a_form_of_a_user_follows_policies(s3_service: Service, bucket: str) -> None:
    own = f"bucket_id = '{bucket}' and name like auth.uid() || '/%'"
    s3_service.sql(f"create policy {unique('p')} on storage.objects to authenticated using ({own})")
    user = as_user(s3_service, token(sub=USER))
    assert post(user.generate_presigned_post(bucket, f"{USER}/k")).status_code == 204
    assert code_of(post(user.generate_presigned_post(bucket, "k"))) == (403, "AccessDenied")
    assert s3_service.sql(f"select owner_id from storage.objects where bucket_id = '{bucket}'") == [[USER]]


def signed_form(service: Service, bucket: str, conditions: list[Any], **fields: str) -> dict[str, Any]:
    """A form with exactly these conditions, besides those on the fields of its signature."""
    now = datetime.now(UTC)
    moment = now.strftime("%Y%m%dT%H%M%SZ")
    scope = Scope(moment[:8], "us-east-1", "s3")
    given = {
        "x-amz-date": moment,
        "x-amz-algorithm": "AWS4-HMAC-SHA256",
        "x-amz-credential": f"{KEY}/{scope}",
        **fields,
    }
    until = (now + timedelta(minutes=5)).strftime("%Y-%m-%dT%H:%M:%SZ")
    policy = b64encode(json.dumps({"expiration": until, "conditions": conditions}).encode()).decode()
    signature = sign(signing_key(SECRET_KEY, scope), policy)
    return {
        "url": f"{service.url}/storage/v1/s3/{bucket}",
        "fields": {**given, "policy": policy, "x-amz-signature": signature},
    }


def test_a_policy_must_name_its_bucket(s3_service: Service, bucket: str) -> None:
    conditions: list[Any] = [{"key": "k"}]
    assert code_of(post(signed_form(s3_service, bucket, conditions, key="k"))) == (403, "AccessDenied")
    assert post(signed_form(s3_service, bucket, [*conditions, {"bucket": bucket}], key="k")).status_code == 204
    another = signed_form(s3_service, s3_service.bucket(), [*conditions, {"bucket": bucket}], key="k")
    assert code_of(post(another)) == (403, "AccessDenied")
    # The field names another bucket than the URL.
    assert code_of(post({**another, "fields": {**another["fields"], "bucket": bucket}})) == (403, "AccessDenied")


def test_a_form_with_unsupported_features_is_refused(s3_service: Service, bucket: str) -> None:
    name = "x-amz-server-side-encryption-customer-algorithm"
    conditions = [{"key": "k"}, {"bucket": bucket}, {name: "AES256"}]
    answer = post(signed_form(s3_service, bucket, conditions, **{"key": "k", name: "AES256"}))
    assert code_of(answer) == (501, "NotImplemented")
