"""Values that follow from unchanged records alone, which one schema takes over from the one before.

After a change of the database almost all of its records are the same objects as before. So what was found out about
them, such as names, need not be found out again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

Made = TypeVar("Made")


class Remembered:
    """The values of the schemas of one ``version``. ``context``: what else the values depend on; with another context
    than that of ``before`` none is taken over. Values must not refer to a schema. Threads may share this object."""

    def __init__(self, version: str, context: Hashable, before: Remembered | None = None) -> None:
        self.version = version
        self.context = context
        self._values: dict[Hashable, tuple[tuple[object, ...], Any]] = {}
        self._before = before._values if before is not None and before.context == context else {}

    def of(self, kind: str, *records: object, make: Callable[[], Made]) -> Made:
        """The value of that kind that follows from these records, found by their identity."""
        key = kind, *map(id, records)
        known = self._values.get(key)
        if known is None:
            # The records are kept with the value: while it exists, no other object can have their identity.
            known = self._before.pop(key, None) or (records, make())
            self._values[key] = known
        return cast(Made, known[1])
