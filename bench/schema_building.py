"""Building the schema of a role: ``python -m bench.schema_building URL TABLES FEATURES`` prints its time and
memory.

Each figure needs a separate process, because a schema stays in memory.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from app.discovery import configure, plugin_manager
from app.identity.further_credentials import RequestHead
from app.pipeline import run
from app.pipeline.engine import Engine
from app.pipeline.records import GraphQLRequest
from app.wsgi import create_app
from bench.beside import KEYS, PATH

_COLUMNS = ", ".join(f"c{number} {type_}" for number, type_ in enumerate(["text", "int", "numeric", "timestamptz"] * 5))
FIRST = "{ t1Collection(first: 1) { edges { node { id c0 } } } }"
INTROSPECTION = "{ __schema { types { name fields { name args { name type { name } } } inputFields { name } } } }"


def schema(tables: int) -> str:
    """SQL for this number of tables of 21 columns, each of which refers to the one before."""
    return f"""
comment on schema public is '@graphql({{"inflect_names": true, "introspection": true}})';
do $$ begin
  create table t0 (id int primary key, {_COLUMNS});
  for number in 1..{tables - 1} loop
    execute format('create table t%s (id int primary key, next_id int references t%s, {_COLUMNS})', number, number - 1);
    execute format('comment on table t%s is %L', number, '@graphql({{"aggregate": {{"enabled": true}}}})');
  end loop;
end $$;
grant all on all tables in schema public to anon;
"""


@dataclass(frozen=True)
class Built:
    """CPU seconds and lasting memory of the schema of a role that may read and write everything."""

    tables: int
    features: str
    first_answer_cpu_s: float
    first_answer_mib: float
    introspection_cpu_s: float
    introspection_mib: float

    def line(self) -> str:
        features = f"features {self.features}:"
        return (
            f"{self.tables:,} tables, {features:14} first answer {self.first_answer_cpu_s:5.2f} s of CPU, "
            f"{self.first_answer_mib:4.0f} MiB; then all types introspected {self.introspection_cpu_s:5.2f} s of CPU, "
            f"{self.introspection_mib:4.0f} MiB"
        )


def build(url: str, tables: int) -> Iterator[Built]:
    """The figures with all features and with none, in new processes. The database has ``schema(tables)``."""
    for features in ("all", "none"):
        command = [sys.executable, "-m", "bench.schema_building", url, str(tables), features]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        yield Built(**json.loads(done.stdout))


def _build(url: str, tables: str, features: str) -> Built:
    given = {name.lower(): value for name, value in KEYS.items()}
    settings, _ = configure({}, {"database_url": url, "graphql_features": (features,), **given})
    application = create_app(settings, plugin_manager())
    engine = application.services.engine
    # Connecting and reading the catalog belong to the start of a service.
    engine.schema_cache.current()
    before = _memory()
    first_s, first = _asked(FIRST, engine), _memory()
    introspection_s, introspection = _asked(INTROSPECTION, engine), _memory()
    application.close()
    return Built(int(tables), features, first_s, first - before, introspection_s, introspection - first)


def _asked(query: str, engine: Engine) -> float:
    began = time.process_time()
    head = RequestHead("POST", PATH, {"apikey": KEYS["ANON_KEY"]}.get)
    response = run(GraphQLRequest(query, {}, head=head), engine).response
    assert b'"errors"' not in response.body, response.body
    return time.process_time() - began


def _memory() -> float:
    found = re.search(r"VmRSS:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found
    return int(found[1]) / 1024


if __name__ == "__main__":
    print(json.dumps(asdict(_build(*sys.argv[1:]))))
