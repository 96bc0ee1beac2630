"""Listings of much that the caller may not see: what they give, what they read, and how many may take long."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import requests

from app.storage.names import BEYOND, ranges_in_any_case, successor
from app.storage.sql import Direction
from app.storage.sql_listing import ListedLevel, seen
from tests.process.running import PATIENCE_S, until
from tests.storage.service import ANON, SERVICE, Service, error, token
from tests.storage.test_listing import list_v1, names, names_v2, quoted, rows_read

ME = token(sub="me")
SEEN = [
    "a/1", "A/2", "a/b/3", "B/x", "b.txt", "c", "k/one/1", "K/One/2", "k/two", "z/1", "same", "same/child", "m m",
    "m/", "Mm",
]  # fmt: skip
HIDDEN = [f"{folder}{number}" for folder in ("", "a/", "A/h/", "b/", "k/", "z/", "zz/") for number in range(100, 140)]


@pytest.fixture(scope="module")
def twins(service: Service) -> Iterator[tuple[str, str]]:
    """A bucket of which the user sees some objects, and a bucket that has no others."""
    full, visible = service.bucket(), service.bucket()
    for bucket, keys, owner in ((full, HIDDEN, "somebody"), (full, SEEN, "me"), (visible, SEEN, "me")):
        rows = ", ".join(
            f"('{bucket}', '{key}', gen_random_uuid(), '{owner}', timestamptz '2026-01-01' + {n} * interval '1 minute')"
            for n, key in enumerate(keys)
        )
        service.sql(f"insert into storage.objects (bucket_id, name, version, owner_id, created_at) values {rows}")
    service.sql(f"update storage.objects set updated_at = created_at where bucket_id in ('{full}', '{visible}')")
    mine = f"owner_id = auth.jwt() ->> 'sub' and bucket_id = '{full}'"
    service.sql(f"create policy twins on storage.objects for select to authenticated using ({mine})")
    yield full, visible
    service.sql("drop policy twins on storage.objects")


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("column", ["name", "created_at"])
@pytest.mark.parametrize("prefix", ["", "a", "K", "k/one", "m", "zz", "none"])
def test_v1_lists_visible_objects(
    service: Service, twins: tuple[str, str], prefix: str, column: str, order: str
) -> None:
    full, visible = twins
    body: dict[str, Any] = {"prefix": prefix, "sortBy": {"column": column, "order": order}}
    for page in ({"limit": 1}, {"limit": 3, "offset": 2}, {"limit": 1000}):
        found = names(list_v1(service, full, ME, **body, **page))
        assert found == names(list_v1(service, visible, SERVICE, **body, **page))


@pytest.mark.parametrize("delimited", [False, True])
@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("column", ["name", "created_at"])
@pytest.mark.parametrize("prefix", ["", "a", "k/", "m", "zz/", "none"])
def test_v2_lists_visible_objects(
    service: Service, twins: tuple[str, str], prefix: str, column: str, order: str, delimited: bool
) -> None:
    def pages(bucket: str, credential: str) -> list[list[str]]:
        body: dict[str, Any] = {"prefix": prefix, "with_delimiter": delimited, "limit": 2}
        body["sortBy"] = {"column": column, "order": order}
        found = []
        for _ in SEEN:
            page = service.post(f"/object/list-v2/{bucket}", credential, json=body).json()
            found.append(names_v2(page))
            if not page["hasNext"]:
                break
            body["cursor"] = page["nextCursor"]
        return found

    full, visible = twins
    assert pages(full, ME) == pages(visible, SERVICE)


@pytest.fixture(scope="module")
def hidden(service: Service) -> str:
    """A bucket of 20,000 objects: 200 in one folder, the others in another."""
    bucket = service.bucket()
    service.sql(
        "insert into storage.objects (bucket_id, name, version, owner_id) select "
        f"'{bucket}', case when i <= 200 then 'small/' else 'large/' end || i, gen_random_uuid(), 'somebody' "
        "from generate_series(1, 20000) i; analyze storage.objects"
    )
    return bucket


def array(values: list[str]) -> str:
    return quoted("{" + ",".join(f'"{value}"' for value in values) + "}")


def read_of(service: Service, bucket: str, prefix: str, role: str, *, folded: bool, order: Direction = "asc") -> int:
    """How many rows PostgreSQL touches to find out what the caller sees."""
    lower, upper = prefix, successor(prefix) or BEYOND
    ranges = ranges_in_any_case(prefix) if folded else [(lower, upper)]
    statement = seen(ListedLevel(folded, order, delimited=True))
    bounds = [quoted(lower if order == "asc" else upper), quoted(lower), quoted(upper), str(len(prefix))]
    read, rows = rows_read(
        service, statement, [quoted(bucket), *bounds, *(array(list(each)) for each in zip(*ranges, strict=True))], role
    )
    assert rows[0][0] == 0
    return read


@pytest.mark.parametrize("folded", [True, False])
def test_nothing_is_read_without_a_policy(service: Service, hidden: str, folded: bool) -> None:
    """Where no policy can show anything PostgreSQL looks at nothing."""
    if int(service.sql("show server_version_num")[0][0]) < 180000:
        pytest.skip("older servers read the rows of any table before they find that no policy shows them")
    assert read_of(service, hidden, "", "anon", folded=folded) == 0


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("folded", [True, False])
def test_policies_are_applied_to_requested_rows_only(
    service: Service, hidden: str, folded: bool, order: Direction
) -> None:
    """The 200 objects below a prefix, by an index, and not the 20,000 of the bucket."""
    service.sql("create policy mine on storage.objects for select to anon using (owner_id = 'me')")
    try:
        # PostgreSQL reports rows of each range, rounded.
        assert 100 <= read_of(service, hidden, "small/", "anon", folded=folded, order=order) <= 300
    finally:
        service.sql("drop policy mine on storage.objects")


@pytest.mark.parametrize("prefix", ["", "a", "p/", "photos/2026/", "0123456789", "kit kat/", "größe/", "images"])
def test_ranges_work_in_every_order_and_spelling(prefix: str) -> None:
    ranges = ranges_in_any_case(prefix)
    assert len(ranges) <= 64
    assert all(before[1] <= after[0] for before, after in itertools.pairwise(sorted(ranges)))
    kinds = {
        prefix, prefix.upper(), prefix.title(), prefix[:1] + prefix[1:].upper(), prefix[:-1] + prefix[-1:].upper(),
        prefix.replace("i", "\u0130"), prefix.replace("k", "\u212a"),
    }  # fmt: skip
    for spelling, rest in itertools.product(kinds, ("", "a", "\uffee", "/x")):
        assert sum(lower <= spelling + rest < upper for lower, upper in ranges) == 1


@pytest.fixture
def slow(own_service: Callable[..., Service]) -> tuple[Service, str]:
    """A service of four threads on which anon's policy takes 20 ms for a row, and a bucket of 200 hidden objects."""
    service = own_service(threads=4, statement_timeout_ms=2000)
    bucket = service.bucket()
    service.sql(
        f"insert into storage.objects (bucket_id, name, version) select '{bucket}', 'p/' || n, gen_random_uuid() "
        "from generate_series(1, 200) n;"
        "create policy slow on storage.objects for select to anon using (pg_sleep(0.02) is null)"
    )
    return service, bucket


def listed(service: Service, bucket: str, credential: str, version: str) -> requests.Response:
    """On its own connection: a session belongs to one thread."""
    url, headers = f"{service.url}/object/{version}/{bucket}", {"authorization": f"Bearer {credential}"}
    with requests.Session() as session:
        return session.post(url, json={"prefix": "p/"}, headers=headers, timeout=PATIENCE_S)


@pytest.mark.parametrize("version", ["list", "list-v2"])
def test_few_slow_listings_of_a_role_run_at_once(slow: tuple[Service, str], version: str) -> None:
    """A role may run one long listing at a time. Other roles and other requests do not wait for it."""
    service, bucket = slow
    with ThreadPoolExecutor(1) as pool:
        long = pool.submit(listed, service, bucket, ANON, version)
        until(lambda: service.application.services.storage.long_reads.taken("anon"))
        answer = listed(service, bucket, ANON, version)
        assert error(answer) == (503, "503", "SlowDown", "Too many long listings are running")
        assert answer.headers["retry-after"] == "1"
        assert listed(service, bucket, token(), version).status_code == 200
        # All its statements together have the time of one.
        assert error(long.result())[:3] == (544, "544", "DatabaseTimeout")
    assert not service.application.services.storage.long_reads.taken("anon")


def test_slow_listings_leave_half_of_the_threads(slow: tuple[Service, str]) -> None:
    service, bucket = slow
    long_reads = service.application.services.storage.long_reads
    roles = ["anon", "authenticated", "long_reader"]
    service.sql("create role long_reader; grant long_reader to anon; grant usage on schema storage to long_reader")
    service.sql("grant select on storage.objects, storage.buckets to long_reader")
    service.sql("alter policy slow on storage.objects to anon, authenticated, long_reader")
    try:
        with ThreadPoolExecutor(2) as pool:
            long = [pool.submit(listed, service, bucket, token(role), "list") for role in roles[:2]]
            until(lambda: all(map(long_reads.taken, roles[:2])))
            answer = listed(service, bucket, token(roles[2]), "list")
        assert error(answer) == (503, "503", "SlowDown", "Too many long listings are running")
        assert [error(each.result())[1] for each in long] == ["544", "544"]
    finally:
        service.sql("drop owned by long_reader; drop role long_reader")


def test_slow_listings_of_the_service_role_are_not_limited(slow: tuple[Service, str]) -> None:
    """Nothing is hidden from it: a slow listing is what it requested."""
    service, bucket = slow
    service.sql("alter role service_role nobypassrls")
    service.sql(
        "create policy all_slow on storage.objects for select to service_role using (pg_sleep(0.002) is not null)"
    )
    try:
        with ThreadPoolExecutor(3) as pool:
            answers = [pool.submit(listed, service, bucket, SERVICE, "list") for _ in range(3)]
        assert [len(each.result().json()) for each in answers] == [100, 100, 100]
    finally:
        service.sql("alter role service_role bypassrls")
