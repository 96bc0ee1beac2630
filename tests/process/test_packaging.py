"""The data files that ``pip install .`` installs: setup.cfg names all of them."""

from __future__ import annotations

import configparser
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]


def test_every_data_file_is_installed() -> None:
    configuration = configparser.ConfigParser()
    configuration.read(REPOSITORY / "setup.cfg")
    patterns = {key: value.replace(",", " ").split() for key, value in configuration["options.package_data"].items()}
    named: set[Path] = set()
    for package in (each.parent for each in (REPOSITORY / "app").rglob("__init__.py")):
        name = ".".join(package.relative_to(REPOSITORY).parts)
        for pattern in patterns["*"] + patterns.get(name, []):
            named.update(package.glob(pattern))
    files = {each for each in (REPOSITORY / "app").rglob("*") if each.is_file() and each.suffix not in (".py", ".pyc")}
    assert files
    assert files - named == set()
