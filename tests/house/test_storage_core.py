"""The storage core knows no protocol: it names no header, no status, no JSON key and no location of a token."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.process.running import REPOSITORY

CORE = REPOSITORY / "app" / "storage"

PROTOCOL_MODULES = ("falcon", "http", "waitress", "app.faces", "app.http", "app.server")
HEADERS = {
    "accept-ranges", "authorization", "cache-control", "content-disposition", "content-encoding", "content-length",
    "content-range", "content-security-policy", "content-type", "etag", "expires", "if-match", "if-modified-since",
    "if-none-match", "if-range", "if-unmodified-since", "last-modified", "location", "range", "retry-after",
    "transfer-encoding", "user-agent", "x-metadata", "x-request-id", "x-robots-tag", "x-signature", "x-upsert",
}  # fmt: skip
JSON_KEYS = {
    "copyMetadata", "destinationBucket", "destinationKey", "error", "expiresIn", "hasNext", "hint", "Id", "Key",
    "message", "nextCursor", "paths", "prefixes", "signedURL", "sortBy", "sourceKey", "statusCode",
}  # fmt: skip
PLACES_OF_TOKENS = {"token", "bearer", "bearer "}
STORED = {"eTag", "Key"}
"""Members of JSON in the database, of metadata and of lifecycle rules, that are also names of a protocol."""


def violations(source: str) -> Iterator[str]:
    """The parts of a protocol that this Python source names."""
    tree = ast.parse(source)
    documentation = {id(each) for each in _documentation(tree)}
    for node in ast.walk(tree):
        for module in _imported(node):
            if any(module == name or module.startswith(f"{name}.") for name in PROTOCOL_MODULES):
                yield f"import of {module}"
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield from _named(node.value)
        for status in _statuses(node):
            yield f"status {status}"


def _documentation(tree: ast.Module) -> Iterator[ast.Constant]:
    """Strings that are statements of their own."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (each.name for each in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield node.module
        yield from (f"{node.module}.{each.name}" for each in node.names)


def _named(text: str) -> Iterator[str]:
    if text in STORED:
        return
    if text.lower() in HEADERS or text in JSON_KEYS or text.lower() in PLACES_OF_TOKENS:
        yield f"the word {text!r}"
    if "json_build_object" in text:
        yield "JSON that is made for an answer"


def _statuses(node: ast.AST) -> Iterator[int]:
    """Statuses of HTTP in an error that is raised or made, or of a class."""
    values: list[ast.AST] = []
    if isinstance(node, ast.Raise):
        values = [node]
    elif isinstance(node, ast.keyword | ast.Assign) and "status" in _targets(node):
        values = [node.value]
    for value in values:
        for each in ast.walk(value):
            if isinstance(each, ast.Constant) and type(each.value) is int and 400 <= each.value <= 599:
                yield each.value


def _targets(node: ast.keyword | ast.Assign) -> set[str | None]:
    return {node.arg} if isinstance(node, ast.keyword) else {getattr(each, "id", None) for each in node.targets}


def core_files() -> list[Path]:
    return sorted(CORE.rglob("*.py"))


@pytest.mark.parametrize("path", core_files(), ids=lambda path: str(path.relative_to(CORE)))
def test_the_core_does_not_name_protocols(path: Path) -> None:
    assert list(violations(path.read_text())) == []


@pytest.mark.parametrize(
    "source",
    [
        "import falcon",
        "from http import HTTPStatus",
        "from app.faces.rest.request import Call",
        "from app import faces",
        "import app.faces.shared.ranges",
        "call.headers.get('Content-Type')",
        "query['token']",
        "given['destinationKey']",
        "answer = {'statusCode': '404'}",
        "raise StorageError('NoSuchKey', 404)",
        "raise_later = StorageError(status=507)",
        "class Missing(Exception):\n    status = 404",
        'QUERY = f"SELECT json_build_object({members}) FROM storage.objects"',
    ],
)
def test_the_rule_finds_violations(source: str) -> None:
    assert len(list(violations(source))) >= 1


@pytest.mark.parametrize(
    "source",
    ["BATCH = 500", '"""The header ``range`` is the face\'s."""', "metadata['eTag']", "from app.storage import errors"],
)
def test_the_rule_accepts_other_code(source: str) -> None:
    assert list(violations(source)) == []
