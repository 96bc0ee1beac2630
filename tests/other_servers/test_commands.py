"""The lines of docs/deployment.md that start the application under other WSGI servers."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import requests

from bench.streaming import free_port, wait_until
from tests.process.running import PATIENCE_S, REPOSITORY, started
from tests.storage.service import ANON, SECRET, SERVICE

PAGE = (REPOSITORY / "docs" / "deployment.md").read_text()
LINES = re.findall(r"^((?:waitress-serve|gunicorn) .*portico\.wsgi:application)$", PAGE, re.M)


def test_the_page_has_a_command_for_each_server() -> None:
    assert [line.partition(" ")[0] for line in LINES] == ["waitress-serve", "gunicorn"]


@pytest.mark.long
@pytest.mark.parametrize("line", LINES, ids=lambda line: line.partition(" ")[0])
def test_both_apis_answer_under_each_server(storage_database: Callable[[], str], tmp_path: Path, line: str) -> None:
    port = free_port()
    environ = {
        "DATABASE_URL": storage_database(), "JWT_SECRET": SECRET, "ANON_KEY": ANON, "SERVICE_ROLE_KEY": SERVICE,
        "STORAGE_URL": tmp_path.as_uri(),
    }  # fmt: skip
    program, *arguments = line.replace("8000", str(port)).split()
    command = [str(Path(sys.executable).with_name(program)), *arguments]
    url, service = f"http://127.0.0.1:{port}", {"authorization": f"Bearer {SERVICE}"}
    with started(command, tmp_path, **environ) as process:
        wait_until(lambda: _answers(f"{url}/health"), "the service answers")
        request = {"json": {"query": "{ __typename }"}, "headers": {"apikey": ANON}, "timeout": PATIENCE_S}
        assert requests.post(f"{url}/graphql/v1", **request).json() == {"data": {"__typename": "Query"}}
        made = requests.post(f"{url}/storage/v1/bucket", json={"name": "b"}, headers=service, timeout=PATIENCE_S)
        assert made.json() == {"name": "b"}
        place = f"{url}/storage/v1/object/b/k"
        requests.post(place, data=b"content", headers=service, timeout=PATIENCE_S).raise_for_status()
        assert requests.get(place, headers=service, timeout=PATIENCE_S).content == b"content"
        # gunicorn's workers end with it, unless it is killed.
        process.terminate()
        process.wait(PATIENCE_S)


def _answers(url: str) -> bool:
    try:
        return requests.get(url, timeout=PATIENCE_S).ok
    except requests.ConnectionError:
        return False
