"""Stored objects: what a browser may run, what a stranger may learn, and what a database user may destroy."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

from pg8000.exceptions import DatabaseError

from bench.siege.client import token
from bench.siege.finding import Attack, Finding, Tally
from bench.siege.grounds import Besieged, Grounds

_PAGE = b'<html xmlns="http://www.w3.org/1999/xhtml"><script>document.title="run"</script></html>'
_MEDIA_TYPES = (
    "text/html", "TEXT/HTML", "text/html; charset=utf-8", "application/xhtml+xml", "image/svg+xml", "text/xml",
    "application/xml", "application/pdf;, application/xhtml+xml", "application/pdf, text/html", "image/png", "", "x",
    "application/pdf; a=b, image/svg+xml", "text/plain,text/html", "application/rdf+xml", "application/mathml+xml",
    "text/xsl", "multipart/x-mixed-replace", "text/html\t", "application/pdf\ttext/html", "application/pdfx",
    "application/pdf;text/html", "*/*", "text/cache-manifest", "application/x-shockwave-flash",
)  # fmt: skip


def _is_harmless(headers: dict[str, str]) -> bool:
    if headers.get("x-content-type-options") != "nosniff" or "," in headers.get("content-type", ""):
        return False
    kept_apart = "sandbox" in headers.get("content-security-policy", "")
    pdf = headers.get("content-type", "").split(";")[0].strip().lower() == "application/pdf"
    return kept_apart or pdf or headers.get("content-disposition", "").startswith("attachment")


def _stored_pages(grounds: Grounds, _: float) -> Finding:
    service, tally = grounds.service, Tally()
    bucket = service.bucket(public=True)
    for number, media_type in enumerate(_MEDIA_TYPES):
        path = f"{bucket}/page{number}"
        written = service.ask("POST", f"/object/{path}", _PAGE, Content_Type=media_type)
        tally.add(written.status < 500, ("upload", media_type, written.status, written.body))
        if written.status != 200:
            continue
        for door in (f"/object/public/{path}", f"/object/{path}", f"/object/authenticated/{path}"):
            answer = service.ask("GET", door)
            harmless = answer.status == 200 and _is_harmless(dict(answer.headers))
            tally.add(harmless, (door.split("/")[2], media_type, answer.status, dict(answer.headers)))
    return tally.finding()


_STRANGER = token("authenticated", sub="stranger")


def _being_there(grounds: Grounds, _: float) -> Finding:
    """The same request for what is hidden and for what is not there is answered in the same words."""
    service, tally = grounds.service, Tally()
    hidden, limited = service.bucket(), service.bucket(file_size_limit=10, allowed_mime_types=["image/png"])
    service.ask("POST", f"/object/{hidden}/there", b"x")
    service.sql("create policy readers on storage.objects for select to authenticated using (owner_id = 'nobody')")
    pairs: list[tuple[str, str, str, str, str, str, Any]] = [
        (method, path, hidden, "there", hidden, "none", body)
        for method, path, body in (
            ("GET", "/object/{}/{}", None),
            ("GET", "/object/authenticated/{}/{}", None),
            ("HEAD", "/object/{}/{}", None),
            ("GET", "/object/info/authenticated/{}/{}", None),
            ("DELETE", "/object/{}/{}", None),
            ("POST", "/object/sign/{}/{}", {"expiresIn": 9}),
        )
    ]
    pairs += [
        (method, path, bucket, "k", "nosuchbucket", "k", body)
        for bucket in (hidden, limited)
        for method, path, body in (
            ("GET", "/object/{}/{}", None),
            ("GET", "/object/public/{}/{}", None),
            ("POST", "/object/{}/{}", b"x"),
            ("PUT", "/object/{}/{}", b"a body of more than ten bytes"),
            ("DELETE", "/object/{}/{}", None),
            ("POST", "/object/upload/sign/{}/{}", None),
            ("POST", "/object/list/{}?{}", {"prefix": ""}),
            ("GET", "/bucket/{}?{}", None),
            ("POST", "/bucket/{}/empty?{}", {}),
            ("DELETE", "/bucket/{}?{}", None),
        )
    ]
    for method, path, bucket, key, other_bucket, other_key, body in pairs:
        one = service.ask(method, path.format(bucket, key), body, _STRANGER)
        other = service.ask(method, path.format(other_bucket, other_key), body, _STRANGER)
        tally.add(
            (one.status, one.body) == (other.status, other.body),
            (method, path, one.status, one.body, other.status, other.body),
        )
    service.sql("drop policy readers on storage.objects")
    return tally.finding()


_HIDDEN = 50_000
_TELLING = 4.0


def _listing_time(grounds: Grounds, _: float) -> Finding:
    """The best of a few listings of a prefix with many hidden objects, beside that of an empty one."""
    service, tally = grounds.service, Tally()
    full, empty = service.bucket(), service.bucket()
    service.sql(
        f"insert into storage.objects (bucket_id, name, version, owner_id) select '{full}', 'p/' || n, 'v', 'nobody'"
        f" from generate_series(1, {_HIDDEN}) n; analyze storage.objects;"
        "create policy owners on storage.objects for select to authenticated using (owner_id = auth.jwt() ->> 'sub')"
    )
    for path, body in (("/object/list/{}", {"prefix": "p/"}), ("/object/list-v2/{}", {"prefix": "p/"})):
        many, none = (_best(service, path.format(bucket), body) for bucket in (full, empty))
        tally.add(
            many < none * _TELLING + 0.02,
            f"{path}: {many * 1000:.0f} ms with {_HIDDEN} hidden objects, {none * 1000:.0f} ms with none",
        )
    service.sql(
        "drop policy owners on storage.objects; set storage.allow_delete_query = 'true';"
        f" delete from storage.objects where bucket_id = '{full}'"
    )
    return tally.finding()


def _best(service: Besieged, path: str, body: dict[str, str]) -> float:
    return min(service.ask("POST", path, body, _STRANGER).seconds for _ in range(5))


def _database_user(grounds: Grounds, _: float) -> Finding:
    """What a database user without rights on the storage does in SQL."""
    service, tally = grounds.service, Tally()
    bucket = service.bucket()
    service.ask("POST", f"/object/{bucket}/k", b"kept")
    version = service.sql(f"select version from storage.objects where bucket_id = '{bucket}'")[0][0]
    steal = f"""create schema if not exists attic; grant all on schema attic to authenticated; set role authenticated;
        create table attic.mine (bucket_id text, name text, version text, like_id uuid);
        create trigger t after delete on attic.mine referencing old table as old_rows
          for each statement execute function storage.list_replaced_blob();
        insert into attic.mine values ('{bucket}', 'k', '{version}'); delete from attic.mine"""
    direct = f"set role authenticated; delete from storage.objects where bucket_id = '{bucket}'"
    definers = service.sql(
        "select p.oid::regprocedure::text from pg_proc p join pg_namespace n on n.oid = pronamespace where prosecdef"
        " and n.nspname in ('storage', 'graphql', 'auth') and has_function_privilege('authenticated', p.oid, 'execute')"
    )
    tally.add(definers == [], f"functions with their owner's rights that anybody may execute: {definers}")
    for statements in (steal, direct):
        with suppress(DatabaseError):
            service.sql(statements)
        queued = service.sql(f"select count(*) from storage.work where version = '{version}'")
        tally.add(queued == [[0]], ("queued for deletion", statements))
    time.sleep(0.5)
    tally.add(service.ask("GET", f"/object/{bucket}/k").body == b"kept", "the bytes are gone")
    return tally.finding()


ATTACKS = (
    Attack("pages among stored objects", "no stored object runs scripts in the service's origin", _stored_pages),
    Attack("hidden or not there", "nobody is told whether what is hidden from them exists", _being_there),
    Attack("the time of a listing", "a listing's time does not tell how much is hidden", _listing_time),
    Attack("a database user and the bytes", "SQL without rights on the storage destroys no object", _database_user),
)
