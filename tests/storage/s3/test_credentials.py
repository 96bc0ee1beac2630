"""Credentials: session tokens, access keys, confined keys, and none."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
import pytest
import requests
from botocore.exceptions import ClientError

from app.database import ContextBuilder
from app.faces.s3.access_keys import AccessKey, AccessKeys
from tests.storage.s3.clients import KEY, as_user, client, code_of
from tests.storage.service import ANON, SECRET, USER, Service, token, unique


@pytest.fixture
def bucket(s3_service: Service) -> str:
    """A bucket whose objects authenticated users may read and write, each in their own folder."""
    name = s3_service.bucket()
    own = f"bucket_id = '{name}' and (storage.foldername(name))[1] = auth.uid()::text"
    s3_service.sql(f"create policy {unique('own')} on storage.objects to authenticated using ({own})")
    return name


@pytest.fixture
def keys(s3_service: Service) -> AccessKeys:
    return AccessKeys(s3_service.application.services.engine.database, ContextBuilder(), SECRET)


def failure(act: Any, **arguments: Any) -> tuple[int, str, str]:
    with pytest.raises(ClientError) as caught:
        act(**arguments)
    return (*code_of(caught.value), caught.value.response["Error"]["Message"])


def of(service: Service, key: AccessKey) -> Any:
    assert key.secret is not None
    return client(service, key.id, key.secret)


def test_a_session_token_acts_as_its_user(s3_service: Service, bucket: str) -> None:
    user = as_user(s3_service, token(sub=USER))
    mine = {"Bucket": bucket, "Key": f"{USER}/a"}
    user.put_object(**mine, Body=b"mine", Metadata={"a": "b"})
    assert user.get_object(**mine)["Body"].read() == b"mine"
    assert [each["Key"] for each in user.list_objects_v2(Bucket=bucket)["Contents"]] == [f"{USER}/a"]
    assert s3_service.sql(f"select owner_id from storage.objects where bucket_id = '{bucket}'") == [[USER]]
    denied = failure(user.put_object, Bucket=bucket, Key="other/a", Body=b"x")
    assert denied[:2] == (403, "AccessDenied")
    assert "row-level security" in denied[2]
    stranger = as_user(s3_service, token(sub="11111111-1111-1111-1111-111111111111"))
    assert failure(stranger.get_object, **mine)[:2] == (404, "NoSuchKey")
    assert failure(stranger.delete_objects, Bucket=bucket, Delete={"Objects": []})[0] == 400
    stranger.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": mine["Key"]}]})
    assert user.get_object(**mine)["Body"].read() == b"mine"


def test_a_visible_object_without_delete_rights_is_refused(s3_service: Service) -> None:
    bucket = s3_service.bucket()
    s3_service.upload(f"{bucket}/k")
    s3_service.sql(
        f"create policy {unique('p')} on storage.objects for select to authenticated using (bucket_id = '{bucket}')"
    )
    user = as_user(s3_service, token(sub=USER))
    answer = user.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": "k"}]})
    assert [(each["Key"], each["Code"]) for each in answer["Errors"]] == [("k", "AccessDenied")]
    assert failure(user.delete_object, Bucket=bucket, Key="k")[:2] == (403, "AccessDenied")


def test_bad_session_tokens_are_refused(s3_service: Service, bucket: str) -> None:
    expired = jwt.encode({"role": "authenticated", "exp": int(time.time()) - 100}, SECRET, "HS256")
    for given, message in (
        ("nonsense", "Invalid Compact JWS"),
        (expired, '"exp" claim timestamp check failed'),
        (
            jwt.encode({"role": "service_role"}, "another secret that is long enough", "HS256"),
            "signature verification failed",
        ),
    ):
        assert failure(as_user(s3_service, given).list_buckets) == (403, "AccessDenied", message)
    wrong = client(s3_service, "any", "not the anon key", token(sub=USER))
    assert failure(wrong.list_buckets)[:2] == (403, "SignatureDoesNotMatch")
    # With a token the secret of the access key is not the one that counts.
    assert failure(client(s3_service, KEY, token=token()).list_buckets)[:2] == (403, "SignatureDoesNotMatch")


def test_a_url_presigned_with_a_token_ends_with_it(s3_service: Service, bucket: str) -> None:
    user = as_user(s3_service, token(sub=USER))
    url = user.generate_presigned_url("put_object", {"Bucket": bucket, "Key": f"{USER}/p"})
    assert requests.put(url, b"x", timeout=30).status_code == 200
    short = as_user(s3_service, token(sub=USER, exp=int(time.time()) - 60))
    assert (
        requests.put(short.generate_presigned_url("put_object", {"Bucket": bucket, "Key": f"{USER}/p"})).status_code
        == 403
    )


def test_access_keys_act_with_their_claims(s3_service: Service, bucket: str, keys: AccessKeys) -> None:
    key = keys.create("of a user", {"role": "authenticated", "sub": USER, "iss": "x", "plan": "free"})
    assert (len(key.id), len(key.secret or "")) == (32, 64)
    user = of(s3_service, key)
    user.put_object(Bucket=bucket, Key=f"{USER}/k", Body=b"x")
    assert failure(user.put_object, Bucket=bucket, Key="k", Body=b"x")[:2] == (403, "AccessDenied")
    stored = s3_service.sql(f"select secret, claims from storage.access_keys where id = '{key.id}'")
    assert key.secret not in stored[0][0]
    assert stored[0][1] == {"role": "authenticated", "sub": USER, "plan": "free"}
    assert keys.delete(key.id)
    assert failure(user.list_buckets)[:2] == (403, "InvalidAccessKeyId")
    assert not keys.delete(key.id)


def test_confined_and_expired_keys_are_refused(s3_service: Service, bucket: str, keys: AccessKeys) -> None:
    other = s3_service.bucket()
    s3_service.upload(f"{other}/secret")
    confined = of(s3_service, keys.create("of a backup", {}, buckets=[bucket]))
    confined.put_object(Bucket=bucket, Key="k", Body=b"x")
    assert [each["Name"] for each in confined.list_buckets()["Buckets"]] == [bucket]
    for act, more in (
        (confined.get_object, {"Key": "secret"}),
        (confined.list_objects_v2, {}),
        (confined.delete_bucket, {}),
        (confined.put_object, {"Key": "k", "Body": b""}),
    ):
        assert failure(act, Bucket=other, **more)[:2] == (403, "AccessDenied")
    source = {"Bucket": other, "Key": "secret"}
    assert failure(confined.copy_object, Bucket=bucket, Key="c", CopySource=source)[:2] == (403, "AccessDenied")
    expired = keys.create("long ago", {}, expires_at=datetime.now(UTC) - timedelta(seconds=2))
    assert failure(of(s3_service, expired).list_buckets)[:2] == (403, "InvalidAccessKeyId")


def test_keys_made_with_another_secret_are_refused(s3_service: Service) -> None:
    database = s3_service.application.services.engine.database
    other = AccessKeys(database, ContextBuilder(), "another secret of the service, long enough")
    key = other.create("not ours", {})
    assert failure(of(s3_service, key).list_buckets)[:2] == (403, "InvalidAccessKeyId")


def test_roles_outside_of_the_api_are_refused(s3_service: Service, keys: AccessKeys) -> None:
    key = keys.create("of nobody", {"role": "postgres"})
    assert failure(of(s3_service, key).list_buckets)[:2] == (403, "AccessDenied")


def test_unsigned_requests_are_refused(s3_service: Service, bucket: str) -> None:
    answer = requests.get(f"{s3_service.url}/s3/{bucket}?list-type=2", timeout=30)
    assert (answer.status_code, "<Code>AccessDenied</Code><Message>Missing signature" in answer.text) == (403, True)
    assert f"<Resource>/{bucket}</Resource>" in answer.text
    for private in (f"{bucket}/k", "nowhere/k"):
        answer = requests.get(f"{s3_service.url}/s3/{private}", timeout=30)
        assert (answer.status_code, "<Code>AccessDenied</Code><Message>Missing signature" in answer.text) == (403, True)
        assert requests.head(f"{s3_service.url}/s3/{private}", timeout=30).status_code == 403
    public = s3_service.bucket(public=True)
    s3_service.upload(f"{public}/k")
    for method in ("GET", "HEAD"):
        assert requests.request(method, f"{s3_service.url}/s3/{public}/k", timeout=30).status_code == 200
        assert requests.request(method, f"{s3_service.url}/s3/{public}/none", timeout=30).status_code == 404
    assert requests.put(f"{s3_service.url}/s3/{public}/k", b"x", timeout=30).status_code == 403


def test_a_token_of_rest_beside_a_query_signature_is_ignored(s3_service: Service, s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"x")
    url = s3.generate_presigned_url("get_object", {"Bucket": bucket, "Key": "k"})
    assert requests.get(url, headers={"authorization": f"Bearer {ANON}"}, timeout=30).content == b"x"


def test_a_presigned_put_does_not_copy(s3_service: Service, s3: Any, bucket: str) -> None:
    s3_service.upload(f"{bucket}/secret", b"secret")
    url = s3.generate_presigned_url("put_object", {"Bucket": bucket, "Key": "mine"})
    answer = requests.put(url, headers={"x-amz-copy-source": f"{bucket}/secret"}, timeout=30)
    assert (answer.status_code, "not signed" in answer.text) == (403, True)
