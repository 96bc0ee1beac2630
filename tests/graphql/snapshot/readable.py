"""Snapshots that a reviewer can read: one file for each case, SQL and answer as they are."""

from __future__ import annotations

import json
from typing import Any

from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode


class ReadableExtension(SingleFileSnapshotExtension):
    """Writes the statements of a case, its answer as JSON, and the rows found afterwards."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"

    def serialize(self, data: Any, **_: Any) -> str:
        parts = [*data["sql"], json.dumps(data["answer"], indent=2, ensure_ascii=False)]
        if "after" in data:
            rows = "\n".join(json.dumps(row, ensure_ascii=False, default=str) for row in data["after"])
            parts.append(f"afterwards:\n{rows}")
        return "\n\n".join(parts) + "\n"
