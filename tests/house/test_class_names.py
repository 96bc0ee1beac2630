"""A name means one thing: no two rooms call different things by the same name."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = ("app", "plugins", "schema_cache", "portico")
SHARED = {"Headers": "pairs of a header's name and value, in the server as in the storage's protocol"}


def _names(path: Path) -> Iterator[str]:
    """The classes and the aliases of types that a file makes. Type variables are local to their file."""
    tree = ast.parse(path.read_text())
    yield from (node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and not _is_type_variable(node.value):
            name = node.targets[0].id
            if name[0].isupper() and not name.isupper():
                yield name


def _is_type_variable(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and getattr(value.func, "id", "") in ("TypeVar", "TypeVarTuple", "ParamSpec")


def test_no_class_name_is_used_twice() -> None:
    places = defaultdict(set)
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.py"):
            for name in _names(path):
                places[name].add(str(path.relative_to(ROOT)))
    twice = {name: sorted(paths) for name, paths in places.items() if len(paths) > 1 and not name.startswith("_")}
    assert set(twice) == set(SHARED), twice
