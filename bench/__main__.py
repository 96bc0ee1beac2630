"""Compares the service with an empty web server, a bare one, pgbench and its peers, all in one run: ``python -m
bench``.

It needs wrk. The first run with ``--peers`` installs PostGraphile and strawberry by npm and pip. It also measures
GraphJin if a program ``graphjin`` is on the PATH.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

from app.database.url.url import parse_database_url
from app.database.wire.target import Target
from app.embedded.cluster import EmbeddedPostgres
from bench import report, wrk
from bench.contestants import Contestant, NotStarted, bare, empty, portico
from bench.databases import filled_database
from bench.library import QUESTIONS, SCHEMA, Question
from bench.measuring import Figures, Measuring, pgbench_of
from bench.peers import PeerMissing, postgraphile, strawberry
from bench.peers.graphjin import graphjin

WORKERS, THREADS = 2, 2
_CACHE = Path.home() / ".cache" / "portico-bench"


def main() -> None:
    options = _options()
    if not wrk.is_installed():
        sys.exit("python -m bench needs wrk (https://github.com/wg/wrk); on Debian: apt install wrk")
    notes = [f"Python {sys.version}"]
    questions = [each for each in QUESTIONS if not options.only or any(part in each.name for part in options.only)]
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        cluster = stack.enter_context(filled_database(place, SCHEMA))
        ours = stack.enter_context(portico(cluster.url(), WORKERS, THREADS))
        sizes = {each.name: len(ours.ask(each)) for each in questions}
        contestants = [ours, stack.enter_context(empty(sizes, WORKERS, THREADS))]
        contestants.append(stack.enter_context(bare(cluster.url(), WORKERS, THREADS)))
        if options.peers:
            contestants += _peers(stack, parse_database_url(cluster.url()), options.peers, notes)
        measuring = Measuring(_first_process(cluster), options.seconds, options.rounds)
        figures = _measure(measuring, questions, contestants, cluster.url(), place, notes)
    if options.json:
        options.json.write_text(report.as_json(figures, notes))
    if options.svg:
        options.svg.write_text(report.chart(figures))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--seconds", type=int, default=4, help="how long each round takes")
    parser.add_argument("--rounds", type=int, default=5, help="number of rounds, of which the median is reported")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="a part of the name of a question")
    parser.add_argument(
        "--peers", type=Path, nargs="?", const=_CACHE, metavar="DIRECTORY", help=f"also measure peers, kept in {_CACHE}"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write the figures")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="where to write a chart")
    return parser.parse_args()


def _first_process(cluster: EmbeddedPostgres) -> int:
    return int((Path(cluster.data_directory) / "postmaster.pid").read_text().split()[0])


def _peers(stack: ExitStack, target: Target, place: Path, notes: list[str]) -> list[Contestant]:
    made: list[Callable[[], AbstractContextManager[Contestant]]] = [
        lambda: postgraphile(target, place, "anon"),
        lambda: postgraphile(target, place, ""),
        lambda: strawberry(target, place, WORKERS),
        lambda: graphjin(target, place, with_user=True),
        lambda: graphjin(target, place, with_user=False),
    ]
    found = []
    for make in made:
        try:
            found.append(stack.enter_context(make()))
        except (PeerMissing, NotStarted) as ex:
            notes.append(f"a peer is left out: {ex}")
            print(notes[-1])
    return found


def _measure(
    measuring: Measuring,
    questions: Sequence[Question],
    contestants: list[Contestant],
    url: str,
    place: Path,
    notes: list[str],
) -> list[Figures]:
    print(report.HEADING)
    reported: list[Figures] = []
    for question in questions:
        figures = measuring.measure(question, contestants, pgbench_of(question, url, place))
        reported += figures
        print("\n".join(report.lines(figures)), flush=True)
        share = report.of_the_ideal(figures, len(os.sched_getaffinity(0)))
        if share is not None:
            notes.append(share)
    print("\n".join(["", *notes]))
    return reported


if __name__ == "__main__":
    main()
