"""The parts of ``python -m bench``, and a short run of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bench import wrk
from bench.databases import filled_database
from bench.library import GRAPHJIN, PORTICO, POSTGRAPHILE, QUESTIONS, SCHEMA, STRAWBERRY, rows_of
from bench.measuring import PACED, PGBENCH, Figures
from bench.processor import await_end, children_of, cpu_seconds
from bench.report import BARE, EMPTY, chart, ideal, of_the_ideal
from bench.sent import sent_for
from tests.process.running import PATIENCE_S, REPOSITORY


def figures(contestant: str, per_second: float, service_us: float, database_us: float) -> Figures:
    return Figures("one <row>", contestant, per_second, service_us, database_us, 20.0, {50: 1.0, 90: 2.0, 99: 3.0})


def test_the_output_of_wrk_is_parsed() -> None:
    reported = "Running 2s test @ http://x\nfigures 4000 2000000 800000 3 1500 2500 9000\nRequests/sec: 2000\n"
    read = wrk.read(reported, 0.08)
    assert (read.requests, read.per_second, read.size, read.failures) == (4000, 2000.0, 200.0, 3)
    assert read.latencies == {50: 1.5, 90: 2.5, 99: 9.0}
    assert read.client_us == pytest.approx(20)


def test_the_time_of_children_counts_once_they_have_ended() -> None:
    before = cpu_seconds(os.getpid())
    subprocess.run([sys.executable, "-c", "import time\nwhile time.process_time() < 0.3: pass"], check=True)
    assert 0.25 < cpu_seconds(os.getpid()) - before < 3
    before = cpu_seconds(os.getpid())
    until = time.thread_time() + 0.2
    while time.thread_time() < until:
        pass
    assert cpu_seconds(os.getpid()) - before > 0.15


def test_the_end_of_children_is_awaited() -> None:
    others = children_of(os.getpid())
    child = subprocess.Popen([sys.executable, "-c", "import time\nwhile time.process_time() < 0.3: pass"])
    assert child.pid in children_of(os.getpid()) - others
    waiting = threading.Thread(target=child.wait)
    waiting.start()
    await_end(os.getpid(), others)
    assert not children_of(os.getpid()) - others
    waiting.join()


def test_answers_of_every_form_have_the_same_rows() -> None:
    book = {"id": 1, "title": "a"}
    nested = {"authors": {"edges": [{"node": {"rowId": 2, "booksByAuthor": {"edges": [{"node": book}]}}}]}}
    assert rows_of({"data": nested}) == rows_of({"data": {"a": [{"id": 2, "books": [book]}]}})
    column = {"id": 1, "author_id": 2}
    assert rows_of({"data": {"books": [column]}}) == [{"id": 1, "authorId": 2}]
    assert rows_of({"data": {"insertIntoBookCollection": {"records": [book]}}}) == book
    assert rows_of({"data": {"createBook": {"book": book}}}) == rows_of({"data": {"createBook": book}}) == book
    with pytest.raises(AssertionError):
        rows_of({"data": None, "errors": [{"message": "no"}]})


def test_every_peer_has_every_question_that_it_can_answer() -> None:
    names = [each.name for each in QUESTIONS]
    assert [list(queries) for queries in (PORTICO, POSTGRAPHILE, STRAWBERRY)] == [names] * 3
    assert list(GRAPHJIN) == names[1:]


def test_reads_enter_their_context_once_and_writes_each_time(tmp_path: Path) -> None:
    with filled_database(tmp_path, SCHEMA) as cluster:
        sent = {each.name: sent_for(each, cluster.url())[0] for each in QUESTIONS}
    assert not sent["__typename"].data
    for name in ("one row by key", "10 x 5 nested", "100 rows"):
        assert len(sent[name].enter) == 2
        assert [statement.name_hint for statement, _, _ in sent[name].context] == ["still_valid"]
    for name in ("an insert", "an update by key"):
        assert not sent[name].enter
        assert "SET LOCAL ROLE" in sent[name].context[1][0].sql
    assert [len(each.data) for each in sent.values()] == [0, 1, 1, 1, 1, 1]


def test_the_ideal_is_the_sum_of_the_parts_measured_alone() -> None:
    rounds = [figures("Portico", 1000, 300, 100), figures(EMPTY, 5000, 100, 0), figures(PGBENCH, 9000, 0, 80)]
    assert ideal(rounds, 2) == pytest.approx(10_000)
    assert ideal(rounds[:1], 2) is None
    assert of_the_ideal(rounds, 2) is None
    share = of_the_ideal([*rounds, figures(PACED, 1000, 0, 130), figures(BARE, 800, 0, 130)], 2)
    assert share is not None
    assert "10% of the ideal, which is 10,000" in share
    assert "12% of 8,000" in share
    assert "1.25 times the bare server, which reaches 8% of the ideal" in share


def test_the_chart_has_a_bar_for_each_server_that_answers() -> None:
    image = ElementTree.fromstring(chart([figures("Portico", 2000, 1, 1), figures("peer", 1000, 1, 1)]))
    bars = [int(each.attrib["width"]) for each in image.iter() if each.tag.endswith("rect")]
    assert bars[0] == 2 * bars[1]


@pytest.mark.long
@pytest.mark.skipif(not wrk.is_installed(), reason="wrk is not installed")
def test_a_short_run_reports_figures(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bench", "--seconds", "1", "--rounds", "1", "--json", str(tmp_path / "figures")]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=8 * PATIENCE_S)
    assert done.returncode == 0, done.stderr
    reported = json.loads((tmp_path / "figures").read_text())["figures"]
    asked = [(each["question"], each["contestant"]) for each in reported]
    assert asked[:3] == [("__typename", "Portico"), ("__typename", EMPTY), ("__typename", BARE)]
    assert len(asked) == 33
    assert all(each["per_second"] > 0 for each in reported)
    assert "of the ideal" in done.stdout
