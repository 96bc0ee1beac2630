"""A snapshot case: a folder's schema and one query in it.

``cases/<feature>/schema.sql`` makes the database; ``cases/<feature>/<case>.graphql`` is the document. Comments at its
top, one ``# key: value`` a line, say more: ``variables`` (JSON), ``role`` (default anon), ``dialect`` (default
standard), other ``settings`` (JSON), ``operation``, the extension that it ``needs``, and ``after``, a query whose rows
tell the state of the database afterwards.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CASES = Path(__file__).parent / "cases"
_NOTE = re.compile(r"# (\w+): (.*)")


@dataclass(frozen=True)
class Case:
    """One case; ``notes`` are the comments at the top of the document."""

    path: Path
    query: str
    notes: dict[str, str]

    @property
    def name(self) -> str:
        return f"{self.path.parent.name}-{self.path.stem}"

    @property
    def schema(self) -> str:
        return (self.path.parent / "schema.sql").read_text()

    @property
    def variables(self) -> dict[str, Any]:
        return json.loads(self.notes.get("variables", "{}"))

    @property
    def needs(self) -> str | None:
        return self.notes.get("needs")

    @property
    def only_reads(self) -> bool:
        return "mutation" not in self.query and "after" not in self.notes

    @property
    def role(self) -> str:
        return self.notes.get("role", "anon")

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "graphql_dialect": self.notes.get("dialect", "standard"),
            **json.loads(self.notes.get("settings", "{}")),
        }


def all_cases() -> Iterator[Case]:
    """Every case, in the order of their names."""
    for path in sorted(CASES.glob("*/*.graphql")):
        notes = {}
        text = path.read_text()
        for line in text.splitlines():
            match = _NOTE.fullmatch(line)
            if match is None:
                break
            notes[match[1]] = match[2]
        yield Case(path, text, notes)
