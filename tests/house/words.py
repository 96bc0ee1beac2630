"""The string constants of source files, docstrings and comments aside."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from pathlib import Path


def strings_with(words: Collection[str], directory: Path) -> Iterator[tuple[Path, str]]:
    """The strings in the files of ``directory`` in which one of ``words`` occurs, in upper or lower case."""
    for file in sorted(directory.rglob("*.py")):
        for text in _strings(ast.parse(file.read_text(), str(file))):
            if any(word.lower() in text.lower() for word in words):
                yield file, text


def directives_that_enable(directory: Path) -> set[str]:
    """The names of the comment directives that ``directory`` declares as ``Directive(kind, name, Enabled())``."""
    return {
        name
        for file in directory.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(), str(file)))
        if (name := _enabling(node)) is not None
    }


def _strings(tree: ast.AST) -> Iterator[str]:
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def _enabling(node: ast.AST) -> str | None:
    match node:
        case ast.Call(
            func=ast.Name(id="Directive"),
            args=[_, ast.Constant(value=str(name)), ast.Call(func=ast.Name(id="Enabled"))],
        ):
            return name
    return None
