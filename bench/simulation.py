"""Estimates the part that reaches its limit first, up to a million requests per second: ``python -m bench.simulation``.

A model, not a measurement. What one request takes of each part is measured on the machine of docs/performance.md; how
the parts queue is simulated: web processes, their connections, a primary for each shard, its replicas, and the one
process of each replica that replays the write-ahead log. Arrivals and service times are random, with a fixed seed.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

MIX = {"one row": 0.7, "10 x 5 nested": 0.2, "insert": 0.1}
WEB_US = {"one row": 504.0, "10 x 5 nested": 614.0, "insert": 504.0}
DATABASE_US = {"one row": 168.0, "10 x 5 nested": 457.0, "insert": 61.0}
REPLAY_US = 5.4
WAL_BYTES = 319
ROUND_TRIP_US = 200.0
"""Between two machines of one data centre; assumed."""
BUSY = 0.7
"""The highest share of time that a part may be busy: beyond it, waiting takes longer than work."""
_REQUESTS = 10_000
_SEED = 20261122


@dataclass(frozen=True)
class Deployment:
    """Machines of a kind: ``web`` with ``web_cores`` each, as many connections to each database for each core, and
    databases with ``cores`` each. ``cached``: the share of reads that a cache before the service answers."""

    name: str
    web: int = 1
    web_cores: int = 8
    connections: int = 4
    cores: int = 8
    replicas: int = 0
    shards: int = 1
    cached: float = 0.0


DEPLOYMENTS = (
    Deployment("1 node, PostgreSQL of 8 cores"),
    Deployment("8 nodes, PostgreSQL of 8 cores", web=8),
    Deployment("8 nodes, PostgreSQL of 64 cores", web=8, cores=64),
    Deployment("32 nodes, PostgreSQL of 64 cores", web=32, cores=64),
    Deployment("56 nodes, 3 replicas", web=56, cores=64, replicas=3),
    Deployment("96 nodes, 5 replicas", web=96, cores=64, replicas=5),
    Deployment("56 nodes, 3 replicas, half of the reads from a cache", web=56, cores=64, replicas=3, cached=0.5),
    Deployment("160 nodes, 8 replicas", web=160, cores=64, replicas=8),
    Deployment("320 nodes, 4 shards with 4 replicas each", web=320, cores=64, replicas=4, shards=4),
)


@dataclass(frozen=True)
class Outcome:
    """Latencies and how far replicas are behind, in milliseconds."""

    median: float
    slow: float
    lag: float


class Servers:
    """A number of servers with one queue: each request waits for the first that is free."""

    def __init__(self, count: int) -> None:
        self._free = [0.0] * count

    def start(self, at: float) -> float:
        """The time at which a request that arrives at ``at`` begins. ``end`` must be called with the time of its
        end."""
        return max(at, heapq.heappop(self._free))

    def end(self, at: float) -> None:
        heapq.heappush(self._free, at)

    def serve(self, at: float, takes: float) -> float:
        """The time at which a request that arrives at ``at`` and takes ``takes`` ends."""
        done = self.start(at) + takes
        self.end(done)
        return done


def share_of(deployment: Deployment, kind: str) -> float:
    """The share of all requests that have this kind and reach the service."""
    return MIX[kind] * (1 if kind == "insert" else 1 - deployment.cached)


def demands(deployment: Deployment) -> Mapping[str, float]:
    """The microseconds that one request of the mix takes on average of each part, with all that the part has."""
    web = sum(share_of(deployment, kind) * WEB_US[kind] for kind in MIX)
    reads = sum(share_of(deployment, kind) * DATABASE_US[kind] for kind in MIX if kind != "insert")
    writes = MIX["insert"] * DATABASE_US["insert"]
    on_primary = writes if deployment.replicas else reads + writes
    parts = {
        "web": web / (deployment.web * deployment.web_cores),
        "primary": on_primary / (deployment.cores * deployment.shards),
    }
    if deployment.replicas:
        parts["replicas"] = reads / (deployment.cores * deployment.replicas * deployment.shards)
        parts["replay"] = MIX["insert"] * REPLAY_US / deployment.shards
    return parts


def sustained(deployment: Deployment) -> tuple[float, str]:
    """The requests per second at which the first part is as busy as it may be, and which part that is."""
    part, most = max(demands(deployment).items(), key=lambda each: each[1])
    return BUSY * 1e6 / most, part


def simulate(deployment: Deployment, per_second: float) -> Outcome:
    """The latencies and replication delay of requests that arrive at random, ``per_second`` on average."""
    chance = random.Random(_SEED)
    arrivals = list(_arrivals(deployment, per_second, chance))
    web = Servers(deployment.web * deployment.web_cores)
    ready = sorted((web.serve(at, chance.expovariate(1 / WEB_US[kind])), at, kind) for at, kind in arrivals)
    databases: dict[tuple[int, int], tuple[Servers, Servers]] = {}
    replay = [Servers(1) for _ in range(deployment.shards)]
    took, lags = [], [0.0]
    for at, arrived, kind in ready:
        shard = chance.randrange(deployment.shards)
        copy = 0 if kind == "insert" or not deployment.replicas else 1 + chance.randrange(deployment.replicas)
        if (shard, copy) not in databases:
            connections = deployment.web * deployment.web_cores * deployment.connections
            databases[shard, copy] = Servers(connections), Servers(deployment.cores)
        pool, cores = databases[shard, copy]
        done = cores.serve(pool.start(at) + ROUND_TRIP_US, chance.expovariate(1 / DATABASE_US[kind]))
        pool.end(done)
        took.append(done - arrived)
        if kind == "insert" and deployment.replicas:
            lags.append(replay[shard].serve(done, REPLAY_US) - done)
    return Outcome(_percentile(took, 0.5), _percentile(took, 0.99), _percentile(lags, 0.99))


def _arrivals(deployment: Deployment, per_second: float, chance: random.Random) -> Iterable[tuple[float, str]]:
    kinds = list(MIX)
    shares = [share_of(deployment, kind) for kind in kinds]
    gap = 1e6 / (per_second * sum(shares))
    at = 0.0
    for kind in chance.choices(kinds, shares, k=_REQUESTS):
        at += chance.expovariate(1 / gap)
        yield at, kind


def _percentile(values: list[float], share: float) -> float:
    return sorted(values)[int(len(values) * share)] / 1000


def busy_without_one(deployment: Deployment) -> str:
    """The load of the busiest part at the same rate after a replica is lost, or a node if there are no replicas."""
    if not deployment.replicas and deployment.web == 1:
        return "no service"
    without = (
        replace(deployment, replicas=deployment.replicas - 1)
        if deployment.replicas
        else replace(deployment, web=deployment.web - 1)
    )
    return f"{sustained(deployment)[0] * max(demands(without).values()) / 1e6:.0%}"


def table() -> Iterable[str]:
    """The lines of the table."""
    yield (
        "| deployment | requests per second | busiest part | median, 99 % | replication delay, 99 % "
        "| load after losing one machine | connections to a database | WAL of a shard |"
    )
    yield "|---|---|---|---|---|---|---|---|"
    for each in DEPLOYMENTS:
        rate, part = sustained(each)
        found = simulate(each, rate)
        behind = f"{found.lag:.2f} ms" if each.replicas else "-"
        connections = each.web * each.web_cores * each.connections
        wal = rate * MIX["insert"] * WAL_BYTES / each.shards / 1e6
        yield (
            f"| {each.name} | {rate:,.0f} | {part} | {found.median:.1f} ms, {found.slow:.1f} ms | {behind} "
            f"| {busy_without_one(each)} | {connections:,} | {wal:,.1f} MB/s |"
        )


if __name__ == "__main__":
    print("\n".join(table()))
