"""The siege in its short form: nothing gets through; and a siege that finds something says so."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bench.siege.__main__ import main
from bench.siege.attacks import ATTACKS
from bench.siege.finding import Attack, Finding, Tally
from tests.process.running import PATIENCE_S, REPOSITORY

SHORT = (
    "generated documents on twins",
    "mixed callers, disturbed",
    "spoilt sessions",
    "injections and service_role",
    "forged tokens",
    "roles in genuine tokens",
    "tokens of two kinds",
    "tokens and the database",
    "sign-in from elsewhere",
    "users who want more",
    "SQL from elsewhere",
    "SQL from another site",
    "variables of a mebibyte",
    "regular expressions",
    "errors and hidden tables",
    "estimates of hidden rows",
    "tables that were there",
    "entities that are hidden",
    "representations that are SQL",
    "hidden or not there",
    "a database user and the bytes",
    "signed URLs used otherwise",
    "forged chunks",
    "hidden or not there, by S3",
    "parts beyond the limit",
    "uploads of others",
    "offsets that race",
    "lengths that lie",
    "images that are pages",
    "images of what is hidden",
    "an upload and a creation",
    "an upload URL signed before",
    "a move that races a write",
    "writes with one condition",
    "two readings of one request",
    "request lines",
    "hosts",
    "long header lines",
    "bodies without a credential",
    "a store that cannot be written",
)
"""Those that take no longer than a few seconds."""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """The results of a short siege, by attack name."""
    file = tmp_path_factory.mktemp("siege") / "found.json"
    command = [sys.executable, "-m", "bench.siege", "--seconds", "1", "--json", str(file)]
    command += [part for name in SHORT for part in ("--only", name)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=5 * PATIENCE_S)
    assert done.returncode in (0, 1), done.stderr
    entries = json.loads(file.read_text())
    assert all(entry["name"] in done.stdout for entry in entries)
    assert done.returncode == any(entry["got_through"] for entry in entries)
    return {entry["name"]: entry for entry in entries}


@pytest.mark.long
@pytest.mark.parametrize("name", SHORT)
def test_no_attack_succeeds(found: Mapping[str, Any], name: str) -> None:
    assert found[name]["tried"] > 0
    assert found[name]["got_through"] == 0, f"{found[name]['promise']}: {found[name]['examples']}"


def _one_of_two(*_: object) -> Finding:
    tally = Tally()
    tally.add(True, "the first")
    tally.add(False, "the second")
    return tally.finding("two tries")


def _broken(*_: object) -> Finding:
    raise RuntimeError("no way in")


def test_an_attack_that_gets_through_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "found.json"
    attacks = (
        Attack("held", "a promise", lambda *_: Finding(3, 0)),
        Attack("not held", "another promise", _one_of_two),
        Attack("not even tried", "a third promise", _broken),
    )
    assert main(["--json", str(file)], attacks) == 1
    reported = capsys.readouterr().out
    assert "got through: the second" in reported
    assert "got through: the attack itself failed: RuntimeError('no way in')" in reported
    assert reported.endswith("5 tries, 2 got through\n")
    assert [entry["got_through"] for entry in json.loads(file.read_text())] == [0, 1, 1]


def test_names_of_attacks_are_unique() -> None:
    names = [each.name for each in ATTACKS]
    assert len(set(names)) == len(names)
    assert set(SHORT) <= set(names)


def test_the_page_says_how_it_is_run() -> None:
    page = (REPOSITORY / "docs" / "security.md").read_text()
    assert set(re.findall(r"python -m bench\.siege( --\w+)?", page)) == {"", " --list", " --only", " --seconds"}
