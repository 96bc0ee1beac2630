"""PostgreSQL's own log: requests of every kind that succeed leave no line at WARNING or above."""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from app.installation.scripts import install_script
from app.installation.version import VERSION
from tests.graphql.api import ANON_KEY as LIVE_KEY
from tests.graphql.conftest import ROLES
from tests.live.streams import serving_live
from tests.postgres_server import PostgresServer
from tests.storage.s3.clients import KEY, SECRET_KEY, client
from tests.storage.service import Service, running, token

_LINE = re.compile(r"^.*\b(?:WARNING|ERROR|FATAL|PANIC): .*$", re.MULTILINE)
_BOUNDED = '@graphql({"aggregate": {"enabled": true}, "totalCount": {"enabled": true}})'
SCHEMA = f"""
create table task (id int generated always as identity primary key, owner text default 'u1', title text not null);
comment on table task is '{_BOUNDED}';
alter table task enable row level security;
create policy own on task using (owner = current_setting('request.jwt.claims', true)::json ->> 'sub');
create policy anybody on task for select to anon using (true);
create function finish(id int) returns task language sql volatile
  as 'update task set title = ''done'' where task.id = $1 returning *';
grant all on all tables in schema public to anon, authenticated;
"""
STORAGE = """
create policy everything on storage.objects to authenticated using (true) with check (true);
create policy everything on storage.buckets to authenticated using (true) with check (true);
"""
USER = token("authenticated", "u1")
KEYED = {"apiKey": token("anon")}
MINIMUM_FOR_STORAGE = 140_000
_NO_STORAGE = re.compile(r'relation "storage\.\w+" does not exist')
TASKS = "{ taskCollection(orderBy: [{id: AscNullsLast}], first: 5) { edges { cursor node { id title } } } }"


class ServerLog:
    """The log of a server on this machine: the file that its standard error goes to."""

    def __init__(self, postgres: PostgresServer) -> None:
        directory = Path(str(postgres.execute("show data_directory")[0][0]))
        process = (directory / "postmaster.pid").read_text().split()[0]
        self._file = Path(os.readlink(f"/proc/{process}/fd/2"))
        self._postgres = postgres
        self._start = self._file.stat().st_size

    def lines(self) -> list[str]:
        """The lines at WARNING or above since the start. Where there is no storage, its upkeep looks for the tables now
        and then, which is not a request."""
        with self._file.open("rb") as file:
            file.seek(self._start)
            found = _LINE.findall(file.read().decode(errors="replace"))
        return [line for line in found if not _NO_STORAGE.search(line)]

    def mark(self, text: str) -> None:
        """Log a warning with this text."""
        self._postgres.execute(f"do $$ begin raise warning '{text}'; end $$")


def _has_storage(postgres: PostgresServer) -> bool:
    return int(str(postgres.execute("show server_version_num")[0][0])) >= MINIMUM_FOR_STORAGE


@pytest.fixture(scope="module")
def service(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    installed = install_script(VERSION) + STORAGE if _has_storage(postgres) else ROLES
    url = postgres.create_database(sql=installed + SCHEMA)
    keys = {"s3_protocol_access_key_id": KEY, "s3_protocol_access_key_secret": SECRET_KEY}
    with running(postgres, url, tmp_path_factory.mktemp("objects"), batch_limit=3, **keys) as service:
        yield service
    postgres.drop_database(url)


@pytest.fixture
def log(service: Service, postgres: PostgresServer) -> ServerLog:
    """The log after the service has begun to answer."""
    graphql(service, TASKS)
    return ServerLog(postgres)


def graphql(service: Service, document: str, headers: dict[str, str] | None = None, **more: Any) -> requests.Response:
    body = {"query": document, **more}
    answer = service.post("/graphql/v1", USER, json=body, headers={**KEYED, **(headers or {})})
    answer.raise_for_status()
    assert '"errors"' not in answer.text, answer.text
    return answer


def test_graphql_requests_cause_no_errors_in_the_server_log(service: Service, log: ServerLog) -> None:
    insert = 'mutation { insertIntotaskCollection(objects: [{title: "a"}, {title: "b"}]) { records { id nodeId } } }'
    record = graphql(service, insert).json()["data"]["insertIntotaskCollection"]["records"][0]
    for _ in range(3):
        graphql(service, TASKS)
    graphql(service, "{ __schema { types { name fields { name } } } }")
    graphql(service, "{ taskCollection { totalCount aggregate { count } } }")
    graphql(service, "query ($id: ID!) { node(nodeId: $id) { nodeId } }", variables={"id": record["nodeId"]})
    graphql(service, "mutation ($id: Int!) { finish(id: $id) { title } }", variables={"id": record["id"]})
    update = 'mutation { updatetaskCollection(set: {title: "c"}, filter: {id: {gt: 0}}, atMost: 9) { affectedCount } }'
    graphql(service, update, headers={"Prefer": "tx=rollback"})
    graphql(service, f"{update[:-1]} again: finish(id: {record['id']}) {{ id }} }}")
    graphql(service, "{ taskCollection { edges { node { id title } } } }", headers={"Accept": "text/csv"})
    service.post("/graphql/v1", USER, json=[{"query": TASKS}, {"query": update}], headers=KEYED).raise_for_status()
    service.get("/graphql/v1", USER, params={"query": TASKS}, headers=KEYED).raise_for_status()
    graphql(service, "mutation { deleteFromtaskCollection(filter: {id: {gt: 0}}, atMost: 9) { affectedCount } }")
    assert log.lines() == []


def test_live_queries_cause_no_errors_in_the_server_log(service: Service, log: ServerLog, tmp_path: Path) -> None:
    with serving_live(service.database_url, tmp_path) as live:
        stream = live.stream("{ taskCollection { totalCount } }", key=LIVE_KEY)
        count = stream.data()["taskCollection"]["totalCount"]
        graphql(service, 'mutation { insertIntotaskCollection(objects: [{title: "new"}]) { affectedCount } }')
        stream.until({"taskCollection": {"totalCount": count + 1}})
    assert log.lines() == []


def test_storage_requests_cause_no_errors_in_the_server_log(service: Service, log: ServerLog) -> None:
    if not _has_storage(service.postgres):
        pytest.skip("the storage API needs PostgreSQL 14")
    name = service.bucket(public=True)
    for credential in (USER, token("service_role")):
        service.upload(f"{name}/a/b.txt", credential=credential, x_upsert="true").raise_for_status()
        service.get(f"/object/{name}/a/b.txt", credential).raise_for_status()
        service.get(f"/object/public/{name}/a/b.txt", None).raise_for_status()
        service.post(f"/object/list/{name}", credential, json={"prefix": "a", "limit": 9}).raise_for_status()
        signed = service.post(f"/object/sign/{name}/a/b.txt", credential, json={"expiresIn": 60}).json()["signedURL"]
        service.get(signed, None).raise_for_status()
        source = {"bucketId": name, "sourceKey": "a/b.txt", "destinationKey": "c.txt"}
        service.post("/object/copy", credential, json=source).raise_for_status()
        service.post("/object/move", credential, json={**source, "destinationKey": "d.txt"}).raise_for_status()
        tus = {
            "tus-resumable": "1.0.0", "upload-length": "5", "content-type": "application/offset+octet-stream",
            "upload-metadata": ",".join(
                f"{key} {b64encode(value.encode()).decode()}"
                for key, value in (("bucketName", name), ("objectName", f"whole-{credential[-4:]}"))
            ),
        }  # fmt: skip
        service.post("/upload/resumable", credential, data=b"12345", headers=tus).raise_for_status()
        service.delete(f"/object/{name}", credential, json={"prefixes": ["c.txt", "d.txt"]}).raise_for_status()
    s3 = client(service)
    s3.put_object(Bucket=name, Key="s3", Body=b"123")
    assert s3.get_object(Bucket=name, Key="s3")["Body"].read() == b"123"
    assert s3.list_objects_v2(Bucket=name)["KeyCount"] == 3
    upload = s3.create_multipart_upload(Bucket=name, Key="parts")["UploadId"]
    tag = s3.upload_part(Bucket=name, Key="parts", UploadId=upload, PartNumber=1, Body=b"x")["ETag"]
    parts = {"Parts": [{"ETag": tag, "PartNumber": 1}]}
    s3.complete_multipart_upload(Bucket=name, Key="parts", UploadId=upload, MultipartUpload=parts)
    service.post(f"/bucket/{name}/empty").raise_for_status()
    assert log.lines() == []


def test_the_log_is_that_of_the_server(log: ServerLog) -> None:
    log.mark("seen by the test")
    assert [line for line in log.lines() if "seen by the test" in line]
