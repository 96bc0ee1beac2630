"""Every block that a reader could run is run by a test, or the page says why not."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.docs.blocks import PAGES, REPOSITORY, RUNNABLE, all_blocks


def _promises() -> Iterator[tuple[str, str]]:
    """Page and language of each call ``blocks("page", "language", ...)`` in the tests."""
    for path in sorted((REPOSITORY / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "blocks":
                page, *languages = (each.value for each in node.args if isinstance(each, ast.Constant))
                yield from ((str(page), str(language)) for language in languages)


PROMISED = frozenset(_promises())


@pytest.mark.parametrize("page", PAGES)
def test_a_block_is_run_or_says_why_it_is_not(page: str) -> None:
    unused = [
        f"{page}:{block.line} ({block.language})"
        for block in all_blocks(page)
        if block.language in RUNNABLE and block.not_run is None and (page, block.language) not in PROMISED
    ]
    assert unused == [], "run what blocks(page, language) gives in a test, or say `<!-- not run: why -->` above"


@pytest.mark.parametrize("page", PAGES)
def test_a_block_names_its_language_and_is_fenced(page: str) -> None:
    assert [each.line for each in all_blocks(page) if not each.language] == []
    outside = re.sub(r"^```.*?^```$", "", (REPOSITORY / page).read_text(), flags=re.M | re.S)
    assert re.findall(r"(?m)^\n {4}\S.*$", outside) == []
