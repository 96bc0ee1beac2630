"""The page about the architecture names each part of the code that a reader may look for."""

from __future__ import annotations

import re

import pytest

from tests.docs.blocks import REPOSITORY

PAGE = (REPOSITORY / "docs" / "architecture.md").read_text()


@pytest.mark.parametrize("whole", ["app", "app/faces", "app/storage"])
def test_each_folder_has_its_line_in_the_table(whole: str) -> None:
    folders = {each.parent.name for each in (REPOSITORY / whole).glob("*/*.py")}
    table = PAGE.partition(f"| part of `{whole}` |")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `(\w+)/` \|", table, re.M)) == folders


def test_the_files_that_it_names_are_there() -> None:
    named = set(re.findall(r"`((?:app|plugins|schema_cache|tests)/[\w/]+(?:\.py)?)`", PAGE))
    assert len(named) > 10
    assert {each for each in named if not (REPOSITORY / each).exists()} == set()
