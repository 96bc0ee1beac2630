"""Versions of objects: callers who may see the current one try to read, restore and delete older ones."""

from __future__ import annotations

import json
from collections.abc import Iterator

from bench.siege.client import Answer, token
from bench.siege.finding import Attack, Finding, Tally
from bench.siege.grounds import Besieged, Grounds
from bench.siege.signing import ask_s3

_SECRET = b"what the object was before"


def _bucket(service: Besieged) -> tuple[str, str, str]:
    """A bucket whose objects anyone may see, read and write, and whose versions no one may; with the ids of an older
    version of ``k`` and of the delete marker of ``gone``."""
    bucket = service.bucket(public=True, versioning_status="ENABLED")
    for key, contents in (("k", (_SECRET, b"now")), ("gone", (_SECRET,))):
        for content in contents:
            service.ask("PUT", f"/object/{bucket}/{key}", content)
    service.ask("DELETE", f"/object/{bucket}/gone")
    service.sql(f"""
        create policy "all {bucket}" on storage.objects to anon, authenticated using (bucket_id = '{bucket}');
        create policy "all {bucket}" on storage.buckets for select to anon, authenticated using (id = '{bucket}')
    """)
    rows = service.sql(f"select name, version_id, is_delete_marker from storage.versions where bucket_id = '{bucket}'")
    [older] = [version for name, version, _ in rows if name == "k"]
    [marker] = [version for _, version, is_marker in rows if is_marker]
    return bucket, older, marker


def _requests(service: Besieged, bucket: str, older: str, marker: str, caller: str) -> Iterator[tuple[str, Answer]]:
    """Requests for what is hidden, with their names."""
    for path in (
        "object",
        "object/authenticated",
        "object/public",
        "object/info",
        "object/info/public",
        "render/image/public",
    ):
        for version in (older, "null", f"{older}%00", f"{older}'--"):
            yield path, service.ask("GET", f"/{path}/{bucket}/k?versionId={version}", None, caller)
    copied = {"bucketId": bucket, "sourceKey": "k", "destinationKey": "mine", "sourceVersionId": older}
    yield "restore", service.ask("POST", "/object/copy", copied, caller)
    yield "sign", service.ask("POST", f"/object/sign/{bucket}/k", {"expiresIn": 60, "versionId": older}, caller)
    yield "list", service.ask("POST", f"/object/list-v2/{bucket}", {"noncurrentVersions": "only"}, caller)
    yield "trash", service.ask("POST", f"/object/list-v2/{bucket}", {"deleteMarkers": "only"}, caller)
    for version in (older, marker):
        for key in ("k", "gone"):
            yield "purge", service.ask("DELETE", f"/object/{bucket}/{key}?versionId={version}", None, caller)
    for query in (f"versionId={older}", f"attributes&versionId={older}", f"tagging&versionId={older}"):
        attributes = {"x-amz-object-attributes": "ETag,ObjectSize"}
        yield query, ask_s3(service, "GET", f"/{bucket}/k?{query}", None, caller, attributes)
        yield query, service.ask("GET", f"/s3/{bucket}/k?{query}", None, None)
    yield "S3 list", ask_s3(service, "GET", f"/{bucket}?versions", None, caller)
    source = {"x-amz-copy-source": f"{bucket}/k?versionId={older}"}
    yield "S3 restore", ask_s3(service, "PUT", f"/{bucket}/mine", None, caller, source)
    yield "S3 undelete", ask_s3(service, "DELETE", f"/{bucket}/gone?versionId={marker}", None, caller)
    yield "S3 tags", ask_s3(service, "DELETE", f"/{bucket}/k?tagging&versionId={older}", None, caller)
    status = b"<VersioningConfiguration><Status>Suspended</Status></VersioningConfiguration>"
    yield "S3 suspend", ask_s3(service, "PUT", f"/{bucket}?versioning", status, caller)


def _hidden_versions(grounds: Grounds, _: float) -> Finding:
    """Each way to a version, as callers who may do anything with objects and nothing with versions."""
    service, tally = grounds.service, Tally()
    bucket, older, marker = _bucket(service)
    state = f"""
        select (select versioning_status from storage.buckets where id = '{bucket}'),
               (select json_agg(v order by v.number)::text from storage.versions v where bucket_id = '{bucket}')"""
    before = service.sql(state)
    for caller in (token("anon"), token("authenticated", sub="mallory")):
        for name, answer in _requests(service, bucket, older, marker, caller):
            shown = _SECRET in answer.body or older.encode() in answer.body.partition(b"<Resource>")[0]
            tally.add(not shown, (name, answer.status, answer.body))
            listed = json.loads(answer.body)["objects"] if name in ("list", "trash") and answer.status == 200 else []
            tally.add(not listed, (name, answer.body))
    tally.add(service.sql(state) == before, "versions were changed")
    found = service.ask("GET", f"/object/{bucket}/gone")
    tally.add(found.status == 400, ("the deleted object came back", found.status))
    right = service.ask("GET", f"/object/{bucket}/k?versionId={older}")
    tally.add(right.body == _SECRET, ("the service reads it", right.status, right.body))
    return tally.finding()


ATTACKS = (
    Attack(
        "hidden versions", "policies decide who reads, restores and deletes versions of an object", _hidden_versions
    ),
)
