"""Stored objects: what a browser may run, what a stranger may learn, and what a database user may destroy."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from pg8000.exceptions import DatabaseError

from bench.siege.client import ANON, token
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
        for route in (f"/object/public/{path}", f"/object/{path}", f"/object/authenticated/{path}"):
            answer = service.ask("GET", route)
            harmless = answer.status == 200 and _is_harmless(dict(answer.headers))
            tally.add(harmless, (route.split("/")[2], media_type, answer.status, dict(answer.headers)))
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
            ("POST", "/object/{}/{}", b"x"),
            ("PUT", "/object/{}/{}", b"x"),
            ("POST", "/object/upload/sign/{}/{}", None),
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
_AT_ONCE = 16
_OTHERS_WAIT_S = 2.0
_POLICY = "create policy owners on storage.objects for select to anon, authenticated using ({})"
_ROUTES = (
    ("/object/list/{}", {"prefix": "p/"}),
    ("/object/list/{}", {"prefix": "p", "search": "1"}),
    ("/object/list/{}", {"prefix": "p/", "sortBy": {"column": "created_at"}}),
    ("/object/list-v2/{}", {"prefix": "p/"}),
    ("/object/list-v2/{}", {"prefix": "p/", "with_delimiter": True, "sortBy": {"column": "updated_at"}}),
)


@contextmanager
def _hidden_objects(service: Besieged, policy: str) -> Iterator[str]:
    """A bucket of objects that the policy hides from everybody who asks."""
    bucket = service.bucket()
    service.sql(
        f"insert into storage.objects (bucket_id, name, version, owner_id) select '{bucket}', 'p/' || n, 'v', 'nobody'"
        f" from generate_series(1, {_HIDDEN}) n; analyze storage.objects; {_POLICY.format(policy)}"
    )
    yield bucket
    service.sql(
        "drop policy owners on storage.objects; set storage.allow_delete_query = 'true';"
        f" delete from storage.objects where bucket_id = '{bucket}'"
    )


def _listing_time(grounds: Grounds, _: float) -> Finding:
    """Compares listings of a prefix with many hidden objects with those of an empty prefix, and with a count in SQL."""
    service, tally = grounds.service, Tally()
    empty, longest = service.bucket(), 0.0
    with _hidden_objects(service, "owner_id = (select auth.jwt() ->> 'sub')") as full:
        for path, body in _ROUTES:
            many, none = (_best(service, path.format(bucket), body) for bucket in (full, empty))
            counted = _counting(service, full)
            longest = max(longest, many)
            tally.add(
                many < none * _TELLING + counted * _TELLING,
                f"{path}: {many * 1000:.0f} ms with {_HIDDEN} hidden objects, {none * 1000:.0f} ms with none;"
                f" counting those that are visible took {counted * 1000:.0f} ms",
            )
    return tally.finding(f"{longest * 1000:.0f} ms with {_HIDDEN} hidden objects")


def _best(service: Besieged, path: str, body: dict[str, Any]) -> float:
    return min(service.ask("POST", path, body, _STRANGER).seconds for _ in range(5))


def _counting(service: Besieged, bucket: str) -> float:
    """The time that PostgreSQL takes to apply the policies to all of them, once."""
    durations = []
    for _ in range(5):
        began = time.monotonic()
        counted = f"select count(*) from storage.objects where bucket_id = '{bucket}' and name collate \"C\" >= 'p/'"
        service.sql(f"begin; set local role authenticated; {counted}; rollback")
        durations.append(time.monotonic() - began)
    return min(durations)


def _long_listings(grounds: Grounds, _: float) -> Finding:
    """Many concurrent listings of objects that are expensive to hide: other requests are still answered."""
    service, tally, longest = grounds.service, Tally(), 0.0
    with _hidden_objects(service, "owner_id = auth.jwt() ->> 'sub' and md5(repeat(name, 50)) = ''") as bucket:
        for path, body in _ROUTES:
            listings = [
                threading.Thread(target=service.ask, args=("POST", path.format(bucket), body, ANON))
                for _ in range(_AT_ONCE)
            ]
            for listing in listings:
                listing.start()
            while any(listing.is_alive() for listing in listings):
                other = service.graphql("{ __typename itemCollection(first: 1) { edges { cursor } } }")
                longest = max(longest, other.seconds)
                tally.add(
                    other.status == 200 and other.seconds < _OTHERS_WAIT_S,
                    (path, body, other.status, f"somebody else waited {other.seconds:.1f} s"),
                )
    return tally.finding(f"{_AT_ONCE} listings at once; somebody else waited {longest:.2f} s at most")


def _database_user(grounds: Grounds, _: float) -> Finding:
    """SQL statements of a database user without rights on the storage."""
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
    Attack("hidden or not there", "callers do not learn whether hidden objects exist", _being_there),
    Attack(
        "the time of a listing",
        "hidden objects cost a listing little more than to count what is visible",
        _listing_time,
    ),
    Attack("long listings", "listings that take long do not make others wait", _long_listings),
    Attack("a database user and the bytes", "SQL without rights on the storage destroys no object", _database_user),
)
