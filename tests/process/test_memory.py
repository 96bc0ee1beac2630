"""The memory of ``portico serve``: it imports what it uses, and imports it once for all workers."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
import requests

from tests.graphql.api import ANON_KEY, JWT_SECRET, SERVICE_KEY
from tests.graphql.conftest import ROLES
from tests.plugins.conftest import Distribute
from tests.plugins.conftest import distribute as distribute
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S, REPOSITORY, started, until

WORKERS = 2
RECORDER = """
import json
import os
import sys
from pathlib import Path

from portico import hookimpl

parents = set()

@hookimpl(trylast=True)
def before_fork(settings):
    parents.update(sys.modules)

@hookimpl
def closing():
    own = sys.modules.keys() - parents
    Path(os.environ["RECORDS"], str(os.getpid())).write_text(json.dumps([sorted(parents), sorted(own)]))
"""
"""A plugin. A worker that stops records the modules of its parent, and those that it has imported itself."""

NEVER: Mapping[str, str] = {
    "PIL": "images are drawn in processes of their own",
    "app.commands.doctor": "each command is imported when it runs",
    "app.commands.embedded_service": "DATABASE_URL is set",
    "app.demo": "only --demo needs it",
    "app.embedded.cluster": "DATABASE_URL is set",
    "app.faces.images.drawing": "images are drawn in processes of their own",
    "app.faces.live.process": "only the process of live queries needs it",
    "app.storage.outside.exporting": "only `portico storage export` needs it",
    "app.storage.outside.importing": "only `portico storage import` needs it",
    "app.verification": "only `portico verify` needs it",
    "azure": "STORAGE_URL is a folder",
    "boto3": "STORAGE_URL is a folder",
    "botocore": "STORAGE_URL is a folder",
    "google": "STORAGE_URL is a folder",
    "smart_open": "STORAGE_URL is a folder; importing it takes 40 MiB, since it imports the library of each cloud",
    "sqlalchemy.orm": "SQL is composed of SQLAlchemy's expressions alone",
    "uvicorn": "only the process of live queries needs it",
    "websockets": "only the process of live queries needs it",
}
"""Modules and packages that a service whose objects are in a folder does not import, and why."""

SWITCHED_OFF: Mapping[str, str] = {
    "app.faces.images": "IMAGES is off",
    "app.faces.s3": "S3_PROTOCOL is off",
    "defusedxml": "S3_PROTOCOL is off",
}


@dataclass(frozen=True, slots=True)
class _Service:
    url: str
    process: psutil.Process

    def ask(self) -> None:
        """Send requests of several kinds."""
        headers = {"apiKey": SERVICE_KEY, "Connection": "close"}
        document = {"query": "{ taskCollection { edges { node { id } } } }"}
        answers = [requests.post(f"{self.url}/graphql/v1", json=document, headers=headers, timeout=PATIENCE_S)]
        for path in ("/health", "/version", "/metrics", "/storage/v1/version"):
            answers.append(requests.get(self.url + path, headers=headers, timeout=PATIENCE_S))
        assert [each.status_code for each in answers] == [200] * len(answers), [each.text for each in answers]

    def memory(self) -> int:
        """The memory of all its processes in bytes. A page that several of them share counts once."""
        return sum(each.memory_full_info().pss for each in (self.process, *self.process.children()))


@contextmanager
def _service(postgres: PostgresServer, place: Path, **settings: str) -> Iterator[_Service]:
    """A service with two workers, which both accept connections."""
    url = postgres.create_database(sql=f"{ROLES}create table task (id int primary key); grant select on task to anon;")
    program = [sys.executable, "-m", "app", "serve", "--port", "0", "--workers", str(WORKERS)]
    variables = {
        "DATABASE_URL": url, "JWT_SECRET": JWT_SECRET, "ANON_KEY": ANON_KEY, "SERVICE_ROLE_KEY": SERVICE_KEY,
        "STORAGE_URL": (place / "objects").as_uri(), **settings,
    }  # fmt: skip
    with started(program, place, **variables) as process:
        assert process.stdout
        output = ""
        while not (address := re.search(r"(http://\S+)/graphql/v1", output)):
            line = process.stdout.readline()
            assert line, output
            output += line
        service = _Service(address[1], psutil.Process(process.pid))
        until(lambda: [each.num_threads() > 2 for each in service.process.children()] == [True] * WORKERS)
        yield service
        process.terminate()
        assert process.wait(PATIENCE_S) == 0
    postgres.drop_database(url)


def _imported(
    postgres: PostgresServer, place: Path, distribute: Distribute, **settings: str
) -> tuple[list[str], list[str]]:
    """The modules that a service has imported before it forked its workers, and those that any worker has imported."""
    directory = distribute("recorder", RECORDER)
    records = place / "records"
    records.mkdir()
    path = os.pathsep.join((str(directory), str(REPOSITORY)))
    with _service(postgres, place, PYTHONPATH=path, RECORDS=str(records), **settings) as service:
        service.ask()
    found = [json.loads(each.read_text()) for each in records.iterdir()]
    assert len(found) == WORKERS
    return found[0][0], sorted({name for _, own in found for name in own})


def _within(modules: Sequence[str], packages: Iterable[str]) -> list[str]:
    return [each for each in modules if any(f"{each}.".startswith(f"{name}.") for name in packages)]


def test_a_service_imports_only_what_it_uses(postgres: PostgresServer, tmp_path: Path, distribute: Distribute) -> None:
    parents, own = _imported(postgres, tmp_path, distribute, IMAGES="off", S3_PROTOCOL="off")
    assert "app.faces.rest.resource" in parents
    assert _within(parents + own, {**NEVER, **SWITCHED_OFF}) == []


def test_workers_import_nothing_themselves(postgres: PostgresServer, tmp_path: Path, distribute: Distribute) -> None:
    parents, own = _imported(postgres, tmp_path, distribute, IMAGES="on", S3_PROTOCOL="on")
    assert {"app.faces.s3.resource", "app.faces.images.face", "prometheus_client"} <= set(parents)
    assert _within(parents, NEVER) == []
    # Python imports a codec, a small module, at its first use.
    assert [each for each in own if not each.startswith("encodings.")] == []


def _memory_with_threads(postgres: PostgresServer, place: Path, threads: int) -> int:
    with _service(postgres, place, THREADS=str(threads)) as service:
        # No request: a worker that reads the schema for one takes more than what is measured here.
        until(lambda: all(each.num_threads() > threads for each in service.process.children()))
        return service.memory()


@pytest.mark.timing
def test_idle_threads_take_hardly_any_memory(postgres: PostgresServer, tmp_path: Path) -> None:
    """A thread uses 12 KiB of its stack, so 62 more in each of two workers use 1.5 MiB."""
    # Two services with the same threads differ by some MiB, so the smallest of several is compared.
    few, many = (min(_memory_with_threads(postgres, tmp_path, threads) for _ in range(4)) for threads in (2, 64))
    assert many - few < 4 * 1024 * 1024, (few, many)
