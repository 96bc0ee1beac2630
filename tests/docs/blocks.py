"""The code blocks of the pages: which there are, and which of them a reader can run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
PAGES = ("README.md", "CONTRIBUTING.md", *sorted(f"docs/{page.name}" for page in (REPOSITORY / "docs").glob("*.md")))
RUNNABLE = frozenset(
    {"sh", "bash", "console", "shell", "python", "graphql", "sql", "js", "javascript", "ts", "typescript"}
)

_BLOCK = re.compile(r"^(?:<!-- not run: (?P<why>.+?) -->\n)?```(?P<language>[^\n]*)\n(?P<text>.*?)^```$", re.M | re.S)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block. ``heading`` is its section's; ``not_run`` says why no test runs it, None if one does."""

    page: str
    heading: str
    line: int
    language: str
    text: str
    not_run: str | None


def all_blocks(page: str) -> list[Block]:
    """Every fenced block of a page, in order."""
    text = (REPOSITORY / page).read_text()
    return [_block(page, text[: found.start()], found) for found in _BLOCK.finditer(text)]


def _block(page: str, before: str, found: re.Match[str]) -> Block:
    outside = _BLOCK.sub("", before)
    headings = ["", *re.findall(r"^#+ (.+)$", outside, re.M)]
    return Block(page, headings[-1], before.count("\n") + 1, found["language"], found["text"], found["why"])


def blocks(page: str, *languages: str) -> list[Block]:
    """The blocks of a page in these languages, except those marked as not run.

    A test that calls this with literals promises to run what it is given; test_every_block.py collects the promises.
    """
    found = [each for each in all_blocks(page) if each.language in languages and each.not_run is None]
    assert {each.language for each in found} == set(languages), f"{page} has no blocks in some of {languages}"
    return found
