"""Lists the skipped tests at the end of a run. With ``--only-listed-skips=FILE`` the run fails if it skipped others.

The file, such as ``listed_skips.toml``, has a table for each test, or group of tests, that may be left out:

    [[skip]]
    tests = "tests/graphql/test_x.py::test_y*"   # a pattern for names of tests without parameters
    reason = "needs a printer"                   # what the skip says, or its beginning
    because = "No package brings a printer."     # why nothing is done about it
    before = 18                                  # optional: only on PostgreSQL before this version
    embedded = true                              # optional: only on the embedded server

An entry must apply: one whose file was run, but of whose tests none was left out, fails the run too. It need not apply
where tests of its own were deselected, as by ``-m``: test.sh runs the tests marked ``timing`` after all others.
"""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

OPTION = "--only-listed-skips"
_EMBEDDED = 18
_DESELECTED = "portico_deselected"


@dataclass(frozen=True)
class LeftOut:
    """A test that was skipped, or failed as expected. ``test`` is its name without parameters."""

    test: str
    reason: str


@dataclass(frozen=True)
class Listed:
    """An entry of the list."""

    tests: str
    reason: str
    because: str
    before: int | None = None
    embedded: bool = False

    def counts_on(self, version: int, embedded: bool) -> bool:
        return (embedded or not self.embedded) and (self.before is None or version < self.before)

    def allows(self, left_out: LeftOut) -> bool:
        return fnmatchcase(left_out.test, self.tests) and left_out.reason.startswith(self.reason)


@dataclass
class Run:
    """The skipped tests of a run, the files that it had tests of, and the tests that were deselected, without their
    parameters. ``root``: names of files are relative to it."""

    listed: tuple[Listed, ...] | None
    root: Path
    left_out: list[LeftOut] = field(default_factory=list)
    files: set[str] = field(default_factory=set)
    deselected: set[str] = field(default_factory=set)

    def problems(self) -> Iterator[str]:
        """The differences between the run and the list."""
        entries = self.listed or ()
        for each, times in Counter(self.left_out).items() if self.listed is not None else ():
            if not any(entry.allows(each) for entry in entries):
                yield f"not listed: {each.test} ({times}): {each.reason}"
        for entry in entries:
            file = entry.tests.partition("::")[0]
            must_apply = file in self.files and not any(fnmatchcase(each, entry.tests) for each in self.deselected)
            if not (self.root / file).exists() or (must_apply and not any(map(entry.allows, self.left_out))):
                yield f"listed, but not left out: {entry.tests}: {entry.reason}"


def read_list(path: Path, version: int, embedded: bool) -> tuple[Listed, ...]:
    """The entries for a version of PostgreSQL."""
    entries = (Listed(**each) for each in tomllib.loads(path.read_text()).get("skip", ()))
    return tuple(each for each in entries if each.counts_on(version, embedded))


def _version() -> int:
    """The major version of the server that the tests run on."""
    programs = os.environ.get("TEST_POSTGRES_BIN")
    if programs is None:
        return _EMBEDDED
    said = subprocess.run([f"{programs}/postgres", "--version"], capture_output=True, text=True, check=True).stdout
    return int(re.findall(r"\d+", said)[0])


class _Watcher:
    """Sees the reports of a run; with xdist, in the process that gathers them."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        # Not its location, which is that of the class where tests are inherited from another file.
        self._run.files.add(report.nodeid.partition("::")[0])
        if report.skipped:
            self._add(report.nodeid.partition("[")[0], getattr(report, "wasxfail", None) or _reason(report))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self._run.files.add(report.nodeid)
            self._add(report.nodeid, _reason(report))

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        self._run.deselected.update(_deselected(items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """With xdist, only the workers know what was deselected."""
        self._run.deselected.update(getattr(node, "workeroutput", {}).get(_DESELECTED, ()))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if any(self._run.problems()) and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        tell = terminalreporter
        reasons = Counter(each.reason for each in self._run.left_out)
        if reasons:
            tell.section(f"not run: {sum(reasons.values())} tests")
            for reason, times in reasons.most_common():
                tell.line(f"{times:5d}  {reason}")
        problems = sorted(self._run.problems())
        if problems:
            tell.section("the tests that were left out are not those on the list", red=True)
            for each in problems:
                tell.line(each)

    def _add(self, test: str, reason: str) -> None:
        self._run.left_out.append(LeftOut(test, reason))


class _WorkerWatcher:
    """Reports from a worker of xdist which tests were deselected."""

    def __init__(self, output: dict[str, Any]) -> None:
        self._found: list[str] = output.setdefault(_DESELECTED, [])

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        self._found += sorted(_deselected(items))


def _deselected(items: Sequence[pytest.Item]) -> set[str]:
    return {each.nodeid.partition("[")[0] for each in items}


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    """The reason of a skip, which a report has behind the file and the line."""
    reported: Any = report.longrepr
    return str(reported[2]).removeprefix("Skipped: ")


def pytest_addoption(parser: pytest.Parser) -> None:
    reported = "fail if a test is left out that the file does not list"
    parser.addoption(OPTION, type=Path, metavar="FILE", help=reported)


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(_WorkerWatcher(config.workeroutput))
    else:
        path = config.getoption(OPTION)
        listed = None if path is None else read_list(path, _version(), embedded="TEST_POSTGRES_BIN" not in os.environ)
        config.pluginmanager.register(_Watcher(Run(listed, config.rootpath)))
