"""Snapshots that a reviewer can read, together with their case.

``<case>.sql`` are the statements and, as comments, their parameters and the rows found afterwards; ``<case>.json`` is
the answer.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from syrupy.data import Snapshot, SnapshotCollection
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from syrupy.location import PyTestLocation

from tests.graphql.snapshot.case import CASES, Case
from tests.graphql.snapshot.layout import laid_out


class BesideCase(SingleFileSnapshotExtension):
    """A file with the name of the case, which is the test's parameter ``case``."""

    _write_mode = WriteMode.TEXT

    @classmethod
    def get_location(cls, *, test_location: PyTestLocation, index: Any) -> str:
        case: Case = test_location.item.callspec.params["case"]
        return str(case.path.with_suffix(f".{cls.file_extension}"))

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        return str(Path(cls.get_location(test_location=test_location, index=0)).parent)

    @classmethod
    def discovery_dirname(cls, *, test_location: PyTestLocation) -> str:
        return str(CASES)

    @classmethod
    def matches_test_location(cls, *, test_location: PyTestLocation, snapshot_location: str) -> bool:
        return cls.get_location(test_location=test_location, index=0) == snapshot_location

    def owns_snapshot_collection(self, *, filepath: str, test_location: PyTestLocation) -> bool:
        return filepath.endswith(f".{self.file_extension}") and Path(filepath).name != "schema.sql"

    def read_snapshot_collection(self, *, snapshot_location: str) -> SnapshotCollection:
        path = Path(snapshot_location)
        collection = SnapshotCollection(location=snapshot_location)
        collection.add(Snapshot(name=f"test_case[{path.parent.name}-{path.stem}]"))
        return collection


class Statements(BesideCase):
    """Writes statements, each with its parameters, and rows."""

    file_extension = "sql"

    def serialize(self, data: Any, **_: Any) -> str:
        statements, rows = data
        parts = [f"{laid_out(sql)};\n-- {_json(parameters)}" for sql, parameters in statements]
        if not parts:
            parts.append("-- no statement")
        if rows is not None:
            parts.append("\n".join(["-- afterwards:", *(f"-- {_json(row)}" for row in rows)]))
        return "\n\n".join(parts) + "\n"


class Answer(BesideCase):
    """Writes what the client reads."""

    file_extension = "json"

    def serialize(self, data: Any, **_: Any) -> str:
        return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
