"""Measures contestants in turns, so that other load on the machine affects all of them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import wrk
from bench.contestants import Contestant
from bench.library import Question
from bench.pgbench import PgBench, data_of, flight_of
from bench.processor import await_end, children_of, cpu_seconds
from bench.sent import sent_for

CONNECTIONS = 8
# An answer differs in its header alone from others to the same question.
_SAME_SIZE = 100
# wrk ends with requests under way. GraphJin then closes their database connections, and while such a process ends, its
# CPU time cannot be read.
_SETTLES_S = 0.3
PGBENCH = "pgbench, the same SQL"
PACED = "pgbench, the same SQL as often"
NO_ROLE = "pgbench, no role, the data statement alone"


@dataclass(frozen=True)
class Figures:
    """The medians of the rounds. CPU time is in microseconds for a request, latencies in milliseconds by percentile."""

    question: str
    contestant: str
    per_second: float
    service_us: float
    database_us: float
    client_us: float
    latencies: Mapping[int, float]


class Measuring:
    """``database``: the process id of PostgreSQL's first process; each of ``rounds`` takes ``seconds``."""

    def __init__(self, database: int, seconds: int, rounds: int) -> None:
        self._database = database
        self._seconds = seconds
        self._rounds = rounds

    def measure(
        self, question: Question, contestants: Sequence[Contestant], pgbench: Mapping[str, PgBench]
    ) -> list[Figures]:
        """The figures of those that can answer a question, then those of each pgbench by the names of ``pgbench_of``.
        ``PACED`` sends as often as the first contestant was asked, the others as often as they can. Raises
        AssertionError for an answer that is not true."""
        contestants = [each for each in contestants if each.answers(question)]
        sizes = {each.name: len(each.ask(question)) for each in contestants}
        for each in contestants:
            self._load(each, question, 1)
        found: dict[str, list[Figures]] = {}
        for _ in range(self._rounds):
            for each in contestants:
                figures = self._round(each, question, sizes[each.name])
                found.setdefault(each.name, []).append(figures)
            asked = found[contestants[0].name][-1].per_second
            for name, each_pgbench in pgbench.items():
                at_most = asked if name == PACED else None
                found.setdefault(name, []).append(self._round_of_pgbench(question, each_pgbench, name, at_most))
        for each in contestants:
            each.ask(question)
        return [_median(rounds) for rounds in found.values()]

    def _load(self, contestant: Contestant, question: Question, seconds: int) -> wrk.Loaded:
        bodies = contestant.bodies(question)
        return wrk.load(contestant.url(question), bodies, contestant.headers, connections=CONNECTIONS, seconds=seconds)

    def _round(self, contestant: Contestant, question: Question, size: int) -> Figures:
        service, database = cpu_seconds(contestant.pid), cpu_seconds(self._database)
        loaded = self._load(contestant, question, self._seconds)
        time.sleep(_SETTLES_S)
        service, database = cpu_seconds(contestant.pid) - service, cpu_seconds(self._database) - database
        assert not loaded.failures, f"{contestant.name}: {loaded.failures} failures"
        assert size < loaded.size < size + 5 * _SAME_SIZE, f"{contestant.name}: {loaded.size} bytes, not {size}"
        count = loaded.requests / 1e6
        return Figures(
            question.name,
            contestant.name,
            loaded.per_second,
            service / count,
            database / count,
            loaded.client_us,
            loaded.latencies,
        )

    def _round_of_pgbench(self, question: Question, pgbench: PgBench, name: str, at_most: float | None) -> Figures:
        others, database = children_of(self._database), cpu_seconds(self._database)
        per_second = pgbench.per_second(CONNECTIONS, self._seconds, at_most)
        await_end(self._database, others)
        used = (cpu_seconds(self._database) - database) / (per_second * self._seconds) * 1e6
        return Figures(question.name, name, per_second, 0.0, used, 0.0, {})


def pgbench_of(question: Question, url: str, place: Path) -> dict[str, PgBench]:
    """Each pgbench for a question, by its name: two send what the service sends, one the data statement as the login.
    There is none for a question that the service answers without the database."""
    if question.truth is None:
        return {}
    sent = sent_for(question, url)[:CONNECTIONS]
    same = PgBench(list(map(flight_of, sent)), url, place)
    return {PGBENCH: same, PACED: same, NO_ROLE: PgBench(list(map(data_of, sent)), url, place)}


def _median(rounds: Sequence[Figures]) -> Figures:
    def of(name: str) -> float:
        return statistics.median(getattr(each, name) for each in rounds)

    first = rounds[0]
    latencies = {each: statistics.median(figures.latencies[each] for figures in rounds) for each in first.latencies}
    return Figures(
        first.question,
        first.contestant,
        of("per_second"),
        of("service_us"),
        of("database_us"),
        of("client_us"),
        latencies,
    )
