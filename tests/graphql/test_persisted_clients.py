"""Apollo Client of npm with its link for persisted queries, against a service that really runs."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.graphql.api import ANON_KEY
from tests.graphql.serving import serving
from tests.packages import program as node_program
from tests.postgres_server import PostgresServer
from tests.process.running import PATIENCE_S

SCHEMA = """
comment on schema public is '@graphql({"inflect_names": true})';
create table category (id int primary key, name text not null);
insert into category values (1, 'odd'), (2, 'even');
grant select on category to anon;
"""


@pytest.fixture(params=["automatic", "off"])
def service(request: pytest.FixtureRequest, postgres: PostgresServer, tmp_path: Path) -> Iterator[tuple[str, str]]:
    """The URL of a service, and whether it keeps documents."""
    kept = "10" if request.param == "automatic" else "0"
    # Each worker learns documents on its own, and any worker may get the next request.
    with serving(postgres, tmp_path, SCHEMA, workers=1, AUTOMATIC_DOCUMENTS=kept) as url:
        yield url, request.param


def test_apollo_client_sends_hashes(service: tuple[str, str]) -> None:
    url, kept = service
    persisted = node_program("persisted.mjs")
    done = subprocess.run(
        ["node", str(persisted), url, ANON_KEY],
        cwd=persisted.parent, capture_output=True, text=True, timeout=PATIENCE_S,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout)
    assert seen["answers"] == ["odd even"] * 12
    requests = seen["requests"]
    first, with_text = requests[:2]
    assert first == {"method": "POST", "text": False, "hash": True}
    if kept == "automatic":
        assert with_text == {"method": "POST", "text": True, "hash": True}
        assert [each["method"] for each in requests[2:]] == ["POST"] * 5 + ["GET"] * 6
        assert all(each["hash"] and not each["text"] for each in requests[2:])
    else:
        # After one response that hashes are not supported, a client sends no more of them.
        assert [each["hash"] for each in requests[:7]] == [True] + [False] * 6
