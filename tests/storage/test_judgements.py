"""Only the permitted change is committed, even after other changes between the permission check and the commit."""

from __future__ import annotations

import base64
import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import requests

from app.hooks import hookimpl
from app.storage.bytes.backend import BlobMissing
from plugins.storage.file import FolderBackend
from tests.postgres_server import connect
from tests.process.running import PATIENCE_S, until
from tests.storage.gated import Gate, alone, waits_for_a_lock
from tests.storage.service import SERVICE, Service, error, token

A = token(sub="aaaaaaaa-0000-4000-8000-000000000000")
B = token(sub="bbbbbbbb-0000-4000-8000-000000000000")
REFUSED = (400, "403", "AccessDenied", "new row violates row-level security policy")
WHO_OWNS_MAY_REPLACE = """
    create policy a on storage.objects for select to authenticated using (true);
    create policy b on storage.objects for insert to authenticated with check (true);
    create policy c on storage.objects for update to authenticated using (owner_id = auth.uid()::text)
"""


@pytest.fixture
def owned(gated: tuple[Service, Gate]) -> tuple[Service, Gate, str]:
    """A bucket in which everybody may create objects, and owners may replace theirs."""
    service, gate = gated
    service.sql(WHO_OWNS_MAY_REPLACE)
    return service, gate, service.bucket()


@contextlib.contextmanager
def in_between(gate: Gate, request: Callable[[], requests.Response]) -> Iterator[list[requests.Response]]:
    """Run the block between the request's permission check and its commit; then the list has its response."""
    answers: list[requests.Response] = []
    with ThreadPoolExecutor(1) as pool, gate.hold():
        held = pool.submit(request)
        assert gate.reached.wait(PATIENCE_S)
        gate.holding = False
        yield answers
        gate.open.set()
        answers.append(held.result())


def create(service: Service, path: str, credential: str, content: bytes) -> None:
    alone(service, "POST", f"/object/{path}", credential, data=content)().raise_for_status()


def test_an_object_created_meanwhile_is_not_replaced(owned: tuple[Service, Gate, str]) -> None:
    service, gate, bucket = owned
    with in_between(gate, alone(service, "PUT", f"/object/{bucket}/k", A, data=b"A")) as answers:
        create(service, f"{bucket}/k", B, b"B")
    assert error(answers[0]) == REFUSED
    assert service.get(f"/object/{bucket}/k").content == b"B"
    assert len(service.blobs()) == 1


def test_an_object_that_changed_its_owner_meanwhile_is_not_replaced(owned: tuple[Service, Gate, str]) -> None:
    service, gate, bucket = owned
    path = f"/object/{bucket}/k"
    create(service, f"{bucket}/k", A, b"A")
    for headers in ({}, {"if-match": "*"}, {"if-match": '"7fc56270e7a70fa81a5935b72eacbe29"'}):
        service.sql("update storage.objects set owner_id = 'aaaaaaaa-0000-4000-8000-000000000000'")
        with in_between(gate, alone(service, "PUT", path, A, data=b"A", headers=headers)) as answers:
            service.sql("update storage.objects set owner_id = 'bbbbbbbb-0000-4000-8000-000000000000'")
        assert error(answers[0]) == REFUSED
        assert service.sql("select owner_id from storage.objects") == [["bbbbbbbb-0000-4000-8000-000000000000"]]
    assert len(service.blobs()) == 1


def test_a_copy_does_not_replace_an_object_created_meanwhile(owned: tuple[Service, Gate, str]) -> None:
    service, gate, bucket = owned
    create(service, f"{bucket}/a", A, b"A")
    body = {"bucketId": bucket, "sourceKey": "a", "destinationKey": "k"}
    with in_between(
        gate, alone(service, "POST", "/object/copy", A, json=body, headers={"x-upsert": "true"})
    ) as answers:
        create(service, f"{bucket}/k", B, b"B")
    assert error(answers[0]) == REFUSED
    assert service.get(f"/object/{bucket}/k").content == b"B"
    assert len(service.blobs()) == 2


def test_a_permitted_replacement_succeeds_after_concurrent_changes(owned: tuple[Service, Gate, str]) -> None:
    service, gate, bucket = owned
    for _ in range(2):
        with in_between(gate, alone(service, "PUT", f"/object/{bucket}/k", A, data=b"first")) as answers:
            alone(service, "PUT", f"/object/{bucket}/k", A, data=b"second")().raise_for_status()
        assert answers[0].status_code == 200
        assert service.get(f"/object/{bucket}/k").content == b"first"


def test_an_object_read_meanwhile_is_replaced(owned: tuple[Service, Gate, str]) -> None:
    service, gate, bucket = owned
    create(service, f"{bucket}/k", A, b"old")
    with in_between(gate, alone(service, "PUT", f"/object/{bucket}/k", A, data=b"new")) as answers:
        service.sql("update storage.objects set last_accessed_at = now()")
    assert answers[0].status_code == 200


def test_a_signed_upload_has_the_current_rights_of_its_signer(owned: tuple[Service, Gate, str]) -> None:
    service, _, bucket = owned
    path = f"{bucket}/k"
    url = service.post(f"/object/upload/sign/{path}", A, headers={"x-upsert": "true"}).json()["url"]
    create(service, path, B, b"B")
    assert error(service.put(url, None, data=b"A")) == REFUSED
    assert service.get(f"/object/{path}").content == b"B"


def test_a_signed_upload_is_checked_at_its_commit_too(owned: tuple[Service, Gate, str]) -> None:
    service, gate, bucket = owned
    url = service.post(f"/object/upload/sign/{bucket}/k", A, headers={"x-upsert": "true"}).json()["url"]
    with in_between(gate, lambda: requests.put(service.url + url, data=b"A", timeout=PATIENCE_S)) as answers:
        create(service, f"{bucket}/k", B, b"B")
    assert error(answers[0]) == REFUSED
    assert service.get(f"/object/{bucket}/k").content == b"B"


def test_the_claims_of_an_uploads_signer_are_not_readable(owned: tuple[Service, Gate, str]) -> None:
    service, _, bucket = owned
    service.sql(
        "create policy d on storage.objects as restrictive to authenticated using (auth.jwt() ->> 'team' = 'x')"
    )
    secret = "someone@example.org"
    team = token(sub="cccccccc-0000-4000-8000-000000000000", team="x", email=secret)
    answer = service.post(f"/object/upload/sign/{bucket}/k", team).json()
    payload = answer["token"].split(".")[1]
    assert secret.encode() not in base64.urlsafe_b64decode(payload + "===")
    assert service.put(answer["url"], None, data=b"x").status_code == 200


def test_a_move_must_meet_the_rules_of_the_new_bucket(own_service: Callable[..., Service]) -> None:
    """The object is replaced after the move was requested and before it is done."""
    service = own_service()
    source, target = service.bucket(), service.bucket(file_size_limit=1000, allowed_mime_types=["image/*"])
    service.upload(f"{source}/k", b"x", content_type="image/png").raise_for_status()
    body = {"bucketId": source, "sourceKey": "k", "destinationBucket": target, "destinationKey": "k"}
    with ThreadPoolExecutor(1) as pool, contextlib.closing(connect(service.database_url)) as other:
        other.run("begin")
        other.run("""update storage.objects set metadata = metadata || '{"size": 3000, "mimetype": "text/html"}'""")
        moving = pool.submit(alone(service, "POST", "/object/move", json=body))
        until(lambda: waits_for_a_lock(service) == 1)
        other.run("commit")
        answer = moving.result()
    assert error(answer)[2] == "EntityTooLarge"
    assert service.sql("select bucket_id from storage.objects") == [[source]]


def test_a_placeholder_cannot_take_a_refused_type(service: Service) -> None:
    bucket = service.bucket(allowed_mime_types=["image/*"])
    service.upload(f"{bucket}/.emptyFolderPlaceholder", b"", content_type="text/html").raise_for_status()
    body = {"bucketId": bucket, "sourceKey": ".emptyFolderPlaceholder", "destinationKey": "k.html"}
    assert error(service.post("/object/move", json=body))[2] == "InvalidMimeType"
    body["destinationKey"] = "a/.emptyFolderPlaceholder"
    assert service.post("/object/move", json=body).status_code == 200


class Overtaken(FolderBackend):
    """Before the bytes of an object are copied, the object is replaced and they are deleted, as often as requested."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.overtake: list[Callable[[], Any]] = []

    def copy(self, source: str, target: str) -> None:
        if self.overtake:
            self.overtake.pop()()
            raise BlobMissing
        super().copy(source, target)


class OvertakenPlugin:
    def __init__(self, root: Path) -> None:
        self.backend = Overtaken(root)

    @hookimpl
    def storage_backend(self, url: str) -> FolderBackend | None:
        return self.backend if url.startswith("overtaken:") else None


def test_a_retried_copy_meets_the_rules_of_the_bucket(own_service: Callable[..., Service], tmp_path: Path) -> None:
    plugin = OvertakenPlugin(tmp_path / "overtaken")
    service = own_service(plugins={"it": plugin}, storage_url="overtaken:")
    source, target = service.bucket(), service.bucket(file_size_limit=10)
    service.upload(f"{source}/k", b"x").raise_for_status()
    plugin.backend.overtake = [alone(service, "PUT", f"/object/{source}/k", data=bytes(100))]
    body = {"bucketId": source, "sourceKey": "k", "destinationBucket": target, "destinationKey": "k"}
    assert error(service.post("/object/copy", json=body))[2] == "EntityTooLarge"


def test_a_copy_of_an_often_replaced_object_ends(own_service: Callable[..., Service], tmp_path: Path) -> None:
    plugin = OvertakenPlugin(tmp_path / "overtaken")
    service = own_service(plugins={"it": plugin}, storage_url="overtaken:")
    bucket = service.bucket()
    service.upload(f"{bucket}/k", b"first").raise_for_status()
    plugin.backend.overtake = [alone(service, "PUT", f"/object/{bucket}/k", data=b"later")] * 3
    body = {"bucketId": bucket, "sourceKey": "k", "destinationKey": "copied"}
    service.post("/object/copy", json=body).raise_for_status()
    assert service.get(f"/object/{bucket}/copied").content == b"later"


@pytest.mark.parametrize("method", ["replace", "move"])
def test_an_anonymous_write_keeps_the_owner(service: Service, method: str) -> None:
    """A service key has no subject, so objects that it replaces or moves keep their owner."""
    bucket, owner = service.bucket(), "aaaaaaaa-0000-4000-8000-000000000000"
    service.upload(f"{bucket}/k", credential=token("service_role", sub=owner)).raise_for_status()
    if method == "replace":
        service.put(f"/object/{bucket}/k", data=b"new").raise_for_status()
    else:
        body = {"bucketId": bucket, "sourceKey": "k", "destinationKey": "moved"}
        service.post("/object/move", json=body).raise_for_status()
    rows = service.sql(f"select owner::text, owner_id from storage.objects where bucket_id = '{bucket}'")
    assert rows == [[owner, owner]]
    service.put(f"/object/{bucket}/k", token("service_role", sub="no uuid"), data=b"new").raise_for_status()
    rows = service.sql(f"select owner, owner_id from storage.objects where bucket_id = '{bucket}' and name = 'k'")
    assert rows == [[None, "no uuid"]]


@pytest.mark.parametrize(
    "hindrance",
    [
        """
        alter role service_role nobypassrls;
        create policy all_buckets on storage.buckets to service_role using (true);
        create policy all_work on storage.work to service_role using (true);
        create policy read on storage.objects for select to service_role using (true);
        create policy write on storage.objects for insert to service_role with check (true)
        """,
        """
        create function public.skip() returns trigger language plpgsql as 'begin return null; end';
        create trigger skip before update on storage.objects for each row execute function public.skip()
        """,
    ],
    ids=["policy", "trigger"],
)
@pytest.mark.parametrize("credential", [SERVICE, A], ids=["service_role", "authenticated"])
def test_an_update_that_the_database_skips_is_refused_at_once(
    own_service: Callable[..., Service], hindrance: str, credential: str
) -> None:
    service = own_service()
    bucket = service.bucket()
    service.sql(WHO_OWNS_MAY_REPLACE)
    create(service, f"{bucket}/k", A, b"old")
    try:
        service.sql(hindrance)
        # A connection may keep a plan that was made before the role changed.
        service.sql(
            "select pg_terminate_backend(pid) from pg_stat_activity "
            "where pid <> pg_backend_pid() and datname = current_database()"
        )
        answer = service.put(f"/object/{bucket}/k", credential, data=b"new")
    finally:
        service.sql("alter role service_role bypassrls")
    assert error(answer) == REFUSED
    assert answer.json()["hint"] == (
        "The role service_role may not UPDATE on storage.objects: no policy allows it, or a trigger skips the row."
    )
    assert service.get(f"/object/{bucket}/k").content == b"old"
    assert len(service.blobs()) == 1


@pytest.mark.parametrize("method", ["POST", "PUT"])
@pytest.mark.parametrize("credential", [SERVICE, A], ids=["service_role", "authenticated"])
def test_an_insert_that_a_trigger_skips_is_refused(
    own_service: Callable[..., Service], credential: str, method: str
) -> None:
    service = own_service()
    bucket = service.bucket()
    service.sql(WHO_OWNS_MAY_REPLACE)
    service.sql(
        "create function public.skip() returns trigger language plpgsql as 'begin return null; end';"
        "create trigger skip before insert on storage.objects for each row execute function public.skip()"
    )
    answer = service.request(method, f"/object/{bucket}/k", credential, data=b"new")
    assert error(answer) == REFUSED
    assert answer.json()["hint"] == "The role service_role may not INSERT on storage.objects: a trigger skips the row."
    assert service.blobs() == set()


@pytest.mark.parametrize(
    ("method", "answered"),
    [
        ("PUT", REFUSED),
        ("POST", (400, "409", "KeyAlreadyExists", "The resource already exists")),
    ],
)
@pytest.mark.parametrize("credential", [SERVICE, A], ids=["service_role", "authenticated"])
def test_an_object_that_service_role_does_not_see_is_not_written(
    own_service: Callable[..., Service], credential: str, method: str, answered: tuple[int, str, str, str]
) -> None:
    """Without BYPASSRLS policies hold for service_role, too."""
    service = own_service()
    bucket = service.bucket()
    service.sql(WHO_OWNS_MAY_REPLACE)
    create(service, f"{bucket}/k", A, b"old")
    ((identifier, version),) = service.sql("select id, version from storage.objects")
    hide = f"""
        alter role service_role nobypassrls;
        create policy all_buckets on storage.buckets to service_role using (true);
        create policy all_work on storage.work to service_role using (true);
        create policy most_objects on storage.objects to service_role using (id <> '{identifier}') with check (true)
    """
    try:
        service.sql(hide)
        service.sql(
            "select pg_terminate_backend(pid) from pg_stat_activity "
            "where pid <> pg_backend_pid() and datname = current_database()"
        )
        answer = service.request(method, f"/object/{bucket}/k", credential, data=b"new")
    finally:
        service.sql("alter role service_role bypassrls")
    assert error(answer) == answered
    if method == "PUT":
        assert answer.json()["hint"] == (
            "The role service_role may not INSERT, UPDATE or SELECT on storage.objects: no policy allows it."
        )
    assert service.sql("select version from storage.objects") == [[version]]
    assert len(service.blobs()) == 1
