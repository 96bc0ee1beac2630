"""Foreign functions in the schema public are never called by the service's SQL, however well they fit."""

from __future__ import annotations

from collections.abc import Callable

from tests.storage.service import Service

TEXT_ARRAY = "text[]"
FITTING = (
    ("num_nulls(text)", "int"), ("num_nulls(text, text)", "int"), ("num_nulls(text, text, text)", "int"),
    ("to_json(text)", "json"), (f"to_json({TEXT_ARRAY})", "json"), ("to_json(uuid)", "json"),
    (f"unnest({TEXT_ARRAY})", "setof text"), (f"cardinality({TEXT_ARRAY})", "int"),
    ("json_build_array(text, text)", "json"), ("jsonb_build_object(text, text)", "jsonb"),
)  # fmt: skip
AGGREGATES = """
create function public.first_of(text[], text) returns text[] language sql as 'select null::text[]';
create aggregate public.array_agg(text) (sfunc = public.first_of, stype = text[]);
create function public.none_of(json, json) returns json language sql as 'select null::json';
create aggregate public.json_agg(json) (sfunc = public.none_of, stype = json);
"""


def test_no_hostile_function_is_called(own_service: Callable[..., Service]) -> None:
    service = own_service()
    for call, result in FITTING:
        body = "language plpgsql as $$ begin raise 'called'; end $$"
        service.sql(f"create function public.{call} returns {result} {body}")
    service.sql(AGGREGATES)
    bucket = service.bucket(allowed_mime_types=["text/plain"])
    for key in ("a/b", "a/c", "d"):
        service.upload(f"{bucket}/{key}", content_type="text/plain").raise_for_status()
    assert service.get(f"/object/{bucket}/d").content == b"content"
    assert service.get(f"/object/info/{bucket}/d").json()["name"] == "d"
    assert bucket in [each["name"] for each in service.get("/bucket").json()]
    listed = service.post(f"/object/list/{bucket}", json={"prefix": ""}).json()
    assert [each["name"] for each in listed] == ["a", "d"]
    found = service.post(f"/object/list-v2/{bucket}", json={"prefix": "a/"}).json()["objects"]
    assert [each["name"] for each in found] == ["a/b", "a/c"]
    service.delete(f"/object/{bucket}", json={"prefixes": ["a/b", "d"]}).raise_for_status()
    assert service.get(f"/object/{bucket}/d").status_code == 400
