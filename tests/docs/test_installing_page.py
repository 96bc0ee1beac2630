"""The tables of docs/installing.md: its packages and extras are those of the repository."""

from __future__ import annotations

import re
import tomllib
from configparser import ConfigParser
from pathlib import Path

from tests.docs.blocks import REPOSITORY

PAGE = (REPOSITORY / "docs" / "installing.md").read_text()
OF_DEVELOPERS = {"test", "docs", "clients", "elsewhere", "lint", "release", "ci"}
"""Extras for those who change Portico."""


def rows(heading: str) -> list[list[str]]:
    """The cells of the first table below a heading, without its first two lines."""
    section = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("|")]
    return lines[2:]


def test_every_extra_of_users_has_a_size() -> None:
    setup = ConfigParser()
    setup.read(REPOSITORY / "setup.cfg")
    extras = {each[0].strip("`"): each[2] for each in rows("Extras")}
    assert extras.keys() == set(setup["options.extras_require"]) - OF_DEVELOPERS
    assert all(re.fullmatch(r"\d+(\.\d)? MB", each) for each in extras.values()), extras


def test_every_distribution_is_listed_with_its_folder() -> None:
    def name(path: Path) -> str:
        return tomllib.loads(path.read_text())["project"]["name"]

    expected = {f"`{name(path)}`": f"`{path.parent.name}`" for path in REPOSITORY.glob("*/pyproject.toml")}
    assert {each[0]: each[1] for each in rows("Packages")} == {"`portico-api`": "`.`", **expected}


def test_the_versions_of_python_are_those_of_the_distribution() -> None:
    setup = ConfigParser()
    setup.read(REPOSITORY / "setup.cfg")
    versions = re.findall(r":: (3\.\d+)", setup["metadata"]["classifiers"])
    listed = re.findall(r"^\| (3\.\d+) \|", PAGE, re.M)
    assert listed == versions
