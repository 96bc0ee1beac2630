"""A setting is declared where it is read: by the core if the core reads it, otherwise by the plugin that does."""

from __future__ import annotations

import ast
from pathlib import Path

from app.settings import SETTINGS

ROOT = Path(__file__).parents[2]


def _attributes_read_in_the_core() -> set[str]:
    trees = (ast.parse(path.read_text()) for path in (ROOT / "app").rglob("*.py"))
    return {each.attr for tree in trees for each in ast.walk(tree) if isinstance(each, ast.Attribute)}


def test_the_core_declares_only_what_it_reads() -> None:
    read = _attributes_read_in_the_core()
    assert [each.name for each in SETTINGS if each.name not in read] == []
