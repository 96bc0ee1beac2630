"""The CORS rules of a bucket, in place of CORS_ORIGINS, in the S3 protocol and for public URLs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from app.storage import bucket_origins
from tests.storage.s3.clients import KEY, SECRET_KEY, as_user, client, code_of
from tests.storage.service import USER, Service, token, unique

PAGE, OTHER = "https://a.example", "https://b.example"
RULES = [
    {"ID": "pages", "AllowedOrigins": [PAGE], "AllowedMethods": ["GET", "PUT"], "AllowedHeaders": ["x-amz-*"],
     "ExposeHeaders": ["ETag"], "MaxAgeSeconds": 100},
    {"AllowedOrigins": ["https://*.c.example"], "AllowedMethods": ["GET"]},
]  # fmt: skip


@pytest.fixture
def service(own_service: Callable[..., Service]) -> Service:
    keys = {"s3_protocol_access_key_id": KEY, "s3_protocol_access_key_secret": SECRET_KEY}
    return own_service(cors_origins=(OTHER,), **keys)


@pytest.fixture
def s3(service: Service) -> Any:
    return client(service)


def allowed(answer: Any) -> str | None:
    return answer.headers.get("access-control-allow-origin")


def preflight(service: Service, path: str, origin: str, method: str = "GET", headers: str = "") -> Any:
    asked = {"origin": origin, "access-control-request-method": method}
    if headers:
        asked["access-control-request-headers"] = headers
    return service.request("OPTIONS", path, None, headers=asked)


def refusal(act: Any, **arguments: Any) -> tuple[int, str]:
    with pytest.raises(ClientError) as caught:
        act(**arguments)
    return code_of(caught.value)


def test_rules_are_kept_and_removed(s3: Any, service: Service) -> None:
    bucket = service.bucket()
    assert refusal(s3.get_bucket_cors, Bucket=bucket) == (404, "NoSuchCORSConfiguration")
    s3.put_bucket_cors(Bucket=bucket, CORSConfiguration={"CORSRules": RULES})
    assert s3.get_bucket_cors(Bucket=bucket)["CORSRules"] == RULES
    assert service.sql(f"select cors from storage.buckets where id = '{bucket}'") == [[RULES]]
    s3.delete_bucket_cors(Bucket=bucket)
    assert refusal(s3.get_bucket_cors, Bucket=bucket) == (404, "NoSuchCORSConfiguration")
    assert refusal(s3.put_bucket_cors, Bucket=unique(), CORSConfiguration={"CORSRules": RULES})[0] == 404


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ({"AllowedOrigins": [PAGE], "AllowedMethods": ["PATCH"]}, "InvalidRequest"),
        ({"AllowedOrigins": ["*.*"], "AllowedMethods": ["GET"]}, "InvalidRequest"),
        ({"AllowedOrigins": [], "AllowedMethods": ["GET"]}, "MalformedXML"),
        ({"AllowedOrigins": ["https://a\n"], "AllowedMethods": ["GET"], "ExposeHeaders": ["a\nb"]}, "MalformedXML"),
    ],
)
def test_a_malformed_rule_is_refused(s3: Any, service: Service, rule: Any, code: str) -> None:
    bucket = service.bucket()
    assert refusal(s3.put_bucket_cors, Bucket=bucket, CORSConfiguration={"CORSRules": [rule]}) == (400, code)


@pytest.mark.parametrize("path", ["/s3/{}/k", "/storage/v1/s3/{}/k", "/object/public/{}/k"])
def test_the_rules_replace_the_setting(s3: Any, service: Service, path: str) -> None:
    bucket = service.bucket(public=True)
    service.upload(f"{bucket}/k").raise_for_status()
    path = path.format(bucket)
    assert allowed(service.get(path, None, headers={"origin": OTHER})) == OTHER
    s3.put_bucket_cors(Bucket=bucket, CORSConfiguration={"CORSRules": RULES})
    answer = service.get(path, None, headers={"origin": PAGE})
    assert (answer.content, allowed(answer)) == (b"content", PAGE)
    assert answer.headers["access-control-expose-headers"] == "ETag"
    assert "Origin" in answer.headers["vary"]
    for origin in (OTHER, "https://a.example.com", "https://c.example", "null"):
        refused = service.get(path, None, headers={"origin": origin})
        assert (refused.status_code, allowed(refused)) == (200, None)
        assert "access-control-expose-headers" not in refused.headers
    assert allowed(service.get(path, None, headers={"origin": "https://x.c.example"})) == "https://x.c.example"
    assert "Origin" in service.get(path, None).headers["vary"]
    s3.delete_bucket_cors(Bucket=bucket)
    assert allowed(service.get(path, None, headers={"origin": OTHER})) == OTHER


def test_preflights_follow_the_rules(s3: Any, service: Service) -> None:
    bucket = service.bucket(public=True)
    s3.put_bucket_cors(Bucket=bucket, CORSConfiguration={"CORSRules": RULES})
    path = f"/s3/{bucket}/k"
    answer = preflight(service, path, PAGE, "PUT", "X-Amz-Date, x-amz-acl")
    assert (answer.status_code, allowed(answer)) == (200, PAGE)
    assert answer.headers["access-control-allow-methods"] == "GET, PUT"
    assert answer.headers["access-control-allow-headers"] == "x-amz-date, x-amz-acl"
    assert answer.headers["access-control-max-age"] == "100"
    for refused in (
        preflight(service, path, PAGE, "DELETE"),
        preflight(service, path, PAGE, "PUT", "x-other"),
        preflight(service, path, OTHER),
    ):
        assert (refused.status_code, allowed(refused)) == (403, None)
        assert b"AccessForbidden" in refused.content
    public = f"/object/public/{bucket}/k"
    assert allowed(preflight(service, public, PAGE)) == PAGE
    assert allowed(preflight(service, public, OTHER)) is None
    assert allowed(preflight(service, f"/object/public/{service.bucket()}/k", OTHER)) == OTHER


def test_sql_sets_the_rules(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bucket_origins, "_KEPT_S", 0.0)
    bucket = service.bucket(public=True)
    path = f"/object/public/{bucket}/k"
    service.upload(f"{bucket}/k").raise_for_status()
    rule = '{"AllowedOrigins": ["*"], "AllowedMethods": ["GET"]}'
    for rules, origin in ((f"[{rule}]", "*"), (f'["x", {{"AllowedOrigins": 1}}, {rule}]', "*"), ("[]", None)):
        service.sql(f"update storage.buckets set cors = '{rules}' where id = '{bucket}'")
        service.application.services.storage.bucket_origins.forget()
        assert allowed(service.get(path, None, headers={"origin": PAGE})) == origin


def test_only_a_role_that_may_update_the_bucket_sets_rules(s3: Any, service: Service) -> None:
    bucket = service.bucket()
    user = as_user(service, token(sub=USER))
    given = {"Bucket": bucket, "CORSConfiguration": {"CORSRules": RULES}}
    assert refusal(user.put_bucket_cors, **given) == (404, "NoSuchBucket")
    service.sql(f"create policy {unique('p')} on storage.buckets for select to authenticated using (true)")
    assert refusal(user.put_bucket_cors, **given) == (404, "NoSuchBucket")
    assert refusal(user.get_bucket_cors, Bucket=bucket) == (404, "NoSuchCORSConfiguration")
    service.sql(f"create policy {unique('p')} on storage.buckets for update to authenticated using (true)")
    user.put_bucket_cors(**given)
    assert user.get_bucket_cors(Bucket=bucket)["CORSRules"] == RULES


def test_a_database_without_the_column_works_without_rules(s3: Any, service: Service) -> None:
    bucket = service.bucket(public=True)
    service.upload(f"{bucket}/k").raise_for_status()
    service.sql("alter table storage.buckets drop column cors cascade")
    assert refusal(s3.get_bucket_cors, Bucket=bucket) == (404, "NoSuchCORSConfiguration")
    assert refusal(s3.put_bucket_cors, Bucket=bucket, CORSConfiguration={"CORSRules": RULES}) == (501, "NotImplemented")
    assert allowed(service.get(f"/object/public/{bucket}/k", None, headers={"origin": OTHER})) == OTHER


def test_requests_of_pages_take_no_further_statement(s3: Any, service: Service) -> None:
    bucket = service.bucket(public=True)
    service.upload(f"{bucket}/k").raise_for_status()
    s3.put_bucket_cors(Bucket=bucket, CORSConfiguration={"CORSRules": RULES})
    origins = service.application.services.storage.bucket_origins
    counted = []
    run = origins._run
    origins._run = lambda statement: counted.append(statement) or run(statement)
    for _ in range(20):
        assert allowed(service.get(f"/object/public/{bucket}/k", None, headers={"origin": PAGE})) == PAGE
    assert len(counted) <= 1


def test_access_lists_that_are_true_are_accepted(s3: Any, service: Service) -> None:
    private, public = service.bucket(), service.bucket(public=True)
    for bucket in (private, public):
        service.upload(f"{bucket}/k").raise_for_status()
    for acl in ("private", "bucket-owner-full-control"):
        s3.put_bucket_acl(Bucket=private, ACL=acl)
        s3.put_object_acl(Bucket=private, Key="k", ACL=acl)
        assert refusal(s3.put_bucket_acl, Bucket=public, ACL=acl) == (501, "NotImplemented")
    s3.put_bucket_acl(Bucket=public, ACL="public-read")
    s3.put_object_acl(Bucket=public, Key="k", ACL="public-read")
    for acl in ("public-read", "public-read-write", "authenticated-read"):
        assert refusal(s3.put_bucket_acl, Bucket=private, ACL=acl) == (501, "NotImplemented")
        assert refusal(s3.put_object_acl, Bucket=private, Key="k", ACL=acl) == (501, "NotImplemented")
    assert refusal(s3.put_object_acl, Bucket=private, Key="none", ACL="private") == (404, "NoSuchKey")
    assert refusal(s3.put_bucket_acl, Bucket=unique(), ACL="private") == (404, "NoSuchBucket")
    grants = {"AccessControlPolicy": {"Grants": [], "Owner": {"ID": "x"}}}
    assert refusal(s3.put_bucket_acl, Bucket=private, **grants) == (501, "NotImplemented")
    assert refusal(as_user(service, token(sub=USER)).put_object_acl, Bucket=private, Key="k", ACL="private")[0] == 404
