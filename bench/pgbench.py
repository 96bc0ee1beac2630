"""pgbench sending to PostgreSQL what the service sends for a request.

A flight of the service is a pipeline of pgbench, with the same values as parameters. If the service keeps the caller on
the connection, each client of pgbench cleans its session and sets role and claims once, and each pipeline has the check
of that context and the statements of the request. Otherwise each pipeline cleans the session and sets role and claims
itself. pgbench prepares each statement; the service sends the ones that run with its own rights as text.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from struct import unpack_from

from app.database.url.url import parse_database_url
from app.database.wire import session
from app.database.wire.prepared import Step
from app.embedded.binaries import wheel_programs
from bench.sent import Sent

Values = Sequence[bytes | None]
_FEW = 50


@dataclass(frozen=True)
class Flight:
    """Statements with their values, in the order in which they are sent. ``enter``: those that each client sends once,
    before its first flight."""

    statements: Sequence[tuple[str, Values]]
    enter: Sequence[tuple[str, Values]] = ()


def flight_of(sent: Sent) -> Flight:
    """The flight that the service sends."""
    cleaning: list[tuple[str, Values]] = [(sql, ()) for sql in session.SQL]
    statements = _bound((*sent.context, *sent.data))
    return Flight(statements, [*cleaning, *_bound(sent.enter)]) if sent.enter else Flight([*cleaning, *statements])


def data_of(sent: Sent) -> Flight:
    """The statements of the request alone, which then run as the login."""
    return Flight(_bound(sent.data))


def _bound(steps: Sequence[Step]) -> list[tuple[str, Values]]:
    return [(statement.sql, _values(parameters)) for statement, parameters, _ in steps]


def _values(parameters: bytes | Values) -> Values:
    """The values from the bytes of ``encode_parameters``."""
    return list(_decoded(parameters)) if isinstance(parameters, bytes) else parameters


def _decoded(encoded: bytes) -> Iterator[bytes | None]:
    at = 2
    while at < len(encoded):
        (size,) = unpack_from("!i", encoded, at)
        at += 4
        yield None if size < 0 else encoded[at : at + size]
        at += max(0, size)


class PgBench:
    """pgbench whose clients send ``flights``: the first client the first one, again and again, and so on."""

    def __init__(self, flights: Sequence[Flight], url: str, place: Path) -> None:
        self._variables = {"entered": "false"}
        self._numbers = count(1)
        self._target = parse_database_url(url)
        self._place = place / "flights.sql"
        self._script = "".join(self._branches(flights))

    def per_second(self, clients: int, seconds: float, at_most: float | None = None) -> float:
        """How many flights are answered in a second, of ``at_most`` that are sent if not of as many as possible, as
        ``seconds`` of them tell; below one second, a few tell."""
        target = self._target
        self._place.write_text(self._script)
        # pgbench takes whole seconds.
        length = ["-T", str(int(seconds))] if seconds >= 1 else ["-t", str(_FEW)]
        command = [str(wheel_programs() / "pgbench"), "-n", "-M", "prepared"]
        command += ["-c", str(clients), "-j", str(min(clients, 2))]
        command += [*length, "-f", str(self._place)]
        command += [] if at_most is None else ["-R", f"{at_most:.0f}"]
        command += [f"-D{name}={value}" for name, value in self._variables.items()]
        command += ["-h", target.host, "-p", str(target.port), "-U", target.user, target.database]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        found = re.search(r"tps = ([\d.]+)", done.stdout)
        assert found, done.stdout
        return float(found[1])

    def _branches(self, flights: Sequence[Flight]) -> Iterator[str]:
        for number, flight in enumerate(flights):
            condition = f":client_id % {len(flights)} = {number}"
            yield f"\\if {condition}\n{self._entering(flight)}{self._pipeline(flight.statements)}\\endif\n"

    def _entering(self, flight: Flight) -> str:
        if not flight.enter:
            return ""
        return f"\\if not :entered\n{self._pipeline(flight.enter)}\\set entered true\n\\endif\n"

    def _pipeline(self, statements: Sequence[tuple[str, Values]]) -> str:
        lines = "".join(f"{self._line(sql, values)};\n" for sql, values in statements)
        return f"\\startpipeline\n{lines}\\endpipeline\n"

    def _line(self, sql: str, values: Values) -> str:
        """The statement on one line, with variables of pgbench in the place of its parameters."""
        names = {str(number): self._name(value) for number, value in enumerate(values, start=1)}
        return re.sub(r"\$(\d+)", lambda found: names[found[1]], re.sub(r"\s+", " ", sql))

    def _name(self, value: bytes | None) -> str:
        if value is None:
            return "NULL"
        name = f"p{next(self._numbers)}"
        self._variables[name] = value.decode()
        return f":{name}"
