"""Policies: which ones each operation needs, and the error of a refusal."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator

import pytest
from pg8000.exceptions import DatabaseError

from tests.storage.service import USER, Service, error, token, unique

CREDENTIAL = token(sub=USER)
DENIED = (400, "403", "AccessDenied", "new row violates row-level security policy")
NO_OBJECT = (400, "404", "NoSuchKey", "Object not found")


class Policies:
    def __init__(self, service: Service, bucket: str) -> None:
        self._service, self.bucket, self._made = service, bucket, 0

    def allow(self, *actions: str, using: str = "true") -> None:
        """Policies for authenticated users on the objects of the bucket."""
        for action in actions:
            self._made += 1
            condition = f"bucket_id = '{self.bucket}' and ({using})"
            clauses = {
                "insert": f"with check ({condition})",
                "update": f"using ({condition}) with check ({condition})",
            }.get(action, f"using ({condition})")
            self._service.sql(
                f'create policy "{self.bucket} {self._made}" on storage.objects for {action} to authenticated {clauses}'
            )

    def drop(self) -> None:
        for number in range(1, self._made + 1):
            self._service.sql(f'drop policy "{self.bucket} {number}" on storage.objects')


@pytest.fixture
def policies(service: Service) -> Iterator[Policies]:
    policies = Policies(service, service.bucket())
    service.upload(f"{policies.bucket}/there", b"there").raise_for_status()
    yield policies
    policies.drop()


def outcomes(service: Service, bucket: str) -> dict[str, bool]:
    """Which operations an authenticated user can do."""

    def ok(method: str, path: str, **more: object) -> bool:
        return service.request(method, path, CREDENTIAL, **more).status_code == 200  # type: ignore[arg-type]

    def body(target: str) -> dict[str, object]:
        return {"json": {"bucketId": bucket, "sourceKey": "there", "destinationKey": target}}

    upsert = {"x-upsert": "true"}
    found = {
        "read": ok("GET", f"/object/{bucket}/there"),
        "info": ok("GET", f"/object/info/authenticated/{bucket}/there"),
        "sign": ok("POST", f"/object/sign/{bucket}/there", json={"expiresIn": 9}),
        "list": bool(service.post(f"/object/list/{bucket}", CREDENTIAL, json={"prefix": ""}).json()),
        "list-v2": bool(service.post(f"/object/list-v2/{bucket}", CREDENTIAL, json={}).json()["objects"]),
        "copy": ok("POST", "/object/copy", **body("copied")),
        "sign upload": ok("POST", f"/object/upload/sign/{bucket}/signed"),
        "upload": ok("POST", f"/object/{bucket}/new", data=b""),
        "upsert new": ok("POST", f"/object/{bucket}/newer", data=b"", headers=upsert),
        "upsert": ok("POST", f"/object/{bucket}/there", data=b"there", headers=upsert),
        "move": ok("POST", "/object/move", **body("moved")),
    }
    if found["move"]:
        back = {"bucketId": bucket, "sourceKey": "moved", "destinationKey": "there"}
        assert ok("POST", "/object/move", json=back)
    found["delete"] = ok("DELETE", f"/object/{bucket}/there")
    return found


READING = {"read", "info", "sign", "list", "list-v2"}


@pytest.mark.parametrize(
    ("actions", "allowed"),
    [
        ((), set()),
        (("select",), READING),
        (("insert",), {"upload", "sign upload"}),
        (("select", "insert"), READING | {"upload", "sign upload", "copy", "upsert new"}),
        (("select", "update"), READING | {"move"}),
        (("select", "insert", "update"),
         READING | {"upload", "sign upload", "copy", "upsert new", "upsert", "move"}),
        (("select", "delete"), READING | {"delete"}),
        (("delete",), set()),
        (("select", "insert", "update", "delete"),
         READING | {"upload", "sign upload", "copy", "upsert new", "upsert", "move", "delete"}),
    ],
)  # fmt: skip
def test_policies_decide_about_each_operation(
    service: Service, policies: Policies, actions: tuple[str, ...], allowed: set[str]
) -> None:
    policies.allow(*actions)
    found = outcomes(service, policies.bucket)
    assert {name for name, done in found.items() if done} == allowed


def test_refusals_have_messages_and_hints(service: Service, policies: Policies) -> None:
    bucket = policies.bucket
    answer = service.upload(f"{bucket}/k", credential=CREDENTIAL)
    assert error(answer) == DENIED
    assert answer.json()["error"] == "Unauthorized"
    assert answer.json()["hint"] == ("The role authenticated may not INSERT on storage.objects: no policy allows it.")
    assert error(service.put(f"/object/{bucket}/k", CREDENTIAL, data=b"x")) == DENIED
    policies.allow("select")
    assert error(service.delete(f"/object/{bucket}/there", CREDENTIAL)) == (400, "403", "AccessDenied", "Access denied")
    assert "DELETE on storage.objects" in service.delete(f"/object/{bucket}/there", CREDENTIAL).json()["hint"]
    move = {"bucketId": bucket, "sourceKey": "there", "destinationKey": "x"}
    answer = service.post("/object/move", CREDENTIAL, json=move)
    assert error(answer) == DENIED
    assert "UPDATE on storage.objects" in answer.json()["hint"]


def test_a_failing_policy_is_reported_with_a_hint(
    service: Service, policies: Policies, caplog: pytest.LogCaptureFixture
) -> None:
    policies.allow("select", "insert", using="(storage.foldername(name))[1]::int = 2")
    answer = service.upload(f"{policies.bucket}/secret/k", credential=CREDENTIAL)
    assert error(answer) == (400, "400", "InvalidParameter", "Invalid Parameter value")
    assert answer.json()["hint"] == (
        "PostgreSQL could not convert a value. If a policy or a trigger of storage.objects casts a part of the name to "
        "a type, as in (storage.foldername(name))[1]::int, compare texts instead."
    )
    assert 'invalid input syntax for type integer: "secret"' in caplog.text


def test_an_invisible_object_is_not_revealed(service: Service, policies: Policies) -> None:
    for path in (f"{policies.bucket}/there", f"{policies.bucket}/nowhere", f"{unique()}/there"):
        for method, route in (
            ("DELETE", "/object"), ("GET", "/object"), ("GET", "/object/authenticated"), ("GET", "/object/info"),
        ):  # fmt: skip
            assert error(service.request(method, f"{route}/{path}", CREDENTIAL)) == NO_OBJECT
        bucket, _, key = path.partition("/")
        body = {"bucketId": bucket, "sourceKey": key, "destinationKey": "x"}
        for route in ("/object/move", "/object/copy"):
            assert error(service.post(route, CREDENTIAL, json=body)) == NO_OBJECT


def test_only_callers_who_may_write_learn_the_rules_of_a_bucket(service: Service, policies: Policies) -> None:
    policies.allow("select", "update")
    rules = {"file_size_limit": 1, "allowed_mime_types": ["image/png"]}
    for bucket in (service.bucket(**rules), unique()):
        body = {"bucketId": policies.bucket, "sourceKey": "there", "destinationBucket": bucket, "destinationKey": "k"}
        for route in ("/object/move", "/object/copy"):
            assert error(service.post(route, CREDENTIAL, json=body)) == DENIED
        assert error(service.put(f"/object/{bucket}/k", CREDENTIAL, data=bytes(100))) == DENIED


def test_only_callers_who_may_create_an_object_learn_that_it_exists(service: Service, policies: Policies) -> None:
    """A unique key cannot be kept secret from callers who may use it."""
    signing = f"/object/upload/sign/{policies.bucket}"
    for key in ("there", "nowhere"):
        assert error(service.upload(f"{policies.bucket}/{key}", credential=CREDENTIAL)) == DENIED
        assert error(service.post(f"{signing}/{key}", CREDENTIAL)) == DENIED
    policies.allow("insert")
    taken = (400, "409", "KeyAlreadyExists", "The resource already exists")
    assert error(service.upload(f"{policies.bucket}/there", credential=CREDENTIAL)) == taken
    assert error(service.post(f"{signing}/there", CREDENTIAL)) == taken
    # PostgreSQL refuses to replace a row that the caller cannot see.
    assert error(service.put(f"/object/{policies.bucket}/there", CREDENTIAL, data=b"x")) == DENIED
    assert service.get(f"/object/{policies.bucket}/there").content == b"there"


def test_a_missing_grant_is_distinguished_from_a_missing_policy(service: Service, policies: Policies) -> None:
    service.sql("create role unprivileged nologin; grant unprivileged to authenticated")
    service.sql("grant usage on schema storage to unprivileged")
    try:
        answer = service.upload(f"{policies.bucket}/k", credential=token("unprivileged"))
        assert error(answer) == DENIED
        assert "GRANT" in answer.json()["hint"]
    finally:
        service.sql("drop owned by unprivileged; drop role unprivileged")


def test_a_refused_write_leaves_nothing(service: Service, policies: Policies) -> None:
    with service.keeping_blobs():
        service.upload(f"{policies.bucket}/k", credential=CREDENTIAL)
        service.upload(f"{policies.bucket}/there", credential=CREDENTIAL, x_upsert="true")
    assert service.sql(f"select name, version = '1' from storage.objects where bucket_id = '{policies.bucket}'") == [
        ["there", False]
    ]


def test_policies_see_the_future_object(service: Service, policies: Policies) -> None:
    policies.allow(
        "insert",
        using="metadata ->> 'mimetype' = 'image/png' and (metadata ->> 'contentLength')::int < 10 "
        "and user_metadata ->> 'who' = 'me' and owner_id = auth.uid()::text",
    )
    who = base64.b64encode(json.dumps({"who": "me"}).encode()).decode()

    def upload(key: str, data: bytes, content_type: str, metadata: str) -> int:
        headers = {"content-type": content_type, "x-metadata": metadata}
        path = f"/object/{policies.bucket}/{key}"
        return service.post(path, CREDENTIAL, data=data, headers=headers).status_code

    assert upload("a", b"123", "image/png", who) == 200
    assert upload("b", b"123", "image/gif", who) == 400
    assert upload("c", bytes(10), "image/png", who) == 400
    assert upload("d", b"123", "image/png", "") == 400


def test_policies_see_the_operation(service: Service, policies: Policies) -> None:
    policies.allow("select", using="storage.allow_only_operation('object.list')")
    bucket = policies.bucket
    assert len(service.post(f"/object/list/{bucket}", CREDENTIAL, json={"prefix": ""}).json()) == 1
    assert error(service.get(f"/object/authenticated/{bucket}/there", CREDENTIAL)) == NO_OBJECT
    policies.allow("select", using="storage.allow_any_operation(array['storage.object.get_authenticated'])")
    assert service.get(f"/object/{bucket}/there", CREDENTIAL).status_code == 200


def test_policies_see_the_request(service: Service, policies: Policies) -> None:
    policies.allow(
        "select",
        using="current_setting('request.headers', true)::json ->> 'x-secret' = 'open' "
        "and current_setting('request.method', true) = 'GET' "
        "and auth.jwt() ->> 'team' = 'blue' and coalesce(current_setting('request.jwt', true), '') = '' "
        "and current_setting('request.headers')::json ->> 'authorization' is null",
    )
    path, blue = f"/object/{policies.bucket}/there", token(sub=USER, team="blue")
    assert service.get(path, blue, headers={"x-secret": "open"}).status_code == 200
    assert service.get(path, blue).status_code == 400
    assert service.get(path, token(sub=USER), headers={"x-secret": "open"}).status_code == 400


def test_folders_are_seen_through_their_objects(service: Service, policies: Policies) -> None:
    for key in ("mine/a", "theirs/b", "Mixed/1", "mixed/2"):
        service.upload(f"{policies.bucket}/{key}").raise_for_status()
    policies.allow("select", using="(storage.foldername(name))[1] = 'mine' or name = 'mixed/2'")
    body = {"prefix": ""}
    listed = service.post(f"/object/list/{policies.bucket}", CREDENTIAL, json=body).json()
    assert [each["name"] for each in listed] == ["mine", "mixed"]
    body = {"prefix": "", "with_delimiter": True}
    listed = service.post(f"/object/list-v2/{policies.bucket}", CREDENTIAL, json=body).json()
    assert [each["name"] for each in listed["folders"]] == ["mine/", "mixed/"]


def test_direct_deletes_are_guarded(service: Service, policies: Policies) -> None:
    with pytest.raises(Exception, match="Direct deletion from storage tables is not allowed"):
        service.sql("delete from storage.objects")


def test_a_row_cannot_be_pointed_at_the_bytes_of_another(service: Service, policies: Policies) -> None:
    policies.allow("select", "insert", "update", "delete", using="name <> 'there'")
    bucket = policies.bucket
    assert service.upload(f"{bucket}/mine", b"mine", CREDENTIAL).status_code == 200
    version = service.sql(f"select version from storage.objects where bucket_id = '{bucket}' and name = 'there'")[0][0]
    for attempt in (
        f"update storage.objects set version = '{version}' where bucket_id = '{bucket}' and name = 'mine'",
        f"insert into storage.objects (bucket_id, name, version) values ('{bucket}', 'more', '{version}')",
    ):
        with pytest.raises(DatabaseError, match="Only the storage API"):
            service.sql(f"begin; set local role authenticated; {attempt}; commit")
    assert service.get(f"/object/{bucket}/mine", CREDENTIAL).content == b"mine"


def test_triggers_see_whose_request_it_is(service: Service, policies: Policies) -> None:
    service.sql(
        "create table public.seen (uid text, role text);"
        "grant insert on public.seen to service_role;"
        "create function public.see() returns trigger language plpgsql as "
        "$$ begin insert into public.seen values (auth.uid()::text, current_user); return new; end $$;"
        "create trigger see after insert on storage.objects for each row when (new.name = 'watched') "
        "execute function public.see()"
    )
    try:
        service.upload(f"{policies.bucket}/watched", credential=token("service_role", sub=USER)).raise_for_status()
        assert service.sql("select uid, role from public.seen") == [[USER, "service_role"]]
    finally:
        service.sql("drop trigger see on storage.objects; drop function public.see(); drop table public.seen")


def test_bytes_that_a_trigger_refuses_are_deleted(service: Service, policies: Policies) -> None:
    """A write by service_role is not tried before its commit."""
    service.sql(
        "create function public.refuse() returns trigger language plpgsql as "
        "$$ begin raise insufficient_privilege using message = 'not this one'; end $$;"
        "create trigger refuse before insert on storage.objects for each row when (new.name = 'refused') "
        "execute function public.refuse()"
    )
    before = service.blobs()
    try:
        assert service.upload(f"{policies.bucket}/refused").json()["code"] == "AccessDenied"
        assert not service.blobs() - before
    finally:
        service.sql("drop trigger refuse on storage.objects; drop function public.refuse()")
