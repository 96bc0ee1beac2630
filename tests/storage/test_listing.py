"""Both listings over HTTP, compared with a plain program over all keys."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from pg8000.exceptions import DatabaseError

from app.database import Statement
from app.faces.rest.listing_v2 import page_v2
from app.faces.rest.projections import ENTRY
from app.installation.scripts import install_script
from app.installation.version import VERSION
from app.storage.names import BEYOND, successor
from app.storage.sql import Direction
from app.storage.sql_listing import ListedLevel, walk, walk_with_page
from app.storage.sql_pages import PageByOffset, page_of_visible
from tests.postgres_server import PostgresServer, connect
from tests.storage.service import SERVICE, Service, error, running, token, unique

# Names that sort in surprising ways: around the slash, by case, beyond ASCII's letters.
KEYS = [
    "a", "a/", "a/x", "a/y/z", "a b", "a-b", "a.txt", "a0", "A", "A/x", "B.txt", "b.txt", "b/1", "b/2", "b/3/4", "c",
    "C/d/e", "c/D/f", "d//e", "d//f", "d/g", "z/z", "zz", "_", "!", "same", "same/child", "e!x", "e'x", "e(x",
    "e@x", "e/x", "f.emptyFolderPlaceholder", "Z",
]  # fmt: skip


@pytest.fixture(scope="module")
def bucket(service: Service) -> str:
    """A bucket with the keys above, written in random order."""
    bucket = service.bucket()
    for number, key in enumerate(sorted(KEYS, key=lambda key: (len(key), key[::-1]))):
        service.sql(
            "insert into storage.objects (bucket_id, name, version, created_at, metadata) values "
            f"('{bucket}', '{key.replace(chr(39), chr(39) * 2)}', gen_random_uuid(), "
            f"timestamptz '2026-01-01' + {number // 3} * interval '1 second', '{{\"size\": {number}}}')"
        )
        service.sql("update storage.objects set last_accessed_at = created_at - interval '1 day' * (random() * 5)::int "
                    f"where bucket_id = '{bucket}' and name = '{key.replace(chr(39), chr(39) * 2)}'")  # fmt: skip
    service.sql("analyze storage.objects")
    return bucket


def list_v1(service: Service, bucket: str, credential: str = SERVICE, **body: Any) -> list[dict[str, Any]]:
    answer = service.post(f"/object/list/{bucket}", credential, json={"prefix": "", **body})
    answer.raise_for_status()
    found: list[dict[str, Any]] = answer.json()
    return found


def level(prefix: str, search: str = "") -> list[str]:
    """The expected list of version 1: the entries below a prefix by name, each once, folders with a final slash."""
    whole = (prefix + search).lower()
    found: dict[str, tuple[str, str]] = {}
    for key in sorted(KEYS, key=lambda key: (key.lower(), key)):
        if key.lower().startswith(whole):
            slash = key.find("/", len(whole))
            if slash < 0:
                found[key] = (key.lower(), key)
            else:
                found.setdefault(key[: slash + 1].lower(), (key[: slash + 1].lower(), key[: slash + 1]))
    return [name[len(prefix) :] for _, name in sorted(found.values(), key=lambda each: (each[0], each[1]))]


def names(entries: list[dict[str, Any]]) -> list[str]:
    return [entry["name"] + ("/" if entry["id"] is None else "") for entry in entries]


@pytest.mark.parametrize("prefix", ["", "a", "a/", "b/", "c", "C/", "d", "d//", "same", "no"])
def test_v1_lists_by_name(service: Service, bucket: str, prefix: str) -> None:
    folder = prefix if not prefix or prefix.endswith("/") else prefix + "/"
    expected = level(folder)
    assert names(list_v1(service, bucket, prefix=prefix, limit=1000)) == expected
    backwards = list_v1(service, bucket, prefix=prefix, limit=1000, sortBy={"column": "name", "order": "desc"})
    assert names(backwards) == expected[::-1]


def test_v1_entries_have_their_members(service: Service, bucket: str) -> None:
    entries = list_v1(service, bucket, prefix="same/")
    assert [list(entry) for entry in entries] == [
        ["name", "id", "updated_at", "created_at", "last_accessed_at", "metadata"]
    ]
    folder = next(entry for entry in list_v1(service, bucket) if entry["name"] == "b" and entry["id"] is None)
    assert set(folder.values()) == {"b", None}


@pytest.mark.parametrize("search", ["a", "A", "same", "e!", "b/", "b/3", "C/d", "%", "_", "e_"])
def test_v1_searches_names(service: Service, bucket: str, search: str) -> None:
    assert names(list_v1(service, bucket, search=search, limit=1000)) == level("", search)


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("column", ["name", "created_at", "updated_at", "last_accessed_at"])
@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_v1_pages_have_every_entry_once(service: Service, bucket: str, column: str, order: str, size: int) -> None:
    """Every entry comes exactly once, in any order and with any size of pages."""
    sort = {"column": column, "order": order}
    whole = names(list_v1(service, bucket, limit=1000, sortBy=sort))
    assert sorted(whole) == sorted(level(""))
    paged: list[str] = []
    while page := list_v1(service, bucket, limit=size, offset=len(paged), sortBy=sort):
        assert len(page) <= size
        paged += names(page)
    assert paged == whole


@pytest.mark.parametrize("order", ["asc", "desc"])
def test_v1_by_time_has_folders_first(service: Service, bucket: str, order: str) -> None:
    entries = list_v1(service, bucket, limit=1000, sortBy={"column": "created_at", "order": order})
    folders = [entry for entry in entries if entry["id"] is None]
    assert entries[: len(folders)] == folders
    times = [entry["created_at"] for entry in entries[len(folders) :]]
    assert times == sorted(times, reverse=order == "desc")


def test_v1_checks_its_limits(service: Service, bucket: str) -> None:
    assert error(service.post(f"/object/list/{bucket}", json={}))[3] == "body must have required property 'prefix'"
    body = {"prefix": "", "limit": 0}
    assert error(service.post(f"/object/list/{bucket}", json=body))[3] == "body/limit must be >= 1"
    body = {"prefix": "", "sortBy": {"column": "size"}}
    assert "sortBy/column" in error(service.post(f"/object/list/{bucket}", json=body))[3]
    assert list_v1(service, unique()) == []
    assert list_v1(service, bucket, token()) == []


def list_v2(service: Service, bucket: str, **body: Any) -> dict[str, Any]:
    answer = service.post(f"/object/list-v2/{bucket}", json=body)
    answer.raise_for_status()
    found: dict[str, Any] = answer.json()
    return found


def level_v2(prefix: str, *, delimited: bool) -> list[str]:
    found = set()
    for key in KEYS:
        if key.startswith(prefix):
            slash = key.find("/", len(prefix)) if delimited else -1
            found.add(key if slash < 0 else key[: slash + 1] + "\0folder")
    return sorted(found, key=lambda name: name.replace("\0folder", "").encode())


def names_v2(page: dict[str, Any]) -> list[str]:
    return [each["name"] + "\0folder" for each in page["folders"]] + [each["name"] for each in page["objects"]]


@pytest.mark.parametrize("delimited", [False, True])
@pytest.mark.parametrize("prefix", ["", "a", "a/", "A", "b", "d//", "same/", "no", "e"])
def test_v2_lists_folders_and_objects(service: Service, bucket: str, prefix: str, delimited: bool) -> None:
    page = list_v2(service, bucket, prefix=prefix, with_delimiter=delimited)
    assert list(page) == ["hasNext", "folders", "objects"]
    assert page["hasNext"] is False
    assert sorted(names_v2(page)) == sorted(level_v2(prefix, delimited=delimited))
    names_of_objects = [each["name"] for each in page["objects"]]
    assert names_of_objects == sorted(names_of_objects, key=str.encode)


@pytest.mark.parametrize("delimited", [False, True])
@pytest.mark.parametrize("column", ["name", "created_at"])
@pytest.mark.parametrize("prefix", ["", "a", "A", "b", "b/", "b/1", "same", "same/child", "no"])
def test_v2_finds_an_exact_match(service: Service, bucket: str, prefix: str, column: str, delimited: bool) -> None:
    sort = {"column": column}
    page = list_v2(service, bucket, prefix=prefix, with_delimiter=delimited, sortBy=sort, exactMatch=True)
    assert names_v2(page) == [key for key in KEYS if key == prefix]
    assert page["hasNext"] is False


def test_v2_entries_have_their_members(service: Service, bucket: str) -> None:
    page = list_v2(service, bucket, prefix="b/", with_delimiter=True)
    assert page["folders"] == [{"key": "3", "name": "b/3/", "id": None, "updated_at": None, "created_at": None}]
    assert [each["key"] for each in page["objects"]] == ["1", "2"]
    assert list(page["objects"][0]) == [
        "key", "name", "id", "updated_at", "created_at", "last_accessed_at", "metadata"
    ]  # fmt: skip


@pytest.mark.parametrize("delimited", [False, True])
@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("column", ["name", "created_at", "updated_at"])
@pytest.mark.parametrize("size", [1, 2, 5])
def test_v2_pages_have_every_entry_once(
    service: Service, bucket: str, column: str, order: str, size: int, delimited: bool
) -> None:
    sort = {"column": column, "order": order}
    found: list[str] = []
    body: dict[str, Any] = {"limit": size, "with_delimiter": delimited, "sortBy": sort}
    page = list_v2(service, bucket, **body)
    for _ in range(len(KEYS) + 1):
        entries = names_v2(page)
        assert len(entries) <= size
        found += (
            sorted(entries, key=lambda name: name.replace("\0folder", "").encode(), reverse=order == "desc")
            if (column == "name")
            else entries
        )
        if not page["hasNext"]:
            break
        assert page["nextCursorKey"] == (found[-1].replace("\0folder", ""))
        # The cursor's order applies, not that of the request.
        page = list_v2(service, bucket, limit=size, with_delimiter=delimited, cursor=page["nextCursor"])
    expected = level_v2("", delimited=delimited)
    assert sorted(found) == sorted(expected)
    if column == "name":
        assert found == (expected if order == "asc" else expected[::-1])


@pytest.mark.parametrize("delimited", [False, True])
@pytest.mark.parametrize("order", ["asc", "desc"])
def test_v2_pages_work_with_any_times(service: Service, order: str, delimited: bool) -> None:
    """Only plain SQL writes such times."""
    bucket = service.bucket()
    times = ["null", "'-infinity'", "'0500-01-01 BC'", "'2026-01-01'", "'12000-01-01'", "'infinity'"]
    for number, time in enumerate(times * 2):
        service.sql(
            "insert into storage.objects (bucket_id, name, version, created_at) "
            f"values ('{bucket}', 'k{number}', gen_random_uuid(), {time})"
        )
    service.sql(f"insert into storage.objects (bucket_id, name, version) values ('{bucket}', 'f/k', gen_random_uuid())")
    body: dict[str, Any] = {"limit": 1, "with_delimiter": delimited}
    page = list_v2(service, bucket, **body, sortBy={"column": "created_at", "order": order})
    found = names_v2(page)
    while page["hasNext"] and len(found) < 20:
        page = list_v2(service, bucket, **body, cursor=page["nextCursor"])
        found += names_v2(page)
    expected = [f"k{number}" for number in (0, 1, 2, 6, 7, 8, 3, 9, 10, 11, 4, 5)]
    objects = [name for name in found if name.startswith("k")]
    assert objects == (expected if order == "asc" else expected[::-1])
    assert len(found) == len(times) * 2 + 1


def test_v2_accepts_cursors_of_older_versions(service: Service, bucket: str) -> None:
    cursor = base64.b64encode(b"l:b/\no:asc\nc:name").decode()
    page = list_v2(service, bucket, with_delimiter=True, cursor=cursor, limit=1)
    assert names_v2(page) == ["c"]


@pytest.mark.parametrize("cursor", ["%%%", "AAAA", base64.b64encode(b"l:x\no:up").decode(),
                                    base64.b64encode(b"l:x\nc:created_at\na:noon").decode(),
                                    base64.b64encode(b"l:x\nc:created_at\na:0001-01-01T00+09").decode()])  # fmt: skip
def test_v2_refuses_broken_cursors(service: Service, bucket: str, cursor: str) -> None:
    answer = service.post(f"/object/list-v2/{bucket}", json={"cursor": cursor})
    assert error(answer) == (400, "400", "InvalidParameter", "Invalid Parameter continuation token")


@pytest.mark.parametrize(
    ("last", "left"),
    [
        ("l:~\na:2026-01-01T00:00:01", len(KEYS) - 6),
        ("l:~\na:2026-W01-4T00:00:01", len(KEYS) - 6),
        ("l:~\na:2026-01-01T23:59:01,0+23:59", len(KEYS) - 6),
        ("l:~/\nt:folder\na:noon", len(KEYS)),
    ],
)
def test_v2_accepts_times_in_any_format_in_cursors(service: Service, bucket: str, last: str, left: int) -> None:
    """Also in forms that PostgreSQL does not read. The time of a folder means nothing."""
    cursor = base64.b64encode(f"{last}\nc:created_at".encode()).decode()
    assert len(list_v2(service, bucket, cursor=cursor)["objects"]) == left


def test_a_page_is_full_although_most_objects_are_hidden(service: Service) -> None:
    """Rows that are not visible to the caller do not count, and the walk continues after them."""
    bucket = service.bucket()
    service.sql(
        "insert into storage.objects (bucket_id, name, version, owner_id) select "
        f"'{bucket}', 'k' || lpad(i::text, 5, '0'), gen_random_uuid(), case when i % 500 = 0 then 'me' end "
        "from generate_series(1, 10000) i"
    )
    mine_only = f"owner_id = auth.jwt() ->> 'sub' and bucket_id = '{bucket}'"
    service.sql(f"create policy mine on storage.objects for select to authenticated using ({mine_only})")
    try:
        mine = [f"k{number:05}" for number in range(500, 10001, 500)]
        me = token(sub="me")
        assert names(list_v1(service, bucket, me, limit=15)) == mine[:15]
        assert names(list_v1(service, bucket, me, limit=15, offset=12)) == mine[12:]
        page = service.post(f"/object/list-v2/{bucket}", me, json={"limit": 15}).json()
        assert (names_v2(page), page["hasNext"]) == (mine[:15], True)
        page = service.post(f"/object/list-v2/{bucket}", me, json={"limit": 15, "cursor": page["nextCursor"]}).json()
        assert (names_v2(page), page["hasNext"]) == (mine[15:], False)
    finally:
        service.sql("drop policy mine on storage.objects")


@pytest.fixture(scope="module")
def large(service: Service) -> str:
    """A bucket of 40,000 objects: a folder of 100 and a folder of 39,900."""
    bucket = service.bucket()
    service.sql(
        "insert into storage.objects (bucket_id, name, version, metadata) select "
        f"'{bucket}', case when i <= 100 then 'small/' else 'large/' || i % 40 || '/' end || i, gen_random_uuid(), "
        "'{}' "
        "from generate_series(1, 40000) i"
    )
    service.sql("analyze storage.objects")
    return bucket


def rows_read(service: Service, statement: Statement, parameters: list[str], role: str) -> tuple[int, list[list[Any]]]:
    """The number of rows of storage.objects that EXPLAIN ANALYZE reports for a statement, and its result."""
    connection = connect(service.database_url)
    try:
        connection.run("begin")
        connection.run(f"prepare listing as {statement.sql}")
        connection.run(f"set local role {role}")
        given = ", ".join(parameters)
        rows = [list(row) for row in connection.run(f"execute listing ({given})")]
        plan = connection.run(f"explain (analyze, format json) execute listing ({given})")[0][0]
        connection.run("rollback")
    finally:
        connection.close()

    def touched(node: dict[str, Any]) -> int:
        below = sum(touched(child) for child in node.get("Plans", ()))
        if node.get("Relation Name") != "objects":
            return below
        assert node["Node Type"] != "Seq Scan"
        removed = sum(node.get(name, 0) for name in node if name.startswith("Rows Removed"))
        return below + round((node["Actual Rows"] + removed) * node["Actual Loops"])

    return touched(plan[0]["Plan"]), rows


def quoted(value: object) -> str:
    return "null" if value is None else "'" + str(value).replace("'", "''") + "'"


@pytest.mark.parametrize("role", ["service_role", "authenticated"])
@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("folded", [True, False])
@pytest.mark.parametrize(("prefix", "entries"), [("small/", 100), ("", 2), ("large/", 40)])
def test_a_listing_reads_little_more_than_it_lists(
    service: Service, large: str, prefix: str, entries: int, folded: bool, order: Direction, role: str
) -> None:
    """Listing a folder of 100 reads a few hundred of the 40,000 rows, by an index, under row level security too."""
    lower, upper = prefix, successor(prefix) or BEYOND
    start = lower if order == "asc" else upper
    form = ListedLevel(folded, order, delimited=True)
    given = [quoted(large), quoted(start), quoted(lower), quoted(upper), str(len(prefix)), "1000"]
    read, rows = rows_read(service, walk(form), given, "service_role")
    count, ids, folders, lasts, _ = rows[0]
    assert count == entries
    assert read <= 10 * entries + 100
    service.sql("create policy listing on storage.objects for select to authenticated using (bucket_id <> 'x')")
    try:
        candidates = [quoted(large), *map(quoted, (ids, folders, lasts))]
        page = PageByOffset(ENTRY, "name", order) if folded else page_v2("name", order, delimited=True)
        more = [str(len(prefix)), "0", "1000"] if folded else ["1000"]
        read, rows = rows_read(service, page_of_visible(page), [*candidates, *more], role)
        assert rows[0][1] == entries
        assert read <= 10 * entries + 100
        read, rows = rows_read(service, walk_with_page(form, page), [*given, *more], "service_role")
        assert (rows[0][1], rows[0][-5]) == ((entries, None) if folders is None else (0, entries))
        assert read <= 10 * entries + 100
    finally:
        service.sql("drop policy listing on storage.objects")


@pytest.mark.parametrize("locale", ["builtin_locale 'C'", "builtin_locale 'C.UTF-8'", "icu_locale 'tr'"])
def test_v1_ignores_case_by_the_rules_of_the_database(postgres: PostgresServer, tmp_path: Path, locale: str) -> None:
    provider = locale.partition("_")[0]
    name = unique("locale")
    try:
        postgres.execute(f"create database {name} template template0 locale 'C' locale_provider {provider} {locale}")
    except DatabaseError:
        pytest.skip("this server has no such locale")
    url = postgres.url_of(name)
    postgres.execute(install_script(VERSION), url)
    with running(postgres, url, tmp_path, object_keys="unicode") as service:
        bucket = service.bucket()
        folders = ["ΟΔΟΣ", "Île", "İzmir", "INBOX", "images", "ß"]
        for folder in folders:
            service.upload(f"{bucket}/{quote(folder)}/a.txt").raise_for_status()
        for folder in folders:
            assert [each["name"] for each in list_v1(service, bucket, prefix=folder)] == ["a.txt"]
            assert [each["name"] for each in list_v1(service, bucket, search=folder[:2])] == [folder]
        service.post("/bucket", json={"name": "IMAGES"}).raise_for_status()
        assert [each["id"] for each in service.get("/bucket?search=IMA").json()] == ["IMAGES"]
    postgres.execute(f"drop database {name} with (force)")
