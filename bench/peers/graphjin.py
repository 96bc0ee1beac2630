"""GraphJin, which answers queries that are saved beside its configuration. Nothing here installs it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from app.database.wire.target import Target
from bench.contestants import Contestant, free_port, started
from bench.library import GRAPHJIN
from bench.peers import PeerMissing

_USER = {"X-User-ID": "7", "X-User-Role": "user"}


@contextmanager
def graphjin(target: Target, place: Path, *, with_user: bool) -> Iterator[Contestant]:
    """One process of GraphJin in production mode. All its statements run as the login. ``with_user``: it sets the id of
    the user in the session for each request."""
    program = shutil.which("graphjin")
    if program is None:
        raise PeerMissing("no graphjin is on the PATH; https://github.com/dosco/graphjin has its source")
    place = place / ("graphjin-user" if with_user else "graphjin")
    queries = place / "queries"
    queries.mkdir(parents=True, exist_ok=True)
    for query in GRAPHJIN.values():
        # The file has the name of the operation.
        (queries / f"{query.split()[1]}.gql").write_text(query)
    port = free_port()
    # JSON is YAML.
    (place / "prod.yml").write_text(json.dumps(_configuration(target, port, with_user=with_user)))
    command = [program, "serve", "--path", str(place)]
    name, headers = ("GraphJin, user", _USER) if with_user else ("GraphJin, no role", {})
    path = "/api/v1/graphql"
    with started(name, command, {"GO_ENV": "production"}, place, port, GRAPHJIN, path, headers) as contestant:
        yield contestant


def _configuration(target: Target, port: int, *, with_user: bool) -> dict[str, Any]:
    return {
        "host_port": f"127.0.0.1:{port}",
        "web_ui": False,
        "production": True,
        # Every level logs each request, also "error".
        "log_level": "none",
        # wrk asks for no compression either.
        "http_compress": False,
        "default_block": False,
        "set_user_id": with_user,
        # It takes the user from headers.
        "auth": {"type": "header", "development": True},
        "database": {
            "type": "postgres",
            "host": target.host,
            "port": target.port,
            "dbname": target.database,
            "user": target.user,
            "pool_size": 16,
        },
    }
