"""Frees outdated schemas as soon as no thread uses them.

The objects of a schema refer to each other in cycles. Otherwise Python's collector would free them, which it does late:
after 25 changes of a schema of 3,000 tables a worker had 600 instead of 160 MiB, in 10 of these schemas.
"""

from __future__ import annotations

import ctypes
from threading import Lock, get_ident

from app.graphql.schema.api_schema import ApiSchema


class SchemasInUse:
    """The schemas that threads use at present. The memory of schemas of ``large`` relations or more is given back to
    the system."""

    def __init__(self, large: int) -> None:
        self._large = large
        self._held: dict[int, list[ApiSchema]] = {}
        self._retired: list[ApiSchema] = []
        self._lock = Lock()

    def hold(self, api: ApiSchema) -> bool:
        """Note that this thread uses a schema from now on. False if it is outdated and may be freed at any moment."""
        held = self._held.setdefault(get_ident(), [])
        held.append(api)
        # Only now, because ``retire`` marks the schema first, and then looks who holds it.
        if api.is_retired:
            held.pop()
            return False
        return True

    def mark(self) -> int:
        """The number of schemas that this thread holds, for ``release``."""
        return len(self._held.get(get_ident(), ()))

    def release(self, mark: int) -> None:
        """Note that this thread does not use the schemas any more that it holds since ``mark``."""
        held = self._held.get(get_ident())
        if held is not None:
            del held[mark:]
        if self._retired:
            self._free()

    def retire(self, api: ApiSchema) -> None:
        """Free a schema once no thread holds it."""
        if not api.is_kept:
            api.is_retired = True
            with self._lock:
                self._retired.append(api)
            self._free()

    def _free(self) -> None:
        with self._lock:
            used = {id(each) for held in list(self._held.values()) for each in held}
            unused = [each for each in self._retired if id(each) not in used]
            self._retired = [each for each in self._retired if id(each) in used]
        is_much = any(len(each.rows_by_oid) >= self._large for each in unused)
        for each in unused:
            each.free()
        if is_much:
            _trim()


def _trim() -> None:
    """Give freed memory back to the system, which takes 2 to 10 ms. glibc keeps it for the threads that freed it; other
    C libraries have no such function."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
