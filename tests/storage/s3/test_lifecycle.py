"""Lifecycle rules: kept by S3 and by SQL, and what they delete."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError

from app.storage.request_context import operator_context
from app.storage.upkeep.lifecycle import Lifecycle
from tests.storage.s3.clients import as_user, code_of
from tests.storage.service import USER, Service, token, unique

RULES = [
    {"ID": "tmp", "Status": "Enabled", "Filter": {"Prefix": "tmp/"}, "Expiration": {"Days": 7}},
    {"ID": "tagged", "Status": "Disabled", "Filter": {"Tag": {"Key": "a", "Value": "b"}}, "Expiration": {"Days": 1}},
    {"ID": "all", "Status": "Enabled",
     "Filter": {"And": {"Prefix": "x", "Tags": [{"Key": "a", "Value": "b"}, {"Key": "c", "Value": ""}],
                        "ObjectSizeGreaterThan": 5, "ObjectSizeLessThan": 500}},
     "NoncurrentVersionExpiration": {"NoncurrentDays": 3, "NewerNoncurrentVersions": 2}},
    {"ID": "uploads", "Status": "Enabled", "Filter": {"Prefix": ""}, "Expiration": {"ExpiredObjectDeleteMarker": True},
     "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 2}},
]  # fmt: skip


@pytest.fixture
def bucket(s3_service: Service) -> str:
    return s3_service.bucket()


def put_rules(s3: Any, bucket: str, *rules: dict[str, Any]) -> None:
    given = [{"ID": unique(), "Status": "Enabled", "Filter": {"Prefix": ""}, **rule} for rule in rules]
    s3.put_bucket_lifecycle_configuration(Bucket=bucket, LifecycleConfiguration={"Rules": given})


def refusal(act: Any, **arguments: Any) -> tuple[int, str]:
    with pytest.raises(ClientError) as caught:
        act(**arguments)
    return code_of(caught.value)


def rules_of(service: Service) -> Lifecycle:
    storage = service.application.services.storage
    return Lifecycle(storage, operator_context(storage.contexts, "storage.lifecycle"), day_s=86_400.0)


def run(service: Service, bucket: str, **limits: float) -> dict[str, int]:
    """Apply the rules with a clock that is believed; the number of deleted rows of the bucket, by action."""
    service.sql("update storage.lifecycle_clock set seen_at = clock_timestamp(), believed_at = 'epoch'")
    counts: dict[str, int] = {}
    for step in rules_of(service).run(**limits):
        if step.bucket == bucket:
            counts[step.action] = counts.get(step.action, 0) + step.rows
    return counts


def age(service: Service, bucket: str, days: float, name: str = "%") -> None:
    """Let everything of this name be older."""
    for table, columns in (("objects", ("updated_at",)), ("versions", ("archived_at",)), ("uploads", ("created_at",))):
        for column in columns:
            service.sql(
                f"update storage.{table} set {column} = {column} - interval '{days} days'"
                f" where bucket_id = '{bucket}' and name like '{name}'"
            )


def keys(s3: Any, bucket: str) -> list[str]:
    return [each["Key"] for each in s3.list_objects_v2(Bucket=bucket).get("Contents", ())]


def test_rules_are_kept_and_removed(s3: Any, s3_service: Service, bucket: str) -> None:
    assert refusal(s3.get_bucket_lifecycle_configuration, Bucket=bucket) == (404, "NoSuchLifecycleConfiguration")
    s3.put_bucket_lifecycle_configuration(Bucket=bucket, LifecycleConfiguration={"Rules": RULES})
    assert s3.get_bucket_lifecycle_configuration(Bucket=bucket)["Rules"] == RULES
    [[kept]] = s3_service.sql(f"select lifecycle from storage.buckets where id = '{bucket}'")
    assert [each["ID"] for each in kept] == ["tmp", "tagged", "all", "uploads"]
    s3.delete_bucket_lifecycle(Bucket=bucket)
    assert refusal(s3.get_bucket_lifecycle_configuration, Bucket=bucket) == (404, "NoSuchLifecycleConfiguration")


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ({"Expiration": {"Days": 0}}, (400, "InvalidArgument")),
        ({"Expiration": {"Days": 1, "Date": datetime(2030, 1, 1, tzinfo=UTC)}}, (400, "InvalidArgument")),
        ({"Expiration": {"Date": datetime(2030, 1, 1, 5, tzinfo=UTC)}}, (400, "InvalidArgument")),
        ({"Status": "enabled", "Expiration": {"Days": 1}}, (400, "MalformedXML")),
        ({"ID": "x" * 256, "Expiration": {"Days": 1}}, (400, "InvalidArgument")),
        ({}, (400, "MalformedXML")),
        ({"Transitions": [{"Days": 1, "StorageClass": "GLACIER"}]}, (501, "NotImplemented")),
    ],
)
def test_a_malformed_rule_is_refused(s3: Any, bucket: str, rule: dict[str, Any], code: tuple[int, str]) -> None:
    given = {"Status": "Enabled", "Filter": {"Prefix": ""}, **rule}
    rules = {"Rules": [given]}
    assert refusal(s3.put_bucket_lifecycle_configuration, Bucket=bucket, LifecycleConfiguration=rules) == code


def test_only_a_role_that_may_update_the_bucket_sets_rules(s3: Any, s3_service: Service, bucket: str) -> None:
    user = as_user(s3_service, token(sub=USER))
    given = {"Bucket": bucket, "LifecycleConfiguration": {"Rules": RULES}}
    s3_service.sql(
        f"create policy {unique('see')} on storage.buckets for select to authenticated using (id = '{bucket}')"
    )
    assert refusal(user.put_bucket_lifecycle_configuration, **given) == (404, "NoSuchBucket")
    assert refusal(user.delete_bucket_lifecycle, Bucket=bucket) == (404, "NoSuchBucket")
    assert s3_service.sql(f"select lifecycle from storage.buckets where id = '{bucket}'") == [[None]]


def test_objects_expire_by_prefix_tags_and_size(s3: Any, s3_service: Service, bucket: str) -> None:
    made = (("tmp/a", b"x", ""), ("tmp/b", b"x" * 10, "a=b"), ("c", b"x" * 10, "a=b&d=e"), ("d", b"", ""))
    for key, body, tags in made:
        s3.put_object(Bucket=bucket, Key=key, Body=body, Tagging=tags)
    put_rules(s3, bucket, {"Filter": {"Prefix": "tmp/"}, "Expiration": {"Days": 7}})
    age(s3_service, bucket, 6)
    assert run(s3_service, bucket) == {}
    age(s3_service, bucket, 1.01, "tmp/a")
    assert (run(s3_service, bucket), keys(s3, bucket)) == ({"objects": 1}, ["c", "d", "tmp/b"])
    age(s3_service, bucket, 7)
    tagged = [{"Key": "a", "Value": "b"}, {"Key": "d", "Value": "e"}]
    put_rules(
        s3, bucket,
        {"Filter": {"And": {"Tags": tagged}}, "Expiration": {"Days": 1}},
        {"Filter": {"ObjectSizeGreaterThan": 10}, "Expiration": {"Days": 1}},
        {"Filter": {"ObjectSizeLessThan": 1}, "Expiration": {"Days": 1}, "Status": "Disabled"},
    )  # fmt: skip
    assert (run(s3_service, bucket), keys(s3, bucket)) == ({"objects": 1}, ["d", "tmp/b"])
    put_rules(s3, bucket, {"Filter": {"ObjectSizeLessThan": 1}, "Expiration": {"Days": 1}})
    assert (run(s3_service, bucket), keys(s3, bucket)) == ({"objects": 1}, ["tmp/b"])
    midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    put_rules(s3, bucket, {"Expiration": {"Date": midnight + timedelta(days=1)}})
    assert run(s3_service, bucket) == {}
    s3.put_object(Bucket=bucket, Key="new", Body=b"x")
    put_rules(s3, bucket, {"Expiration": {"Date": midnight - timedelta(days=1)}})
    assert run(s3_service, bucket) == {"objects": 2}


def test_versions_and_markers_expire(s3: Any, s3_service: Service, bucket: str) -> None:
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    made = [s3.put_object(Bucket=bucket, Key="k", Body=b"x")["VersionId"] for _ in range(5)]
    put_rules(s3, bucket, {"NoncurrentVersionExpiration": {"NoncurrentDays": 3, "NewerNoncurrentVersions": 2}})
    age(s3_service, bucket, 2)
    assert run(s3_service, bucket) == {}
    age(s3_service, bucket, 1.01)
    assert run(s3_service, bucket) == {"versions": 2}
    left = [each["VersionId"] for each in s3.list_object_versions(Bucket=bucket)["Versions"]]
    assert left == [made[4], made[3], made[2]]
    put_rules(s3, bucket, {"Expiration": {"Days": 1}})
    assert run(s3_service, bucket) == {"objects": 1}
    assert len(s3.list_object_versions(Bucket=bucket)["DeleteMarkers"]) == 1
    put_rules(s3, bucket, {"Expiration": {"ExpiredObjectDeleteMarker": True}})
    assert run(s3_service, bucket) == {}
    put_rules(s3, bucket, {"NoncurrentVersionExpiration": {"NoncurrentDays": 1}})
    age(s3_service, bucket, 2)
    assert run(s3_service, bucket) == {"versions": 3}
    put_rules(s3, bucket, {"Expiration": {"ExpiredObjectDeleteMarker": True}})
    assert run(s3_service, bucket) == {"markers": 1}
    assert s3.list_object_versions(Bucket=bucket).get("DeleteMarkers") is None


def test_unfinished_uploads_are_aborted(s3: Any, s3_service: Service, bucket: str) -> None:
    for key in ("tmp/k", "k"):
        s3.create_multipart_upload(Bucket=bucket, Key=key)
    abort = {"AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 2}}
    put_rules(s3, bucket, {"Filter": {"Prefix": "tmp/"}, **abort})
    assert run(s3_service, bucket) == {}
    age(s3_service, bucket, 2.01)
    assert run(s3_service, bucket) == {"uploads": 1}
    assert [each["Key"] for each in s3.list_multipart_uploads(Bucket=bucket)["Uploads"]] == ["k"]


def test_rules_of_sql_in_another_form_delete_nothing(s3: Any, s3_service: Service, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"x")
    age(s3_service, bucket, 100)
    wrong: list[Any] = [
        "x", {}, {"Status": "Enabled"}, {"Status": "Enabled", "Expiration": {"Days": "1"}},
        {"Status": "Enabled", "Expiration": {"Days": -1}}, {"Status": "Enabled", "Expiration": {"Date": "yesterday"}},
    ]  # fmt: skip
    s3_service.sql(f"update storage.buckets set lifecycle = '{json.dumps(wrong)}' where id = '{bucket}'")
    assert run(s3_service, bucket) == {}
    right = [*wrong, {"Status": "Enabled", "Expiration": {"Days": 1}}]
    s3_service.sql(f"update storage.buckets set lifecycle = '{json.dumps(right)}' where id = '{bucket}'")
    assert [step.rows for step in rules_of(s3_service).dry_run() if step.bucket == bucket] == [1]
    assert keys(s3, bucket) == ["k"]
    assert run(s3_service, bucket) == {"objects": 1}


def test_rules_that_changed_delete_nothing(s3: Any, s3_service: Service, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"x")
    age(s3_service, bucket, 100)
    put_rules(s3, bucket, {"Expiration": {"Days": 1}})
    rules = rules_of(s3_service)
    delete = rules._delete

    def changed(bucket_id: str, action: Any, call: Any) -> Any:
        if bucket_id == bucket:
            put_rules(s3, bucket, {"Expiration": {"Days": 1000}})
        return delete(bucket_id, action, call)

    rules._delete = changed  # type: ignore[method-assign]
    s3_service.sql("update storage.lifecycle_clock set seen_at = clock_timestamp(), believed_at = 'epoch'")
    assert [step for step in rules.run() if step.bucket == bucket] == []
    assert keys(s3, bucket) == ["k"]


@pytest.mark.parametrize("jump", ["2 hours", "400 days", "-1 minute"])
def test_a_clock_that_jumps_deletes_nothing(s3: Any, s3_service: Service, bucket: str, jump: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"x")
    age(s3_service, bucket, 100)
    put_rules(s3, bucket, {"Expiration": {"Days": 1}})
    rules = rules_of(s3_service)
    seen = "update storage.lifecycle_clock set seen_at = clock_timestamp()"
    s3_service.sql(f"{seen} - interval '{jump}', believed_at = 'epoch'")
    for _ in range(3):
        assert (rules.run(), keys(s3, bucket)) == ([], ["k"])
    # Once it has gone on for a day, it is believed.
    s3_service.sql("update storage.lifecycle_clock set believed_at = clock_timestamp()")
    assert [step.rows for step in rules.run() if step.bucket == bucket] == [1]


def test_one_service_of_many_deletes(s3: Any, s3_service: Service, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"x")
    age(s3_service, bucket, 100)
    put_rules(s3, bucket, {"Expiration": {"Days": 1}})
    storage = s3_service.application.services.storage
    context = operator_context(storage.contexts, "storage.lifecycle")
    s3_service.sql("update storage.lifecycle_clock set seen_at = clock_timestamp(), believed_at = 'epoch'")
    assert Lifecycle(storage, context, day_s=86_400.0, interval_s=600.0).run() == []
    assert keys(s3, bucket) == ["k"]
