"""The page about errors has every code that the GraphQL API can answer, and no other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from app.errors import SQLSTATE_CODES, UNNAMED_SQLSTATE

REPOSITORY = Path(__file__).parents[2]
OTHERS = (
    "storage", "app/faces/rest/", "app/faces/s3/", "app/faces/resumable/", "app/faces/images/", "app/faces/direct/",
    "app/faces/shared/", "app/installation/", "app/commands/", "app/embedded/", "app/testing/", "app/wsgi.py",
)  # fmt: skip
"""Parts of paths whose errors the GraphQL API never returns, or whose errors are named after their HTTP status."""

CODE = re.compile(r"[A-Z][A-Z_]+")


def _sources() -> Iterator[Path]:
    for package in ("app", "plugins", "schema_cache"):
        for path in sorted((REPOSITORY / package).rglob("*.py")):
            if not any(other in str(path.relative_to(REPOSITORY)) for other in OTHERS):
                yield path


def _codes(tree: ast.AST) -> Iterator[str]:
    """The constants that become a ``code``: as an argument of that name, an attribute, or a DocumentError's second."""
    for node in ast.walk(tree):
        places: list[ast.AST] = []
        if isinstance(node, ast.Call):
            places += [keyword.value for keyword in node.keywords if keyword.arg == "code"]
            if getattr(node.func, "id", "") == "DocumentError":
                places += node.args[1:2]
        elif isinstance(node, ast.Assign) and any(getattr(each, "id", "") == "code" for each in node.targets):
            places.append(node.value)
        for place in places:
            constants = [each.value for each in ast.walk(place) if isinstance(each, ast.Constant)]
            yield from (each for each in constants if isinstance(each, str) and CODE.fullmatch(each))


def test_the_page_has_every_code_and_no_other() -> None:
    used = {code for path in _sources() for code in _codes(ast.parse(path.read_text()))}
    used |= {UNNAMED_SQLSTATE, *SQLSTATE_CODES.values()}
    assert len(used) > 40
    page = (REPOSITORY / "docs" / "errors.md").read_text()
    assert set(re.findall(r"^\| `([A-Z_]+)` \|", page, re.MULTILINE)) == used


def test_the_page_has_the_sqlstate_of_each_code() -> None:
    page = (REPOSITORY / "docs" / "errors.md").read_text()
    section = page.partition("## Errors of the database")[2].partition("\n## ")[0]
    listed = dict(re.findall(r"^\| `([A-Z_]+)` \| (?:other )?([0-9A-Z]{2,5}) \|", section, re.MULTILINE))
    assert listed == {code: state for state, code in SQLSTATE_CODES.items()}
