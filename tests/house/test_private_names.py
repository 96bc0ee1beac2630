"""Private names of other libraries: each is used in one file for its library, and is still what that file needs."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import falcon
import pytest
from graphql.language.parser import Parser
from h11 import _readers
from pg8000.core import CoreConnection
from prometheus_client import Histogram, Summary
from sqlalchemy import ColumnClause, ColumnElement, select
from sqlalchemy.sql.elements import NamedColumn
from sqlalchemy.sql.functions import FunctionElement
from waitress import parser
from waitress.parser import HTTPRequestParser
from waitress.receiver import ChunkedReceiver, FixedStreamReceiver
from waitress.task import ErrorTask, Task, WSGITask

import app.faces.live.connections
import app.server.waitress_internals  # noqa: F401 - it changes waitress's pattern
from app.faces.shared.falcon_internals import set_headers
from tests.process.running import REPOSITORY

PACKAGES = ("app", "plugins", "portico", "schema_cache", "federation", "signin", "studio", "telemetry")
FENCES = {
    "app/database/wire/driver.py": {"_backend_key_data"},
    "app/faces/live/h11_internals.py": {"_readers"},
    "app/faces/shared/falcon_internals.py": {"_headers"},
    "app/graphql/documents/parsing.py": {"_lexer", "_token_counter"},
    "app/metrics/prometheus_internals.py": {"_buckets", "_sum", "_upper_bounds"},
    "app/query/sql/sqlalchemy_internals.py": {
        "_compiler_dispatch", "_default_stack_entry", "_from_objects", "_selectable", "_traverse_internals",
        "_with_ordinality",
    },
}  # fmt: skip
"""The private names that a file may use of another library."""
PUBLIC = {"_asdict", "_exit", "_fields", "_make", "_replace"}
"""Names of namedtuple and of os, which are public in spite of the underscore."""
PRIVATE = re.compile(r"_[a-zA-Z]\w*")


parsed = cache(ast.parse)


def source_files() -> list[Path]:
    files = [file for package in PACKAGES for file in sorted((REPOSITORY / package).rglob("*.py"))]
    return [file for file in files if not {"node_modules", "tests"} & set(file.parts[len(REPOSITORY.parts) :])]


def defined_names(tree: ast.AST) -> Iterator[str]:
    """The private names that a file gives to something itself."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name, ctx=ast.Store()):
                yield name
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.Assign(targets=[ast.Name(id="__slots__")], value=ast.Tuple(elts=slots)):
                yield from (each.value for each in slots if isinstance(each, ast.Constant))


def foreign_names(source: str, ours: set[str]) -> set[str]:
    """The private names of other libraries that a file uses. ``ours`` are those that objects of our own have, which
    use them of themselves; of another object a file uses those that it defines."""
    tree = parsed(source)
    defined = set(defined_names(tree))
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name):
                found |= {name} - ours
            case ast.Attribute(attr=name) | ast.keyword(arg=str(name)):
                found |= {name} - defined
            case ast.ImportFrom(names=names):
                found |= {each.name for each in names}
    return {name for name in found - PUBLIC if PRIVATE.fullmatch(name)}


def test_waitress_is_imported_in_its_file_only() -> None:
    importing = {file.relative_to(REPOSITORY).as_posix() for file in source_files()
                 if re.search(r"^(?:from|import) waitress", file.read_text(), re.M)}  # fmt: skip
    assert importing == {"app/server/waitress_internals.py"}


def test_private_names_are_used_in_their_file_only() -> None:
    trees = {file.relative_to(REPOSITORY).as_posix(): file.read_text() for file in source_files()}
    ours = {name for path, text in trees.items() if path not in FENCES for name in defined_names(parsed(text))}
    found = {path: names for path, text in trees.items() if (names := foreign_names(text, ours))}
    assert found == FENCES


def test_the_rule_finds_private_names() -> None:
    source = "from h11 import _readers\nx._headers\nf(_selectable=1)\nself._own\nself._theirs\nx._replace()"
    assert foreign_names(source, {"_own", "_headers"}) == {"_readers", "_headers", "_selectable", "_theirs"}


def _sources(*objects: Any) -> str:
    return "".join(map(inspect.getsource, objects))


def _mentions(names: Iterable[str], *objects: Any) -> bool:
    source = _sources(*objects)
    missing = [name for name in names if not re.search(rf"\b{name}\b", source)]
    return missing == []


# Attributes that app/server/request/request.py and app/server/request/task.py read and set.
_OF_THE_PARSER = (
    "adj", "body_rcv", "chunked", "command", "completed", "connection_close", "content_length", "empty", "error",
    "expect_continue", "first_line", "fragment", "header_bytes_received", "header_plus", "headers", "headers_finished",
    "parse_header", "path", "proxy_netloc", "proxy_scheme", "query", "received", "request_uri", "url_scheme", "version",
)  # fmt: skip
_OF_A_TASK = (
    "build_response_header", "channel", "chunked_response", "close_on_finish", "complete", "content_length", "finish",
    "request", "response_headers", "set_close_on_finish", "status", "version", "write", "wrote_header",
)  # fmt: skip

CONTRACTS: tuple[tuple[str, str, Callable[[], bool]], ...] = (
    ("pg8000", "CoreConnection._backend_key_data and ._sock", lambda: all(
        f"self.{name} =" in _sources(CoreConnection) for name in ("_backend_key_data", "_sock"))),
    ("h11", "_readers.header_field_re with ':[ \\t]*('", lambda: rb":[ \t]*+(" in _readers.header_field_re.pattern),
    ("falcon", "Response._headers, from which get_header reads", lambda: _header_of_falcon() == "1"),
    ("graphql-core", "Parser._lexer and ._token_counter", lambda: all(
        hasattr(Parser("{a}"), name) for name in ("_lexer", "_token_counter"))),
    ("prometheus_client", "Histogram._sum, ._buckets and ._upper_bounds, Summary._count and ._sum", lambda: all(
        f"self.{name}" in _sources(Histogram, Summary) for name in ("_sum", "_buckets", "_upper_bounds", "_count"))),
    ("waitress", "HTTPRequestParser with _OF_THE_PARSER", lambda: _mentions(_OF_THE_PARSER, HTTPRequestParser)),
    ("waitress", "Task with _OF_A_TASK", lambda: _mentions(_OF_A_TASK, Task, WSGITask, ErrorTask)),
    ("waitress", "FixedStreamReceiver(cl, buf)", lambda:
        [*inspect.signature(FixedStreamReceiver.__init__).parameters][1:] == ["cl", "buf"]),
    ("waitress", "ChunkedReceiver.control_line and .trailer", lambda:
        _mentions(("control_line", "trailer"), ChunkedReceiver)),
    ("waitress", "parser.HEADER_FIELD_RE with ':[ \\t]{0,}?'", lambda: b":[ \t]*+" in parser.HEADER_FIELD_RE.pattern),
    ("SQLAlchemy", "ClauseElement._compiler_dispatch and ._from_objects", lambda: all(
        hasattr(ColumnElement, name) for name in ("_compiler_dispatch", "_from_objects"))),
    ("SQLAlchemy", "SQLCompiler.stack and ._default_stack_entry", lambda: all(
        hasattr(select(1).compile(), name) for name in ("stack", "_default_stack_entry"))),
    ("SQLAlchemy", "FunctionElement._with_ordinality", lambda: FunctionElement._with_ordinality is False),
    ("SQLAlchemy", "ColumnClause(_selectable=...) and ._constructor", lambda:
        "_selectable" in inspect.signature(ColumnClause.__init__).parameters
        and "self._constructor" in _sources(ColumnClause, ColumnElement, NamedColumn)),
)  # fmt: skip
"""Private details that the files for each library rely on. If an update changes one, the test with its name fails."""


def _header_of_falcon() -> str | None:
    resp = falcon.Response()
    set_headers(resp, [("x-one", "1")])
    return resp.get_header("x-one")


@pytest.mark.parametrize(("library", "relied_on", "holds"), CONTRACTS, ids=[each[1] for each in CONTRACTS])
def test_the_library_still_has_the_private_names(library: str, relied_on: str, holds: Callable[[], bool]) -> None:
    assert holds(), f"{library} {version(library)} has no {relied_on} any more; the file for it in FENCES uses that"
