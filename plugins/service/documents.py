"""Reads registered documents from a folder, a JSON manifest or a table. The setting DOCUMENTS turns it on."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from app.database.identifiers import quoted
from app.documents.source import DocumentSource, DocumentsUnusable
from app.errors import DatabaseError
from app.hooks import hookimpl
from app.settings import Setting, Settings
from app.settings.kinds import TEXT

DOCUMENTS: Setting[str | None] = Setting(
    "documents",
    TEXT,
    None,
    "Registered documents: a folder of .graphql files, a JSON manifest, or table:schema.name with the columns id and "
    "document.",
    section="GraphQL requests",
)

_TABLE = "table:"
_SUFFIX = ".graphql"
_PAIR_OF_ROW = "pg_catalog.json_build_array(id::text, document::text)"

ReadValue = Callable[[str], bytes | None]


@hookimpl
def settings() -> Sequence[Setting[Any]]:
    return (DOCUMENTS,)


@hookimpl
def documents(settings: Settings, read: ReadValue) -> Sequence[DocumentSource]:
    source = settings[DOCUMENTS]
    if source is None:
        return ()
    if source.startswith(_TABLE):
        return (_table(source.removeprefix(_TABLE), read),)
    path = Path(source)
    files = _Folder(path) if path.is_dir() else _Manifest(path)
    return (DocumentSource(files.read, files.state),)


class _Folder:
    """The documents of ``*.graphql`` files. A document's id is the name of its file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> Mapping[str, str]:
        return {each.name.removesuffix(_SUFFIX): _text(each) for each in self._files()}

    def state(self) -> Hashable:
        return tuple((each.name, _state(each)) for each in self._files())

    def _files(self) -> list[Path]:
        try:
            return sorted(each for each in self._path.iterdir() if each.name.endswith(_SUFFIX))
        except OSError as ex:
            raise _unreadable(self._path, ex) from None


class _Manifest:
    """The documents of a JSON file: an object of texts by id, as Relay and code generators write it, or Apollo's
    format, whose ``operations`` have ``id`` and ``body``."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> Mapping[str, str]:
        try:
            content = json.loads(_text(self._path), object_pairs_hook=self._object)
        except (ValueError, RecursionError):
            raise _unusable(f"{self._path} is not JSON") from None
        if not isinstance(content, dict):
            raise _unusable(f"{self._path} must be a JSON object, of texts by id or with a list of operations")
        operations = content.get("operations")
        if isinstance(operations, list):
            return _by_id((_pair(each) for each in operations), str(self._path))
        return _by_id(content.items(), str(self._path))

    def state(self) -> Hashable:
        return _state(self._path)

    def _object(self, members: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        """A JSON object. Raises DocumentsUnusable if a name has two values, of which Python would use only the last."""
        found: dict[str, Any] = {}
        for name, value in members:
            if found.setdefault(name, value) != value:
                raise _unusable(f"{self._path} has {name!r} twice")
        return found


def _pair(operation: Any) -> tuple[Any, Any]:
    return (operation.get("id"), operation.get("body")) if isinstance(operation, dict) else (None, None)


def _table(name: str, read: ReadValue) -> DocumentSource:
    schema, _, table = name.partition(".")
    relation = f"{quoted(schema)}.{quoted(table)}"

    def query(sql: str) -> bytes:
        if not schema or not table:
            raise _unusable(f"{_TABLE}{name} must name a table with its schema, such as table:graphql.documents")
        try:
            return read(sql) or b""
        except DatabaseError as ex:
            raise _unusable(f"the table {name} cannot be read: {ex.message}") from None

    def rows() -> Mapping[str, str]:
        listed = query(f"select coalesce(pg_catalog.json_agg({_PAIR_OF_ROW}), '[]') from {relation}")  # noqa: S608
        return _by_id(json.loads(listed), f"the table {name}")

    def state() -> Hashable:
        each = f"md5({_PAIR_OF_ROW}::text)"
        return query(f"select md5(coalesce(string_agg({each}, '' order by {each}), '')) from {relation}")  # noqa: S608

    return DocumentSource(rows, state)


def _by_id(pairs: Iterable[tuple[Any, Any]], place: str) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for name, text in pairs:
        if not isinstance(name, str) or not isinstance(text, str):
            raise _unusable(f"{place} has a document whose id or text is not a string")
        if found.setdefault(name, text) != text:
            raise _unusable(f"{place} has two documents with the id {name!r}")
    return found


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as ex:
        raise _unreadable(path, ex) from None
    except UnicodeDecodeError:
        raise _unusable(f"{path} is not text in UTF-8") from None


def _state(path: Path) -> Hashable:
    try:
        status = path.stat()
    except OSError as ex:
        raise _unreadable(path, ex) from None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _unreadable(path: Path, ex: OSError) -> DocumentsUnusable:
    return _unusable(f"{path} cannot be read: {ex.strerror}")


def _unusable(why: str) -> DocumentsUnusable:
    return DocumentsUnusable(f"DOCUMENTS: {why}")
