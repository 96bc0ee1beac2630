"""Reads on replicas under load, while servers come and go: ``python -m bench.replicas [--requests N] [--clients N]``.

A service with a primary and two streaming standbys answers a mix of mutations, queries, uploads and downloads. Each
client has a row and an object of its own, so it knows what each answer must at least contain: what it wrote last, if it
names that write. Meanwhile one standby is killed and comes back, then the primary is killed and the other standby is
promoted.
"""

from __future__ import annotations

import argparse
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.installation.install import install
from bench.replica_client import ReplicaClient
from bench.service import serving
from bench.storage_service import KEY, SECRET
from bench.streaming import Cluster, Node, streaming, wait_until

SCHEMA = """
create table counter (id int primary key, n int not null);
grant all on counter to service_role;
create function port() returns text stable language sql as $$ select current_setting('port') $$;
grant execute on function port() to service_role;
insert into counter select i, 0 from generate_series(0, {clients}) i;
insert into storage.buckets (id, name) values ('b', 'b');
"""
MAX_LAG_S = 2.0


class Mixture:
    """Requests of all clients until there were enough; ``outcomes`` counts what happened. ``looks``: status and body of
    /health, of /metrics and of a request with a wrong token, before the requests."""

    def __init__(self, address: tuple[str, int], requests: int, clients: int) -> None:
        self.outcomes: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.looks: list[tuple[int, str]] = []
        self._requests = requests
        self._clients = [ReplicaClient(address, number) for number in range(clients)]
        self._threads = [threading.Thread(target=self._run, args=(each,)) for each in self._clients]

    def start(self) -> None:
        for each in self._threads:
            each.start()

    @property
    def done(self) -> int:
        return sum(each.sent for each in self._clients)

    def join(self) -> None:
        for each in self._threads:
            each.join()
        for client in self._clients:
            client.close()
            self.outcomes += client.outcomes
            self.wrong += client.wrong

    def _run(self, client: ReplicaClient) -> None:
        while client.sent < self._requests / len(self._clients):
            client.step()


def run(requests: int, clients: int, *, workers: int = 2, threads: int = 4) -> Mixture:
    """The whole trial. Raises TimeoutError if the service does not recover."""
    with streaming() as cluster, tempfile.TemporaryDirectory() as place:
        primary = cluster.primary()
        _prepare(cluster, primary, clients)
        first, second = (cluster.standby(primary, name) for name in ("first", "second"))
        # Every acknowledged write is on the standby that will be promoted. A write that is lost with the old primary
        # was never acknowledged.
        primary.execute("alter system set synchronous_standby_names to 'second'")
        primary.execute("select pg_reload_conf()")
        with _service(place, primary, first, second, workers, threads) as address:
            mixture = Mixture(address, requests, clients)
            # It has its own row too, so that the others know everything that is written to theirs.
            apart = ReplicaClient(address, clients)
            wait_until(lambda: apart.look("/health")[1].count("left out") == 0, "both replicas are used")
            mixture.looks = [apart.look(path) for path in ("/health", "/metrics")]
            mixture.looks.append(apart.look("/graphql/v1?query=%7B__typename%7D", "1-0"))
            mixture.start()
            _await(mixture, requests * 0.25)
            first.kill()
            _await(mixture, requests * 0.4)
            first.start(cluster_name="first")
            _await(mixture, requests * 0.6)
            primary.kill()
            began = time.monotonic()
            second.promote()
            wait_until(apart.writes, "the service writes again", seconds=10.0)
            mixture.outcomes["ms from the promotion to a write"] = round(1000 * (time.monotonic() - began))
            first.follow(second)
            wait_until(lambda: first.execute("select pg_last_wal_receive_lsn()") != [[None]], "it follows")
            mixture.join()
            apart.close()
            return mixture


def _prepare(cluster: Cluster, primary: Node, clients: int) -> None:
    install(primary.url())
    primary.execute(SCHEMA.format(clients=clients))
    primary.execute(f"{cluster.login}; grant anon, authenticated, service_role to portico")
    # With it, standbys are used at once after a promotion.
    primary.execute("grant pg_read_all_stats to portico")


@contextmanager
def _service(
    place: str, primary: Node, first: Node, second: Node, workers: int, threads: int
) -> Iterator[tuple[str, int]]:
    hosts = ",".join(f"127.0.0.1:{node.port}" for node in (primary, first, second))
    url = primary.url(user="portico", parameters="&target_session_attrs=read-write")
    environment = {
        "DATABASE_URL": url.replace(f"127.0.0.1:{primary.port}", hosts),
        "DATABASE_READ_URLS": f"{first.url(user='portico')} {second.url(user='portico')}",
        "READ_MAX_LAG_S": str(MAX_LAG_S),
        "STORAGE_URL": Path(place, "objects").as_uri(),
        "JWT_SECRET": SECRET,
        "SERVICE_ROLE_KEY": KEY,
        "ANON_KEY": "anon",
    }
    with serving(environment, workers, threads) as (address, _):
        yield address


def _await(mixture: Mixture, requests: float) -> None:
    wait_until(lambda: mixture.done >= requests, f"{requests:.0f} requests are answered", seconds=1800.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--clients", type=int, default=8)
    options = parser.parse_args()
    began = time.monotonic()
    mixture = run(options.requests, options.clients)
    print(f"{mixture.done} requests in {time.monotonic() - began:.0f} s, {len(mixture.wrong)} wrong answers")
    for what, times in sorted(mixture.outcomes.items()):
        print(f"{times:9}  {what}")
    for each in mixture.wrong[:20]:
        print(each)
    raise SystemExit(1 if mixture.wrong else 0)


if __name__ == "__main__":
    main()
