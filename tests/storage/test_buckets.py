"""Buckets over HTTP."""

from __future__ import annotations

import re

import pytest

from tests.storage.service import SERVICE, USER, Service, error, token, unique

NOT_FOUND = (400, "404", "NoSuchBucket", "Bucket not found")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def test_a_bucket_is_created_and_read(service: Service) -> None:
    name = unique("b")
    answer = service.post(
        "/bucket/", token("service_role", sub=USER), json={"name": name, "public": True, "file_size_limit": "1.5KB"}
    )
    assert (answer.status_code, answer.json()) == (200, {"name": name})
    assert answer.headers["content-type"] == "application/json; charset=utf-8"
    bucket = service.get(f"/bucket/{name}").json()
    assert list(bucket) == [
        "id", "name", "owner", "public", "file_size_limit", "allowed_mime_types", "created_at", "updated_at"
    ]  # fmt: skip
    assert (bucket["id"], bucket["owner"], bucket["public"], bucket["file_size_limit"]) == (name, USER, True, 1500)
    assert TIME.fullmatch(bucket["created_at"])
    head = service.request("HEAD", f"/bucket/{name}")
    assert (head.status_code, head.content) == (200, b"")


def test_a_bucket_without_owner_has_an_empty_one(service: Service) -> None:
    assert service.get(f"/bucket/{service.bucket()}").json()["owner"] == ""


@pytest.mark.parametrize(
    ("given", "kept"),
    [(None, None), (0, 0), (1000, 1000), ("2000", 2000), ("20mb", 20_000_000), ("1.2346KB", 1230), ("7B", 7)],
)
def test_size_limits_are_converted(service: Service, given: object, kept: int | None) -> None:
    name = service.bucket(file_size_limit=given)
    assert service.get(f"/bucket/{name}").json()["file_size_limit"] == kept


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"name": ""}, ("400", "InvalidBucketName", "Bucket name invalid")),
        ({"name": "a/b"}, ("400", "InvalidBucketName", "Bucket name invalid")),
        ({"name": "x" * 101}, ("400", "InvalidBucketName", "Bucket name invalid")),
        ({"name": " a"}, ("400", "InvalidBucketName", "Bucket name invalid")),
        ({"name": "bücket"}, ("400", "InvalidBucketName", "Bucket name invalid")),
        ({"name": "a--table-s3"}, ("400", "InvalidBucketName", "Bucket name invalid")),
        ({"name": "."}, ("400", "InvalidBucketName", "Bucket name invalid")),
        ({"name": ".."}, ("400", "InvalidBucketName", "Bucket name invalid")),
        ({"public": True}, ("400", "InvalidRequest", "body must have required property 'name'")),
        ({"name": "x", "public": "maybe"}, ("400", "InvalidRequest", "body/public must be boolean")),
        ({"name": "x", "allowed_mime_types": ["image"]},
         ("415", "InvalidMimeType", "mime type image is not supported")),
        ({"name": "x", "file_size_limit": "1TB"}, ("400", "InvalidParameter", "Invalid Parameter file_size_limit")),
        ({"name": "x", "file_size_limit": "900GB"},
         ("413", "EntityTooLarge", "The object exceeded the maximum allowed size")),
        ([], ("400", "InvalidRequest", "body must be object")),
    ],
)  # fmt: skip
def test_invalid_bodies_are_refused(service: Service, body: object, expected: tuple[str, str, str]) -> None:
    assert error(service.post("/bucket", json=body)) == (400, *expected)


def test_bodies_that_are_not_json_are_refused(service: Service) -> None:
    json_type = {"content-type": "application/json"}
    assert error(service.post("/bucket"))[2:] == ("InvalidRequest", "body must be object")
    assert service.post("/bucket", headers=json_type).json() == {
        "statusCode": "400",
        "error": "FastifyError",
        "message": "Body cannot be empty when content-type is set to 'application/json'",
        "code": "InvalidRequest",
    }
    assert error(service.post("/bucket", headers=json_type, data="{"))[3] == (
        "Body is not valid JSON but content-type is set to 'application/json'"
    )


def test_types_are_coerced(service: Service) -> None:
    number = int(unique("1")[1:], 16) % 10**9
    assert service.post("/bucket", json={"name": number, "public": "true"}).json() == {"name": str(number)}
    assert service.get(f"/bucket/{number}").json()["public"] is True


def test_duplicates_by_id_or_name_are_refused(service: Service) -> None:
    name = service.bucket()
    expected = (400, "409", "BucketAlreadyExists", "The resource already exists")
    assert error(service.post("/bucket", json={"name": name})) == expected
    assert error(service.post("/bucket", json={"name": name, "id": unique()})) == expected
    assert error(service.post("/bucket", json={"name": unique(), "id": name})) == expected


def test_a_bucket_is_updated(service: Service) -> None:
    name = service.bucket(file_size_limit=10, allowed_mime_types=["image/*", ""])
    before = service.get(f"/bucket/{name}").json()
    assert before["allowed_mime_types"] == ["image/*"]
    answer = service.put(f"/bucket/{name}", json={"id": name, "name": name, "public": True, "file_size_limit": None})
    assert answer.json() == {"message": "Successfully updated"}
    after = service.get(f"/bucket/{name}").json()
    assert (after["public"], after["file_size_limit"], after["allowed_mime_types"]) == (True, None, ["image/*"])
    assert after["updated_at"] >= before["updated_at"]
    assert after["created_at"] == before["created_at"]
    assert error(service.put(f"/bucket/{name}", json={}))[2] == "InvalidRequest"
    assert error(service.put(f"/bucket/{unique()}", json={"public": True})) == NOT_FOUND


def test_buckets_are_listed(service: Service) -> None:
    mark = unique("m")
    names = [f"{mark}-{end}" for end in ("b", "a%c", "A_d")]
    names = [name.replace("%", "+") for name in names]
    for name in names:
        service.post("/bucket", json={"name": name}).raise_for_status()

    def listed(**query: object) -> list[str]:
        return [bucket["name"] for bucket in service.get("/bucket", params={"search": mark, **query}).json()]

    assert sorted(listed()) == sorted(names)
    assert listed(sortColumn="created_at") == names
    assert listed(sortColumn="created_at", sortOrder="desc", limit=2) == names[::-1][:2]
    assert listed(sortColumn="created_at", offset=1, limit=1) == names[1:2]
    assert listed(search=f"{mark.upper()}-a_") == [names[2]]
    everything = service.get("/bucket", params={"search": mark}).json()
    assert list(everything[0])[4] == "type"
    assert everything[0]["type"] == "STANDARD"
    old = service.get("/bucket", params={"search": mark}, headers={"x-client-info": "supabase-py/2.9.0"}).json()
    assert "type" not in old[0]


def test_buckets_with_versions_have_their_status(service: Service) -> None:
    mark, old = unique("m"), {"x-client-info": "supabase-py/2.9.0"}

    def members(headers: dict[str, str]) -> list[object]:
        one = service.get(f"/bucket/{mark}", headers=headers).json()
        [listed] = service.get("/bucket", params={"search": mark}, headers=headers).json()
        return [one.get("versioning_status"), listed.get("versioning_status")]

    service.post("/bucket", json={"name": mark}).raise_for_status()
    assert members({}) == [None, None]
    for status in ("ENABLED", "SUSPENDED"):
        service.put(f"/bucket/{mark}", json={"versioning_status": status}).raise_for_status()
        assert members({}) == [status, status]
    assert members(old) == [None, None]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("limit=0", "querystring/limit must be >= 1"),
        ("offset=-1", "querystring/offset must be >= 0"),
        ("limit=1.5", "querystring/limit must be integer"),
        ("sortColumn=owner", "querystring/sortColumn must be equal to one of the allowed values"),
        ("sortOrder=up", "querystring/sortOrder must be equal to one of the allowed values"),
    ],
)
def test_invalid_queries_are_refused(service: Service, query: str, message: str) -> None:
    assert error(service.get(f"/bucket?{query}")) == (400, "400", "InvalidRequest", message)


def test_only_an_empty_bucket_is_deleted(service: Service) -> None:
    name = service.bucket()
    service.upload(f"{name}/k").raise_for_status()
    assert error(service.delete(f"/bucket/{name}", json={})) == (
        400, "409", "ResourceNotEmpty", "The bucket you tried to delete is not empty"
    )  # fmt: skip
    service.delete(f"/object/{name}/k").raise_for_status()
    assert service.delete(f"/bucket/{name}").json() == {"message": "Successfully deleted"}
    assert error(service.delete(f"/bucket/{name}")) == NOT_FOUND
    assert error(service.get(f"/bucket/{name}")) == NOT_FOUND


TEXT = {"headers": {"content-type": "text/plain;charset=UTF-8"}}
UNUSED_BODIES = [
    {"json": {}},
    {"headers": {"content-type": "application/json"}},
    {},
    # As storage-go sends, before and after it uploaded to a signed URL.
    {"json": "e30="},
    {**TEXT, "data": '"e30="'},
]


@pytest.mark.parametrize("body", UNUSED_BODIES)
def test_delete_ignores_its_body(service: Service, body: dict[str, object]) -> None:
    name = service.bucket()
    assert service.delete(f"/bucket/{name}", **body).json() == {"message": "Successfully deleted"}
    assert error(service.get(f"/bucket/{name}")) == NOT_FOUND


def test_malformed_bodies_of_deletions_are_refused(service: Service) -> None:
    name = service.bucket()
    invalid = service.delete(f"/bucket/{name}", headers={"content-type": "application/json"}, data="{")
    assert error(invalid)[3] == "Body is not valid JSON but content-type is set to 'application/json'"
    other = service.delete(f"/bucket/{name}", headers={"content-type": "text/csv"}, data="a")
    assert error(other)[3] == "Unsupported Media Type: text/csv"
    assert service.get(f"/bucket/{name}").status_code == 200


@pytest.mark.parametrize("body", UNUSED_BODIES)
def test_a_bucket_is_emptied(service: Service, body: dict[str, object]) -> None:
    name = service.bucket()
    for number in range(3):
        service.upload(f"{name}/folder/{number}").raise_for_status()
    for _ in range(2):
        answer = service.post(f"/bucket/{name}/empty", SERVICE, **body)
        assert answer.json() == {"message": "Empty bucket has been queued. Completion may take up to an hour."}
    assert service.post(f"/object/list/{name}", json={"prefix": ""}).json() == []


def test_only_the_service_role_may_empty_a_bucket(service: Service) -> None:
    name = service.bucket()
    assert error(service.post(f"/bucket/{name}/empty", token())) == (
        403, "403", "AccessDenied", "Access denied: Invalid role"
    )  # fmt: skip
    assert error(service.post(f"/bucket/{unique()}/empty")) == NOT_FOUND


def test_more_than_a_batch_is_emptied(service: Service) -> None:
    name = service.bucket()
    service.sql(
        f"insert into storage.objects (bucket_id, name, version) select '{name}', i::text, gen_random_uuid() "
        "from generate_series(1, 1201) i"
    )
    service.post(f"/bucket/{name}/empty").raise_for_status()
    assert service.sql(f"select count(*) from storage.objects where bucket_id = '{name}'") == [[0]]


def test_callers_without_rights_learn_nothing(service: Service) -> None:
    """To a caller without rights, a bucket with objects, an empty one and a missing one look the same."""
    full, empty = service.bucket(), service.bucket()
    service.upload(f"{full}/k").raise_for_status()
    for name in (full, empty, unique()):
        for credential in (token(sub=USER), token("anon")):
            assert error(service.get(f"/bucket/{name}", credential)) == NOT_FOUND
            assert error(service.put(f"/bucket/{name}", credential, json={"public": True})) == NOT_FOUND
            assert error(service.delete(f"/bucket/{name}", credential)) == NOT_FOUND
    assert service.get("/bucket", token()).json() == []
    answer = service.post("/bucket", token("anon"), json={"name": unique()})
    assert error(answer) == (400, "403", "AccessDenied", "new row violates row-level security policy")
    assert answer.json()["error"] == "Unauthorized"
    hint = answer.json()["hint"]
    assert "anon" in hint
    assert "INSERT" in hint
    assert "storage.buckets" in hint
    assert "no policy allows it" in hint
