"""Which files import which, read from the syntax tree; nothing is executed.

Every import counts the same: at the top of a file, inside a function, below ``if TYPE_CHECKING``.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

Imports = Mapping[str, frozenset[str]]
"""The modules of a tree, by dotted name, and those of the same tree that each of them imports."""


def read_imports(root: Path, packages: Iterable[str]) -> Imports:
    """The imports of ``packages``, directories below ``root``; one that does not exist has no modules."""
    files = {_dotted(file.relative_to(root)): file for package in packages for file in (root / package).rglob("*.py")}
    return {module: frozenset(_imported(module, file, files)) for module, file in sorted(files.items())}


def circles(imports: Imports) -> list[frozenset[str]]:
    """The largest sets of modules that reach one another: strongly connected components, by Tarjan's algorithm."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found = []

    def visit(module: str) -> None:
        order[module] = lowest[module] = len(order)
        stack.append(module)
        for other in sorted(imports.get(module, ())):
            if other not in order:
                visit(other)
                lowest[module] = min(lowest[module], lowest[other])
            elif other in stack:
                lowest[module] = min(lowest[module], order[other])
        if lowest[module] == order[module]:
            circle = frozenset(stack[stack.index(module) :])
            del stack[stack.index(module) :]
            if len(circle) > 1 or module in imports[module]:
                found.append(circle)

    for module in imports:
        if module not in order:
            visit(module)
    return found


def room_of(module: str, rooms: Collection[str]) -> str | None:
    """The room a module is in: the longest of ``rooms`` that is the module or a package around it."""
    return max((room for room in rooms if f"{module}.".startswith(f"{room}.")), key=len, default=None)


def upward(imports: Imports, floors: Iterable[Collection[str]]) -> list[str]:
    """The imports, as ``importer -> imported``, that lead neither to a lower floor nor stay in their room.

    ``floors`` are sets of rooms, the lowest first; rooms on one floor do not know each other. Files in no
    room are not checked.
    """
    height = {room: floor for floor, rooms in enumerate(floors) for room in rooms}
    wrong = []
    for module, other in pairs(imports):
        mine, its = room_of(module, height), room_of(other, height)
        if mine is not None and its is not None and mine != its and height[its] >= height[mine]:
            wrong.append(f"{module} -> {other}")
    return wrong


def pairs(imports: Imports) -> Iterator[tuple[str, str]]:
    """Each import as (importer, imported)."""
    return ((module, other) for module, others in imports.items() for other in sorted(others))


def _dotted(file: Path) -> str:
    parts = file.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(module: str, file: Path, modules: Mapping[str, Path]) -> Iterator[str]:
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(file.read_text(), str(file))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom):
            source = _source(node, package)
            for alias in node.names:
                whole = f"{source}.{alias.name}"
                if whole in modules:
                    yield whole
                elif source in modules:
                    yield source


def _source(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    around = package.split(".")[: len(package.split(".")) - node.level + 1]
    return ".".join([*around, *([node.module] if node.module else [])])
