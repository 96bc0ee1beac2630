"""The import checker finds violations of each rule in made-up trees."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.house.imports import circles, read_imports, upward
from tests.house.words import directives_that_enable, strings_with

FLOORS = (("low",), ("middle", "aside"), ("high", "middle.attic"))


def tree(root: Path, **files: str) -> Path:
    """Files below ``root``: ``low__a`` is the module low.a."""
    for name, text in files.items():
        file = root / (name.replace("__", "/") + ".py")
        file.parent.mkdir(parents=True, exist_ok=True)
        (file.parent / "__init__.py").touch()
        file.write_text(text)
    return root


def imports_of(root: Path, **files: str) -> dict[str, frozenset[str]]:
    return dict(read_imports(tree(root, **files), ("low", "middle", "aside", "high")))


@pytest.mark.parametrize(
    "text",
    [
        "import low.b",
        "import low.b as other",
        "from low import b",
        "from low.b import name",
        "from . import b",
        "from .b import name",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from low.b import name",
        "def function():\n    from low.b import name",
        "try:\n    import low.b\nexcept ImportError:\n    pass",
    ],
)
def test_every_way_to_import_is_seen(tmp_path: Path, text: str) -> None:
    assert imports_of(tmp_path, low__a=text, low__b="")["low.a"] == {"low.b"}


def test_imports_of_other_packages_are_not_counted(tmp_path: Path) -> None:
    found = imports_of(tmp_path, low__a="import os\nfrom json import loads\n'from low import b'", low__b="")
    assert found == {"low": frozenset(), "low.a": frozenset(), "low.b": frozenset()}


def test_the_attribute_of_a_package_is_an_import_of_the_package(tmp_path: Path) -> None:
    assert imports_of(tmp_path, low__a="from middle import name", middle__b="")["low.a"] == {"middle"}


def test_cycles_are_found(tmp_path: Path) -> None:
    lines = {
        "low__a": "import low.b",
        "low__b": "def function():\n    from low.c import name",
        "low__c": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import low.a",
        "low__d": "import low.a",
    }
    assert circles(imports_of(tmp_path, **lines)) == [{"low.a", "low.b", "low.c"}]
    (tmp_path / "low" / "c.py").write_text("")
    assert circles(read_imports(tmp_path, ["low"])) == []


def test_a_file_that_imports_itself_is_a_cycle(tmp_path: Path) -> None:
    assert circles(imports_of(tmp_path, low__a="from low.a import name")) == [{"low.a"}]


def test_upward_imports_are_found(tmp_path: Path) -> None:
    lines = {
        "low__a": "import high.a",
        "middle__a": "import low.a, middle.b, middle.attic.a",
        "middle__b": "import aside.a",
        "middle__attic__a": "import middle.a, low.a",
        "aside__a": "",
        "high__a": "import low.a, middle.a, aside.a",
    }
    assert upward(imports_of(tmp_path, **lines), FLOORS) == [
        "low.a -> high.a",
        "middle.a -> middle.attic.a",
        "middle.b -> aside.a",
    ]


def test_words_are_found_in_strings_but_not_in_docstrings_and_comments(tmp_path: Path) -> None:
    tree(tmp_path, a='"""Insert."""\n# Insert\nname = f"{insert}InsertInput"\n\n\ndef insert():\n    """Insert."""\n')
    assert [text for _, text in strings_with({"insert"}, tmp_path)] == ["InsertInput"]


def test_directives_that_enable_are_found(tmp_path: Path) -> None:
    tree(tmp_path, a='x = (Directive("relation", "count", Enabled()), Directive("relation", "name", Text()))')
    assert directives_that_enable(tmp_path) == {"count"}
