"""Each hook is used by a built-in plugin and has its own test, and the classes that its docstring names exist."""

from __future__ import annotations

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

from app import hooks
from app.discovery import plugin_manager
from app.distribution import NAME

ROOT = Path(__file__).parents[2]


def _hooks() -> list[str]:
    classes = [each for name, each in vars(hooks).items() if inspect.isclass(each) and name.endswith("Hooks")]
    return [name for cls in classes for name in vars(cls) if not name.startswith("_")]


@pytest.mark.parametrize("name", _hooks())
def test_a_built_in_plugin_uses_the_hook(name: str) -> None:
    users = [each.plugin_name for each in getattr(plugin_manager().hook, name).get_hookimpls()]
    built_in = {each.name for each in plugin_manager().installed if each.distribution.startswith(f"{NAME} ")}
    assert built_in & set(users)


def test_each_hook_has_a_test() -> None:
    trees = (ast.parse(path.read_text()) for path in (ROOT / "tests" / "plugins").glob("test_*.py"))
    tests = {each.name for tree in trees for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)}
    assert [name for name in _hooks() if f"test_hook_{name}" not in tests] == []


def test_classes_named_by_docstrings_of_hooks_exist() -> None:
    named = set(re.findall(r"\b(app\.[a-z_.]+)\.([A-Z]\w+)", inspect.getsource(hooks)))
    assert named
    assert [f"{place}.{name}" for place, name in named if not hasattr(import_module(place), name)] == []
