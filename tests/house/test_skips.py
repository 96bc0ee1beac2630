"""The list of the tests that may be left out: a run that differs from it fails, and says how."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.process.running import PATIENCE_S, environment
from tests.skips import LeftOut, Run, read_list

TESTS = """
import pytest

@pytest.mark.skip(reason="needs a printer: none was found")
def test_printing(): pass

@pytest.mark.parametrize("n", [1, 2])
def test_numbers(n):
    if n == 2:
        pytest.skip("needs paper")

@pytest.mark.xfail(reason="the ink is dry")
def test_ink(): assert False

def test_nothing(): pass
"""
ENTRY = '[[skip]]\ntests = "test_a.py::{}"\nreason = "{}"\nbecause = "It is so."\n'
PRINTER, PAPER, INK = (
    ENTRY.format(*each)
    for each in (("test_pr*", "needs a printer"), ("test_numbers", "needs paper"), ("test_ink", "the ink is dry"))
)
Finished = subprocess.CompletedProcess[str]


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Finished]:
    (tmp_path / "pytest.ini").write_text("[pytest]")
    (tmp_path / "test_a.py").write_text(TESTS)
    (tmp_path / "test_b.py").write_text("import pytest\npytest.importorskip('absent_module', reason='needs a module')")

    def run_with(listed: str | None, *arguments: str) -> Finished:
        (tmp_path / "list.toml").write_text(listed or "")
        given = () if listed is None else (f"--only-listed-skips={tmp_path / 'list.toml'}",)
        command = [sys.executable, "-m", "pytest", "-p", "tests.skips", *given, *arguments]
        return subprocess.run(
            command, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=PATIENCE_S
        )

    return run_with


@pytest.mark.parametrize("processes", ["0", "2"])
@pytest.mark.parametrize("selected", ["skip", "not skip"])
def test_an_entry_need_not_apply_where_its_tests_are_deselected(
    run: Callable[..., Finished], selected: str, processes: str
) -> None:
    done = run(PRINTER + PAPER + INK, "test_a.py", "-m", selected, "-n", processes)
    assert (done.returncode, "on the list" in done.stdout) == (0, False), done.stdout
    gone = ENTRY.format("test_gone", "needs nothing")
    done = run(PRINTER + PAPER + INK + gone, "test_a.py", "-m", selected, "-n", processes)
    assert done.returncode == 1, done.stdout
    assert "listed, but not left out: test_a.py::test_gone" in done.stdout
    assert "test_printing" not in done.stdout


@pytest.mark.parametrize("processes", ["0", "2"])
def test_the_last_lines_list_skipped_tests(run: Callable[..., Finished], processes: str) -> None:
    done = run(None, "-n", processes)
    assert done.returncode == 0, done.stdout
    _, heading, after = done.stdout.partition("not run: 4 tests")
    assert heading
    *reasons, last = filter(None, after.splitlines()[1:])
    assert sorted(reasons) == [
        "    1  needs a module",
        "    1  needs a printer: none was found",
        "    1  needs paper",
        "    1  the ink is dry",
    ]
    assert "2 passed, 3 skipped, 1 xfailed" in last


def test_a_run_with_an_unlisted_skip_fails(run: Callable[..., Finished], tmp_path: Path) -> None:
    (tmp_path / "test_c.py").write_text("from test_a import test_nothing")
    done = run(PRINTER, "test_c.py")
    assert (done.returncode, "on the list" in done.stdout) == (0, False), done.stdout
    module = '[[skip]]\ntests = "test_b.py"\nreason = "needs a module"\nbecause = "It is so."\n'
    done = run(PRINTER + PAPER + INK + module, "-n", "2")
    assert (done.returncode, "on the list" in done.stdout) == (0, False), done.stdout
    done = run(PRINTER + PAPER + INK)
    assert (done.returncode, "not listed: test_b.py (1): needs a module" in done.stdout) == (1, True), done.stdout


LEFT_OUT = (
    LeftOut("test_a.py::test_printing", "needs a printer: none was found"),
    LeftOut("test_a.py::test_numbers", "needs paper"),
    LeftOut("test_a.py::test_ink", "the ink is dry"),
)


@pytest.mark.parametrize(
    ("listed", "problem"),
    [
        (PRINTER + PAPER + INK, None),
        (PRINTER + INK, "not listed: test_a.py::test_numbers (1): needs paper"),
        (PRINTER + PAPER, "not listed: test_a.py::test_ink (1): the ink is dry"),
        (
            PRINTER.replace("a printer", "a plotter") + PAPER + INK,
            "not listed: test_a.py::test_printing (1): needs a printer: none was found",
        ),
        (
            PRINTER + PAPER + INK + ENTRY.format("test_nothing", "needs nothing"),
            "listed, but not left out: test_a.py::test_nothing: needs nothing",
        ),
        (
            PRINTER + PAPER + INK + ENTRY.replace("test_a", "test_c").format("*", "needs more"),
            "listed, but not left out: test_c.py::*: needs more",
        ),
        (
            PRINTER + PAPER + INK.strip() + "\nbefore = 13\n",
            "not listed: test_a.py::test_ink (1): the ink is dry",
        ),
        (
            PRINTER + PAPER + INK.strip() + "\nembedded = true\n",
            "not listed: test_a.py::test_ink (1): the ink is dry",
        ),
    ],
)
def test_a_run_that_differs_from_the_list_is_reported(tmp_path: Path, listed: str, problem: str | None) -> None:
    (tmp_path / "test_a.py").touch()
    (tmp_path / "list.toml").write_text(listed)
    run = Run(read_list(tmp_path / "list.toml", 18, embedded=False), tmp_path, list(LEFT_OUT), {"test_a.py"})
    found = list(run.problems())
    assert problem in found if problem else found == []
