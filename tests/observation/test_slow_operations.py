"""Slow operations: the log, and the record of the slowest, without secrets."""

from __future__ import annotations

import logging
import subprocess
import sys

import pytest

from app.observation import SlowOperation
from app.observation.redaction import key_of, without_literals
from app.observation.slow_operations import MAX_OPERATIONS, Slowest, shared_file
from tests.graphql.conftest import StartApi
from tests.graphql.conftest import reading_api as reading_api
from tests.graphql.conftest import start_api as start_api
from tests.process.running import PATIENCE_S, REPOSITORY

SCHEMA = """
create table thing (id int primary key, name text); insert into thing values (1, 'one');
grant select on thing to anon, authenticated;
"""
FIND = (
    'query Find($n: Int) { thingCollection(first: $n, filter: { name: { eq: "s3cret" } }) { edges { node { id } } } }'
)


def slow_operation(key: str, milliseconds: float, at: float = 1e12, role: str = "anon") -> SlowOperation:
    return SlowOperation(key, "Find", "query", role, (), milliseconds, {"execute": milliseconds}, "{ a }", at)


def test_a_slow_operation_is_logged_and_recorded(reading_api: StartApi, caplog: pytest.LogCaptureFixture) -> None:
    api = reading_api(SCHEMA, slow_operation_ms=1)
    with caplog.at_level(logging.WARNING, "portico.slow"):
        for _ in range(2):
            assert api.ask(FIND, {"n": 1}, role="authenticated", headers={"X-Request-Id": "abc"}).data
        api.ask("query Broken { nope }")
    slow = {each.name: each for each in api.application.services.slow_operations()}["Find"]
    assert (slow.kind, slow.role, slow.codes) == ("query", "authenticated", ())
    assert set(slow.stages) == {"parse", "authorize", "plan", "execute", "shape"}
    assert slow.milliseconds == pytest.approx(sum(slow.stages.values()))
    assert "thingCollection(first: $n" in slow.document
    logged = [vars(each) for each in caplog.records if vars(each).get("operation") == "Find"]
    assert (logged[0]["plan"], logged[0]["role"], logged[0]["request_id"]) == (slow.key, "authenticated", "abc")
    assert "s3cret" not in repr(slow) + str(logged)


def test_no_operation_is_slow_without_a_threshold(reading_api: StartApi) -> None:
    api = reading_api(SCHEMA, slow_operation_ms=0)
    assert api.ask(FIND, {"n": 1}).data
    assert api.application.services.slow_operations() == ()


def test_literals_are_removed_from_documents() -> None:
    text = 'query A { a(s: "x", b: """y""", i: 17, f: 1.5, e: RED, t: true, v: $v) # comment\n }'
    reported = without_literals(text)
    assert reported.replace("\n", "").replace(" ", "") == 'queryA{a(s:"",b:"",i:0,f:0,e:RED,t:true,v:$v)}'
    assert key_of(reported, "A") == key_of(without_literals(text.replace("17", "18")), "A")
    assert key_of(reported, "A") != key_of(reported, "B")
    assert without_literals("{ a(") == ""
    assert len(without_literals("{" + "a " * 10_000 + "}")) < 10_000


@pytest.mark.parametrize("shared", [True, False])
def test_the_record_holds_the_slowest_run_of_each_operation(*, shared: bool) -> None:
    file = shared_file() if shared else None
    record = Slowest(file)
    for number in range(MAX_OPERATIONS + 10):
        record.add(slow_operation(f"k{number}", number))
    record.add(slow_operation("k59", 3.0))
    record.add(slow_operation("k58", 1000.0))
    record.add(slow_operation("k58", 500.0, role="authenticated"))
    found = (Slowest(file) if shared else record).operations()
    assert [(each.key, each.role) for each in found[:3]] == [("k58", "anon"), ("k58", "authenticated"), ("k59", "anon")]
    assert (len(found), found[2].milliseconds) == (MAX_OPERATIONS, 59.0)


ADD = """
import sys
from app.observation import SlowOperation
from app.observation.slow_operations import Slowest
record = Slowest(int(sys.argv[1]))
for each in range(10):
    record.add(SlowOperation(f"{sys.argv[2]}-{each}", "", "query", "anon", (), 1.0, {}, "", 1e12))
"""


def test_processes_share_the_record() -> None:
    file = shared_file()
    commands = [[sys.executable, "-c", ADD, str(file), str(number)] for number in range(4)]
    started = [subprocess.Popen(each, pass_fds=[file], cwd=REPOSITORY) for each in commands]
    assert [each.wait(PATIENCE_S) for each in started] == [0] * 4
    assert len(Slowest(file).operations()) == 40


def test_the_record_forgets_after_a_day() -> None:
    record = Slowest(None)
    record.add(slow_operation("old", 1000.0, at=0.0))
    record.add(slow_operation("new", 1.0))
    assert [each.key for each in record.operations()] == ["new"]
