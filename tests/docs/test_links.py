"""Links between pages lead to pages and sections that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.blocks import PAGES, REPOSITORY

_LINK = re.compile(r"\]\(([^()\s]+)\)")
_FENCED = re.compile(r"^```.*?^```$", re.M | re.S)


@pytest.mark.parametrize("page", PAGES)
def test_links_have_a_target(page: str) -> None:
    here = REPOSITORY / page
    targets = [each for each in _LINK.findall(_FENCED.sub("", here.read_text())) if ":" not in each]
    assert [each for each in targets if not _exists(here, each)] == []


def _exists(page: Path, target: str) -> bool:
    path, _, anchor = target.partition("#")
    found = (page.parent / path).resolve() if path else page
    return found.exists() and (not anchor or anchor in _anchors(found))


def _anchors(page: Path) -> set[str]:
    """The names of a page's sections, as GitHub and Sphinx make them."""
    headings = re.findall(r"^#+ (.+)$", _FENCED.sub("", page.read_text()), re.M)
    return {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}
